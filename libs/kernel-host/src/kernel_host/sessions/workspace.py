"""The workspace of a session: a folder that the host fills, and that the kernel's cells and the file tools change.

The host has more rights than the kernel, so it never follows a link that a kernel might have left.
"""

import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from errno import EISDIR, ELOOP
from importlib import resources
from pathlib import Path, PurePosixPath
from typing import Literal

from contracts.text import shortened, storable
from documents.workspaces.archive import MAX_DEPTH, MAX_FILE_BYTES, MAX_TOTAL_BYTES, READ_ONLY, is_presentable
from sandbox.disk import erase_except
from sandbox.scratch_root import WorkspaceFolder

MAX_KEPT_BYTES = 64 << 20
"""Of all files that are restored with a lost kernel: they are in the worker's memory meanwhile."""
PATH_CHARS = 80
"""Of a path in a list of files that are not kept."""
MAX_LISTED = 30
"""Files named in the refusal to read a missing one, without the pages of skills: each SKILL.md names its own."""
_OPEN_FOLDER = os.O_DIRECTORY | os.O_RDONLY | os.O_NOFOLLOW


@dataclass(frozen=True)
class FileProblem:
    """Why a file was not written or read."""

    reason: Literal["read_only", "outside_workspace", "too_large", "not_text", "missing"]
    detail: str


@dataclass(frozen=True)
class Snapshot:
    """An agent's own files at one time."""

    files: Mapping[str, bytes]
    """By path."""
    left_out: tuple[str, ...] = ()
    """Files that are not kept, each with the reason."""


