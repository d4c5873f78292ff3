"""The files that an engineer left behind, as far as a workspace may begin with them."""

import io
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from artifacts.port import ArtifactError, ArtifactStore
from cad_worker.sessions.earlier_files import first_files
from cad_worker.sessions.workspace import UnfitWorkspaceError
from contracts.envelope import Event
from contracts.events.session import CellCompleted, FileWriteRequested, FileWritten
from contracts.models.artifact import ArtifactRef
from contracts.models.submission import Submission
from documents.agent_files import check_text
from documents.problems import DocumentError
from local_stack.errors import UserError

_ZIP_TIME = (1980, 1, 1, 0, 0, 0)
"""Equal files make equal zips."""


@dataclass(frozen=True)
class PreviousFiles:
    """Files by path, and those that no workspace can begin with."""

    files: Mapping[str, str]
    skipped: Mapping[str, str]
    """Why, by path."""

    def packed(self) -> bytes:
        """Return the files as a zip."""
        return _zipped({path: text.encode() for path, text in self.files.items()})


async def previous_files(events: Sequence[Event], first: ArtifactRef | None, artifacts: ArtifactStore) -> PreviousFiles:
    """Return the files as the engineer's last submission had them, and as it wrote them afterwards.

    Without a submission: those that its run began with (`first`) and what it wrote.
    """
    handed_in = [place for place, event in enumerate(events) if _submission(event) is not None]
    place = handed_in[-1] if handed_in else 0
    submission = _submission(events[place]) if handed_in else None
    base = first if submission is None else submission.files
    files = {} if base is None else _unzipped(await _fetched(base, artifacts))
    return _fit(files | _written(events[place:]))


def _submission(event: Event) -> Submission | None:
    if isinstance(event, CellCompleted) and event.role == "engineer" and isinstance(event.ending, Submission):
        return event.ending
    return None


def _written(events: Sequence[Event]) -> dict[str, bytes]:
    """Return the files that the engineer wrote with its tools, each as it was in the end."""
    requests: dict[UUID, FileWriteRequested] = {}
    texts: dict[str, bytes] = {}
    for event in events:
        if isinstance(event, FileWriteRequested):
            requests[event.id] = event
        elif isinstance(event, FileWritten) and event.role == "engineer":
            asked = requests.get(event.causation_id) if event.causation_id else None
            text = event.text if event.text is not None else asked.text if asked else None
            if text is not None:
                texts[event.path] = text.encode()
    return texts


async def _fetched(ref: ArtifactRef, artifacts: ArtifactStore) -> bytes:
    try:
        return await artifacts.get(ref)
    except ArtifactError as error:
        raise UserError(f"the files of the earlier run cannot be fetched: {error}") from error


def _fit(files: Mapping[str, bytes]) -> PreviousFiles:
    fit: dict[str, str] = {}
    left_out: dict[str, str] = {}
    for path, data in files.items():
        try:
            text = first_files(_zipped({path: data}))[path]
            check_text(path, None, text)
        except (UnfitWorkspaceError, DocumentError) as error:
            left_out[path] = str(error)
        else:
            fit[path] = text
    return PreviousFiles(fit, left_out)


def _unzipped(data: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {each.filename: archive.read(each) for each in archive.infolist() if not each.is_dir()}


def _zipped(files: Mapping[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, data in sorted(files.items()):
            archive.writestr(zipfile.ZipInfo(path, _ZIP_TIME), data, zipfile.ZIP_DEFLATED)
    return buffer.getvalue()
