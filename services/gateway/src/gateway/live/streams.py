"""Open event streams: their number is limited, and those of one run share its tail."""

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from http import HTTPStatus
from uuid import UUID

from chassis.stream.run_messages import RunMessages
from store.log import EventLog, LogPosition

from gateway.http.problems import ProblemError
from gateway.live.frames import END, HEARTBEAT, EventFrame, FrameForm, frame_of, json_form
from gateway.live.tail import RunTail
from gateway.settings import Settings

PAGE = 100
"""Recorded events read at once."""
RETRY_AFTER_S = 10


class LiveStreams:
    """A resource that follows runs for clients, from `start` to `stop`."""

    def __init__(self, log: EventLog, messages: RunMessages, settings: Settings) -> None:
        self._event_log = log
        self._messages = messages
        self._most = settings.gateway_open_streams
        self._most_of_caller = settings.gateway_streams_per_caller
        self._heartbeat_s = settings.gateway_heartbeat_s
        self._linger_s = settings.gateway_linger_s
        self._open: Counter[str] = Counter()
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
        return self._open.total()

    def reserve(self, caller: str) -> None:
        """Count one more open stream of a caller; raise `ProblemError` if it, or all together, have too many."""
        headers = {"Retry-After": str(RETRY_AFTER_S)}
        if self._open[caller] >= self._most_of_caller:
            detail = f"{caller} has {self._open[caller]} event streams open (GATEWAY_STREAMS_PER_CALLER): close one"
            raise ProblemError(HTTPStatus.TOO_MANY_REQUESTS, detail, "Too many event streams", headers)
        if self.open_count >= self._most:
            detail = (
                f"{self.open_count} event streams are open, as many as GATEWAY_OPEN_STREAMS admits: try again later"
            )
            raise ProblemError(HTTPStatus.SERVICE_UNAVAILABLE, detail, "Too many event streams", headers)
        self._open[caller] += 1

    def release(self, caller: str) -> None:
        """Count one fewer."""
        self._open[caller] -= 1
        if not self._open[caller]:
            del self._open[caller]

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
