"""Tests of the planner's policy: it opens a run, plans it, and ends it exactly once."""

from typing import Any

import pytest
from agent.loop.rejections import MAX_OF_ONE_CAUSE
from contracts.envelope import Event, answering, deciding, outcome_id
from contracts.events.conversation import ReplyRejected
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
    WorldRefused,
)
from contracts.events.session import SessionFailed
from contracts.events.simulation import FilmCompleted, FilmFailed, FilmRequested
from contracts.models.benchmark import Budget

from tests.agent.example_plan import REPLY as GOOD
from tests.agent.role_harness import RoleHarness, engineering_requested, last_prompt
from tests.contracts import example_values as values
from tests.contracts.example_values import assessment_of
from tests.planner.planner_harness import plan_in, planner_harness


def _harness(*script: str, problem: str | None = None) -> RoleHarness:
    return planner_harness(script, problem)


async def _opened(harness: RoleHarness, **changes: Any) -> tuple[EngineeringRequested, EnvironmentRequested]:
    request = engineering_requested(**changes)
    (world,) = await harness.consume(request)
    assert isinstance(world, EnvironmentRequested)
    return request, world


async def _proposed(harness: RoleHarness, **changes: Any) -> tuple[EngineeringRequested, PlanProposed]:
    request, world = await _opened(harness, **changes)
    (proposed,) = await plan_in(harness, world)
    assert isinstance(proposed, PlanProposed)
    return request, proposed


async def test_built_environment_is_not_planned_in_before_physics_has_checked_it() -> None:
    harness = _harness(GOOD)
    _, world = await _opened(harness)
    built = EnvironmentBuilt(**answering(world, "cad-worker"), environment=values.ENVIRONMENT, build_s=0.5)
    assert await harness.consume(built) == []
    (proposed,) = await plan_in(harness, world)
    assert isinstance(proposed, PlanProposed)


def _approved(run: Event, **changes: Any) -> DesignApproved:
    fields: dict[str, Any] = {"result": values.RESULT, "assessment": values.ASSESSMENT, **changes}
    return DesignApproved(
        **deciding(run, "engineer", 700),
        review_md="good",
        delivery=values.DELIVERY,
        bill=values.BILL,
        **fields,
    )


async def test_request_leads_to_an_environment_without_a_call() -> None:
    harness = _harness()
    request, world = await _opened(harness)
    assert world.assignment == request.assignment
    assert harness.chat.calls == 0


async def test_proposal_has_everything_the_critic_needs() -> None:
    harness = _harness(GOOD)
    request, proposed = await _proposed(harness)
    assert (proposed.plan_md, proposed.todo_md) == (values.PLAN, values.TODO)
    assert proposed.environment == values.ENVIRONMENT
    assert (proposed.budget, proposed.model) == (request.budget, request.model)
    assert [kind for kind, _ in last_prompt(harness.chat)] == ["system", "human"]


async def _filmed(harness: RoleHarness, request: EngineeringRequested) -> FilmRequested:
    (film,) = await harness.consume(_approved(request))
    assert isinstance(film, FilmRequested)
    return film


async def test_approved_design_is_filmed_before_the_end() -> None:
    harness = _harness(GOOD)
    request, _ = await _proposed(harness)
    film = await _filmed(harness, request)
    assert (film.scene, film.trajectory_digest) == (values.DELIVERY.scene, values.RESULT.trajectory_digest)
    assert film.role == "planner"
    done = FilmCompleted(**answering(film, "sim-worker"), summary_md="**SOLVED**", media=values.MEDIA)
    (succeeded,) = await harness.consume(done)
    assert isinstance(succeeded, RunSucceeded)
    assert succeeded.id == outcome_id(request.id)
    assert succeeded.causation_id == done.id
    assert succeeded.delivery == values.DELIVERY.model_copy(update={"media": values.MEDIA})
    assert succeeded.assessment == values.ASSESSMENT


