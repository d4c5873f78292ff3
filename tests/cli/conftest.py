"""Commands that are run in the process of the test: loading a fresh one takes seconds."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest
from cli.main import main

EXTERNAL = ("NATS_URL", "DATABASE_URL", "S3_ENDPOINT", "S3_ACCESS_KEY", "S3_SECRET_KEY", "OPENAI_API_KEY")
"""Variables that would change what a command does."""


class CommandResult(NamedTuple):
    """How a command ended."""

    code: int
    output: str
    errors: str


RunCommand = Callable[..., CommandResult]


@pytest.fixture
def run_command(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> RunCommand:
    """Return a function from the command's arguments, and variables as keywords, to its result."""

    def call(*arguments: str, **environment: str) -> CommandResult:
        for name in EXTERNAL:
            monkeypatch.delenv(name, raising=False)
        for name, value in {"MILLWRIGHT_DATA": str(tmp_path / "data"), **environment}.items():
            monkeypatch.setenv(name, value)
        monkeypatch.setattr(sys, "argv", ["millwright", *arguments])
        capsys.readouterr()
        with pytest.raises(SystemExit) as exit_:
            main()
        assert isinstance(exit_.value.code, int)
        output, errors = capsys.readouterr()
        return CommandResult(exit_.value.code, output, errors)

    return call
