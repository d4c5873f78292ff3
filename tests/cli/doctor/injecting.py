"""What faults of the machine are injected with."""

from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from types import SimpleNamespace

import pytest
from doctor import Check


class Injecting:
    """What faults are injected with; all is undone after the test."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch, undoing: ExitStack) -> None:
        self.folder = folder
        self.monkeypatch = monkeypatch
        self.undoing = undoing

    def file(self, name: str, text: str, mode: int = 0o644) -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(mode)
        return path

    def programs_in(self, folder: Path) -> None:
        def scripts(_name: str) -> str:
            return str(folder)

        self.monkeypatch.setattr("local_stack.servers.binaries.sysconfig", SimpleNamespace(get_path=scripts))


Inject = Callable[[Injecting], Check]
