"""Open event streams: their number is limited, and those of one run share its tail."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from http import HTTPStatus
from uuid import UUID

from chassis.stream.run_messages import RunMessages
from store.log import EventLog, LogPosition

from gateway.http.problems import ProblemError
from gateway.live.frames import END, HEARTBEAT, EventFrame, FrameForm, frame_of, json_form
from gateway.live.tail import RunTail

PAGE = 100
"""Recorded events read at once."""
RETRY_AFTER_S = 10


class LiveStreams:
    """A resource that follows runs for clients, from `start` to `stop`."""

    def __init__(self, log: EventLog, messages: RunMessages, most: int, heartbeat_s: float, linger_s: float) -> None:
        """`most`: streams that may be open at once. `linger_s`: how long a stream goes on after the run's end."""
        self._event_log = log
        self._messages = messages
        self._most = most
        self._heartbeat_s = heartbeat_s
        self._linger_s = linger_s
        self._open = 0
        self._tails: dict[UUID, RunTail] = {}
        self.closing = asyncio.Event()
        """Set when all streams must end."""

    async def start(self) -> None:
        """Admit streams."""
        self.closing.clear()

    async def stop(self) -> None:
        """End all streams."""
        self.closing.set()
        while self._tails:
            await self._tails.popitem()[1].stop()

    @property
    def open_count(self) -> int:
        """How many streams are open."""
        return self._open

    def reserve(self) -> None:
        """Count one more open stream; raise `ProblemError` if there are too many."""
        if self._open >= self._most:
            detail = f"{self._open} event streams are open, as many as GATEWAY_OPEN_STREAMS admits: try again later"
            headers = {"Retry-After": str(RETRY_AFTER_S)}
            raise ProblemError(HTTPStatus.SERVICE_UNAVAILABLE, detail, "Too many event streams", headers)
        self._open += 1

    def release(self) -> None:
        """Count one fewer."""
        self._open -= 1

    async def recorded(
        self, run_id: UUID, after: LogPosition | None, form: FrameForm = json_form
    ) -> AsyncGenerator[bytes]:
        """Yield the frames of a run whose end is recorded."""
        while page := await self._event_log.page_of(run_id, after, PAGE):
            for position, event in page:
                yield form(frame_of(position, event))
            after = page[-1].position
        yield END

    async def live(
        self, run_id: UUID, after: LogPosition | None, form: FrameForm = json_form, *, has_ended: bool
    ) -> AsyncGenerator[bytes]:
        """Yield the frames of a run of which the stream holds all events, until some time after its end."""
        sequence = 0 if after is None else after.sequence
        yield HEARTBEAT
        async with self._tail(run_id, sequence, has_ended=has_ended) as tail:
            while True:
                frame = await self._next(tail, run_id, sequence)
                if frame is not None:
                    yield form(frame)
                    sequence = frame.sequence
                elif not tail.holds(sequence):  # what it held was purged from the stream
                    sequence = tail.complete_after
                elif (timeout_s := self._patience_s(tail)) <= 0.0:
                    break
                elif not await tail.change(sequence, timeout_s):
                    yield HEARTBEAT
        yield END

    async def _next(self, tail: RunTail, run_id: UUID, sequence: int) -> EventFrame | None:
        if tail.holds(sequence):
            return tail.next(sequence)
        stored = await self._messages.after(run_id, sequence)
        return None if stored is None else frame_of(LogPosition(stored.sequence, stored.event.id), stored.event)

    def _patience_s(self, tail: RunTail) -> float:
        """Return how long to wait for the next event: until the next heartbeat, or until the stream ends."""
        if tail.ended_s is None:
            return self._heartbeat_s
        left_s = tail.ended_s + self._linger_s - asyncio.get_running_loop().time()
        return min(self._heartbeat_s, left_s)

    @asynccontextmanager
    async def _tail(self, run_id: UUID, after: int, *, has_ended: bool) -> AsyncGenerator[RunTail]:
        tail = self._tails.get(run_id)
        if tail is None:
            tail = self._tails[run_id] = RunTail(self._messages, run_id, after, has_ended=has_ended)
            tail.start()
        tail.followers += 1
        try:
            yield tail
        finally:
            tail.followers -= 1
            if not tail.followers and self._tails.get(run_id) is tail:
                del self._tails[run_id]
                await tail.stop()