class Workspace:
    """The files of one session."""

    def __init__(self, location: WorkspaceFolder) -> None:
        self.location = location
        self.folder = location.path
        self._user = location.user
        self._placed: set[str] = set()
        """Paths that the host has written."""
        self._is_read_only = False

    def fill(self, read_only: Mapping[str, bytes], writable: Mapping[str, str] | None) -> None:
        """Replace all files by these and `utils`; None: no file can be written."""
        erase_except(self.folder, ())
        self._placed.clear()
        self._is_read_only = writable is None
        baked = resources.files("kernel") / "baked"
        sealed = {"utils/__init__.py": (baked / "utils" / "__init__.py").read_bytes(), **read_only}
        for path, content in sealed.items():
            self._place(path, content)
            self._seal(self.folder / path)
        for folder in {parent for path in sealed for parent in PurePosixPath(path).parents if parent.name}:
            self._seal(self.folder / folder)
        if writable is None:
            return
        for path, text in writable.items():
            self._place(path, text.encode())

    def replace_read_only(self, path: str, content: bytes) -> None:
        """Replace one of the read-only files at the top, atomically."""
        fresh = f".{path}"
        (self.folder / fresh).unlink(missing_ok=True)
        self._place(fresh, content)
        self._seal(self.folder / fresh)
        (self.folder / fresh).replace(self.folder / path)
        self._placed.discard(fresh)

    def write(self, path: str, text: str) -> FileProblem | int:
        """Write a whole file for the agent; return its size in bytes, or why it was not written."""
        problem = self._problem_of_write(path, text)
        if problem is not None:
            return problem
        data = text.encode()
        try:
            self._place(path, data)
        except OSError as error:
            detail = f"{path} cannot be a file here ({error.strerror}); choose another path"
            return FileProblem("outside_workspace", detail)
        return len(data)

    def read(self, path: str) -> FileProblem | str:
        """Return the text of a file, or why it cannot be shown."""
        if problem := _problem_of_path(path):
            return problem
        try:
            data = self.read_bytes(path, MAX_FILE_BYTES + 1)
        except FileNotFoundError:
            listed = [each for each in self.files() if not _is_page_of_skill(each)][:MAX_LISTED]
            files = ", ".join(listed)
            return FileProblem("missing", f"{path} does not exist; the workspace contains: {files}")
        except OSError as error:
            why = "it is a link or behind one" if error.errno == ELOOP else error.strerror
            return FileProblem("outside_workspace", f"{path} cannot be read as a file of the workspace: {why}")
        if len(data) > MAX_FILE_BYTES:
            return FileProblem("too_large", f"{path} has more than {MAX_FILE_BYTES} bytes; read it in a cell")
        try:
            return data.decode()
        except UnicodeDecodeError:
            return FileProblem("not_text", f"{path} is not a text file, so it can be neither shown nor edited")

    def read_bytes(self, path: str, most: int) -> bytes:
        """Return the first bytes of a regular file, reached through no link; raise `OSError`."""
        *folders, name = PurePosixPath(path).parts
        here = os.open(self.folder, _OPEN_FOLDER)
        try:
            for folder in folders:
                below = os.open(folder, _OPEN_FOLDER, dir_fd=here)
                os.close(here)
                here = below
            descriptor = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=here)
            try:
                if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                    raise OSError(EISDIR, "it is not a regular file", path)
                with os.fdopen(descriptor, "rb", closefd=False) as file:
                    return file.read(most)
            finally:
                os.close(descriptor)
        finally:
            os.close(here)

    def files(self) -> tuple[str, ...]:
        """Return the sorted paths of all regular files, except links, hidden or unprintable names, and deep folders."""
        found: list[str] = []
        folders = [PurePosixPath()]
        while folders:
            here = folders.pop()
            for entry in _entries(self.folder / here):
                if entry.is_dir(follow_symlinks=False) and len(here.parts) < MAX_DEPTH:
                    folders.append(here / entry.name)
                elif entry.is_file(follow_symlinks=False):
                    found.append((here / entry.name).as_posix())
        return tuple(sorted(found))

    def own_files(self) -> list[str]:
        """Return the sorted paths of the agent's own files."""
        return [path for path in self.files() if PurePosixPath(path).parts[0] not in READ_ONLY]

    def snapshot(self) -> Snapshot:
        """Return the agent's own files, as far as a restored workspace may have them."""
        files: dict[str, bytes] = {}
        left_out = [f"{name} (hidden, or not printable)" for name in self._hidden()]
        free_bytes = MAX_KEPT_BYTES
        for path in self.own_files():
            try:
                data = self.read_bytes(path, MAX_TOTAL_BYTES + 1)
            except OSError as error:  # the kernel may be alive, and have locked or removed the file
                left_out.append(f"{path} ({error.strerror})")
                continue
            if len(data) > MAX_TOTAL_BYTES:
                left_out.append(f"{path} (more than {MAX_TOTAL_BYTES >> 20} MiB)")
            elif len(data) > free_bytes:
                left_out.append(f"{path} (all files have more than {MAX_KEPT_BYTES >> 20} MiB together)")
            else:
                files[path] = data
                free_bytes -= len(data)
        return Snapshot(files, tuple(left_out))

    def _hidden(self) -> list[str]:
        """Return what `files` leaves out, except what Python caches."""
        folders = {PurePosixPath(), *(parent for path in self.own_files() for parent in PurePosixPath(path).parents)}
        found = [(here / entry.name).as_posix() for here in folders for entry in _hidden_entries(self.folder / here)]
        return sorted(shortened(storable(ascii(path)[1:-1]), PATH_CHARS) for path in found)

    def restore(self, files: Mapping[str, bytes]) -> None:
        """Replace the agent's own files by these; no process may work in the workspace."""
        placed = set(self._placed)
        sealed = {path for path in placed if PurePosixPath(path).parts[0] in READ_ONLY}
        erase_except(self.folder, {*sealed, "skills"})
        for path, data in files.items():
            self._place(path, data)
        self._placed = placed

    def remove_unplaced(self) -> None:
        """Remove all files that the host has not written; no process may work in the workspace."""
        erase_except(self.folder, {*self._placed, "skills"})

    def _problem_of_write(self, path: str, text: str) -> FileProblem | None:
        if problem := _problem_of_path(path):
            return problem
        if self._is_read_only or PurePosixPath(path).parts[0] in READ_ONLY:
            advice = "a review changes nothing" if self._is_read_only else "write to script.py or a file of your own"
            return FileProblem("read_only", f"{path} is read-only; {advice}")
        try:
            size = len(text.encode())
        except UnicodeEncodeError as error:
            return FileProblem("not_text", f"{path} contains a character that UTF-8 cannot encode: {error.reason}")
        if "\x00" in text:
            return FileProblem("not_text", f"{path} contains a NUL character; write plain text")
        if size > MAX_FILE_BYTES:
            detail = f"{path} would have {size} bytes; at most {MAX_FILE_BYTES} are allowed: split it into modules"
            return FileProblem("too_large", detail)
        return None

    def _place(self, path: str, data: bytes) -> None:
        """Write a file, one folder at a time and through no link."""
        *folders, name = PurePosixPath(path).parts
        here = os.open(self.folder, _OPEN_FOLDER)
        try:
            for folder in folders:
                here = self._enter(here, folder)
            flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW
            with os.fdopen(os.open(name, flags, 0o600, dir_fd=here), "wb") as file:
                self._give_to_user(file.fileno())
                file.write(data)
            self._placed.add(PurePosixPath(path).as_posix())
        finally:
            os.close(here)

    def _seal(self, path: Path) -> None:
        """Make a file or folder read-only; a confined child has neither chmod nor a capability to undo that."""
        if self._user is not None:
            os.chown(path, os.geteuid(), self._user)
        path.chmod(0o550 if path.is_dir() else 0o440)

    def _give_to_user(self, descriptor: int) -> None:
        if self._user is not None:
            os.fchown(descriptor, self._user, self._user)

    def _enter(self, here: int, folder: str) -> int:
        """Return the descriptor of a subfolder, created if missing, and close its parent's."""
        is_new = folder not in os.listdir(here)
        if is_new:
            os.mkdir(folder, 0o700, dir_fd=here)
        below = os.open(folder, _OPEN_FOLDER, dir_fd=here)
        os.close(here)
        if is_new:
            self._give_to_user(below)
        return below


def _problem_of_path(path: str) -> FileProblem | None:
    pure = PurePosixPath(path)
    hidden = any(part.startswith(".") for part in pure.parts)  # also `..`
    if pure.is_absolute() or not pure.parts or hidden or "\x00" in path:
        return FileProblem("outside_workspace", f"{path!r} is not a path inside the workspace; use e.g. script.py")
    return None


def _is_page_of_skill(path: str) -> bool:
    parts = PurePosixPath(path).parts
    return parts[0] == "skills" and len(parts) > len(("skills", "NAME", "SKILL.md"))


def _entries(folder: Path) -> list[os.DirEntry[str]]:
    """Return the presentable entries of a folder."""
    return [each for each in _all_entries(folder) if is_presentable(each.name)]


def _hidden_entries(folder: Path) -> list[os.DirEntry[str]]:
    hidden = [each for each in _all_entries(folder) if not is_presentable(each.name)]
    return [each for each in hidden if not each.name.startswith("__pycache__")]


def _all_entries(folder: Path) -> list[os.DirEntry[str]]:
    """Return the entries of a folder; none if the kernel has locked or removed it."""
    try:
        with os.scandir(folder) as entries:
            return list(entries)
    except OSError:
        return []