@pytest.mark.parametrize(
    ("changes", "measured"),
    [
        ({"result": values.RESULT.model_copy(update={"verdict": "failed"})}, "failed and stable, 0 of 1 replicas"),
        ({"result": values.RESULT.model_copy(update={"stability": "flaky"})}, "solved and flaky"),
        ({"result": values.RESULT.model_copy(update={"stability": "untested"})}, "solved and untested"),
        ({"assessment": None}, "(no reruns); at least 29 replicas under 5 seeds"),
        ({"assessment": assessment_of(4, 10)}, "undecided: 40 of 40 replicas under 4 seeds"),
        ({"assessment": assessment_of(28, 1)}, "undecided: 28 of 28 replicas"),
        ({"assessment": assessment_of(5, 6, missed=4)}, "flaky: 26 of 30 replicas under 5 seeds"),
        ({"assessment": assessment_of(5, 6, missed=4).model_copy(update={"verdict": "stable"})}, "26 of 30 replicas"),
    ],
)
async def test_approved_design_without_proof_fails_the_run(changes: dict[str, Any], measured: str) -> None:
    harness = _harness(GOOD)
    request, _ = await _proposed(harness)
    (end,) = await harness.consume(_approved(request, **changes))
    assert isinstance(end, RunFailed)
    assert end.reason == "design_rejected"
    assert measured in end.detail


async def test_failed_film_leaves_a_success_with_its_reason() -> None:
    harness = _harness(GOOD)
    request, _ = await _proposed(harness)
    film = await _filmed(harness, request)
    failed = FilmFailed(**answering(film, "sim-worker"), reason="ran_differently", detail="another simulator")
    (succeeded,) = await harness.consume(failed)
    assert isinstance(succeeded, RunSucceeded)
    assert succeeded.delivery.media_problem == "it could not be filmed (ran_differently): another simulator"


async def test_run_without_film_ends_with_the_approval() -> None:
    harness = _harness(GOOD)
    request, _ = await _proposed(harness, is_filmed=False)
    (succeeded,) = await harness.consume(_approved(request))
    assert isinstance(succeeded, RunSucceeded)
    assert succeeded.delivery.media_problem == "none was requested"


async def test_filming_run_ignores_other_events() -> None:
    harness = _harness(GOOD)
    request, _ = await _proposed(harness)
    film = await _filmed(harness, request)
    late = WorkAbandoned(**deciding(request, "engineer", 800), reason="refused", detail="x")
    assert await harness.consume(late) == []
    (end,) = await harness.consume(FilmCompleted(**answering(film, "sim-worker"), summary_md="", media=values.MEDIA))
    assert isinstance(end, RunSucceeded)


async def test_run_ends_once() -> None:
    harness = _harness(GOOD)
    request, _ = await _proposed(harness)
    film = await _filmed(harness, request)
    await harness.consume(FilmCompleted(**answering(film, "sim-worker"), summary_md="", media=values.MEDIA))
    late = WorkAbandoned(**deciding(request, "engineer", 800), reason="refused", detail="x")
    assert await harness.consume(late) == []
    ends = [event for event in harness.bus.events if isinstance(event, RunSucceeded | RunFailed)]
    assert [type(end) for end in ends] == [RunSucceeded]


@pytest.mark.parametrize(
    ("kind", "fields", "reason"),
    [
        (EnvironmentRefused, {"reason": "payload_in_wall", "detail": "ball in wall"}, "benchmark_invalid"),
        (WorldRefused, {"reason": "solves_itself", "detail": "the ball falls into the goal"}, "benchmark_invalid"),
        (SessionFailed, {"reason": "kernel_failed", "detail": "no memory"}, "session_failed"),
        (WorkAbandoned, {"reason": "steps_exhausted", "detail": "40 calls"}, "steps_exhausted"),
        (WorkAbandoned, {"reason": "refused", "detail": "the goal is above the start"}, "refused"),
        (WorkAbandoned, {"reason": "design_rejected", "detail": "flaky"}, "design_rejected"),
        (WorkAbandoned, {"reason": "model_failed", "detail": "unreadable"}, "model_failed"),
    ],
)
async def test_failure_names_its_reason(kind: type[Event], fields: dict[str, Any], reason: str) -> None:
    harness = _harness(GOOD)
    request, _ = await _proposed(harness)
    cause = kind(**deciding(request, "engineer", 700), **fields)
    (failed,) = await harness.consume(cause)
    assert isinstance(failed, RunFailed)
    assert failed.reason == reason
    assert (failed.id, failed.causation_id) == (outcome_id(request.id), cause.id)
    assert fields["detail" if "detail" in fields else "reason"] in failed.detail


