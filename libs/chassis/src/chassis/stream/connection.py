"""One connection to the server, made to last."""

# pyright: reportUnknownMemberType=false
# nats-py leaves the options of `connect` untyped.

import asyncio
import logging
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager, suppress
from typing import TypedDict
from urllib.parse import urlsplit

from faststream.nats import NatsBroker
from nats.aio.client import Client
from nats.errors import Error as NatsError

from chassis.errors import BusUnavailableError
from chassis.settings import BusSettings
from chassis.stream.nats_patches import tolerate_malformed

CONNECT_TIMEOUT_S = 2

_log = logging.getLogger(__name__)


class ReconnectOptions(TypedDict):
    """Options that make a nats-py client outlive its server."""

    max_reconnect_attempts: int
    reconnect_time_wait: float
    ping_interval: int
    connect_timeout: int


RECONNECT_OPTIONS: ReconnectOptions = {
    "max_reconnect_attempts": -1,
    "reconnect_time_wait": 0.2,
    "ping_interval": 5,
    "connect_timeout": CONNECT_TIMEOUT_S,
}


def make_broker(name: str, settings: BusSettings) -> NatsBroker:
    """Return an unconnected broker that leaves typing of messages, and traces, to us."""
    return NatsBroker(
        settings.nats_url,
        name=name,
        inbox_prefix=inbox_of(name),
        **RECONNECT_OPTIONS,  # pyright: ignore[reportArgumentType] - FastStream says int; nats-py sleeps any float
        apply_types=False,
        graceful_timeout=settings.bus_drain_s,
        logger=_logger(name),
        log_level=logging.DEBUG,
    )


def _logger(name: str) -> logging.Logger:
    logger = logging.getLogger(f"chassis.{name}")
    logger.addFilter(_tells_what_happened)
    return logger


def _tells_what_happened(record: logging.LogRecord) -> bool:
    """Leave out FastStream's remarks, on the level of news, on tasks of its own that have ended as they should."""
    return not record.getMessage().endswith("is being executed...")


async def connect(broker: NatsBroker, name: str, settings: BusSettings) -> Client:
    """Connect, or raise `BusUnavailableError` when nobody answers, or nobody lets us in, in time.

    Whether we are let in is tried without FastStream, which leaves a refused connection open.
    """
    async with connected(name, settings):
        pass
    return tolerate_malformed(await broker.connect())


@asynccontextmanager
async def connected(name: str, settings: BusSettings) -> AsyncGenerator[Client]:
    """Connect without FastStream; raises as `connect` does. The inbox is the service's own, as a broker's is."""
    await wait_for_server(settings)
    client, door = tolerate_malformed(Client()), _Door(settings)
    try:
        with door.opening():
            async with asyncio.timeout(settings.bus_connect_timeout_s):
                await client.connect(
                    settings.nats_url,
                    name=name,
                    inbox_prefix=inbox_of(name),
                    error_cb=door.note,
                    **RECONNECT_OPTIONS,  # pyright: ignore[reportArgumentType] - nats-py says int and sleeps any float
                )
        yield client
    finally:
        await close(client)


async def wait_for_server(settings: BusSettings) -> None:
    """Wait until somebody listens: a client that reconnects for ever also tries for ever at the start."""
    try:
        async with asyncio.timeout(settings.bus_connect_timeout_s):
            await _until_it_listens(settings.nats_url)
    except TimeoutError as error:
        raise BusUnavailableError(
            f"no NATS server answered at {_without_password(settings.nats_url)} "
            f"within {settings.bus_connect_timeout_s:g} s (BUS_CONNECT_TIMEOUT_S). Start one, or set NATS_URL."
        ) from error


def inbox_of(service: str) -> str:
    """Return where answers to a service arrive; nobody else may listen there."""
    return f"_INBOX_{service}"


async def disconnect(broker: NatsBroker) -> None:
    """Send what is under way and close; without a server there is only closing."""
    client = await broker.connect() if broker.config.connection_state else None
    try:
        await broker.stop()
    except (NatsError, OSError):
        # nats-py drains only what is connected.
        assert client is not None
        await close(client)


async def close(client: Client) -> None:
    """Close a raw client, with or without a server behind it."""
    with suppress(OSError, TypeError):
        # nats-py first writes what is pending, be it to a broken pipe; the TypeError is how asyncio says so in
        # Python 3.12.3 and 3.13.5 (python/cpython#136234).
        await client.close()


class _Door:
    """Notes what the server says while we try to come in; nats-py tries again, whatever it says."""

    def __init__(self, settings: BusSettings) -> None:
        self._settings = settings
        self._last = f"silent for {settings.bus_connect_timeout_s:g} s"

    async def note(self, error: Exception) -> None:
        """Remember a complaint."""
        self._last = str(error)
        _log.warning("%r", error)

    @contextmanager
    def opening(self) -> Generator[None]:
        """Turn what keeps us out into an error with its mend."""
        try:
            yield
        except (TimeoutError, NatsError) as error:
            raise BusUnavailableError(
                f"the NATS server at {_without_password(self._settings.nats_url)} does not let us in "
                f"({self._last if isinstance(error, TimeoutError) else error}): check user and password in NATS_URL"
            ) from error


async def _until_it_listens(url: str) -> None:
    address = urlsplit(url if "://" in url else f"nats://{url}")
    while True:
        try:
            _, writer = await asyncio.open_connection(address.hostname, address.port or 4222)
        except OSError:
            await asyncio.sleep(RECONNECT_OPTIONS["reconnect_time_wait"])
        else:
            writer.close()
            await writer.wait_closed()
            return


def _without_password(url: str) -> str:
    return url.rsplit("@", maxsplit=1)[-1].removeprefix("nats://")
