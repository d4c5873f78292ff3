"""Dumps of every released schema with a recorded run and a skill: `python -m tests.backups.released_dumps`.

Every migration that was ever on main counts as released: users of that commit may have a backup of its schema. The
command writes the dumps that are missing only, since a schema that was released does not change.
"""

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest.mock import patch
from uuid import UUID

from alembic import command
from alembic.config import Config
from backups.database_dump import PostgresTools
from contracts.envelope import Event
from contracts.events.run import EngineeringRequested
from local_stack.servers.binaries import postgres_installation
from local_stack.servers.server_stack import ServerStack
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection, create_async_engine
from store.migrate import known_versions, migrate
from store.settings import DatabaseSettings

FOLDER = Path(__file__).parent / "released"
BODIES_ARE_BYTES = "0002"
RUN_ID = UUID("6f0c4a52-9d1e-4b73-8a35-2f1be07d6c11")
EVENTS = FOLDER / "event.json"
"""The event that every dump has, as the recorder stored it."""
SKILL = {
    "name": "reinforce-ribs",
    "version": 1,
    "for_role": "engineer",
    "description": "Ribs below long plates",
    "digest": "a" * 64,
    "artifact": "{}",
    "learned_from": RUN_ID,
}
COLUMNS = "id, run_id, kind, role, type, subject, stream_sequence, producer, occurred_at, schema_version, body"


def dump_of(version: str) -> Path:
    """Return the file of the dump of a schema."""
    return FOLDER / f"{version}.dump.zst"


def recorded_event() -> EngineeringRequested:
    """Return the event that every dump has."""
    return EngineeringRequested.model_validate_json(EVENTS.read_bytes())


async def fill(url: str, version: str, event: Event) -> None:
    """Give a new database the schema of a version, an event and a skill."""
    settings = DatabaseSettings(database_url=url)
    upgrade = command.upgrade

    def upgrade_to_version(config: Config, _: str) -> None:
        upgrade(config, version)

    with (
        patch("store.migrate.command.upgrade", upgrade_to_version),
        patch("store.migrate.newest_version", return_value=""),  # no catalog: it would make the dump large
    ):
        await migrate(settings)
    engine = create_async_engine(settings.asyncpg_url)
    body = event.model_dump_json()
    values = event.model_dump() | {"type": event.type, "subject": event.full_subject, "stream_sequence": 1}
    async with engine.begin() as connection:
        stored = body.encode() if version >= BODIES_ARE_BYTES else body
        await _insert(connection, "log.events", COLUMNS.split(", "), values | {"body": stored})
        await _insert(connection, "skills.skill", list(SKILL), SKILL)
    await engine.dispose()


async def _insert(
    connection: AsyncConnection, table: str, columns: Sequence[str], values: Mapping[str, object]
) -> None:
    names, marks = ", ".join(columns), ", ".join(f":{name}" for name in columns)
    await connection.execute(text(f"INSERT INTO {table} ({names}) VALUES ({marks})"), dict(values))


async def write_missing(server_url: str) -> None:
    """Write the dumps that are missing, from databases on a server."""
    for version in known_versions():
        if dump_of(version).is_file():
            continue
        name = f"schema_{version}"
        engine = create_async_engine(
            DatabaseSettings(database_url=server_url).asyncpg_url, isolation_level="AUTOCOMMIT"
        )
        async with engine.connect() as connection:
            await connection.execute(text(f"CREATE DATABASE {name}"))
        await engine.dispose()
        url = server_url.rpartition("/")[0] + f"/{name}"
        await fill(url, version, recorded_event())
        await PostgresTools(url, postgres_installation() / "bin").dump(dump_of(version))


def main() -> None:
    """Start servers of its own, and stop them."""
    with TemporaryDirectory() as folder:
        servers = ServerStack(Path(folder), only=("postgres",))
        servers.start()
        try:
            asyncio.run(write_missing(servers.database_url))
        finally:
            servers.stop()
            servers.erase()


if __name__ == "__main__":
    main()
