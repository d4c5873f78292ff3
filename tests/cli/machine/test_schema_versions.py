"""A database that newer code has made: every command, every service and doctor say so in one sentence."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest
from chassis.errors import CannotStartError
from local_stack.servers.server_stack import ServerStack
from local_stack.services import build_embedded_apps
from sqlalchemy import text
from store.database import Database
from store.migrate import migrate, newest_version
from store.settings import DatabaseSettings

from tests.cli.conftest import RunCommand

RUN = "00000000-0000-0000-0000-000000000001"
COMMANDS = {
    "migrate": ("migrate",),
    "runs": ("runs",),
    "events": ("events", RUN),
    "cancel": ("cancel", RUN),
    "skills": ("skills", "list"),
    "export": ("export", "--out", "out"),
    "backup": ("backup", "create"),
    "rebuild": ("rebuild-read-models",),
    "solve": ("solve", "gravity-chute"),
    "up": ("up",),
}


@pytest.fixture(scope="module")
def newer(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The data folder of a stack whose database newer code has migrated."""
    folder = tmp_path_factory.mktemp("newer") / "data"
    servers = ServerStack(folder, only=("postgres",)).start()
    asyncio.run(_set_version(servers.database_url, "0999"))
    servers.stop()
    yield folder
    servers.erase()


async def _set_version(url: str, version: str) -> None:
    settings = DatabaseSettings(database_url=url)
    await migrate(settings)
    database = Database(settings)
    async with database.engine.begin() as connection:
        await connection.execute(text("UPDATE store.alembic_version SET version_num = :version"), {"version": version})
    await database.stop()


@pytest.mark.sample(3)
@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS.keys())
def test_command_on_a_newer_database_ends_with_one_sentence(
    newer: Path, run_command: RunCommand, command: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    result = run_command(*command, MILLWRIGHT_DATA=str(newer))
    assert result.code == 2
    assert len(result.errors.splitlines()) == 1
    assert f"version 0999, but this code requires version {newest_version()}; it is newer" in result.errors


def test_doctor_names_a_newer_database_of_a_stack_that_is_down(newer: Path, run_command: RunCommand) -> None:
    result = run_command("doctor", MILLWRIGHT_DATA=str(newer))
    assert result.code == 1
    assert "tables are newer than this code (version 0999" in result.output


@pytest.mark.sample(1)
@pytest.mark.parametrize(("version", "advice"), [("0999", "it is newer"), ("0012", "run `millwright migrate`")])
async def test_services_refuse_a_database_of_another_version_in_one_line(
    servers: ServerStack, nats_url: str, empty_database_url: str, version: str, advice: str
) -> None:
    await _set_version(empty_database_url, version)
    environment = {**servers.environment(), "NATS_URL": nats_url, "DATABASE_URL": empty_database_url}
    apps = build_embedded_apps({**environment, "CATALOG_DATABASE_URL": empty_database_url}, with_gateway=True)
    for app in apps:
        with pytest.raises(CannotStartError, match=f"version {version}.*{advice}") as refusal:
            await app.start()
        assert "\n" not in str(refusal.value)
