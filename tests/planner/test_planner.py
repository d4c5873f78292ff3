"""Planner opens a run, plans it, and ends it exactly once."""

from typing import Any

import pytest
from contracts.envelope import Event, outcome_id
from contracts.events.conversation import ModelCalled, ReplyRejected
from contracts.events.dead_letters import WorkAbandoned
from contracts.events.design import DesignApproved
from contracts.events.plan import PlanProposed, PlanRejected
from contracts.events.run import (
    EngineeringRequested,
    EnvironmentBuilt,
    EnvironmentRefused,
    EnvironmentRequested,
    RunFailed,
    RunSucceeded,
)
from contracts.events.session import SessionFailed
from contracts.events.simulation import FilmCompleted, FilmFailed, FilmRequested
from contracts.models.benchmark import Budget
from planner.policy import Planner

from tests.agent.planned import REPLY as GOOD
from tests.agent.role_play import RolePlay, engineering_requested, seen_by
from tests.contracts import example_values as values


def _play(*script: str, problem: str | None = None) -> RolePlay:
    return RolePlay(Planner(lambda _, /, *, priced=False: problem), script)


async def _opened(play: RolePlay, **changes: Any) -> tuple[EngineeringRequested, EnvironmentRequested]:
    request = engineering_requested(**changes)
    (world,) = await play.hear(request)
    assert isinstance(world, EnvironmentRequested)
    return request, world


async def _proposed(play: RolePlay, **changes: Any) -> tuple[EngineeringRequested, PlanProposed]:
    request, world = await _opened(play, **changes)
    (proposed,) = await play.hear(_built(world))
    assert isinstance(proposed, PlanProposed)
    return request, proposed


def _built(world: EnvironmentRequested) -> EnvironmentBuilt:
    return EnvironmentBuilt.answering(world, "cad-worker", environment=values.ENVIRONMENT, build_s=0.5)


def _approved(run: Event) -> DesignApproved:
    return DesignApproved.deciding(
        run,
        "engineer",
        700,
        review_md="good",
        delivery=values.DELIVERY,
        bill=values.BILL,
        result=values.RESULT,
    )


async def test_a_run_opens_with_its_environment_and_without_a_model() -> None:
    play = _play()
    request, world = await _opened(play)
    assert world.assignment == request.assignment
    assert play.chat.calls == 0


async def test_a_plan_is_proposed_with_all_the_critic_needs() -> None:
    play = _play(GOOD)
    request, proposed = await _proposed(play)
    assert (proposed.plan_md, proposed.todo_md) == (values.PLAN, values.TODO)
    assert proposed.environment == values.ENVIRONMENT
    assert (proposed.budget, proposed.model) == (request.budget, request.model)
    assert [kind for kind, _ in seen_by(play.chat)] == ["system", "human"]


async def _filmed(play: RolePlay, request: EngineeringRequested) -> FilmRequested:
    (film,) = await play.hear(_approved(request))
    assert isinstance(film, FilmRequested)
    return film


async def test_an_approved_design_is_filmed_first_and_with_its_film_the_run_ends() -> None:
    play = _play(GOOD)
    request, _ = await _proposed(play)
    film = await _filmed(play, request)
    assert (film.scene, film.trajectory_digest) == (values.DELIVERY.scene, values.RESULT.trajectory_digest)
    assert film.role == "planner"
    done = FilmCompleted.answering(film, "sim-worker", summary_md="**SOLVED**", media=values.MEDIA)
    (succeeded,) = await play.hear(done)
    assert isinstance(succeeded, RunSucceeded)
    assert succeeded.id == outcome_id(request.id)
    assert succeeded.causation_id == done.id
    assert succeeded.delivery == values.DELIVERY.model_copy(update={"media": values.MEDIA})


async def test_a_run_without_a_film_succeeds_all_the_same_and_says_why() -> None:
    play = _play(GOOD)
    request, _ = await _proposed(play)
    film = await _filmed(play, request)
    failed = FilmFailed.answering(film, "sim-worker", reason="ran_differently", detail="another simulator")
    (succeeded,) = await play.hear(failed)
    assert isinstance(succeeded, RunSucceeded)
    assert succeeded.delivery.media_problem == "it could not be filmed (ran_differently): another simulator"


async def test_nothing_else_ends_a_run_whose_approved_design_is_being_filmed() -> None:
    play = _play(GOOD)
    request, _ = await _proposed(play)
    film = await _filmed(play, request)
    late = WorkAbandoned.deciding(request, "engineer", 800, reason="refused", detail="x")
    assert await play.hear(late) == []
    (end,) = await play.hear(FilmCompleted.answering(film, "sim-worker", summary_md="", media=values.MEDIA))
    assert isinstance(end, RunSucceeded)


async def test_a_run_ends_once_whatever_comes_after() -> None:
    play = _play(GOOD)
    request, _ = await _proposed(play)
    film = await _filmed(play, request)
    await play.hear(FilmCompleted.answering(film, "sim-worker", summary_md="", media=values.MEDIA))
    late = WorkAbandoned.deciding(request, "engineer", 800, reason="refused", detail="x")
    assert await play.hear(late) == []
    ends = [event for event in play.bus.events if isinstance(event, RunSucceeded | RunFailed)]
    assert [type(end) for end in ends] == [RunSucceeded]


