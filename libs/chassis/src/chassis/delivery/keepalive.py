"""Messages in flight: which ones the app works on, and in-progress acknowledgements that keep them from redelivery."""

import asyncio
import threading
import time
from collections.abc import Generator, Sequence
from contextlib import contextmanager

from nats.aio.client import Client
from nats.aio.msg import Msg

from chassis.background_tasks import LoopThread, SupervisedTask
from chassis.settings import BusSettings
from chassis.stream.connection import close, connect_secondary

IN_PROGRESS = b"+WPI"
KEEPALIVES_PER_ACK_WAIT = 5


class AckKeepalive:
    """Acknowledges every fifth of `bus_ack_wait_s` that messages are still worked on.

    It has a thread and a connection of its own, by raw nats-py: FastStream's `in_progress` needs the app's event loop,
    which a handler may block.
    """

    def __init__(self, service: str, settings: BusSettings) -> None:
        self._service = service
        self._settings = settings
        self._thread = LoopThread(f"{service} keeps messages alive")
        self._client = Client()
        self._is_connected = False
        self._lock = threading.Lock()
        self._replies: dict[str, int] = {}
        """How many blocks keep each reply subject alive."""
        self._sending = SupervisedTask(f"{service} keeps messages alive", self._send_for_ever)

    async def start(self) -> None:
        """Begin to connect and to acknowledge, without waiting for the connection."""
        await self._thread.start(self._open())

    async def stop(self) -> None:
        """Stop for good."""
        await self._thread.stop(self._close)

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

    def problem(self) -> str | None:
        """Return why long work may be delivered again, if it may."""
        return self._sending.problem()

    async def _open(self) -> None:
        self._sending.start()

    async def _close(self) -> None:
        await self._sending.stop()
        await close(self._client)

    async def _send_for_ever(self) -> None:
        if not self._is_connected:
            await connect_secondary(self._client, self._service, "keepalive", self._settings)
            self._is_connected = True
        while True:
            await asyncio.sleep(self._settings.bus_ack_wait_s / KEEPALIVES_PER_ACK_WAIT)
            with self._lock:
                replies = list(self._replies)
            for reply in replies:
                await self._client.publish(reply, IN_PROGRESS)


class InFlight:
    """The messages that one app works on, by durable consumer."""

    def __init__(self, keepalive: AckKeepalive) -> None:
        self._keepalive = keepalive
        self._sequences: dict[str, set[int]] = {}
        self._finished_s: dict[str, float] = {}

    @contextmanager
    def hold(self, durable: str, messages: Sequence[Msg]) -> Generator[bool]:
        """Keep messages alive while they are worked on inside the block.

        Yields False, and does nothing, if the app works on the first one already.
        """
        sequence = messages[0].metadata.sequence.stream
        sequences = self._sequences.setdefault(durable, set())
        if sequence in sequences:
            yield False
            return
        sequences.add(sequence)
        try:
            with self._keepalive.keep(*(message.reply for message in messages)):
                yield True
        finally:
            sequences.discard(sequence)
            self._finished_s[durable] = time.monotonic()

    def idle_s(self, durable: str) -> float:
        """Return how long a consumer has had no message in flight, counted from the first call at the earliest."""
        if self._sequences.get(durable):
            return 0.0
        return time.monotonic() - self._finished_s.setdefault(durable, time.monotonic())
