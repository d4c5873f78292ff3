"""The folder an agent lives in: laid out by us, written by the agent through us, handed in as a zip.

The host runs with more rights than the kernel, so it never follows a link that the kernel might have left.
"""

import io
import os
import zipfile
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from errno import ELOOP
from importlib import resources
from pathlib import Path, PurePosixPath
from typing import Literal

from documents.shipped_skills import SHIPPED_SKILLS
from kernel.workspace_template import TEMPLATES
from sandbox.disk import erase_except
from sandbox.scratch_root import WorkspaceFolder

from cad_worker.sessions.safe_read import first_bytes

MAX_FILE_BYTES = 256 * 1024
MAX_ZIP_BYTES = 8 << 20
MAX_FILES = 200
MAX_DEPTH = 16
MAX_LISTED = 30
"""Files named to whoever asks for one that is not there."""
READ_ONLY = ("skills", "utils", "plan.md", "environment.step", "environment.glb", "submitted", "design.step")
"""What the agent cannot write, at the top of the workspace."""

_ZIP_TIME = (1980, 1, 1, 0, 0, 0)
"""Equal files make equal zips."""


@dataclass(frozen=True)
class FileProblem:
    """Why a file was not written or read."""

    reason: Literal["read_only", "outside_workspace", "too_large", "not_text", "missing"]
    detail: str


class UnfitWorkspaceError(ValueError):
    """What lies in the workspace cannot be handed in; the message says why."""


