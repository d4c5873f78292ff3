"""The stream, when it was lost: told from an empty one, and made anew from what Postgres has recorded of it."""

from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass

from chassis.recovery.rebuild import Extent, StoredMessage, extent, rebuild
from chassis.settings import BusSettings
from chassis.stream.provisioning import REBUILDING, connect_as_admin, provision
from store.database import Database
from store.retention import RecordedMessage, RetentionPolicy
from store.settings import RetentionSettings

from local_stack.errors import UserError
from local_stack.readiness import as_user_errors
from local_stack.server_settings import settings_from

Say = Callable[[str], None]
TELL_EVERY = 1000


@dataclass(frozen=True)
class Rebuilt:
    """What was done."""

    messages: int
    runs: int
    first_sequence: int


async def require_no_loss(environment: Mapping[str, str]) -> None:
    """Raise `CannotGoOnError` when what Postgres has recorded was never in this stream: then the true one is lost."""
    async with _keeping(environment) as keeping, connect_as_admin(settings_from(BusSettings, environment)) as js:
        found, next_sequence = await extent(js), await keeping.next_sequence()
        if found.half_rebuilt:
            raise UserError(REBUILDING)
        if found.messages == 0 and found.last_sequence < next_sequence - 1:
            raise UserError(_loss(found, next_sequence, len(await keeping.unfinished_runs())))


async def rebuild_stream(environment: Mapping[str, str], say: Say) -> Rebuilt:
    """Store anew what the stream has to hold; `say` is told how it goes on. Raises `CannotGoOnError`."""
    async with (
        _keeping(environment) as keeping,
        connect_as_admin(settings_from(BusSettings, environment)) as js,
        keeping.rebuild_lock(),
    ):
        part, first_sequence = await keeping.current_slice(), await keeping.next_sequence()
        total = await keeping.count(part)
        say(f"{total} messages: all of {len(part.runs)} runs, and the ends of earlier ones")

        def restored(count: int) -> None:
            if count % TELL_EVERY == 0:
                say(f"{count} of {total}")

        with as_user_errors():
            messages = await rebuild(js, first_sequence, _stored(keeping.messages(part)), restored)
        await provision(
            settings_from(BusSettings, environment)
        )  # what else the server has lost holds nothing to restore
        return Rebuilt(messages, len(part.runs), first_sequence)


@asynccontextmanager
async def _keeping(environment: Mapping[str, str]) -> AsyncGenerator[RetentionPolicy]:
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


def _loss(found: Extent, next_sequence: int, unfinished: int) -> str:
    return (
        f"the NATS server's stream is gone: Postgres has recorded messages up to number {next_sequence - 1} and "
        f"{unfinished} runs that have not ended, the stream has come to number {found.last_sequence} and is empty. "
        "Restore it with `millwright rebuild-stream`; if this is another project's server or database, point NATS_URL "
        "or DATABASE_URL at the right one"
    )
