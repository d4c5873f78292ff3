"""Workspaces as zip files that the judge or a new run unpacks, and the limits of their files."""

import io
import stat
import zipfile
from collections.abc import Callable, Sequence
from pathlib import PurePosixPath
from typing import TypeVar

MAX_FILES = 200
MAX_PATH_CHARS = 200
MAX_FILE_BYTES = 256 * 1024
MAX_TOTAL_BYTES = 8 << 20
"""Of all files that are submitted, or that a workspace begins with."""
MAX_DEPTH = 16
READ_ONLY = ("skills", "utils", "plan.md", "environment.step", "environment.glb", "submitted", "design.step")
"""Files and folders at the top of the workspace that the agent cannot write."""
Content = TypeVar("Content", str, bytes)
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_ENCRYPTED = 0x1


class InvalidWorkspaceError(ValueError):
    """Files cannot be packed, unpacked or used; the message says why."""


def is_presentable(name: str) -> bool:
    """Tell whether a file name is visible and printable, and safe in a zip."""
    return name.isprintable() and "\\" not in name and not name.startswith((".", "__pycache__"))


def unpack(data: bytes) -> dict[str, str]:
    """Return the text files of a packed workspace by path; raise `InvalidWorkspaceError` or `BadZipFile`."""
    return {path: text.decode("utf-8", "replace") for path, text in unpack_any(data).items()}


def unpack_any(data: bytes) -> dict[str, bytes]:
    """Return the files by path of a zip within the limits of a workspace, whatever their names; raise as `unpack`."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        members = _members(archive)
        if _is_too_large(members):
            raise InvalidWorkspaceError("the files are larger than a workspace may be")
        return {each.filename: archive.read(each) for each in members}


def unpack_strictly(data: bytes) -> dict[str, str]:
    """Return the text files by path of a zip that any user may have made.

    Raises `InvalidWorkspaceError`, which names the file, unless every file is one that an agent could write: a path
    inside the workspace that is not read-only, UTF-8, at most 256 KiB. Never reads more than the zip's own sizes.
    """
    return _checked(data, MAX_FILE_BYTES, _text)


def unpack_bytes(data: bytes) -> dict[str, bytes]:
    """Return the files by path of a workspace that `pack` has packed, some of which may not be text.

    Raises `InvalidWorkspaceError` for anything that `pack` would not have packed: a worker may be broken.
    """
    return _checked(data, MAX_TOTAL_BYTES, zipfile.ZipFile.read)


def _checked(
    data: bytes, most_bytes: int, read: Callable[[zipfile.ZipFile, zipfile.ZipInfo], Content]
) -> dict[str, Content]:
    if len(data) > MAX_TOTAL_BYTES:
        raise InvalidWorkspaceError(f"the zip has {len(data)} bytes; at most {MAX_TOTAL_BYTES} are allowed")
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            members = _members(archive)
            _require_usable(members, most_bytes)
            return {each.filename: read(archive, each) for each in members}
    except (zipfile.BadZipFile, EOFError, ValueError, OverflowError, NotImplementedError) as error:
        if isinstance(error, InvalidWorkspaceError):
            raise
        raise InvalidWorkspaceError(f"the zip cannot be read: {error}") from error


def _members(archive: zipfile.ZipFile) -> list[zipfile.ZipInfo]:
    return [each for each in archive.infolist() if not each.is_dir()]


def _is_too_large(members: Sequence[zipfile.ZipInfo]) -> bool:
    return len(members) > MAX_FILES or sum(each.file_size for each in members) > MAX_TOTAL_BYTES


def _require_usable(members: Sequence[zipfile.ZipInfo], most_bytes: int) -> None:
    if _is_too_large(members):
        limits = f"{MAX_FILES} files and {MAX_TOTAL_BYTES >> 20} MB"
        raise InvalidWorkspaceError(f"the zip holds {len(members)} files; at most {limits} are allowed")
    for member in members:
        problem = _problem_of(member, most_bytes)
        if problem:
            raise InvalidWorkspaceError(f"{member.filename[:MAX_PATH_CHARS]!r} {problem}")
    paths = [each.filename for each in members]
    folders = {parent.as_posix() for path in paths for parent in PurePosixPath(path).parents}
    duplicates = {path for path in paths if path in folders or paths.count(path) > 1}
    if duplicates:
        raise InvalidWorkspaceError(f"{min(duplicates)!r} is there twice, as a file or as a folder")


def _problem_of(member: zipfile.ZipInfo, most_bytes: int) -> str:
    """Return what is wrong with a member that is not yet read, or an empty text."""
    path = PurePosixPath(member.filename)
    is_plain = not path.is_absolute() and path.as_posix() == member.filename
    is_readable = not member.flag_bits & _ENCRYPTED and member.compress_type in _METHODS
    problems = {
        "is not a plain path inside the workspace": not is_plain or len(member.filename) > MAX_PATH_CHARS,
        "is hidden, or has a name that cannot be shown": not all(is_presentable(part) for part in path.parts),
        "is in too deep a folder": len(path.parts) > MAX_DEPTH,
        "is read-only in a workspace": path.parts[:1] and path.parts[0] in READ_ONLY,
        "is not a regular file": stat.S_IFMT(member.external_attr >> 16) not in {0, stat.S_IFREG},
        "is encrypted, or compressed by an unsupported method": not is_readable,
        f"has more than {most_bytes} bytes": member.file_size > most_bytes,
    }
    return next((problem for problem, is_there in problems.items() if is_there), "")


def _text(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> str:
    try:
        text = archive.read(member).decode()
    except UnicodeDecodeError as error:
        raise InvalidWorkspaceError(f"{member.filename!r} is not a text file: {error.reason}") from error
    if "\x00" in text:
        raise InvalidWorkspaceError(f"{member.filename!r} is not a text file: it contains a NUL character")
    return text
