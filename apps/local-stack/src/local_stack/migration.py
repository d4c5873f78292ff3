"""Migration of the database and the stream to this code's version, and recovery of a lost stream.

Only the commands do so; services find both as they need them.
"""

from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass

from chassis.administration.provisioning import REBUILDING, connect_as_admin, provision
from chassis.administration.rebuild import Extent, StoredMessage, extent, rebuild
from chassis.administration.repair import first_event, repair
from chassis.settings import BusSettings
from contracts.settings import COMMAND
from store.database import Database
from store.migrate import migrate, newest_version
from store.outages import open_transaction
from store.read_models.rebuild import checksums
from store.read_models.rebuild import rebuild as rebuild_all
from store.retention import RecordedMessage, RetentionPolicy
from store.settings import DatabaseSettings, RetentionSettings

from local_stack.errors import UserError
from local_stack.server_access import as_user_errors, settings_from

OTHER_PROJECT = "if this is another project's server or database, point NATS_URL or DATABASE_URL at the right one"
REPORT_EVERY = 1000
"""Messages between two lines of progress."""
WHOLE_LOG_S = "86400"
"""Limit for one statement over the whole log."""


@dataclass(frozen=True)
class RebuiltStream:
    """How much of the stream was restored."""

    messages: int
    runs: int
    first_sequence: int


async def migrate_all(environment: Mapping[str, str]) -> list[str]:
    """Migrate the database and provision the stream of the named servers; return a line for each result.

    A server without a variable is left alone. A stream that lost its end is repaired from Postgres. Raises `UserError`,
    also when the whole stream was lost.
    """
    return [*await migrate_database(environment), *await migrate_stream(environment)]


async def migrate_database(environment: Mapping[str, str]) -> list[str]:
    """Do the first part of `migrate_all`."""
    if "DATABASE_URL" not in environment:
        return []
    with as_user_errors():
        await migrate(settings_from(DatabaseSettings, environment))
    return [f"the database is at version {newest_version()}"]


async def migrate_stream(environment: Mapping[str, str]) -> list[str]:
    """Do the second part of `migrate_all`. Services wait for the stream: what else they need must exist before."""
    if "NATS_URL" not in environment:
        return []
    with as_user_errors():
        repaired = await _repair_loss(environment) if "DATABASE_URL" in environment else []
        changes = await provision(settings_from(BusSettings, environment))
    return [*repaired, *(changes or ["the stream is up to date"])]


async def _repair_loss(environment: Mapping[str, str]) -> list[str]:
    """Restore the end of a stream that lacks recorded messages; raise `UserError` if it lacks all of them."""
    async with _retention(environment) as retention, connect_as_admin(settings_from(BusSettings, environment)) as js:
        found, next_sequence = await extent(js), await retention.next_sequence()
        if found.half_rebuilt:
            raise UserError(REBUILDING)
        oldest = await first_event(js)
        is_other = oldest is not None and await retention.other_at(oldest.sequence, oldest.id)
        if found.last_sequence >= next_sequence - 1 and not found.half_repaired and not is_other:
            return []
        is_other = is_other or (oldest is not None and not await retention.is_recorded(oldest.id))
        if is_other or (found.messages == 0 and not found.half_repaired):
            problem = _other_history if is_other else _loss
            raise UserError(problem(found, next_sequence, len(await retention.unfinished_runs())))
        async with retention.rebuild_lock():
            part = await retention.current_slice()
            count = await repair(js, next_sequence, _stored(retention.messages(part)))
    lost = f"it ended at {found.last_sequence}, and Postgres has recorded up to {next_sequence - 1}"
    return [f"the stream had lost its end ({lost}): {count} messages were restored"]


def _loss(found: Extent, next_sequence: int, unfinished: int) -> str:
    return (
        f"the NATS server has lost its stream: Postgres has recorded messages up to number {next_sequence - 1} and "
        f"{unfinished} unfinished runs, but the stream is empty and ends at number {found.last_sequence}. Restore it "
        f"with `{COMMAND} rebuild-stream`; {OTHER_PROJECT}"
    )


def _other_history(found: Extent, next_sequence: int, unfinished: int) -> str:
    return (
        "the stream of the NATS server is of another history than the database, as after restoring a backup beside a "
        f"newer stream: Postgres has recorded messages up to number {next_sequence - 1} and {unfinished} unfinished "
        f"runs, but the stream begins with a message that Postgres lacks and ends at number {found.last_sequence}. "
        f"`{COMMAND} rebuild-stream --replace` deletes its {found.messages} messages and restores those of Postgres; "
        f"{OTHER_PROJECT}"
    )


async def rebuild_stream(
    environment: Mapping[str, str], report: Callable[[str], None], *, replaces: bool = False
) -> RebuiltStream:
    """Restore the events of the stream from Postgres; `report` gets its progress. Raises `UserError`.

    What a stream still holds is deleted if it `replaces` that; otherwise nothing is rebuilt then.
    """
    async with (
        _retention(environment) as retention,
        connect_as_admin(settings_from(BusSettings, environment)) as js,
        retention.rebuild_lock(),
    ):
        part, first_sequence = await retention.current_slice(), await retention.next_sequence()
        total = await retention.count(part)
        report(f"{total} messages: all of {len(part.runs)} runs, and the ends of earlier ones")

        def restored(count: int) -> None:
            if count % REPORT_EVERY == 0:
                report(f"{count} of {total}")

        with as_user_errors():
            messages = await rebuild(js, first_sequence, _stored(retention.messages(part)), restored, replaces=replaces)
        # The server's other streams held nothing that needs restoring.
        await provision(settings_from(BusSettings, environment))
        return RebuiltStream(messages, len(part.runs), first_sequence)


@dataclass(frozen=True)
class RebuiltReadModels:
    """What a rebuild of the read models has read and changed."""

    events: int
    unreadable: int
    tables: Mapping[str, tuple[str, str]]
    """Number of rows and checksum of each, before and after."""


async def rebuild_read_models(environment: Mapping[str, str]) -> RebuiltReadModels:
    """Make all read models from the log again. The database must be migrated. Raises `UserError`."""
    database = Database(settings_from(DatabaseSettings, {"DATABASE_COMMAND_TIMEOUT_S": WHOLE_LOG_S, **environment}))
    with as_user_errors():
        await database.start()
        try:
            async with open_transaction(database.engine) as connection:
                before = await checksums(connection)
                rebuilt = await rebuild_all(connection)
                after = await checksums(connection)
        finally:
            await database.stop()
    tables = {name: (checksum, after[name]) for name, checksum in before.items()}
    return RebuiltReadModels(rebuilt.events, rebuilt.unreadable, tables)


@asynccontextmanager
async def _retention(environment: Mapping[str, str]) -> AsyncGenerator[RetentionPolicy]:
    settings = settings_from(RetentionSettings, environment)
    database = Database(settings)
    with as_user_errors():
        await database.start()
        try:
            yield RetentionPolicy(database.engine, settings)
        finally:
            await database.stop()


async def _stored(messages: AsyncIterator[RecordedMessage]) -> AsyncIterator[StoredMessage]:
    async for message in messages:
        yield StoredMessage(message.subject, message.body, message.traceparent)
