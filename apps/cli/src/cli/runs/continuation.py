"""From a run that has ended to what the next attempt begins with: all of it is read from the database's log."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from agent.journal.entries import summary_of
from artifacts.port import ArtifactStore
from chassis.stream.large_fields import LargeFields
from contracts.envelope import Event
from contracts.events.conversation import JournalEntryAdded
from contracts.events.run import EngineeringRequested, RunFailed, RunSucceeded
from contracts.models.continuation import Continuation
from contracts.text import shortened
from local_stack.errors import UserError
from store.log import EventLog

from cli.runs.previous_files import PreviousFiles, previous_files
from cli.text import one_line

ENTRIES_TOLD = 40
"""Of one attempt, the newest; the others are only counted."""
JOURNAL_CHARS = (8_000, 32_000)
"""Of the first and the last words of the journal of all attempts; what is between is left out."""
DETAIL_CHARS = 300
ZIP = "application/zip"


@dataclass(frozen=True)
class EndedRun:
    """A run that has ended."""

    request: EngineeringRequested
    end: RunSucceeded | RunFailed
    events: Sequence[Event]
    """All that was said in it, whole."""


async def load_ended_run(run_id: UUID, log: EventLog, artifacts: ArtifactStore) -> EndedRun:
    """Return a run to go on from; raise `CannotGoOnError` if there is none, or if it has not ended."""
    large = LargeFields(artifacts)
    events = [await large.restored(event) for event in await log.events_of(run_id)]
    asked = next((event for event in events if isinstance(event, EngineeringRequested)), None)
    end = next((event for event in events if isinstance(event, RunSucceeded | RunFailed)), None)
    if asked is None:
        raise UserError(f"there is no run {run_id} to continue: `millwright runs` lists them")
    if end is None:
        raise UserError(f"run {run_id} has not ended: wait for it, or `millwright cancel {run_id}`")
    return EndedRun(asked, end, events)


async def store_continuation(
    earlier: EndedRun, says: str, artifacts: ArtifactStore
) -> tuple[Continuation, PreviousFiles]:
    """Store what the next attempt begins with; return it, and what of the files is in it and what is not."""
    before = earlier.request.continues
    left = await previous_files(earlier.events, None if before is None else before.workspace, artifacts)
    continuation = Continuation(
        attempts=(*(() if before is None else before.attempts), earlier.request.run_id),
        says=says,
        workspace=await artifacts.put(left.packed(), ZIP),
        journal_md=journal_md(earlier),
    )
    return continuation, left


def journal_md(earlier: EndedRun) -> str:
    """Return what all attempts up to this one wrote down, the oldest first."""
    before = earlier.request.continues
    attempt = 1 if before is None else len(before.attempts) + 1
    entries = [event for event in earlier.events if isinstance(event, JournalEntryAdded) and event.role == "engineer"]
    told = [summary_of(entry) for entry in entries[-ENTRIES_TOLD:]]
    parts = [
        "# Journal of all attempts" if before is None else before.journal_md,
        f"## Attempt {attempt}, run {earlier.request.run_id}",
        *([] if before is None else [f"The user said: {one_line(before.says, DETAIL_CHARS)}"]),
        *([f"({len(entries) - len(told)} earlier entries are left out.)"] if len(told) < len(entries) else []),
        *(told or ["Nothing was written down."]),
        f"It ended: {_ended(earlier.end)}",
    ]
    return shortened("\n\n".join(parts), *JOURNAL_CHARS)


def _ended(end: RunSucceeded | RunFailed) -> str:
    if isinstance(end, RunFailed):
        return f"failed, {end.reason.replace('_', ' ')}: {one_line(end.detail, DETAIL_CHARS)}"
    bill = end.bill
    return f"solved, {bill.unit_price_usd:.2f} USD, {bill.mass_kg:.3f} kg, {bill.part_count} parts"
