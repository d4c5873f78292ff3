"""This machine as a subject for faults, all of which are undone after the test."""

from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from types import SimpleNamespace

import pytest
from doctor import Check


class LocalMachine:
    """A temporary folder, patches, and cleanup."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch, cleanup: ExitStack) -> None:
        self.folder = folder
        self.monkeypatch = monkeypatch
        self.cleanup = cleanup

    def write(self, name: str, text: str, mode: int = 0o644) -> Path:
        """Write a file in the folder."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(mode)
        return path

    def use_programs_in(self, folder: Path) -> None:
        """Have the server programs looked for in a folder."""

        def scripts(_name: str) -> str:
            return str(folder)

        self.monkeypatch.setattr("local_stack.servers.binaries.sysconfig", SimpleNamespace(get_path=scripts))


Inject = Callable[[LocalMachine], Check]
