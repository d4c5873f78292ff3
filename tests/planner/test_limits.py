"""Tests of limits: time, tokens, money, the user and dead letters end a run without the planner's thread."""

from datetime import timedelta
from typing import Any, Literal
from uuid import UUID, uuid4

import pytest
from artifacts.testing import FakeArtifacts
from chassis.testing import FakeBus
from contracts.envelope import Event, Request, Role, answering, deciding, during, outcome_id
from contracts.events.catalog import CatalogSearchRequested
from contracts.events.conversation import ModelCalled, ReplyLost
from contracts.events.dead_letters import MessageAbandoned
from contracts.events.design import DesignApproved, DesignValidated
from contracts.events.rendering import RenderRequested
from contracts.events.run import (
    CancelRequested,
    EngineeringRequested,
    EngineeringStarted,
    EnvironmentRequested,
    RunFailed,
    RunSucceeded,
)
from contracts.events.session import CellRequested
from contracts.events.simulation import FilmRequested, SimulationRequested
from contracts.models.benchmark import Budget
from contracts.models.conversation import Message, Usage
from planner.admission import Admission, deadline_of
from planner.limits import cancel_run, check_spending, end_at_deadline, end_on_dead_letter
from planner.policy import Planner

from tests.agent.role_harness import RoleHarness, engineering_requested
from tests.contracts import example_values as values


async def _opened(**budget: Any) -> tuple[FakeBus, EngineeringRequested]:
    bus, request = FakeBus(), engineering_requested(budget=Budget(**budget))
    await bus.publish(request)
    return bus, request


