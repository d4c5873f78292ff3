"""Signs of life for work in hand, from a thread of its own: a handler that blocks the event loop stays alive."""

# pyright: reportUnknownMemberType=false
# nats-py leaves the options of `connect` untyped.

import asyncio
import threading
from collections.abc import Generator
from contextlib import contextmanager

import nats

from chassis.settings import BusSettings
from chassis.stream.connection import RECONNECT_OPTIONS, close, inbox_of

IN_PROGRESS = b"+WPI"
BEATS_PER_ACK_WAIT = 3


class AckKeepalive:
    """Tells the server every third of `bus_ack_wait_s` which messages are still being worked on.

    Raw nats-py on a connection of its own: FastStream's `in_progress` needs the event loop that may be blocked.
    """

    def __init__(self, name: str, settings: BusSettings) -> None:
        self._name = f"{name}-heart"
        self._inbox = inbox_of(name)
        self._settings = settings
        self._lock = threading.Lock()
        self._replies: dict[str, int] = {}
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stopping = asyncio.Event()
        self._thread: threading.Thread | None = None

    async def start(self) -> None:
        """Begin to beat."""
        loop = asyncio.new_event_loop()
        self._loop = loop
        self._thread = threading.Thread(target=self._run, args=(loop,), name=self._name, daemon=True)
        self._thread.start()

    async def stop(self) -> None:
        """Stop beating, for good."""
        if self._thread is None or self._loop is None:
            return
        self._loop.call_soon_threadsafe(self._stopping.set)
        await asyncio.to_thread(self._thread.join)
        self._thread = None

    @contextmanager
    def keep(self, *replies: str) -> Generator[None]:
        """Keep the messages with these reply subjects alive inside the block."""
        with self._lock:
            for reply in replies:
                self._replies[reply] = self._replies.get(reply, 0) + 1
        try:
            yield
        finally:
            with self._lock:
                for reply in replies:
                    self._replies[reply] -= 1
                    if not self._replies[reply]:
                        del self._replies[reply]

    def _run(self, loop: asyncio.AbstractEventLoop) -> None:
        with asyncio.Runner(loop_factory=lambda: loop) as runner:
            runner.run(self._live())

    async def _live(self) -> None:
        client = await nats.connect(
            self._settings.nats_url, name=self._name, inbox_prefix=self._inbox, error_cb=_ignore, **RECONNECT_OPTIONS
        )
        interval_s = self._settings.bus_ack_wait_s / BEATS_PER_ACK_WAIT
        while not await self._stopped_within(interval_s):
            with self._lock:
                replies = list(self._replies)
            for reply in replies:
                await client.publish(reply, IN_PROGRESS)
        await close(client)

    async def _stopped_within(self, seconds: float) -> bool:
        try:
            await asyncio.wait_for(self._stopping.wait(), seconds)
        except TimeoutError:
            return False
        return True


async def _ignore(_: Exception) -> None:
    """The app's own connection reports the same trouble."""
