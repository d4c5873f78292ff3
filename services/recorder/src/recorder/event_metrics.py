"""Metrics of what agents do, derived from the events as they are recorded: by one service, each event once.

The publishers could count as well, but the command that requests a run exports nothing, and every new event would need
a call in some service. The recorder sees all of them, and works beside the runs instead of within them.
"""

from collections import Counter, OrderedDict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Generic, TypeVar, get_args
from uuid import UUID

from chassis.observability import declarations as names
from chassis.observability.metrics import Measure, Meters
from chassis.observability.model_conventions import call_attributes, finish_reason, provider_of
from contracts.envelope import Event, Request, Role
from contracts.events.conversation import ModelCalled, RejectionCause, ReplyLost, ReplyRejected
from contracts.events.dead_letters import MessageAbandoned, WorkAbandoned
from contracts.events.design import DesignApproved, DesignInvalidated, DesignRejected, DesignSimulated, DesignSubmitted
from contracts.events.run import EngineeringStarted, RunFailed
from contracts.events.session import CellCompleted, SessionClosed, SessionOpened
from contracts.events.simulation import SimulationCompleted, SimulationFailed
from contracts.models.design import Finding
from contracts.registry import ENDINGS, OPENINGS, UnknownSubjectError, class_at

MAX_OPEN = 100_000
"""Requests and runs whose end is awaited; the oldest are forgotten."""
MAX_SEEN = 20_000
"""Messages whose second recording is noticed: more than can be delivered again."""
SUCCEEDED, FAILED, NO_REASON = "succeeded", "failed", "none"
FAILURES = frozenset(("RunFailed", "GenerationFailed"))

RULES: tuple[str, ...] = tuple(
    rule for group in get_args(Finding.model_fields["rule"].annotation) for rule in get_args(group)
)

K = TypeVar("K")
V = TypeVar("V")


@dataclass(frozen=True)
class RecordedEvent:
    """An event, and where and when the stream stored it."""

    event: Event
    sequence: int
    time: datetime
    """By the clock of the server, which all events share."""


@dataclass
class _OpenRun:
    began: datetime
    tries: int = 0


class _Recent(OrderedDict[K, V], Generic[K, V]):
    """A dictionary that forgets its oldest entries."""

    def __init__(self, limit: int) -> None:
        super().__init__()
        self._limit = limit

    def add(self, key: K, value: V) -> None:
        self[key] = value
        if len(self) > self._limit:
            self.popitem(last=False)


