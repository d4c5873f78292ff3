"""A private copy of the repository, in which mutants are applied and tests run: the working tree is never changed.

The virtual environment is copied by hard links; only the files that point to the sources are written again. What is
compiled from a changed file is removed, since its size and second of change may be those of the original.
"""

import os
import shutil
import signal
import subprocess
from collections.abc import Sequence
from importlib.util import cache_from_source
from pathlib import Path
from time import perf_counter
from typing import Literal

Status = Literal["killed", "survived", "timeout"]
_IGNORED = shutil.ignore_patterns(".git", ".venv", ".millwright", ".pytest_cache", ".ruff_cache", "__pycache__")
_OPTIONS = ("-x", "-q", "--no-header", "--tb=no", "-p", "no:cacheprovider")
_NOTHING_COLLECTED = 5


class TestsFailError(RuntimeError):
    """The tests of a target fail without any change, so that they would kill every mutant."""


class MutationWorkspace:
    """Sources, tests and an environment of their own."""

    def __init__(self, root: Path, folder: Path) -> None:
        self._root = root
        self._folder = folder
        self._sources = folder / "repository"

    def create(self) -> None:
        """Copy the working tree; the copy of an earlier call is replaced."""
        self.remove()
        shutil.copytree(self._root, self._sources, ignore=_IGNORED, symlinks=True)
        tools = self._sources / ".millwright"
        tools.mkdir()
        (tools / "uv").symlink_to(self._root / ".millwright" / "uv")  # tests of single libraries install them with it
        environment = self._sources / ".venv"
        shutil.copytree(self._root / ".venv", environment, copy_function=_link, symlinks=True)
        for link in environment.glob("lib/python*/site-packages/*.pth"):
            text = link.read_text()
            if str(self._root) in text:
                link.unlink()  # the original keeps its content
                link.write_text(text.replace(str(self._root), str(self._sources)))

    def remove(self) -> None:
        """Remove the copy."""
        shutil.rmtree(self._folder, ignore_errors=True)

    def time_tests(self, tests: Sequence[str], limit_s: float) -> float:
        """Run tests without a change; return their seconds, or raise `TestsFailError`."""
        began = perf_counter()
        status, output = self._run(tests, limit_s)
        if status != "survived":
            raise TestsFailError(f"{' '.join(tests)}: {status} without a change\n{output[-2000:]}")
        return perf_counter() - began

    def try_change(self, file: Path, text: str, tests: Sequence[str], limit_s: float) -> Status:
        """Replace a file, by its path in the working tree, run the tests, and restore it."""
        copy = self._sources / file.relative_to(self._root)
        original = copy.read_text(encoding="utf-8")
        try:
            _write(copy, text)
            return self._run(tests, limit_s)[0]
        finally:
            _write(copy, original)

    def _run(self, tests: Sequence[str], limit_s: float) -> tuple[Status, str]:
        command = [str(self._sources / ".venv/bin/python"), "-m", "pytest", *_OPTIONS, *tests]
        process = subprocess.Popen(
            command,
            cwd=self._sources,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        try:
            output, _ = process.communicate(timeout=limit_s)
        except subprocess.TimeoutExpired:
            return "timeout", ""
        finally:  # also when the campaign itself is interrupted
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.communicate()
        if process.returncode == _NOTHING_COLLECTED:
            raise TestsFailError(f"{' '.join(tests)}: there is no test")
        return ("survived" if process.returncode == 0 else "killed"), output


def _link(source: str, target: str) -> None:
    os.link(source, target, follow_symlinks=False)


def _write(file: Path, text: str) -> None:
    file.write_text(text, encoding="utf-8")
    Path(cache_from_source(str(file))).unlink(missing_ok=True)