class Workspace:
    """One folder, made and removed by us."""

    def __init__(self, location: WorkspaceFolder) -> None:
        self.location = location
        self.folder = location.path
        self._user = location.user
        self._placed: set[str] = set()
        self._is_read_only = False

    def lay_out(self, read_only: Mapping[str, bytes], writable: Mapping[str, str] | None) -> None:
        """Write the first files, `utils` and the skills that every kernel has among them; with None to write, nothing
        can be written. What was there before is gone."""
        erase_except(self.folder, ())
        self._placed.clear()
        self._is_read_only = writable is None
        baked = resources.files("kernel") / "baked"
        sealed = {"utils/__init__.py": (baked / "utils" / "__init__.py").read_bytes(), **read_only}
        for skill in SHIPPED_SKILLS.values():
            sealed |= skill.files
        for path, content in sealed.items():
            self._put(path, content)
            self._seal(self.folder / path)
        for folder in {parent for path in sealed for parent in PurePosixPath(path).parents if parent.name}:
            self._seal(self.folder / folder)
        if writable is None:
            return
        script = TEMPLATES["engineer"].files["script.py"]
        for path, text in {"script.py": script, **writable}.items():
            self._put(path, text.encode())

    def replace_read_only(self, path: str, content: bytes) -> None:
        """Put other content in the place of one of the host's own files, at once and whole."""
        fresh = f".{path}"
        (self.folder / fresh).unlink(missing_ok=True)
        self._put(fresh, content)
        self._seal(self.folder / fresh)
        (self.folder / fresh).replace(self.folder / path)
        self._placed.discard(fresh)

    def write(self, path: str, text: str) -> FileProblem | int:
        """Write a whole file for the agent; return its size in bytes, or why not."""
        refusal = self._refusal(path, text)
        if refusal is not None:
            return refusal
        data = text.encode()
        try:
            self._put(path, data)
        except OSError as error:
            detail = f"{path} cannot be a file here ({error.strerror}); choose another path"
            return FileProblem("outside_workspace", detail)
        return len(data)

    def read(self, path: str) -> FileProblem | str:
        """Return the text of a file, whoever wrote it, or why it cannot be shown."""
        if problem := _problem_of_path(path):
            return problem
        try:
            data = first_bytes(self.folder, path, MAX_FILE_BYTES + 1)
        except FileNotFoundError:
            there = ", ".join(self.files()[:MAX_LISTED])
            return FileProblem("missing", f"there is no file {path}; there are: {there}")
        except OSError as error:
            why = "it is a link or lies behind one" if error.errno == ELOOP else error.strerror
            return FileProblem("outside_workspace", f"{path} cannot be read as a file of the workspace: {why}")
        if len(data) > MAX_FILE_BYTES:
            return FileProblem("too_large", f"{path} has more than {MAX_FILE_BYTES} bytes; what it means is in a cell")
        try:
            return data.decode()
        except UnicodeDecodeError:
            return FileProblem("not_text", f"{path} is no text, so it can be neither shown nor edited")

    def files(self) -> tuple[str, ...]:
        """Return the paths of all regular files, sorted.

        Left out are links, hidden files, names that would surprise a terminal or a zip, and what lies very deep.
        """
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

    def pack(self) -> bytes:
        """Return the agent's own files as a zip; raise `UnfitWorkspaceError` if that cannot be."""
        own = [path for path in self.files() if PurePosixPath(path).parts[0] not in READ_ONLY]
        if "script.py" not in own:
            raise UnfitWorkspaceError("there is no file script.py; write it with the write_file tool")
        if len(own) > MAX_FILES:
            raise UnfitWorkspaceError(f"{len(own)} files are too many; at most {MAX_FILES} can be handed in")
        buffer = io.BytesIO()
        total = 0
        with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
            for path in own:
                data = self._read(path, MAX_ZIP_BYTES - total)
                total += len(data)
                archive.writestr(zipfile.ZipInfo(path, _ZIP_TIME), data, zipfile.ZIP_DEFLATED)
        return buffer.getvalue()

    def snapshot(self) -> dict[str, bytes]:
        """Return the agent's own files by path; what cannot be read is left out."""
        own: dict[str, bytes] = {}
        for path in self.files():
            if PurePosixPath(path).parts[0] not in READ_ONLY:
                with suppress(UnfitWorkspaceError):
                    own[path] = self._read(path, MAX_ZIP_BYTES)
        return own

    def restore(self, files: Mapping[str, bytes]) -> None:
        """Let the agent's own files be these and no others; nobody may be at work in it."""
        placed = set(self._placed)
        sealed = {path for path in placed if PurePosixPath(path).parts[0] in READ_ONLY}
        erase_except(self.folder, {*sealed, "skills"})
        for path, data in files.items():
            self._put(path, data)
        self._placed = placed

    def remove_unplaced(self) -> None:
        """Remove all that was not placed by the host; nobody may be at work in it."""
        erase_except(self.folder, {*self._placed, "skills"})

    def _read(self, path: str, room_bytes: int) -> bytes:
        try:
            descriptor = os.open(self.folder / path, os.O_RDONLY | os.O_NOFOLLOW)
            with os.fdopen(descriptor, "rb") as file:
                data = file.read(room_bytes + 1)
        except OSError as error:  # the kernel is alive and may have taken the right to read, or the file
            raise UnfitWorkspaceError(f"{path} cannot be read ({error.strerror}); write it anew") from error
        if len(data) > room_bytes:
            raise UnfitWorkspaceError(f"the files are larger than {MAX_ZIP_BYTES >> 20} MB together at {path}")
        return data

    def _refusal(self, path: str, text: str) -> FileProblem | None:
        if problem := _problem_of_path(path):
            return problem
        if self._is_read_only or PurePosixPath(path).parts[0] in READ_ONLY:
            advice = "a review changes nothing" if self._is_read_only else "write to script.py or a file of your own"
            return FileProblem("read_only", f"{path} is read-only; {advice}")
        try:
            size = len(text.encode())
        except UnicodeEncodeError as error:
            return FileProblem("not_text", f"{path} holds a character that UTF-8 cannot store: {error.reason}")
        if "\x00" in text:
            return FileProblem("not_text", f"{path} holds a NUL character; write plain text")
        if size > MAX_FILE_BYTES:
            detail = f"{path} would have {size} bytes; at most {MAX_FILE_BYTES} are allowed: split it into modules"
            return FileProblem("too_large", detail)
        return None

    def _put(self, path: str, data: bytes) -> None:
        """Write beneath the workspace, one folder at a time, and through no link."""
        *folders, name = PurePosixPath(path).parts
        here = os.open(self.folder, os.O_DIRECTORY | os.O_RDONLY | os.O_NOFOLLOW)
        try:
            for folder in folders:
                here = self._step_into(here, folder)
            flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW
            with os.fdopen(os.open(name, flags, 0o600, dir_fd=here), "wb") as file:
                self._hand_over(file.fileno())
                file.write(data)
            self._placed.add(PurePosixPath(path).as_posix())
        finally:
            os.close(here)

    def _seal(self, path: Path) -> None:
        """Take the right to write; a confined child has no capability and no chmod to get it back."""
        if self._user is not None:
            os.chown(path, os.geteuid(), self._user)
        path.chmod(0o550 if path.is_dir() else 0o440)

    def _hand_over(self, descriptor: int) -> None:
        if self._user is not None:
            os.fchown(descriptor, self._user, self._user)

    def _step_into(self, here: int, folder: str) -> int:
        """Return the descriptor of a subfolder, made if need be, in exchange for that of its parent."""
        is_new = folder not in os.listdir(here)
        if is_new:
            os.mkdir(folder, 0o700, dir_fd=here)
        below = os.open(folder, os.O_DIRECTORY | os.O_RDONLY | os.O_NOFOLLOW, dir_fd=here)
        os.close(here)
        if is_new:
            self._hand_over(below)
        return below


def _problem_of_path(path: str) -> FileProblem | None:
    pure = PurePosixPath(path)
    hidden = any(part.startswith(".") for part in pure.parts)  # `..` among them
    if pure.is_absolute() or not pure.parts or hidden or "\x00" in path:
        return FileProblem("outside_workspace", f"{path!r} is not a path inside the workspace; use e.g. script.py")
    return None


def _entries(folder: Path) -> list[os.DirEntry[str]]:
    """Return what an agent may show of a folder; nothing if it took the right to look, or the folder."""
    try:
        with os.scandir(folder) as entries:
            return [each for each in entries if is_presentable(each.name)]
    except OSError:
        return []


def is_presentable(name: str) -> bool:
    """Tell whether a file or folder of this name surprises neither a terminal nor a zip."""
    return name.isprintable() and "\\" not in name and not name.startswith((".", "__pycache__"))


def unpack(data: bytes) -> dict[str, str]:
    """Return the text files of a packed workspace by path; raise `UnfitWorkspaceError` or `BadZipFile`."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        members = [each for each in archive.infolist() if not each.is_dir()]
        if len(members) > MAX_FILES or sum(each.file_size for each in members) > MAX_ZIP_BYTES:
            raise UnfitWorkspaceError("the submission is larger than a workspace may be")
        return {each.filename: archive.read(each).decode("utf-8", "replace") for each in members}
