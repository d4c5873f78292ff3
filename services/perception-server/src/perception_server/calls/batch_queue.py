"""The queue before the models: calls of all clients, in batches of those that can share a forward pass."""

import asyncio
from collections import deque
from collections.abc import Callable, Hashable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from chassis.background_tasks import SupervisedTask

from perception_server.calls.answers import CallAnswer, answer_of_error
from perception_server.calls.protocol import Call, SegmentVideoCall
from perception_server.models.interface import AbandonedError, OutOfMemoryError

MAX_BATCH = 64


@dataclass(eq=False)
class PendingCall:
    """One call, until it is answered or its client has left."""

    call: Call
    answer: asyncio.Future[CallAnswer]
    kind: Hashable = field(init=False)
    """Jobs of one kind can share a batch."""

    def __post_init__(self) -> None:
        """Videos are tracked one by one, and scenes of a batch have equally many pictures."""
        pictures = self.call.kwargs
        alone = id(self) if isinstance(self.call, SegmentVideoCall) else None
        self.kind = (self.call.method, pictures.size, len(pictures.images), alone)

    def is_wanted(self) -> bool:
        """Whether the client still waits; of any thread."""
        return not self.answer.done()


class BatchQueue:
    """Gives batches to the models, in a thread of their own, the oldest job first."""

    def __init__(
        self,
        work: Callable[[Sequence[PendingCall]], Sequence[CallAnswer]],
        max_pixels: int,
        note_batch: Callable[[int], None] = lambda _: None,
    ) -> None:
        """`work` answers a batch; `max_pixels`: of its pictures; one larger job is a batch of its own."""
        self._work, self._max_pixels, self._note_batch = work, max_pixels, note_batch
        self._waiting: deque[PendingCall] = deque()
        self._in_work = 0
        self._arrived = asyncio.Event()
        self._thread = ThreadPoolExecutor(1, "models")
        self._task = SupervisedTask("answer calls in batches", self._answer_batches)

    @property
    def length(self) -> int:
        """How many jobs wait."""
        return len(self._waiting)

    @property
    def busy(self) -> int:
        """How many jobs wait or are in work."""
        return len(self._waiting) + self._in_work

    def start(self) -> None:
        """Begin to answer, on the running event loop."""
        self._task.start()

    async def stop(self) -> None:
        """Answer no more."""
        await self._task.stop()
        await asyncio.to_thread(self._thread.shutdown)

    def problem(self) -> str | None:
        """Return why nothing is answered, or None."""
        return self._task.problem()

    async def answer(self, call: Call) -> CallAnswer:
        """Return the answer of a call; a caller that is cancelled takes its job back."""
        job = PendingCall(call, asyncio.get_running_loop().create_future())
        self._waiting.append(job)
        self._arrived.set()
        try:
            return await job.answer
        finally:
            if job in self._waiting:
                self._waiting.remove(job)

    async def _answer_batches(self) -> None:
        while True:
            self._arrived.clear()
            if not self._waiting:
                await self._arrived.wait()
                await asyncio.sleep(0)  # those that arrive at the same moment belong to the batch
            if batch := self._next_batch():
                self._in_work = len(batch)
                await self._answer(batch)
                self._in_work = 0

    def _next_batch(self) -> list[PendingCall]:
        """Take the oldest job, and those of its kind that fit beside it."""
        if not self._waiting:
            return []
        first = self._waiting[0]
        room = max(1, min(MAX_BATCH, self._max_pixels // first.call.kwargs.pixels))
        batch = [job for job in self._waiting if job.kind == first.kind][:room]
        taken = set(batch)
        self._waiting = deque(job for job in self._waiting if job not in taken)
        return batch

    async def _answer(self, batch: Sequence[PendingCall]) -> None:
        """Answer a batch; one that does not fit into memory is halved."""
        batch = [job for job in batch if job.is_wanted()]
        if not batch:
            return
        self._note_batch(len(batch))
        done = asyncio.get_running_loop().run_in_executor(self._thread, self._work, batch)
        await asyncio.wait((done,))
        error = done.exception()
        if isinstance(error, OutOfMemoryError) and len(batch) > 1:
            half = len(batch) // 2
            await self._answer(batch[:half])
            await self._answer(batch[half:])
            return
        for number, job in enumerate(batch):
            if job.is_wanted():
                _settle(job, error or done.result()[number])


def _settle(job: PendingCall, outcome: CallAnswer | BaseException) -> None:
    match outcome:
        case CallAnswer():
            job.answer.set_result(outcome)
        case OutOfMemoryError():
            job.answer.set_result(answer_of_error("OutOfMemoryError", str(outcome), job.call.answer_version))
        case AbandonedError():
            job.answer.cancel()
        case _:
            job.answer.set_exception(outcome)
