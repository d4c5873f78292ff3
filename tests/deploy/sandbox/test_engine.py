"""The messages where no container can be run. Needs no engine."""

from pathlib import Path

import pytest

from tests.deploy.sandbox.attack_table import main
from tests.deploy.sandbox.engine import Engine, EngineMissingError


def test_missing_engine_is_reported_with_exit_code_2(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert main() == 2
    error = capsys.readouterr().err
    assert error.startswith("test-deploy: ")
    assert "docker, podman" in error
    assert error.count("\n") == 1


def test_unresponsive_engine_is_reported_with_its_message(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "docker").write_text("#!/bin/sh\necho 'Cannot connect to the daemon' >&2\nexit 1\n")
    (tmp_path / "docker").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(EngineMissingError, match=r"does not answer \(Cannot connect to the daemon\)"):
        Engine()
