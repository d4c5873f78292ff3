"""The files that the engineer of an earlier run left, as far as a workspace can start with them."""

import io
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from artifacts.port import ArtifactError, ArtifactStore
from contracts.envelope import Event
from contracts.events.conversation import JournalEntryAdded
from contracts.events.session import CellCompleted, FileWriteRequested, FileWritten
from contracts.models.artifact import ArtifactRef
from contracts.models.submission import Submission
from documents.completeness import JOURNAL
from documents.journal import Journal
from documents.parser import DocumentError
from documents.run_journal import with_entry
from documents.workspace_files import check_file
from documents.workspaces.archive import InvalidWorkspaceError, unpack_any, unpack_strictly

from run_requests.errors import EarlierFilesError

_ZIP_TIME = (1980, 1, 1, 0, 0, 0)
"""Equal files make equal zips."""


@dataclass(frozen=True)
class PreviousFiles:
    """Files by path, and those that no workspace can start with."""

    files: Mapping[str, str]
    skipped: Mapping[str, str]
    """The reason by path."""

    def packed(self) -> bytes:
        """Return the files as a zip."""
        return _zipped({path: text.encode() for path, text in self.files.items()})


async def previous_files(events: Sequence[Event], first: ArtifactRef | None, artifacts: ArtifactStore) -> PreviousFiles:
    """Return the files of the engineer's last submission, with what it wrote afterwards.

    Without a submission: those that its run started with (`first`), with what it wrote.
    """
    submissions = [index for index, event in enumerate(events) if _submission(event) is not None]
    index = submissions[-1] if submissions else 0
    submission = _submission(events[index]) if submissions else None
    base = first if submission is None else submission.files
    files = {} if base is None else _unzipped(await _fetch(base, artifacts))
    later = events[index + 1 :] if submissions else events
    files |= _written(later)
    return _usable(files | _journal(files.get(JOURNAL), later))


def _submission(event: Event) -> Submission | None:
    if isinstance(event, CellCompleted) and event.role == "engineer" and isinstance(event.ending, Submission):
        return event.ending
    return None


def _written(events: Sequence[Event]) -> dict[str, bytes]:
    """Return the last version of each file that the engineer wrote with its tools."""
    requests: dict[UUID, FileWriteRequested] = {}
    texts: dict[str, bytes] = {}
    for event in events:
        if isinstance(event, FileWriteRequested):
            requests[event.id] = event
        elif isinstance(event, FileWritten) and event.role == "engineer":
            request = requests.get(event.causation_id) if event.causation_id else None
            text = event.text if event.text is not None else request.text if request else None
            if text is not None:
                texts[event.path] = text.encode()
    return texts


def _journal(written: bytes | None, events: Sequence[Event]) -> dict[str, bytes]:
    """Return journal.md with what cells and system added to it; nothing if there is no journal.

    A version that a file tool wrote holds everything up to it: entries that it has are not added once more.
    """
    texts = [] if written is None else [written.decode("utf-8", "replace")]
    start = max((n for n, event in enumerate(events) if _writes_journal(event)), default=-1)
    for event in events[start + 1 :]:
        before = texts[-1] if texts else Journal().markdown()
        if isinstance(event, CellCompleted) and event.role == "engineer" and event.journal_md:
            texts.append(before + event.journal_md)
        elif isinstance(event, JournalEntryAdded) and event.role == "engineer":
            try:
                texts.append(with_entry(before, event))
            except DocumentError:  # a malformed journal is left out of the next attempt's files, with the reason
                break
    return {JOURNAL: texts[-1].encode()} if texts else {}


def _writes_journal(event: Event) -> bool:
    return isinstance(event, FileWritten) and event.role == "engineer" and event.path == JOURNAL


async def _fetch(ref: ArtifactRef, artifacts: ArtifactStore) -> bytes:
    try:
        return await artifacts.get(ref)
    except ArtifactError as error:
        raise EarlierFilesError(f"the files of the earlier run cannot be fetched: {error}") from error


def _usable(files: Mapping[str, bytes]) -> PreviousFiles:
    usable: dict[str, str] = {}
    skipped: dict[str, str] = {}
    for path, data in files.items():
        try:
            text = unpack_strictly(_zipped({path: data}))[path]
            check_file(path, None, text)
        except (InvalidWorkspaceError, DocumentError) as error:
            skipped[path] = str(error)
        else:
            usable[path] = text
    return PreviousFiles(usable, skipped)


def _unzipped(data: bytes) -> dict[str, bytes]:
    try:
        return unpack_any(data)
    except (InvalidWorkspaceError, zipfile.BadZipFile) as error:
        raise EarlierFilesError(f"the files of the earlier run cannot be used: {error}") from error


def _zipped(files: Mapping[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, data in sorted(files.items()):
            archive.writestr(zipfile.ZipInfo(path, _ZIP_TIME), data, zipfile.ZIP_DEFLATED)
    return buffer.getvalue()
