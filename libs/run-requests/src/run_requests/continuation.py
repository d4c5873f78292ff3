"""Continuation of an earlier run, from its end or from a cell: what its events give the next attempt."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from agent.journal.entries import entry_markdown, one_line
from artifacts.port import ArtifactStore
from chassis.stream.large_fields import LargeFields
from contracts.envelope import Event, Role
from contracts.events.conversation import JournalEntryAdded
from contracts.events.plan import PlanApproved
from contracts.events.run import EngineeringRequested, RunFailed, RunSucceeded
from contracts.events.session import CellCompleted
from contracts.models.continuation import Continuation
from contracts.text import shortened
from store.log import EventLog

from run_requests.errors import RunNotEndedError, UnknownCellError, UnknownRunError
from run_requests.previous_files import PreviousFiles, previous_files

MAX_ENTRIES = 40
"""Of one attempt; the newest are shown, the others only counted."""
JOURNAL_CHARS = (8_000, 32_000)
"""Of the beginning and the end of the journal of all attempts; the middle is left out."""
DETAIL_CHARS = 300
ZIP = "application/zip"


@dataclass(frozen=True)
class EarlierRun:
    """A run to continue."""

    request: EngineeringRequested
    result: str
    """How it ended, or where it is left."""
    events: Sequence[Event]
    """The events of the run up to there, with their long texts restored."""
    after_cell: int | None = None
    """The engineer's cell at which it is left; None: its end."""


async def load_earlier_run(run_id: UUID, after_cell: int | None, log: EventLog, artifacts: ArtifactStore) -> EarlierRun:
    """Return a run as it was after a cell of its engineer or, without one, as it ended; raise `RunRequestError`."""
    if after_cell is None:
        return await load_ended_run(run_id, log, artifacts)
    return await load_run_until_cell(run_id, after_cell, log, artifacts)


async def load_ended_run(run_id: UUID, log: EventLog, artifacts: ArtifactStore) -> EarlierRun:
    """Return a run to continue; raise `UnknownRunError` or `RunNotEndedError`."""
    request, events = await _load(run_id, log, artifacts)
    end = next((event for event in events if isinstance(event, RunSucceeded | RunFailed)), None)
    if end is None:
        raise RunNotEndedError(run_id)
    return EarlierRun(request, _result(end), events)


async def load_run_until_cell(run_id: UUID, number: int, log: EventLog, artifacts: ArtifactStore) -> EarlierRun:
    """Return a run, ended or not, as it was after a cell of its engineer.

    Raises `UnknownRunError` or `UnknownCellError`.
    """
    request, events = await _load(run_id, log, artifacts)
    return EarlierRun(request, f"left after cell {number}", until_cell(events, "engineer", number), number)


def until_cell(events: Sequence[Event], role: Role, number: int) -> Sequence[Event]:
    """Return the events up to the outcome of a role's cell, counted from 1; raise `UnknownCellError`."""
    ends = [at for at, each in enumerate(events, 1) if isinstance(each, CellCompleted) and each.role == role]
    if not 1 <= number <= len(ends):
        raise UnknownCellError(role, number, len(ends))
    return events[: ends[number - 1]]


async def _load(run_id: UUID, log: EventLog, artifacts: ArtifactStore) -> tuple[EngineeringRequested, Sequence[Event]]:
    large = LargeFields(artifacts)
    events = [await large.restore(event) for event in await log.events_of(run_id)]
    request = next((event for event in events if isinstance(event, EngineeringRequested)), None)
    if request is None:
        raise UnknownRunError(run_id)
    return request, events


async def store_continuation(
    earlier: EarlierRun, instruction: str, artifacts: ArtifactStore
) -> tuple[Continuation, PreviousFiles]:
    """Store the files that the next attempt starts with; return the continuation, and which files it has."""
    before = earlier.request.continues
    previous = await previous_files(earlier.events, None if before is None else before.workspace, artifacts)
    continuation = Continuation(
        attempts=(*(() if before is None else before.attempts), earlier.request.run_id),
        says=instruction,
        workspace=await artifacts.put(previous.packed(), ZIP),
        journal_md=journal_md(earlier),
        plan_md=_last_plan(earlier.events),
        after_cell=earlier.after_cell,
    )
    return continuation, previous


def _last_plan(events: Sequence[Event]) -> str:
    """Return the plan that the run worked on last; empty if none was approved."""
    return next((event.plan_md for event in reversed(events) if isinstance(event, PlanApproved)), "")


def journal_md(earlier: EarlierRun) -> str:
    """Return the engineer's journal of all attempts up to this one, the oldest first."""
    before = earlier.request.continues
    attempt = 1 if before is None else len(before.attempts) + 1
    entries = [event for event in earlier.events if isinstance(event, JournalEntryAdded) and event.role == "engineer"]
    summaries = [entry_markdown(entry) for entry in entries[-MAX_ENTRIES:]]
    omitted = len(entries) - len(summaries)
    parts = [
        "# Journal of all attempts" if before is None else before.journal_md,
        f"## Attempt {attempt}, run {earlier.request.run_id}",
        *([] if before is None else [f"The user's instruction: {one_line(before.says, DETAIL_CHARS)}"]),
        *([f"({omitted} earlier entries are left out.)"] if omitted else []),
        *(summaries or ["No journal entries."]),
        f"Result: {earlier.result}",
    ]
    return shortened("\n\n".join(parts), *JOURNAL_CHARS)


def _result(end: RunSucceeded | RunFailed) -> str:
    if isinstance(end, RunFailed):
        return f"failed, {end.reason.replace('_', ' ')}: {one_line(end.detail, DETAIL_CHARS)}"
    bill, word = end.bill, "solved" if end.result.is_proven else "not proven by physics"
    return f"{word}, {bill.unit_price_usd:.2f} USD, {bill.mass_kg:.3f} kg, {bill.part_count} parts"
