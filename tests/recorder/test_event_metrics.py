"""Metrics from recorded events: each event once, whatever the order and repetition of batches."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
from chassis.observability.declarations import (
    CELL_DURATION,
    DEAD_LETTERS,
    EVENTS,
    FINDINGS,
    KERNEL_RECOVERIES,
    MODEL_COST,
    MODEL_REPLIES,
    OPERATION_DURATION,
    PRICE,
    REPLIES_REJECTED,
    REQUEST_DURATION,
    REVIEWS,
    RUN_DURATION,
    RUN_TRIES,
    RUN_WAIT,
    RUNS_ENDED,
    RUNS_STARTED,
    SESSION_START,
    SESSIONS_CLOSED,
    SIMULATIONS,
    STEPS,
    SUCCESS_RATE,
    TOKEN_USAGE,
    UNREADABLE,
    VERDICTS,
    WORK_ABANDONED,
    Metric,
)
from chassis.observability.metrics import Meters
from contracts.envelope import Event
from contracts.events.conversation import ModelCalled, ReplyLost, ReplyRejected
from contracts.events.dead_letters import MessageAbandoned, WorkAbandoned
from contracts.events.design import (
    DesignApproved,
    DesignInvalidated,
    DesignRejected,
    DesignSimulated,
    DesignSubmitted,
)
from contracts.events.run import EngineeringRequested, EngineeringStarted, RunFailed, RunSucceeded
from contracts.events.session import CellCompleted, CellRequested, SessionClosed, SessionOpened
from contracts.events.simulation import SimulationCompleted, SimulationFailed
from contracts.models.observation import Recovery
from contracts.registry import EVENTS as CLASSES
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from recorder.event_metrics import EventMetrics, RecordedEvent

from tests.contracts.examples import full_examples

EXAMPLES = full_examples()
RECOVERY = Recovery(why="lost", replayed_cells=2, elapsed_s=1.0)
BEGIN = datetime(2026, 11, 24, tzinfo=UTC)


class Metrics:
    """Event metrics with a reader."""

    def __init__(self) -> None:
        self._reader = InMemoryMetricReader()
        self.events = EventMetrics(Meters("recorder", [self._reader]))
        self._sequence = 0

    def observe(self, *events: Event, after_s: float = 0.0) -> list[RecordedEvent]:
        """Record events that the stream stored `after_s` the beginning."""
        recorded: list[RecordedEvent] = []
        for event in events:
            self._sequence += 1
            recorded.append(RecordedEvent(event, self._sequence, BEGIN + timedelta(seconds=after_s)))
        self.events.observe(recorded)
        return recorded

    def of(self, metric: Metric, *, with_zeros: bool = False) -> dict[frozenset[str], Any]:
        """Return sum, or sum and count, of each series, by the values of its attributes; else without zeros."""
        data = self._reader.get_metrics_data()
        assert data is not None
        found: dict[frozenset[str], Any] = {}
        named = [each for each in data.resource_metrics[0].scope_metrics[0].metrics if each.name == metric.name]
        for point in (point for each in named for point in each.data.data_points):
            attributes: Mapping[str, Any] = point.attributes or {}
            value = (getattr(point, "sum", None), getattr(point, "count", None))
            plain = getattr(point, "value", None)
            if plain != 0 or with_zeros:
                found[frozenset(map(str, attributes.values()))] = value if plain is None else plain
        return found


@pytest.fixture
def metrics() -> Metrics:
    return Metrics()


def example(event_class: type[Event], **changes: object) -> Event:
    return EXAMPLES[event_class].model_copy(update={"id": uuid4(), **changes})


def test_event_of_every_class_is_counted_once(metrics: Metrics) -> None:
    events = [example(event_class) for event_class in CLASSES]
    recorded = metrics.observe(*events)
    metrics.events.observe(recorded)  # as after a lost acknowledgement
    assert metrics.of(EVENTS) == {frozenset((event.type, event.role)): 1 for event in events}


def test_run_is_measured_from_request_to_end(metrics: Metrics) -> None:
    run_id = uuid4()
    for event_class, at_s in ((EngineeringRequested, 0.0), (EngineeringStarted, 7.0)):
        metrics.observe(example(event_class, run_id=run_id), after_s=at_s)
    metrics.observe(example(DesignSubmitted, run_id=run_id), example(DesignSubmitted, run_id=run_id), after_s=20.0)
    metrics.observe(example(RunSucceeded, run_id=run_id), after_s=60.0)
    result = frozenset(("engineering", "succeeded"))
    assert metrics.of(RUN_WAIT) == {frozenset(): (7.0, 1)}
    assert metrics.of(RUN_DURATION) == {result: (60.0, 1)}
    assert metrics.of(RUN_TRIES) == {result: (2, 1)}
    assert metrics.of(RUNS_ENDED) == {result | {"none"}: 1}


def test_end_of_a_run_that_began_before_the_recorder_has_no_duration(metrics: Metrics) -> None:
    metrics.observe(example(RunFailed, reason="deadline"))
    assert metrics.of(RUNS_ENDED) == {frozenset(("engineering", "failed", "deadline")): 1}
    assert metrics.of(RUN_DURATION) == {}


def test_request_is_measured_until_its_own_outcome(metrics: Metrics) -> None:
    request = example(CellRequested)
    metrics.observe(request, after_s=1.0)
    metrics.observe(example(ModelCalled, causation_id=request.id), after_s=2.0)  # caused by it, but no outcome
    metrics.observe(example(CellCompleted, causation_id=request.id), after_s=3.5)
    metrics.observe(example(CellCompleted, causation_id=uuid4()), after_s=9.0)
    assert metrics.of(REQUEST_DURATION) == {frozenset(("CellRequested", "CellCompleted")): (2.5, 1)}
    assert sum(count for _, count in metrics.of(CELL_DURATION).values()) == 2


def test_model_call_counts_tokens_and_cost_and_a_lost_reply_its_estimate(metrics: Metrics) -> None:
    called, lost = EXAMPLES[ModelCalled], EXAMPLES[ReplyLost]
    assert isinstance(called, ModelCalled)
    assert isinstance(lost, ReplyLost)
    priced = called.usage.model_copy(update={"input_tokens": 100, "output_tokens": 7, "cost_usd": 0.25})
    guessed = priced.model_copy(update={"cost_usd": 0.5})
    metrics.observe(
        called.model_copy(update={"model": "openai:x", "usage": priced, "role": "engineer"}),
        lost.model_copy(update={"model": "openai:x", "usage": guessed, "role": "engineer", "reason": "silence"}),
    )
    call = frozenset(("chat", "openai", "openai:x", "engineer"))
    assert metrics.of(TOKEN_USAGE) == {call | {"input"}: (100, 1), call | {"output"}: (7, 1)}
    assert metrics.of(MODEL_COST) == {frozenset(("openai", "openai:x", "engineer")): 0.75}
    assert frozenset(("openai:x", "engineer", "silence")) in metrics.of(MODEL_REPLIES)


def test_design_counts_as_simulation_and_as_verdict(metrics: Metrics) -> None:
    event = EXAMPLES[DesignSimulated]
    assert isinstance(event, DesignSimulated)
    metrics.observe(event)
    result = event.result
    assert metrics.of(SIMULATIONS) == {frozenset(("design", result.verdict, result.nominal.ending)): 1}
    assert metrics.of(VERDICTS) == {frozenset((result.verdict, result.stability)): 1}


def test_findings_are_counted_by_rule(metrics: Metrics) -> None:
    event = EXAMPLES[DesignInvalidated]
    assert isinstance(event, DesignInvalidated)
    metrics.observe(event)
    assert metrics.of(FINDINGS) == {frozenset((finding.rule,)): 1 for finding in event.findings}


@pytest.mark.parametrize(("subject", "label"), [("mw.cell.requested.x.y.z", "CellRequested"), ("any.thing", "none")])
def test_dead_letter_names_only_classes(metrics: Metrics, subject: str, label: str) -> None:
    metrics.observe(example(MessageAbandoned, abandoned_subject=subject, reason="exhausted"))
    assert metrics.of(DEAD_LETTERS) == {frozenset(("exhausted", label)): 1}


def test_what_is_awaited_is_limited(metrics: Metrics, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("recorder.event_metrics.MAX_OPEN", 2)
    limited = Metrics()
    runs: list[UUID] = [uuid4() for _ in range(3)]
    for run_id in runs:
        limited.observe(example(EngineeringRequested, run_id=run_id))
    for run_id in runs:
        limited.observe(example(RunFailed, run_id=run_id, reason="deadline"))
    assert [count for _, count in limited.of(RUN_DURATION).values()] == [2]
    assert list(limited.of(RUNS_ENDED).values()) == [3]


def test_reviews_steps_and_rejections_are_counted(metrics: Metrics) -> None:
    metrics.observe(*(example(each) for each in (DesignApproved, DesignRejected, DesignRejected)))
    assert metrics.of(REVIEWS) == {frozenset(("DesignApproved",)): 1, frozenset(("DesignRejected",)): 2}
    for purpose in ("act", "act", "memory"):
        metrics.observe(example(ModelCalled, purpose=purpose, role="critic"))
    assert metrics.of(STEPS) == {frozenset(("critic",)): 2}
    metrics.observe(example(ReplyRejected, role="engineer", cause="content"))
    assert metrics.of(REPLIES_REJECTED) == {frozenset(("engineer", "content")): 1}
    metrics.observe(example(WorkAbandoned, role="critic", reason="model_failed"))
    assert metrics.of(WORK_ABANDONED) == {frozenset(("critic", "model_failed")): 1}


def test_sessions_and_cells_are_measured(metrics: Metrics) -> None:
    metrics.observe(example(SessionOpened, role="engineer", ready_s=1.5), example(SessionClosed, role="engineer"))
    closed = EXAMPLES[SessionClosed]
    assert isinstance(closed, SessionClosed)
    assert metrics.of(SESSION_START) == {frozenset(("engineer",)): (1.5, 1)}
    assert metrics.of(SESSIONS_CLOSED) == {frozenset(("engineer", closed.reason)): 1}
    cell = EXAMPLES[CellCompleted]
    assert isinstance(cell, CellCompleted)
    for recovery, recovered in ((None, {}), (RECOVERY, {frozenset(("critic",)): 1})):
        changes = {"recovery": recovery, "elapsed_s": 2.5, "status": "ok"}
        metrics.observe(example(CellCompleted, role="critic", observation=cell.observation.model_copy(update=changes)))
        assert metrics.of(KERNEL_RECOVERIES) == recovered
    assert metrics.of(CELL_DURATION) == {frozenset(("critic", "ok")): (5.0, 2)}


def test_simulations_are_counted_by_purpose_and_result(metrics: Metrics) -> None:
    preview = EXAMPLES[SimulationCompleted]
    assert isinstance(preview, SimulationCompleted)
    metrics.observe(preview, example(SimulationFailed, reason="scene_invalid"))
    assert metrics.of(SIMULATIONS) == {
        frozenset(("preview", preview.result.verdict, preview.result.nominal.ending)): 1,
        frozenset(("preview", "failed", "scene_invalid")): 1,
    }
    assert metrics.of(VERDICTS) == {}
    design = EXAMPLES[DesignSimulated]
    assert isinstance(design, DesignSimulated)
    metrics.observe(design)
    assert metrics.of(SUCCESS_RATE) == {frozenset(): (design.result.success_rate, 1)}
    assert metrics.of(PRICE) == {frozenset((design.result.verdict,)): (design.bill.unit_price_usd, 1)}


def test_model_call_is_measured_by_its_duration(metrics: Metrics) -> None:
    called = EXAMPLES[ModelCalled]
    assert isinstance(called, ModelCalled)
    usage = called.usage.model_copy(update={"duration_s": 4.0, "cost_usd": None})
    metrics.observe(example(ModelCalled, model="openai:x", usage=usage, role="planner"))
    assert metrics.of(OPERATION_DURATION) == {frozenset(("chat", "openai", "openai:x", "planner")): (4.0, 1)}
    assert metrics.of(MODEL_COST) == {}, "an unknown price adds nothing"
    assert sum(metrics.of(MODEL_REPLIES).values()) == 1


def test_start_of_a_run_is_counted_and_measured_by_the_clock_of_the_server(metrics: Metrics) -> None:
    run_id = uuid4()
    metrics.observe(example(EngineeringRequested, run_id=run_id), after_s=5.0)
    assert metrics.of(RUNS_STARTED) == {frozenset(("engineering",)): 1}
    metrics.observe(example(EngineeringStarted, run_id=run_id), after_s=3.0)
    assert metrics.of(RUN_WAIT) == {frozenset(): (0.0, 1)}, "not less than nothing"
    metrics.observe(example(RunFailed, run_id=run_id, reason="deadline"), after_s=9.0)
    metrics.observe(example(RunFailed, run_id=run_id, reason="deadline"), after_s=11.0)
    assert metrics.of(RUN_DURATION) == {frozenset(("engineering", "failed")): (4.0, 1)}, "a run ends once"
    assert metrics.of(RUN_TRIES) == {frozenset(("engineering", "failed")): (0, 1)}


def test_unreadable_messages_are_counted(metrics: Metrics) -> None:
    metrics.events.observe([], unreadable=3)
    metrics.events.observe([], unreadable=2)
    assert metrics.of(UNREADABLE) == {frozenset(): 5}


@pytest.mark.parametrize(
    ("metric", "series"),
    [
        (RUNS_STARTED, {"engineering"}),
        (RUNS_ENDED, {"engineering", "succeeded", "none"}),
        (RUNS_ENDED, {"engineering", "failed", "deadline"}),
        (DEAD_LETTERS, {"exhausted", "none"}),
        (FINDINGS, {"floating"}),
        (KERNEL_RECOVERIES, {"engineer"}),
        (REPLIES_REJECTED, {"critic", "content"}),
        (WORK_ABANDONED, {"planner", "model_failed"}),
    ],
)
def test_rare_series_begin_at_zero(metrics: Metrics, metric: Metric, series: set[str]) -> None:
    found = metrics.of(metric, with_zeros=True)
    assert found[frozenset(series)] == 0
    assert set(found.values()) == {0}


def test_message_is_counted_again_once_it_is_long_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("recorder.event_metrics.MAX_SEEN", 3)
    metrics = Metrics()
    (first,) = metrics.observe(example(DesignApproved))
    metrics.observe(*(example(DesignRejected) for _ in range(2)))
    metrics.events.observe([first])
    assert metrics.of(REVIEWS)[frozenset(("DesignApproved",))] == 1
    metrics.observe(example(DesignRejected))
    metrics.events.observe([first])
    assert metrics.of(REVIEWS)[frozenset(("DesignApproved",))] == 2


def test_recorder_that_exports_nothing_reads_no_events() -> None:
    metrics, recorded = EventMetrics(Meters("recorder", [])), iter([RecordedEvent(example(DesignApproved), 1, BEGIN)])
    metrics.observe(recorded, unreadable=1)
    assert next(recorded, None) is not None
