"""Where no container can be run, the command says what is missing. Needs no engine."""

from pathlib import Path

import pytest

from tests.deploy.engine import Engine, EngineMissingError
from tests.deploy.sandbox import main


def test_without_an_engine_the_command_says_so_and_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert main() == 2
    told = capsys.readouterr().err
    assert told == "test-deploy: no container engine: neither of docker, podman is installed; install one\n"


def test_an_engine_that_does_not_answer_is_named_with_its_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "docker").write_text("#!/bin/sh\necho 'Cannot connect to the daemon' >&2\nexit 1\n")
    (tmp_path / "docker").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(EngineMissingError, match=r"does not answer \(Cannot connect to the daemon\)"):
        Engine()
