"""Failures with typed reasons: of runs, requests, cells, designs, drafts, model calls and messages."""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, Protocol

from contracts.envelope import Event
from contracts.events.benchmark import DraftRefused, GenerationFailed
from contracts.events.catalog import CatalogSearchFailed
from contracts.events.conversation import ReplyLost, ReplyRejected
from contracts.events.dead_letters import MessageAbandoned, WorkAbandoned
from contracts.events.design import DesignInvalidated
from contracts.events.perception import PerceptionFailed
from contracts.events.question import LookFailed, QuestionFailed
from contracts.events.rendering import RenderFailed
from contracts.events.run import EnvironmentRefused, RunFailed, WorldRefused
from contracts.events.session import CellCompleted, FileRefused, SessionFailed
from contracts.events.simulation import FilmFailed, SimulationFailed
from contracts.events.skill import SkillChangeRefused, SkillRejected
from sqlalchemy import Index

from store.read_models.columns import excerpt, id_column, short, table, text_column, time_column, whole_column
from store.read_models.row import Projection, Projections, Row

FAILURES = table(
    "failures",
    id_column("event_id"),
    whole_column("number"),
    id_column("run_id", required=True),
    text_column("role", required=True),
    whole_column("sequence", required=True),
    *(text_column(name, required=True) for name in ("type", "reason", "label", "detail")),
    time_column("occurred_at"),
    key=("event_id", "number"),
    indexes=(Index(None, "run_id", "sequence"), Index(None, "type", "reason", "sequence")),
)
"""`type`: class of the event. `reason`: its typed reason; of a cell, the class of its error; of a design, a rule for
each finding. `label`: the part, file or stage concerned."""


class _Failure(NamedTuple):
    reason: str
    detail: str
    label: str = ""


class _WithReason(Protocol):
    @property
    def reason(self) -> str: ...

    @property
    def detail(self) -> str: ...


def _given(event: _WithReason) -> Iterator[_Failure]:
    yield _Failure(event.reason, event.detail)


def _of_file(event: FileRefused) -> Iterator[_Failure]:
    yield _Failure(event.reason, event.detail, event.path)


def _of_message(event: MessageAbandoned) -> Iterator[_Failure]:
    yield _Failure(event.reason, event.detail, event.abandoned_subject)


def _of_lost_reply(event: ReplyLost) -> Iterator[_Failure]:
    yield _Failure(event.reason, event.problem, event.model)


def _of_rejected_reply(event: ReplyRejected) -> Iterator[_Failure]:
    yield _Failure(event.cause, event.problem)


def _of_cell(event: CellCompleted) -> Iterator[_Failure]:
    observation = event.observation
    if observation.status != "ok":
        error = observation.error
        yield _Failure(observation.status if error is None else error.type, "" if error is None else error.message)


def _of_design(event: DesignInvalidated) -> Iterator[_Failure]:
    for finding in event.findings:
        if finding.severity == "error":
            yield _Failure(finding.rule, finding.detail, finding.label)


def _of_draft(event: DraftRefused) -> Iterator[_Failure]:
    for finding in event.findings:
        yield _Failure(finding.stage, finding.detail, f"seed {finding.seed}")


def _failing(failures_of: Callable[[Any], Iterator[_Failure]]) -> Projection:
    def project(event: Event, sequence: int) -> Iterator[Row]:
        for number, failure in enumerate(failures_of(event), 1):
            yield Row(
                FAILURES,
                {
                    "event_id": event.id,
                    "number": number,
                    "run_id": event.run_id,
                    "role": event.role,
                    "sequence": sequence,
                    "type": event.type,
                    "reason": short(failure.reason),
                    "label": short(failure.label),
                    "detail": excerpt(failure.detail),
                    "occurred_at": event.occurred_at,
                },
            )

    return project


_GIVEN = (
    RunFailed,
    GenerationFailed,
    EnvironmentRefused,
    WorldRefused,
    SessionFailed,
    SimulationFailed,
    RenderFailed,
    FilmFailed,
    CatalogSearchFailed,
    SkillChangeRefused,
    SkillRejected,
    WorkAbandoned,
    PerceptionFailed,
    LookFailed,
    QuestionFailed,
)
"""Classes with a reason and its detail."""

PROJECTIONS: Projections = {
    **dict.fromkeys(_GIVEN, _failing(_given)),
    FileRefused: _failing(_of_file),
    MessageAbandoned: _failing(_of_message),
    ReplyLost: _failing(_of_lost_reply),
    ReplyRejected: _failing(_of_rejected_reply),
    CellCompleted: _failing(_of_cell),
    DesignInvalidated: _failing(_of_design),
    DraftRefused: _failing(_of_draft),
}
