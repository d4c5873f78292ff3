"""`up` proves its settings before it says ready; a taken port is replaced, or named with its owner."""

import os
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
from cli.commands.machine.up import prove_backups
from local_stack.errors import UserError
from local_stack.servers.ports import owner_of, require_free
from local_stack.servers.server_stack import ServerStack
from local_stack.settings import CliSettings
from local_stack.stack import StackOptions, gateway_variables

from tests.cli.conftest import RunCommand


@pytest.fixture
def taken() -> Iterator[int]:
    """A port on which this process listens."""
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen()
        yield listening.getsockname()[1]


def test_taken_port_is_named_with_its_owner(taken: int) -> None:
    assert owner_of(taken).startswith(f"process {os.getpid()} (")
    with pytest.raises(UserError, match=f"port {taken} of GATEWAY_PORT is taken by process {os.getpid()}"):
        require_free("GATEWAY_PORT", taken)


def test_default_port_of_the_api_is_replaced_if_it_is_taken(
    taken: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines: list[str] = []
    monkeypatch.delenv("GATEWAY_PORT", raising=False)
    monkeypatch.setattr("local_stack.stack.GATEWAY_PORT", taken)
    options = StackOptions(CliSettings(millwright_data=tmp_path), long_running=True, report=lines.append)
    chosen = gateway_variables(options)["GATEWAY_PORT"]
    assert int(chosen) != taken
    assert lines[0].startswith(f"port {taken} is taken by process {os.getpid()}")
    assert lines[0].endswith(f"; the API listens on {chosen}")
    monkeypatch.setenv("GATEWAY_PORT", str(taken))
    with pytest.raises(UserError, match="GATEWAY_PORT"):
        gateway_variables(options)


def test_keys_that_cannot_be_keys_are_refused_before_anything_starts(run_command: RunCommand, tmp_path: Path) -> None:
    quoted = run_command("up", OPENAI_API_KEY='"sk-1"')
    missing = run_command("up", MILLWRIGHT_MODEL="openai:gpt-9", OPENAI_API_KEY="")
    assert "OPENAI_API_KEY cannot be a key" in quoted.errors
    assert "OPENAI_API_KEY" in missing.errors
    assert not (tmp_path / "data").exists()


async def test_place_of_backups_that_cannot_be_written_is_named(servers: ServerStack, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    given = {**servers.environment(), "MILLWRIGHT_BACKUPS": str(tmp_path / "file" / "backups")}
    settings = CliSettings.model_validate({name.lower(): value for name, value in given.items()})
    with pytest.raises(UserError, match="backups cannot be kept"):
        await prove_backups(settings)