async def _call(bus: FakeBus, run: Event, role: Role, step: int, tokens: int, cost_usd: float | None = 0.0) -> Event:  # noqa: PLR0917
    """Let a role have used so many tokens in all, half of them read and half written."""
    spent = Usage(input_tokens=tokens - tokens // 2, output_tokens=tokens // 2, cost_usd=cost_usd)
    called = ModelCalled(
        **deciding(run, role, step),
        model="openai:fake",
        step=step,
        prompt_digest=values.digest("prompt"),
        new_messages=(),
        reply=Message(author="assistant", text="x"),
        usage=spent,
        spent=spent,
    )
    await bus.publish(called)
    (end,) = await check_spending(called, bus) or [called]
    return end


def _cancellation(run: Event, reason: str = "no longer needed") -> CancelRequested:
    return CancelRequested(id=uuid4(), run_id=run.run_id, role="planner", producer="cli", reason=reason)


def _failed(end: Event, request: EngineeringRequested, reason: str) -> str:
    assert isinstance(end, RunFailed)
    assert (end.reason, end.id) == (reason, outcome_id(request.id))
    return end.detail


def _started(request: EngineeringRequested) -> EngineeringStarted:
    later = request.occurred_at + timedelta(hours=5)
    return EngineeringStarted(
        **during(request, "started", "planner"), deadline_s=request.budget.deadline_s, slots=8, occurred_at=later
    )


async def test_deadline_counts_from_the_start_however_long_the_run_waited() -> None:
    bus, request = await _opened(deadline_s=5400)
    started = _started(request)
    assert deadline_of(started) - started.occurred_at == timedelta(seconds=5400)
    (end,) = await end_at_deadline(started, bus)
    assert "5,400 s" in _failed(end, request, "deadline")
    assert end.causation_id == started.id


async def test_token_limit_sums_the_newest_totals_of_roles() -> None:
    bus, request = await _opened(max_tokens=10_000)
    assert isinstance(await _call(bus, request, "planner", 0, 3_000), ModelCalled)
    assert isinstance(await _call(bus, request, "engineer", 0, 4_000), ModelCalled)
    assert isinstance(await _call(bus, request, "engineer", 1, 7_000), ModelCalled)
    end = await _call(bus, request, "critic", 0, 2_345)
    detail = _failed(end, request, "tokens_exhausted")
    assert "12,345 of 10,000 tokens" in detail
    assert "engineer 7,000" in detail
    called = await bus.latest(ModelCalled, request.run_id, "critic")
    assert called is not None
    assert end.causation_id == called.id


async def test_lost_replies_count_towards_the_limits() -> None:
    bus, request = await _opened(max_tokens=10_000, max_cost_usd=1.0)
    assert isinstance(await _call(bus, request, "engineer", 0, 6_000, 0.5), ModelCalled)
    spent = Usage(input_tokens=4_000, output_tokens=500, cost_usd=0.25)
    fields: dict[str, Any] = {"model": "openai:fake", "step": 1, "attempt": 1, "reason": "silence", "problem": "late"}
    lost = ReplyLost(**deciding(request, "engineer", 1), usage=spent, spent=spent, **fields)
    await bus.publish(lost)
    (end,) = await check_spending(lost, bus)
    assert "10,500 of 10,000 tokens" in _failed(end, request, "tokens_exhausted")


async def test_cost_limit_sums_all_roles() -> None:
    bus, request = await _opened(max_cost_usd=0.5)
    assert isinstance(await _call(bus, request, "planner", 0, 10, 0.25), ModelCalled)
    assert isinstance(await _call(bus, request, "engineer", 0, 10, 0.25), ModelCalled)
    end = await _call(bus, request, "engineer", 1, 10, 0.375)
    assert "0.6250 of 0.5 USD" in _failed(end, request, "money_exhausted")


async def test_unknown_cost_ends_a_run_with_a_cost_limit() -> None:
    bus, request = await _opened(max_cost_usd=0.5)
    end = await _call(bus, request, "critic", 0, 10, None)
    assert "MODEL_PRICES" in _failed(end, request, "model_failed")


async def test_calls_without_limits_end_nothing() -> None:
    bus, request = await _opened()
    assert isinstance(await _call(bus, request, "engineer", 0, 10**9, None), ModelCalled)


async def test_unknown_price_fails_a_run_before_it_begins() -> None:
    def problem(model: str, /, *, priced: bool = False) -> str | None:
        return f"set MODEL_PRICES for {model}" if priced else None

    harness = RoleHarness(Planner(problem, FakeArtifacts()))
    request = engineering_requested(budget=Budget(max_cost_usd=1))
    (end,) = await harness.consume(request)
    assert "MODEL_PRICES" in _failed(end, request, "model_failed")
    (world,) = await harness.consume(engineering_requested())
    assert isinstance(world, EnvironmentRequested)


async def test_cancellation_ends_the_run_once() -> None:
    bus, request = await _opened()
    ends: list[Event] = []
    for cancellation in (_cancellation(request), _cancellation(request, "really")):
        ends += await cancel_run(cancellation, bus)
    assert _failed(ends[0], request, "cancelled") == "no longer needed"
    assert await bus.publish(ends[0]) is True
    assert await bus.publish(ends[1]) is False


async def test_cancellation_after_the_end_changes_nothing() -> None:
    bus, request = await _opened()
    result: dict[str, Any] = {"delivery": values.DELIVERY, "bill": values.BILL, "result": values.RESULT}
    await bus.publish(RunSucceeded(**answering(request, "planner"), **result))
    for late in await cancel_run(_cancellation(request), bus):
        await bus.publish(late)
    assert isinstance(await bus.ended(request.run_id), RunSucceeded)


async def test_unknown_run_cannot_be_cancelled() -> None:
    assert await cancel_run(_cancellation(engineering_requested()), FakeBus()) == []


async def test_cancellation_before_the_request_ends_the_run() -> None:
    bus, request = FakeBus(), engineering_requested()
    cancellation = _cancellation(request)
    await bus.publish(cancellation)
    assert await cancel_run(cancellation, bus) == []
    await bus.publish(request)
    (end,) = await Admission(bus, slots=1).enqueue(request)
    assert _failed(end, request, "cancelled") == "no longer needed"


@pytest.mark.parametrize(("producer", "ends"), [("sim-worker", True), ("planner", True), ("recorder", False)])
async def test_dead_letter_ends_the_run_unless_from_the_recorder(producer: str, ends: bool) -> None:
    bus, request = await _opened()
    dead_letter = MessageAbandoned(
        id=uuid4(),
        run_id=request.run_id,
        role="engineer",
        producer=producer,
        consumer=f"{producer}-design-validated",
        abandoned_subject="mw.design.validated",
        stream_sequence=7,
        reason="exhausted",
        detail="gave up",
    )
    decided = await end_on_dead_letter(dead_letter, bus)
    assert len(decided) == ends
    for end in decided:
        assert "gave up mw.design.validated (exhausted)" in _failed(end, request, "abandoned")


@pytest.mark.parametrize(
    ("request_class", "role", "ends"),
    [
        (SimulationRequested, "engineer", False),
        (RenderRequested, "critic", False),
        (CatalogSearchRequested, "engineer", False),
        (FilmRequested, "engineer", False),
        (CatalogSearchRequested, "planner", True),
        (CellRequested, "engineer", True),
        (DesignValidated, "engineer", True),
    ],
)
async def test_dead_letter_of_a_tool_ends_its_call_and_no_run(
    request_class: type[Request], role: Role, ends: bool
) -> None:
    """The kernel's tool gets the dead letter as the answer to its request: the cell goes on."""
    bus, request = await _opened()
    abandoned = uuid4()
    dead_letter = MessageAbandoned(
        id=outcome_id(abandoned),
        run_id=request.run_id,
        role=role,
        causation_id=abandoned,
        producer=request_class.owner,
        consumer=f"{request_class.owner}-requests",
        abandoned_subject=f"{request_class.subject}.{request.run_id}.{role}.{abandoned}",
        stream_sequence=7,
        reason="exhausted",
        detail="gave up",
    )
    assert len(await end_on_dead_letter(dead_letter, bus)) == ends


async def test_dead_letter_without_a_run_ends_nothing() -> None:
    dead_letter = _dead_letter(uuid4(), "mw.run.failed", "bad_input", "no run").model_copy(
        update={"kind": "operations"}
    )
    assert await end_on_dead_letter(dead_letter, FakeBus()) == []


def _dead_letter(
    run_id: UUID, subject: str, reason: Literal["bad_input", "exhausted"], detail: str, cause: UUID | None = None
) -> MessageAbandoned:
    return MessageAbandoned(
        id=uuid4(),
        run_id=run_id,
        role="planner",
        causation_id=cause,
        producer="planner",
        consumer="planner-hears",
        abandoned_subject=subject,
        stream_sequence=7,
        reason=reason,
        detail=detail,
    )


async def _approved(**changes: Any) -> tuple[FakeBus, EngineeringRequested]:
    bus, request = await _opened()
    fields: dict[str, Any] = {"delivery": values.DELIVERY, "bill": values.BILL, "result": values.RESULT}
    fields |= {"assessment": values.ASSESSMENT, **changes}
    await bus.publish(DesignApproved(**deciding(request, "engineer", 700), review_md="good", **fields))
    return bus, request


async def test_dead_letter_of_a_film_keeps_the_success() -> None:
    bus, request = await _approved()
    dead_letter = _dead_letter(request.run_id, "mw.film.requested", "exhausted", "gave up")
    (end,) = await end_on_dead_letter(dead_letter, bus)
    assert isinstance(end, RunSucceeded)
    assert (end.id, end.causation_id) == (outcome_id(request.id), dead_letter.id)
    assert "gave up mw.film.requested (exhausted)" in end.delivery.media_problem


async def test_deadline_delivers_an_approved_design_without_film() -> None:
    bus, request = await _approved()
    (end,) = await end_at_deadline(_started(request), bus)
    assert isinstance(end, RunSucceeded)
    assert "before the film was made" in end.delivery.media_problem


async def test_unreadable_request_ends_its_run_with_the_reason() -> None:
    request = engineering_requested()
    detail = "assignment.variant.duration_s: Input should be a valid number"
    dead_letter = _dead_letter(request.run_id, request.full_subject, "bad_input", detail, request.id)
    (end,) = await end_on_dead_letter(dead_letter, FakeBus())
    assert "duration_s" in _failed(end, request, "abandoned")
    assert (end.run_id, end.causation_id) == (request.run_id, dead_letter.id)
    other = dead_letter.model_copy(update={"abandoned_subject": request.full_subject.replace("engineering", "cell")})
    assert await end_on_dead_letter(other, FakeBus()) == []


async def test_deadline_delivers_no_design_without_proof() -> None:
    bus, request = await _approved(result=values.RESULT.model_copy(update={"stability": "failed"}))
    (end,) = await end_at_deadline(_started(request), bus)
    assert _failed(end, request, "design_rejected").startswith("a design was approved that physics has not proven")


async def test_budgets_may_be_used_up_to_the_last_token_and_cent() -> None:
    bus, request = await _opened(max_tokens=10_000, max_cost_usd=0.5)
    assert isinstance(await _call(bus, request, "planner", 0, 4_000, 0.25), ModelCalled)
    assert isinstance(await _call(bus, request, "engineer", 0, 6_000, 0.25), ModelCalled)
    over = await _call(bus, request, "engineer", 1, 6_001, 0.25)
    assert "10,001 of 10,000 tokens" in _failed(over, request, "tokens_exhausted")


async def test_tokens_are_counted_before_money() -> None:
    bus, request = await _opened(max_tokens=10, max_cost_usd=0.5)
    end = await _call(bus, request, "planner", 0, 11, 0.75)
    assert "planner 11" in _failed(end, request, "tokens_exhausted")


async def test_call_of_an_unknown_run_or_one_without_limits_ends_nothing() -> None:
    bus, request = await _opened(max_tokens=None, max_cost_usd=None)
    assert isinstance(await _call(bus, request, "engineer", 1, tokens=10**9, cost_usd=10**6), ModelCalled)
    called = [event for event in bus.events if isinstance(event, ModelCalled)][-1]
    assert await check_spending(called, bus) == []
    assert await check_spending(called, FakeBus()) == []
