"""The engineer's session of an earlier run: what another kernel repeats, and another engineer reads of it."""

from collections.abc import Iterable, Iterator, Sequence
from uuid import UUID

from agent.context.observation_summary import summarize_observation
from artifacts.port import ArtifactError, ArtifactStore, get_json
from contracts.envelope import Event
from contracts.events.conversation import JournalEntryAdded
from contracts.events.session import CellCompleted, CellRequested, FileWriteRequested, FileWritten, SessionRequested
from contracts.models.artifact import ArtifactRef
from contracts.models.continuation import SessionEvent, SessionRecord
from contracts.text import shortened

from run_requests.errors import EarlierFilesError

CODE_CHARS = (1_500, 500)
"""Of the beginning and the end of a cell's code."""
OUTPUT_CHARS = (600, 200)
CELLS_CHARS = (4_000, 20_000)
"""Of all cells together: the newest matter most."""
_REPEATED = (SessionRequested, CellRequested, CellCompleted, FileWriteRequested, FileWritten, JournalEntryAdded)


async def session_record(
    events: Iterable[Event], before: ArtifactRef | None, artifacts: ArtifactStore
) -> SessionRecord | None:
    """Return what a replay of the engineer's session repeats; None without a session.

    `before`: the record from which that session itself went on.
    """
    own = [each for each in events if isinstance(each, _REPEATED) and each.role == "engineer"]
    if not any(isinstance(each, SessionRequested) for each in own):
        return None
    recorded = [SessionEvent(subject=each.full_subject, body=each.model_dump_json()) for each in own]
    try:
        earlier = () if before is None else (await get_json(artifacts, before, SessionRecord)).events
    except ArtifactError as error:
        raise EarlierFilesError(f"the session of the earlier run cannot be fetched: {error}") from error
    return SessionRecord(events=(*earlier, *recorded))


def cells_md(events: Sequence[Event], before: str = "") -> str:
    """Return the engineer's cells with what came of each as Markdown; `before`: those of an earlier run."""
    parts = [before] if before else []
    return shortened("\n\n".join([*parts, *_cells(events)]), *CELLS_CHARS)


def _cells(events: Sequence[Event]) -> Iterator[str]:
    requested: dict[UUID | None, CellRequested] = {}
    for event in events:
        if isinstance(event, CellRequested):
            requested[event.id] = event
        elif isinstance(event, CellCompleted) and event.role == "engineer" and event.causation_id in requested:
            cell, seen = requested[event.causation_id], event.observation
            code = shortened(cell.code.strip(), *CODE_CHARS)
            output = shortened(seen.output.strip(), *OUTPUT_CHARS)
            shown = [f"printed:\n```text\n{output}\n```"] if output else []
            yield "\n".join([f"```python\n{code}\n```", summarize_observation(seen, cell.purpose), *shown])