async def test_rejected_plan_is_planned_again_with_its_review() -> None:
    harness = _harness(GOOD, GOOD.replace("8 degrees", "9 degrees"))
    _, proposed = await _proposed(harness)
    (again,) = await harness.consume(PlanRejected(**answering(proposed, "critic"), review_md="too flat"))
    assert isinstance(again, PlanProposed)
    assert "9 degrees" in again.plan_md
    assert again.id != proposed.id
    assert "too flat" in last_prompt(harness.chat)[-1][1]


async def test_too_many_rejections_fail_the_run() -> None:
    harness = _harness(GOOD, GOOD)
    _, proposed = await _proposed(harness, budget=Budget(max_rejections=1))
    (again,) = await harness.consume(PlanRejected(**answering(proposed, "critic"), review_md="no"))
    assert isinstance(again, PlanProposed)
    (failed,) = await harness.consume(PlanRejected(**answering(again, "critic"), review_md="still too flat"))
    assert isinstance(failed, RunFailed)
    assert failed.reason == "plan_rejected"
    assert "still too flat" in failed.detail
    assert harness.chat.calls == 2


@pytest.mark.parametrize(
    ("old", "new", "problems"),
    [
        (GOOD, "", ("The reply was empty",)),
        (GOOD, "roll", ("`## Idea` is missing", "`## TODO` is missing")),
        ("\n## TODO\n", "\n", ("line 26: `## TODO` is missing",)),
        ("T2", "T3", ("line 26: T3 is where T2 belongs",)),
        ("- [ ] T1: measure", "T3 measure", ("line 25: T3 is where T1 belongs",)),
        ("- [ ] T1", "- [x] T1", ("`- [x] T1: measure the environment` is not open",)),
        ("| pla | 25 |", "| oak | heavy |", ("line 9: `oak` is not a material", "line 9: mass_g is `heavy`")),
        ("| channel | 3 |", "| channel | 30 |", ("line 5: the prices add up to 263 USD, and the limit is 40 USD",)),
        ("Moved by: ", "By ", ("line 14: `## Motion` begins with `By gravity",)),
        ("2. it drops", "3. it drops", ("line 17: stage 3 is where 2 belongs",)),
    ],
)
async def test_malformed_plan_is_rejected_with_every_problem(old: str, new: str, problems: tuple[str, ...]) -> None:
    assert old in GOOD
    bad = GOOD.replace(old, new)
    harness = _harness(bad, GOOD)
    _, world = await _opened(harness)
    (rejected,) = await plan_in(harness, world)
    assert isinstance(rejected, ReplyRejected)
    assert all(each in rejected.problem for each in problems), rejected.problem
    (proposed,) = await harness.consume(rejected)
    assert isinstance(proposed, PlanProposed)
    assert rejected.problem in last_prompt(harness.chat)[-1][1]
    assert [text for kind, text in last_prompt(harness.chat) if kind == "ai"] == ([bad] if bad else [])


async def test_loosely_formatted_plan_is_normalized() -> None:
    loose = "Here is the plan.\n\n" + GOOD.replace("| --- |", "|:---|").replace("| 25 |", "|   25|") + "\n\n"
    _, proposed = await _proposed(_harness(loose.replace("\n", "\r\n")))
    assert (proposed.plan_md, proposed.todo_md) == (values.PLAN, values.TODO)


async def test_repeated_malformed_plans_fail_the_run() -> None:
    harness = _harness(*["no"] * MAX_OF_ONE_CAUSE)
    request, world = await _opened(harness)
    decided = await plan_in(harness, world)
    for _ in range(MAX_OF_ONE_CAUSE - 1):
        decided = await harness.consume(decided[0])
    (failed,) = decided
    assert isinstance(failed, RunFailed)
    assert (failed.reason, failed.id) == ("model_failed", outcome_id(request.id))
    assert harness.chat.calls == MAX_OF_ONE_CAUSE


async def test_unusable_model_fails_the_run_before_it_begins() -> None:
    harness = _harness(problem="model 'x' is unknown: use `offline`")
    (failed,) = await harness.consume(engineering_requested())
    assert isinstance(failed, RunFailed)
    assert failed.reason == "model_failed"
    assert "use `offline`" in failed.detail


async def test_events_of_an_unknown_run_are_ignored() -> None:
    harness = _harness()
    late = WorkAbandoned(**deciding(engineering_requested(), "engineer", 800), reason="refused", detail="x")
    assert await harness.consume(late) == []
