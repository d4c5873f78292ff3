"""Connections to the NATS server that outlive its restarts."""

# pyright: reportUnknownMemberType=false
# nats-py leaves the options of `connect` untyped.

import asyncio
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator
from contextlib import asynccontextmanager, contextmanager, suppress
from typing import TypedDict

from faststream.nats import NatsBroker
from faststream.security import BaseSecurity
from nats.aio.client import Client
from nats.errors import Error as NatsError

from chassis.errors import BusUnavailableError
from chassis.settings import BusSettings
from chassis.stream.nats_patches import tolerate_malformed
from chassis.stream.tls import TLS_REFUSED, check_tls, is_refusal, tls_context

DEFAULT_PORT = 4222
CONNECT_TIMEOUT_S = 2
CLOSE_TIMEOUT_S = 2.0

_log = logging.getLogger(__name__)


class ReconnectOptions(TypedDict):
    """Options of nats-py's `connect`."""

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
"""Options that make a client reconnect without limit."""


def make_broker(service: str, settings: BusSettings) -> NatsBroker:
    """Return a broker that is not connected yet, and that leaves message types and traces to the chassis."""
    return NatsBroker(
        settings.nats_url,
        name=service,
        inbox_prefix=inbox_of(service),
        **RECONNECT_OPTIONS,  # pyright: ignore[reportArgumentType] - FastStream's type is int; nats-py sleeps any float
        security=BaseSecurity(ssl_context=context, use_ssl=True) if (context := tls_context(settings)) else None,
        apply_types=False,
        graceful_timeout=settings.bus_drain_s,
        logger=_logger(service),
        log_level=logging.DEBUG,
    )


def _logger(service: str) -> logging.Logger:
    logger = logging.getLogger(f"chassis.{service}")
    logger.addFilter(_is_news)
    return logger


def _is_news(record: logging.LogRecord) -> bool:
    """Drop what FastStream logs about tasks of its own that ended normally, and about handlers that a stop cancels."""
    if record.exc_info and isinstance(record.exc_info[1], asyncio.CancelledError):
        return False  # the processor has handed its work back
    return not record.getMessage().endswith("is being executed...")


def inbox_of(service: str) -> str:
    """Return the subject prefix of replies to a service; no other service may subscribe to it."""
    return f"_INBOX_{service}"


def server_address(settings: BusSettings) -> tuple[str, int]:
    """Return host and port of the first server that the settings name."""
    server = settings.nats_url.rsplit("://", 1)[-1].rsplit("@", 1)[-1].split(",")[0].rstrip("/")
    host, _, port = server.rpartition(":")
    return (host or server).strip("[]"), int(port) if host and port.isdigit() else DEFAULT_PORT


async def connect(broker: NatsBroker, service: str, settings: BusSettings) -> Client:
    """Connect a broker and return its client; raise `BusUnavailableError` if the server does not answer or refuses.

    The first connection is made and closed without FastStream, which leaves a refused connection open.
    """
    async with connected(service, settings):
        pass
    return tolerate_malformed(await broker.connect())


@asynccontextmanager
async def connected(service: str, settings: BusSettings) -> AsyncGenerator[Client]:
    """Connect as a service for the length of the block, without FastStream; raises as `connect` does."""
    await wait_for_server(settings)
    await check_tls(settings, *server_address(settings))
    client, complaints = tolerate_malformed(Client()), _Complaints(settings)
    try:
        with complaints.as_unavailable():
            async with asyncio.timeout(settings.bus_connect_timeout_s):
                connecting = client.connect(
                    settings.nats_url,
                    name=service,
                    inbox_prefix=inbox_of(service),
                    error_cb=complaints.note,
                    tls=tls_context(settings),
                    **RECONNECT_OPTIONS,  # pyright: ignore[reportArgumentType] - as above
                )
                await complaints.unless_refused(connecting)
        yield client
    finally:
        await close(client)