@pytest.mark.parametrize(
    ("kind", "fields", "reason"),
    [
        (EnvironmentRefused, {"reason": "payload_in_wall", "detail": "ball in wall"}, "benchmark_invalid"),
        (SessionFailed, {"reason": "kernel_failed", "detail": "no memory"}, "session_failed"),
        (WorkAbandoned, {"reason": "steps_exhausted", "detail": "40 calls"}, "steps_exhausted"),
        (WorkAbandoned, {"reason": "refused", "detail": "the goal is above the start"}, "refused"),
        (WorkAbandoned, {"reason": "design_rejected", "detail": "flaky"}, "design_rejected"),
        (WorkAbandoned, {"reason": "model_failed", "detail": "unreadable"}, "model_failed"),
    ],
)
async def test_what_ends_a_run_badly_is_named(kind: type[Event], fields: dict[str, Any], reason: str) -> None:
    play = _play(GOOD)
    request, _ = await _proposed(play)
    cause = kind.deciding(request, "engineer", 700, **fields)
    (failed,) = await play.hear(cause)
    assert isinstance(failed, RunFailed)
    assert failed.reason == reason
    assert (failed.id, failed.causation_id) == (outcome_id(request.id), cause.id)
    assert fields["detail" if "detail" in fields else "reason"] in failed.detail


async def test_a_rejected_plan_is_planned_again_with_the_review() -> None:
    play = _play(GOOD, GOOD.replace("8 degrees", "9 degrees"))
    _, proposed = await _proposed(play)
    (again,) = await play.hear(PlanRejected.answering(proposed, "critic", review_md="too flat"))
    assert isinstance(again, PlanProposed)
    assert "9 degrees" in again.plan_md
    assert again.id != proposed.id
    assert "too flat" in seen_by(play.chat)[-1][1]


async def test_plans_are_rejected_only_so_often() -> None:
    play = _play(GOOD, GOOD)
    _, proposed = await _proposed(play, budget=Budget(max_rejections=1))
    (again,) = await play.hear(PlanRejected.answering(proposed, "critic", review_md="no"))
    assert isinstance(again, PlanProposed)
    (failed,) = await play.hear(PlanRejected.answering(again, "critic", review_md="still too flat"))
    assert isinstance(failed, RunFailed)
    assert failed.reason == "plan_rejected"
    assert "still too flat" in failed.detail
    assert play.chat.calls == 2


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        (GOOD, "", ("The reply was empty",)),
        (GOOD, "roll", ("`## Idea` is missing", "`## TODO` is missing")),
        ("\n## TODO\n", "\n", ("line 26: `## TODO` is missing",)),
        ("T2", "T3", ("line 26: T3 is where T2 belongs",)),
        ("- [ ] T1: measure", "- T1 measure", ("line 25: `- T1 measure the environment` is not an item",)),
        ("- [ ] T1", "- [x] T1", ("`- [x] T1: measure the environment` is not open",)),
        ("| pla | 25 |", "| oak | heavy |", ("line 9: `oak` is not a material", "line 9: mass_g is `heavy`")),
        ("| channel | 3 |", "| channel | 30 |", ("line 5: the prices add up to 263 USD, and the limit is 40 USD",)),
        ("Moved by: ", "By ", ("line 14: `## Motion` begins with `By gravity",)),
        ("2. it drops", "2. it drops\nsoftly", ("line 18: `softly into the goal zone` is not a stage",)),
    ],
)
async def test_a_malformed_plan_is_asked_for_again_with_every_problem(
    old: str, new: str, told: tuple[str, ...]
) -> None:
    assert old in GOOD
    bad = GOOD.replace(old, new)
    play = _play(bad, GOOD)
    _, world = await _opened(play)
    (rejected,) = await play.hear(_built(world))
    assert isinstance(rejected, ReplyRejected)
    assert all(each in rejected.problem for each in told), rejected.problem
    (proposed,) = await play.hear(rejected)
    assert isinstance(proposed, PlanProposed)
    assert rejected.problem in seen_by(play.chat)[-1][1]
    assert bad == "" or all(text != bad for _, text in seen_by(play.chat))


async def test_a_plan_that_is_laid_out_loosely_is_put_in_order() -> None:
    loose = "Here is the plan.\n\n" + GOOD.replace("| --- |", "|:---|").replace("| 25 |", "|   25|") + "\n\n"
    _, proposed = await _proposed(_play(loose.replace("\n", "\r\n")))
    assert (proposed.plan_md, proposed.todo_md) == (values.PLAN, values.TODO)


async def test_plans_that_stay_malformed_fail_the_run() -> None:
    play = _play("no", "no", "no")
    request, world = await _opened(play)
    decided = await play.hear(_built(world))
    for _ in range(2):
        decided = await play.hear(decided[0])
    (failed,) = decided
    assert isinstance(failed, RunFailed)
    assert (failed.reason, failed.id) == ("model_failed", outcome_id(request.id))
    assert play.chat.calls == 3


async def test_a_model_that_cannot_be_used_fails_the_run_before_anything_is_built() -> None:
    play = _play(problem="model 'x' is unknown: use `offline`")
    (failed,) = await play.hear(engineering_requested())
    assert isinstance(failed, RunFailed)
    assert failed.reason == "model_failed"
    assert "use `offline`" in failed.detail


async def test_a_redelivered_environment_plans_once() -> None:
    play = _play(GOOD)
    _, world = await _opened(play)
    first = await play.hear(_built(world))
    assert await play.hear(_built(world)) == first
    assert len([event for event in play.bus.events if isinstance(event, ModelCalled)]) == 1


async def test_what_belongs_to_an_unknown_run_is_not_acted_on() -> None:
    play = _play()
    late = WorkAbandoned.deciding(engineering_requested(), "engineer", 800, reason="refused", detail="x")
    assert await play.hear(late) == []
