"""The folder of a delivery: written through no link, and over nothing but an earlier delivery.

A list of the delivery's files lies in the folder. By it a folder is recognized as ours, and a later delivery removes
exactly the files of the earlier one.
"""

import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path, PurePosixPath

from local_stack.errors import UserError
from pydantic import BaseModel, ConfigDict, ValidationError

LIST = "delivery.json"
_FOLDER = os.O_DIRECTORY | os.O_RDONLY | os.O_NOFOLLOW
_NEW_FILE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW


class DeliveredFiles(BaseModel):
    """The list of files, as it lies in the folder."""

    model_config = ConfigDict(frozen=True)

    files: tuple[str, ...]


def require_own_or_empty(folder: Path) -> None:
    """Raise `UserError` unless the folder is missing, empty, or an earlier delivery."""
    try:
        is_used = folder.exists() and any(folder.iterdir())
    except OSError as error:
        raise UserError(f"{folder} cannot be used: {error.strerror}; choose another folder with --out") from error
    if is_used:
        _earlier_files(folder)


def write_delivery(folder: Path, contents: Mapping[str, bytes]) -> None:
    """Replace the earlier delivery, if any, by these files; raise `UserError` rather than replace anything else."""
    try:
        require_own_or_empty(folder)
        folder.mkdir(parents=True, exist_ok=True)
        earlier = _earlier_files(folder) if (folder / LIST).exists() else ()
        top = os.open(folder, os.O_DIRECTORY | os.O_RDONLY)
        try:
            for path in earlier:
                _remove(top, PurePosixPath(path))
            _remove(top, PurePosixPath(LIST))
            # The list first: after an interruption the folder is still recognized as a delivery.
            _write(top, PurePosixPath(LIST), DeliveredFiles(files=tuple(sorted(contents))).model_dump_json().encode())
            for path, data in contents.items():
                _write(top, PurePosixPath(path), data)
        finally:
            os.close(top)
    except FileExistsError as error:
        detail = f"{folder / str(error.filename)} exists and is not part of the earlier delivery"
        raise UserError(f"{detail}; remove it, or choose another folder with --out") from error
    except OSError as error:
        raise UserError(f"{folder} cannot be written: {error.strerror}; choose another folder with --out") from error


def _earlier_files(folder: Path) -> tuple[str, ...]:
    """Return the paths that an earlier delivery wrote; raise `UserError` if the folder is not a delivery."""
    refusal = f"{folder} is not empty and not a delivery of millwright; choose an empty or new folder with --out"
    try:
        with os.fdopen(os.open(folder / LIST, os.O_RDONLY | os.O_NOFOLLOW)) as file:
            files = DeliveredFiles.model_validate_json(file.read()).files
    except (OSError, ValidationError, UnicodeDecodeError) as error:
        raise UserError(refusal) from error
    if not all(_is_inside(PurePosixPath(path)) for path in files):
        raise UserError(refusal)
    return files


def _is_inside(path: PurePosixPath) -> bool:
    return bool(path.parts) and not path.is_absolute() and ".." not in path.parts


def _write(top: int, path: PurePosixPath, data: bytes) -> None:
    if not _is_inside(path):
        raise UserError(f"a delivered file has the name {str(path)!r}, which is outside of the folder")
    here = _open_parent(top, path, create=True)
    try:
        with os.fdopen(os.open(path.name, _NEW_FILE, 0o644, dir_fd=here), "wb") as file:
            file.write(data)
    except FileExistsError as error:
        error.filename = str(path)
        raise
    finally:
        os.close(here)


def _remove(top: int, path: PurePosixPath) -> None:
    """Remove a file that may be gone already, then its folders as far as they are empty."""
    with suppress(FileNotFoundError, NotADirectoryError):
        here = _open_parent(top, path, create=False)
        try:
            os.unlink(path.name, dir_fd=here)
        finally:
            os.close(here)
        with suppress(OSError):
            for folder in list(path.parents)[:-1]:
                os.rmdir(folder, dir_fd=top)


def _open_parent(top: int, path: PurePosixPath, *, create: bool) -> int:
    """Return the descriptor of a file's folder, entered one by one and through no link."""
    here = os.dup(top)
    for folder in path.parent.parts:
        try:
            if create:
                with suppress(FileExistsError):
                    os.mkdir(folder, 0o755, dir_fd=here)
            below = os.open(folder, _FOLDER, dir_fd=here)
        finally:
            os.close(here)
        here = below
    return here
