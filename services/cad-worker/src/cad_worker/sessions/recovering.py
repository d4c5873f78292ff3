"""What the log knows of a session whose worker died: the files. What only the kernel knew is lost, and said to be."""

from collections.abc import Awaitable, Callable, Iterable

from contracts.envelope import Event, Role
from contracts.session import CellCompleted, CellRequested, FileWriteRequested, FileWritten

LOSS = (
    "NOTE: the kernel was lost before this cell and began anew. Files written with write_file are restored; "
    "variables of earlier cells and files that cells wrote themselves are gone.\n"
)

RunCell = Callable[[CellRequested], Awaitable[CellCompleted]]


def files_written(history: Iterable[Event], role: Role) -> dict[str, str]:
    """Return the text of each file that `role` has written, by path."""
    asked: dict[object, FileWriteRequested] = {}
    files: dict[str, str] = {}
    for event in history:
        if isinstance(event, FileWriteRequested):
            asked[event.id] = event
        elif isinstance(event, FileWritten) and event.role == role and event.causation_id in asked:
            files[event.path] = asked[event.causation_id].text
    return files


def telling_once(run: RunCell) -> RunCell:
    """Return `run`, with the loss told in the observation of the first cell."""
    told = False

    async def run_and_tell(request: CellRequested) -> CellCompleted:
        nonlocal told
        completed = await run(request)
        if told:
            return completed
        told = True
        seen = completed.observation
        update = {"output": LOSS + seen.output, "output_chars": len(LOSS) + seen.output_chars}
        return completed.model_copy(update={"observation": seen.model_copy(update=update)})

    return run_and_tell