async def connect_secondary(
    client: Client,
    service: str,
    purpose: str,
    settings: BusSettings,
    reconnected: Callable[[], Awaitable[None]] | None = None,
) -> None:
    """Connect one more client of a service, for ever. Its errors are those of the app's connection, which logs them."""

    async def ignore(_: Exception) -> None:
        pass

    await client.connect(
        settings.nats_url,
        name=f"{service}-{purpose}",
        inbox_prefix=inbox_of(service),
        error_cb=ignore,
        reconnected_cb=reconnected,
        tls=tls_context(settings),
        **RECONNECT_OPTIONS,  # pyright: ignore[reportArgumentType] - as above
    )


async def wait_for_server(settings: BusSettings) -> None:
    """Wait until the server accepts connections; raise `BusUnavailableError` when it does not in time.

    A client that reconnects for ever would also try for ever to make its first connection.
    """
    try:
        async with asyncio.timeout(settings.bus_connect_timeout_s):
            while not await _accepts_connections(settings):  # noqa: ASYNC110 - another process opens the port
                await asyncio.sleep(RECONNECT_OPTIONS["reconnect_time_wait"])
    except TimeoutError as error:
        raise BusUnavailableError(
            f"no NATS server answered at {_without_password(settings.nats_url)} "
            f"within {settings.bus_connect_timeout_s:g} s (BUS_CONNECT_TIMEOUT_S). Start one, or set NATS_URL."
        ) from error


async def _accepts_connections(settings: BusSettings) -> bool:
    try:
        _, writer = await asyncio.open_connection(*server_address(settings))
    except OSError:
        return False
    writer.close()
    await writer.wait_closed()
    return True


async def disconnect(broker: NatsBroker) -> None:
    """Flush and close; without a server only close."""
    client = await broker.connect() if broker.config.connection_state else None
    try:
        await broker.stop()
    except (NatsError, OSError):  # nats-py cannot drain a lost connection
        assert client is not None
        await close(client)


async def close(client: Client) -> None:
    """Close a client, also one that has lost its server."""
    with suppress(OSError, TypeError):
        # nats-py first flushes what is pending, even into a broken pipe; the TypeError is how asyncio reports that in
        # Python 3.12.3 and 3.13.5 (python/cpython#136234). A client whose connecting was cancelled while it began to
        # encrypt waits for the end of a connection that asyncio never reports to it.
        async with asyncio.timeout(CLOSE_TIMEOUT_S):
            await client.close()


class _Complaints:
    """The errors that the server reports during a first connection; nats-py itself tries again after each."""

    def __init__(self, settings: BusSettings) -> None:
        self._settings = settings
        self._refused = asyncio.Event()
        self._last = f"silent for {settings.bus_connect_timeout_s:g} s"

    async def note(self, error: Exception) -> None:
        """Log and remember an error."""
        self._last = str(error)
        _log.warning("%r", error)
        if is_refusal(error):
            self._refused.set()

    async def unless_refused(self, connecting: Awaitable[None]) -> None:
        """Wait for the connection; raise `BusUnavailableError` once the server has refused our certificate.

        Trying again would not help, and nats-py tries for ever.
        """
        attempt, refusal = asyncio.ensure_future(connecting), asyncio.ensure_future(self._refused.wait())
        try:
            await asyncio.wait((attempt, refusal), return_when=asyncio.FIRST_COMPLETED)
            if not attempt.done():
                raise BusUnavailableError(
                    TLS_REFUSED.format(server=_without_password(self._settings.nats_url), reason=self._last)
                )
            attempt.result()
        finally:
            attempt.cancel()
            refusal.cancel()

    @contextmanager
    def as_unavailable(self) -> Generator[None]:
        """Turn a failure to connect inside the block into `BusUnavailableError`, which names the cause."""
        try:
            yield
        except (TimeoutError, NatsError) as error:
            raise BusUnavailableError(
                f"the NATS server at {_without_password(self._settings.nats_url)} refuses the connection "
                f"({self._last if isinstance(error, TimeoutError) else error}): check user and password in NATS_URL"
            ) from error


def _without_password(url: str) -> str:
    return url.rsplit("@", maxsplit=1)[-1].rpartition("://")[2]
