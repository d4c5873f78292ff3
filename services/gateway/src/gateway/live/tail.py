"""The newest events of one run, read from the stream once for all who follow it.

The tail is short and each follower keeps its own place: one that falls behind reads from the stream itself. So a slow
client holds no memory, and nothing is ever dropped.
"""

import asyncio
from collections import deque
from uuid import UUID

from chassis.background_tasks import SupervisedTask
from chassis.stream.reads import poll_until_found
from chassis.stream.run_messages import RunMessages, StreamedEvent
from store.log import LogPosition

from gateway.live.frames import EventFrame, frame_of

MAX_FRAMES = 256
MAX_BYTES = 4 << 20
"""Of the frames of one run."""


class RunTail:
    """Follows one run from a place in the stream on."""

    def __init__(self, messages: RunMessages, run_id: UUID, after: int, *, has_ended: bool) -> None:
        """`after`: the sequence number that the first frame follows. `has_ended`: the end may be before it."""
        self.followers = 0
        self.ended_s: float | None = None
        """Time of the event loop at which the run's end was read."""
        self._has_ended = has_ended
        self._messages = messages
        self._run_id = run_id
        self._frames: deque[EventFrame] = deque()
        self._bytes = 0
        self.complete_after = after
        """It holds what follows this sequence number."""
        self._newest = after
        self._changed = asyncio.Event()
        self._task = SupervisedTask(f"follows run {run_id}", self._follow)

    def start(self) -> None:
        """Begin to read."""
        self._task.start()

    async def stop(self) -> None:
        """Read no more."""
        await self._task.stop()

    def holds(self, sequence: int) -> bool:
        """Return whether it has everything that follows this sequence number and was read."""
        return sequence >= self.complete_after

    def next(self, sequence: int) -> EventFrame | None:
        """Return the first frame that follows a sequence number, which it `holds`; None if none was read yet."""
        found: EventFrame | None = None
        for frame in reversed(self._frames):
            if frame.sequence <= sequence:
                break
            found = frame
        return found

    async def change(self, sequence: int, timeout_s: float) -> bool:
        """Wait until there is something after a sequence number; return False if there is nothing in time."""
        if self._newest > sequence:
            return True
        try:
            async with asyncio.timeout(timeout_s):
                await self._changed.wait()
        except TimeoutError:
            return False
        return True

    async def _follow(self) -> None:
        async with self._messages.published(self._run_id) as published:
            while True:
                stored = await poll_until_found(self._read_next, published)
                self._add(frame_of(LogPosition(stored.sequence, stored.event.id), stored.event))

    async def _read_next(self) -> StreamedEvent | None:
        stored = await self._messages.after(self._run_id, self._newest)
        if stored is None and self._has_ended:
            self._note_end()
        return stored

    def _add(self, frame: EventFrame) -> None:
        self._frames.append(frame)
        self._bytes += len(frame.data)
        self._newest = frame.sequence
        while len(self._frames) > MAX_FRAMES or (self._bytes > MAX_BYTES and len(self._frames) > 1):
            oldest = self._frames.popleft()
            self._bytes -= len(oldest.data)
            self.complete_after = oldest.sequence
        if frame.ends_run:
            self._note_end()
        self._wake()

    def _note_end(self) -> None:
        if self.ended_s is None:
            self.ended_s = asyncio.get_running_loop().time()
            self._wake()

    def _wake(self) -> None:
        changed, self._changed = self._changed, asyncio.Event()
        changed.set()
