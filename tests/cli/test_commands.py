"""Commands as people run them: exit codes, errors in one line, nothing left behind."""

from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from uuid import uuid4

import pytest
import typer
from chassis.errors import FutureVersionError
from cli.entry import INVALID, run
from local_stack.data_folder import is_locked
from local_stack.errors import UserError
from local_stack.servers.ports import free_ports
from local_stack.servers.secrets import read_secrets
from local_stack.servers.stack_records import erase

from tests.cli.conftest import RunCommand

Refuse = Callable[..., str]


@pytest.fixture
def data(tmp_path: Path) -> Iterator[Path]:
    """A data folder of this test's own."""
    folder = tmp_path / "data"
    yield folder
    if (folder / "secrets.json").exists():
        erase(read_secrets(folder / "secrets.json").stack)


@pytest.fixture
def refuse(data: Path, run_command: RunCommand) -> Refuse:
    """Return a function from a command that must be refused to its error; it may not have touched anything."""

    def call(*arguments: str, **environment: str) -> str:
        result = run_command(*arguments, **environment)
        assert result.code == 2
        assert not data.exists()
        return result.errors.strip()

    return call


def test_unknown_benchmark_is_refused_in_one_line(refuse: Refuse) -> None:
    error = refuse("solve", "marble")
    assert error.startswith("millwright: ")
    assert "'marble'" in error
    assert "\n" not in error


def test_unknown_model_and_missing_key_are_refused(refuse: Refuse) -> None:
    assert "'hal:9000'" in refuse("solve", "detour", "--model", "hal:9000")
    assert "OPENAI_API_KEY" in refuse("solve", "detour", "--model", "openai:gpt-9")


def test_output_folder_below_a_file_is_refused(refuse: Refuse, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert f"{tmp_path / 'file'} is not a folder" in refuse("solve", "detour", "--out", str(tmp_path / "file" / "out"))


def test_full_disk_is_refused(refuse: Refuse, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.disk_usage", lambda _path: SimpleNamespace(free=5 << 20))  # pyright: ignore[reportUnknownLambdaType, reportUnknownArgumentType] - a stand-in
    assert "only 5 MB are free" in refuse("solve", "detour")


def test_evaluation_without_files_needs_no_space_in_its_folder(
    refuse: Refuse, monkeypatch: pytest.MonkeyPatch, data: Path
) -> None:
    """In a container it runs where it may not write."""

    def refused(*folders: Path) -> None:
        raise UserError(f"needed: {folders}")

    monkeypatch.setattr("cli.commands.eval.require_disk_space", refused)
    assert f"needed: {(data,)}" in refuse("eval", "detour")


def test_only_some_external_servers_are_refused(refuse: Refuse) -> None:
    assert "DATABASE_URL" in refuse("solve", "detour", NATS_URL="nats://127.0.0.1:4222")


def test_unreachable_server_is_named_without_its_password(refuse: Refuse, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("local_stack.server_access.LISTENING_S", 0.0)
    (port,) = free_ports(1)
    error = refuse("events", str(uuid4()), DATABASE_URL=f"postgresql://me:secret@127.0.0.1:{port}/db")
    assert f"127.0.0.1:{port} (DATABASE_URL)" in error
    assert "secret" not in error


def test_malformed_run_id_is_refused(refuse: Refuse) -> None:
    assert "'nope'" in refuse("events", "nope")


@pytest.mark.parametrize("option", [("--seed", "-1"), ("--quantity", "0"), ("--max-parts", "none")])
def test_option_out_of_range_is_a_usage_error(refuse: Refuse, option: tuple[str, str]) -> None:
    assert option[0] in refuse("solve", "detour", *option)


def test_runs_of_an_empty_database_suggest_a_first_one(data: Path, run_command: RunCommand) -> None:
    assert run_command("runs") == (0, "no runs yet: millwright solve gravity-chute\n", "")
    assert not is_locked(data)


def test_migrate_leaves_an_unnamed_server_alone(empty_database_url: str, run_command: RunCommand) -> None:
    result = run_command("migrate", DATABASE_URL=empty_database_url)
    assert result.code == 0
    assert "NATS_URL is not set" in result.output.splitlines()[-1]


def test_migrate_creates_the_stream_after_what_else_services_need(
    run_command: RunCommand, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Services that start beside it, as in a cluster, wait for the stream alone."""
    monkeypatch.setattr("local_stack.server_access.LISTENING_S", 0.0)
    steps = ("migrate_database", "provision_accounts", "migrate_stream")
    for step in steps:

        async def done(*_: object, step: str = step, **__: object) -> list[str]:
            return [step]

        monkeypatch.setattr(f"cli.commands.administration.migrate.{step}", done)
    assert tuple(run_command("migrate").output.splitlines()) == steps


def test_command_that_meets_an_event_of_a_newer_version_ends_in_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    async def read() -> int:
        raise FutureVersionError("future_version", "schema version 3 is newer than 2: update this program")

    with pytest.raises(typer.Exit) as end:
        run(read())
    assert end.value.exit_code == INVALID
    assert capsys.readouterr().err == "millwright: schema version 3 is newer than 2: update this program\n"
