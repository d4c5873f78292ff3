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

from tests.mutation.warm_session import OPTIONS
from tests.mutation.warm_tests import Status, TestsFailError, WarmTests

_IGNORED = shutil.ignore_patterns(".git", ".venv", ".millwright", ".pytest_cache", ".ruff_cache", "__pycache__")
_NOTHING_COLLECTED = 5


class MutationWorkspace:
    """Sources, tests and an environment of their own."""

    def __init__(self, root: Path, folder: Path) -> None:
        self._root = root
        self._folder = folder
        self.sources = folder / "repository"

    def create(self) -> None:
        """Copy the working tree; the copy of an earlier call is replaced."""
        self.remove()
        shutil.copytree(self._root, self.sources, ignore=_IGNORED, symlinks=True)
        tools = self.sources / ".millwright"
        tools.mkdir()
        (tools / "uv").symlink_to(self._root / ".millwright" / "uv")  # tests of single libraries install them with it
        environment = self.sources / ".venv"
        shutil.copytree(self._root / ".venv", environment, copy_function=_link, symlinks=True)
        for link in environment.glob("lib/python*/site-packages/*.pth"):
            text = link.read_text()
            if str(self._root) in text:
                link.unlink()  # the original keeps its content
                link.write_text(text.replace(str(self._root), str(self.sources)))

    def remove(self) -> None:
        """Remove the copy."""
        shutil.rmtree(self._folder, ignore_errors=True)

    def warm_tests(self, tests: Sequence[str], files: Sequence[Path]) -> WarmTests:
        """Return a process that has yet to collect some tests, for changes of these files of the working tree."""
        names = [str(file.relative_to(self._root)) for file in files]
        return WarmTests(self.sources, tests, names, self._folder.with_name("profiles"))

    def try_change(self, file: Path, text: str, warm: WarmTests) -> Status:
        """Replace a file, by its path in the working tree, run the tests that call what is changed, and restore it.

        A test that does not call it cannot notice; if none calls it in its own process, any test may.
        """
        copy = self.sources / file.relative_to(self._root)
        original = copy.read_text(encoding="utf-8")
        tests = warm.covering(copy, original, text)
        try:
            _write(copy, text)
            status = warm.try_change(copy, original, text, tests) if tests else None
            chosen = tests or warm.any_tests()
            return status or self._run(chosen, warm.limit_s(chosen))
        finally:
            _write(copy, original)

    def _run(self, tests: Sequence[str], limit_s: float) -> Status:
        command = [str(self.sources / ".venv/bin/python"), "-m", "pytest", *OPTIONS, *tests]
        process = subprocess.Popen(
            command,
            cwd=self.sources,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        try:
            process.wait(timeout=limit_s)
        except subprocess.TimeoutExpired:
            return "timeout"
        finally:  # also when the campaign itself is interrupted
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
        if process.returncode == _NOTHING_COLLECTED:
            raise TestsFailError(f"{' '.join(tests)}: there is no test")
        return "survived" if process.returncode == 0 else "killed"


def _link(source: str, target: str) -> None:
    os.link(source, target, follow_symlinks=False)


def _write(file: Path, text: str) -> None:
    file.write_text(text, encoding="utf-8")
    Path(cache_from_source(str(file))).unlink(missing_ok=True)
