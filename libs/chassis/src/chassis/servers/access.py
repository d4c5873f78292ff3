"""The registry of servers for commands: over a connection of their own, with errors that name the fix."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from urllib.parse import urlsplit

from contracts.envelope import SERVICES
from contracts.settings import COMMAND
from nats.errors import Error as NatsError
from nats.js.errors import NotFoundError

from chassis.errors import BusUnavailableError
from chassis.servers.registry import BUCKET, ServerRegistry
from chassis.settings import BusSettings
from chassis.stream.connection import connected
from chassis.stream.lag import COMMAND as CLI_USER
from chassis.stream.reads import jetstream_of


def user_of(settings: BusSettings) -> str:
    """Return the service that the URL names as its user; `cli` if it names none."""
    user = urlsplit(settings.nats_url).username
    return user if user in SERVICES else CLI_USER


@asynccontextmanager
async def open_registry(settings: BusSettings) -> AsyncGenerator[ServerRegistry]:
    """Connect, as the user of the URL, for the length of the block.

    Raises `BusUnavailableError` if the registry is missing or silent.
    """
    async with connected(user_of(settings), settings) as client:
        js = jetstream_of(client)
        try:
            yield ServerRegistry(lambda: js)
        except NotFoundError as error:
            problem = f"the NATS server has no bucket {BUCKET}: create it with `{COMMAND} migrate`"
            raise BusUnavailableError(problem) from error
        except NatsError as error:
            raise BusUnavailableError(f"the registry of servers does not answer: {error!r}") from error
