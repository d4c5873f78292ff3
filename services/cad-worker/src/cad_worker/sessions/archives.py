"""Files of an earlier attempt that a workspace begins with: a zip that anybody may have made, read strictly."""

import io
import stat
import zipfile
from collections.abc import Sequence
from pathlib import PurePosixPath

from cad_worker.sessions.workspace import (
    MAX_DEPTH,
    MAX_FILE_BYTES,
    MAX_FILES,
    MAX_ZIP_BYTES,
    READ_ONLY,
    UnfitWorkspaceError,
    is_presentable,
)

MAX_PATH_CHARS = 200
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_ENCRYPTED = 0x1


def unpack_strictly(data: bytes) -> dict[str, str]:
    """Return the text files of a zip by path; raise `UnfitWorkspaceError`, which names the file, for anything else.

    What holds for a file that an agent writes holds here, too: a path inside the workspace, nothing read-only, UTF-8,
    at most 256 KiB. What the zip says of its sizes is believed only as a limit: nobody reads beyond it.
    """
    if len(data) > MAX_ZIP_BYTES:
        raise UnfitWorkspaceError(f"the zip has {len(data)} bytes; at most {MAX_ZIP_BYTES} are allowed")
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            members = [each for each in archive.infolist() if not each.is_dir()]
            _require_order(members)
            return {each.filename: _text(archive, each) for each in members}
    except (zipfile.BadZipFile, EOFError, ValueError, OverflowError, NotImplementedError) as error:
        if isinstance(error, UnfitWorkspaceError):
            raise
        raise UnfitWorkspaceError(f"the zip cannot be read: {error}") from error


def _require_order(members: Sequence[zipfile.ZipInfo]) -> None:
    if len(members) > MAX_FILES or sum(each.file_size for each in members) > MAX_ZIP_BYTES:
        limits = f"{MAX_FILES} files and {MAX_ZIP_BYTES >> 20} MB"
        raise UnfitWorkspaceError(f"the zip holds {len(members)} files; at most {limits} are allowed")
    for member in members:
        problem = _problem_of(member)
        if problem:
            raise UnfitWorkspaceError(f"{member.filename[:MAX_PATH_CHARS]!r} {problem}")
    paths = [each.filename for each in members]
    folders = {parent.as_posix() for path in paths for parent in PurePosixPath(path).parents}
    twice = {path for path in paths if path in folders or paths.count(path) > 1}
    if twice:
        raise UnfitWorkspaceError(f"{min(twice)!r} is there twice, as a file or as a folder")


def _problem_of(member: zipfile.ZipInfo) -> str:
    """Return what is wrong with a member before it is read, or nothing."""
    path = PurePosixPath(member.filename)
    is_plain = not path.is_absolute() and path.as_posix() == member.filename
    is_packed_plainly = not member.flag_bits & _ENCRYPTED and member.compress_type in _METHODS
    problems = {
        "is not a plain path inside the workspace": not is_plain or len(member.filename) > MAX_PATH_CHARS,
        "is hidden, or has a name that cannot be shown": not all(is_presentable(part) for part in path.parts),
        "lies too deep": len(path.parts) > MAX_DEPTH,
        "is read-only in a workspace": path.parts[:1] and path.parts[0] in READ_ONLY,
        "is no plain file": stat.S_IFMT(member.external_attr >> 16) not in {0, stat.S_IFREG},
        "is encrypted, or packed in a way that is not read here": not is_packed_plainly,
        f"has more than {MAX_FILE_BYTES} bytes": member.file_size > MAX_FILE_BYTES,
    }
    return next((problem for problem, is_there in problems.items() if is_there), "")


def _text(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> str:
    try:
        text = archive.read(member).decode()
    except UnicodeDecodeError as error:
        raise UnfitWorkspaceError(f"{member.filename!r} is no text: {error.reason}") from error
    if "\x00" in text:
        raise UnfitWorkspaceError(f"{member.filename!r} is no text: it holds a NUL character")
    return text