class EventMetrics:
    """Counts and measures recorded events."""

    def __init__(self, meters: Meters) -> None:
        self._is_enabled = meters.is_enabled
        self._measures = {metric: meters.measure(metric) for metric in names.METRICS if metric in _OF_EVENTS}
        self._seen = _Recent[int, None](MAX_SEEN)
        self._requests = _Recent[UUID, RecordedEvent](MAX_OPEN)
        self._runs = _Recent[UUID, _OpenRun](MAX_OPEN)
        self._by_class: dict[type[Event], Callable[[Any], None]] = {
            ModelCalled: self._model_called,
            ReplyLost: self._reply_lost,
            ReplyRejected: self._reply_rejected,
            CellCompleted: self._cell_completed,
            SessionOpened: self._session_opened,
            SessionClosed: self._session_closed,
            SimulationCompleted: self._simulation_completed,
            SimulationFailed: self._simulation_failed,
            DesignSimulated: self._design_simulated,
            DesignInvalidated: self._design_invalidated,
            DesignApproved: self._reviewed,
            DesignRejected: self._reviewed,
            MessageAbandoned: self._message_abandoned,
            WorkAbandoned: self._work_abandoned,
        }
        self._begin_at_zero()

    def observe(self, recorded: Iterable[RecordedEvent], unreadable: int = 0) -> None:
        """Count a batch that the database has committed; messages that were counted before count no second time."""
        if not self._is_enabled:
            return
        self._measure(names.UNREADABLE)(unreadable)
        new = [each for each in recorded if each.sequence not in self._seen]
        for (name, role), count in Counter((type(each.event).__name__, each.event.role) for each in new).items():
            self._measure(names.EVENTS)(count, {names.EVENT: name, names.ROLE: role})
        for each in new:
            self._seen.add(each.sequence, None)
            self._follow(each)
            special = self._by_class.get(type(each.event))
            if special is not None:
                special(each.event)

    def _measure(self, metric: names.Metric) -> Measure:
        return self._measures[metric]

    def _begin_at_zero(self) -> None:
        """Add 0 to what is rare: an alert on an increase does not see a series that begins at 1."""
        self._measure(names.RUNS_STARTED)(0, {names.KIND: "engineering"})
        failures = [(reason, FAILED) for reason in get_args(RunFailed.model_fields["reason"].annotation)]
        for reason, result in [(NO_REASON, SUCCEEDED), *failures]:
            self._measure(names.RUNS_ENDED)(0, {names.KIND: "engineering", names.RESULT: result, names.REASON: reason})
        for reason in get_args(MessageAbandoned.model_fields["reason"].annotation):
            self._measure(names.DEAD_LETTERS)(0, {names.REASON: reason, names.EVENT: NO_REASON})
        for rule in RULES:
            self._measure(names.FINDINGS)(0, {names.RULE: rule})
        for role in get_args(Role):
            self._measure(names.KERNEL_RECOVERIES)(0, {names.ROLE: role})
            for cause in get_args(RejectionCause):
                self._measure(names.REPLIES_REJECTED)(0, {names.ROLE: role, names.REASON: cause})
            for reason in get_args(WorkAbandoned.model_fields["reason"].annotation):
                self._measure(names.WORK_ABANDONED)(0, {names.ROLE: role, names.REASON: reason})

    def _follow(self, recorded: RecordedEvent) -> None:
        """Measure requests from their storage to that of their outcome, and runs from their beginning to their end."""
        event = recorded.event
        cause = self._requests.get(event.causation_id) if event.causation_id else None
        if cause is not None and isinstance(cause.event, Request) and isinstance(event, cause.event.outcomes):
            del self._requests[cause.event.id]
            attributes = {names.EVENT: type(cause.event).__name__, names.OUTCOME: type(event).__name__}
            self._measure(names.REQUEST_DURATION)(_seconds(cause.time, recorded.time), attributes)
        if isinstance(event, OPENINGS):
            self._runs.add(event.run_id, _OpenRun(recorded.time))
            self._measure(names.RUNS_STARTED)(1, {names.KIND: event.kind})
        if isinstance(event, Request):
            self._requests.add(event.id, recorded)
        if isinstance(event, ENDINGS):
            self._run_ended(event, recorded.time)
        elif event.run_id in self._runs:
            self._run_continued(event, self._runs[event.run_id], recorded.time)

    def _run_continued(self, event: Event, run: _OpenRun, time: datetime) -> None:
        if isinstance(event, EngineeringStarted):
            self._measure(names.RUN_WAIT)(_seconds(run.began, time))
        elif isinstance(event, DesignSubmitted):
            run.tries += 1

    def _run_ended(self, event: Event, time: datetime) -> None:
        result = FAILED if type(event).__name__ in FAILURES else SUCCEEDED
        reason = str(getattr(event, "reason", NO_REASON))
        attributes = {names.KIND: event.kind, names.RESULT: result}
        self._measure(names.RUNS_ENDED)(1, {**attributes, names.REASON: reason})
        run = self._runs.pop(event.run_id, None)
        if run is not None:
            self._measure(names.RUN_DURATION)(_seconds(run.began, time), attributes)
            self._measure(names.RUN_TRIES)(run.tries, attributes)

    def _model_called(self, event: ModelCalled) -> None:
        if event.purpose == "act":
            self._measure(names.STEPS)(1, {names.ROLE: event.role})
        usage, call = event.usage, {**call_attributes(event.model), names.ROLE: event.role}
        self._measure(names.OPERATION_DURATION)(usage.duration_s, call)
        for kind, tokens in (("input", usage.input_tokens), ("output", usage.output_tokens)):
            self._measure(names.TOKEN_USAGE)(tokens, {**call, names.TOKEN_TYPE: kind})
        self._replied(event, finish_reason(event.ending, calls_tools=bool(event.reply.tool_calls)))

    def _reply_lost(self, event: ReplyLost) -> None:
        self._replied(event, event.reason)

    def _replied(self, event: ModelCalled | ReplyLost, result: str) -> None:
        attributes = {names.REQUEST_MODEL: event.model, names.ROLE: event.role}
        self._measure(names.MODEL_REPLIES)(1, {**attributes, names.RESULT: result})
        spending = {**attributes, names.PROVIDER: provider_of(event.model)}
        self._measure(names.MODEL_COST)(event.usage.cost_usd or 0.0, spending)

    def _reply_rejected(self, event: ReplyRejected) -> None:
        self._measure(names.REPLIES_REJECTED)(1, {names.ROLE: event.role, names.REASON: event.cause})

    def _cell_completed(self, event: CellCompleted) -> None:
        observation = event.observation
        self._measure(names.CELL_DURATION)(
            observation.elapsed_s, {names.ROLE: event.role, names.RESULT: observation.status}
        )
        if observation.recovery is not None:
            self._measure(names.KERNEL_RECOVERIES)(1, {names.ROLE: event.role})

    def _session_opened(self, event: SessionOpened) -> None:
        self._measure(names.SESSION_START)(event.ready_s, {names.ROLE: event.role})

    def _session_closed(self, event: SessionClosed) -> None:
        self._measure(names.SESSIONS_CLOSED)(1, {names.ROLE: event.role, names.REASON: event.reason})

    def _simulation_completed(self, event: SimulationCompleted) -> None:
        self._simulated("preview", event.result.verdict, event.result.nominal.ending)

    def _simulation_failed(self, event: SimulationFailed) -> None:
        self._simulated("preview", FAILED, event.reason)

    def _design_simulated(self, event: DesignSimulated) -> None:
        result = event.result
        self._simulated("design", result.verdict, result.nominal.ending)
        self._measure(names.VERDICTS)(1, {names.RESULT: result.verdict, names.STABILITY: result.stability})
        self._measure(names.SUCCESS_RATE)(result.success_rate)
        self._measure(names.PRICE)(event.bill.unit_price_usd, {names.RESULT: result.verdict})

    def _simulated(self, purpose: str, result: str, reason: str) -> None:
        self._measure(names.SIMULATIONS)(1, {names.PURPOSE: purpose, names.RESULT: result, names.REASON: reason})

    def _design_invalidated(self, event: DesignInvalidated) -> None:
        for finding in event.findings:
            self._measure(names.FINDINGS)(1, {names.RULE: finding.rule})

    def _reviewed(self, event: Event) -> None:
        self._measure(names.REVIEWS)(1, {names.EVENT: type(event).__name__})

    def _message_abandoned(self, event: MessageAbandoned) -> None:
        attributes = {names.REASON: event.reason, names.EVENT: _class_name(event.abandoned_subject)}
        self._measure(names.DEAD_LETTERS)(1, attributes)

    def _work_abandoned(self, event: WorkAbandoned) -> None:
        self._measure(names.WORK_ABANDONED)(1, {names.ROLE: event.role, names.REASON: event.reason})


def _seconds(began: datetime, ended: datetime) -> float:
    return max(0.0, (ended - began).total_seconds())


def _class_name(subject: str) -> str:
    """Return the class of an abandoned event; `none` for a subject that has none, since anyone may have written it."""
    try:
        return class_at(subject).__name__
    except UnknownSubjectError:
        return NO_REASON


_OF_EVENTS = frozenset(
    (
        names.EVENTS, names.RUNS_STARTED, names.RUNS_ENDED, names.RUN_DURATION, names.RUN_WAIT, names.RUN_TRIES,
        names.STEPS, names.REQUEST_DURATION, names.CELL_DURATION, names.KERNEL_RECOVERIES, names.SESSION_START,
        names.SESSIONS_CLOSED, names.SIMULATIONS, names.VERDICTS, names.SUCCESS_RATE, names.PRICE, names.FINDINGS,
        names.REVIEWS, names.OPERATION_DURATION, names.TOKEN_USAGE, names.MODEL_COST, names.MODEL_REPLIES,
        names.REPLIES_REJECTED, names.DEAD_LETTERS, names.WORK_ABANDONED, names.UNREADABLE,
    )
)  # fmt: skip
