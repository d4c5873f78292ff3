"""Worker slots: a handler that only waits for something frees its worker for the next message."""

import asyncio
import logging
from collections import Counter
from collections.abc import Coroutine
from contextvars import ContextVar
from typing import Any

MAX_WAITING_PER_KEY = 100
"""How many messages that wait for the same thing hold no worker; each keeps its state in memory."""

_log = logging.getLogger(__name__)

_current: ContextVar["WorkerSlot | None"] = ContextVar("worker_slot", default=None)


class WorkerSlots:
    """The slots of one app, and how many were freed for each thing that is waited for."""

    def __init__(self, max_per_key: int = MAX_WAITING_PER_KEY) -> None:
        self._max_per_key = max_per_key
        self._waiting: Counter[str] = Counter()
        self._tasks: list[asyncio.Task[None]] = []

    async def run(self, work: Coroutine[Any, Any, None], name: str) -> None:
        """Run `work` and return when it has ended, or when it has freed its slot; a cancellation reaches it."""
        slot = WorkerSlot(self)
        task = asyncio.create_task(slot.run(work), name=name)
        self._tasks.append(task)
        task.add_done_callback(self._on_done)
        freed = asyncio.create_task(slot.freed.wait())
        try:
            await asyncio.wait({task, freed}, return_when=asyncio.FIRST_COMPLETED)
        except asyncio.CancelledError:
            task.cancel()
            await asyncio.wait({task})
            raise
        finally:
            freed.cancel()
        if task.done():
            task.result()

    async def stop(self, timeout_s: float) -> None:
        """Wait for all work, and cancel after a time what is left."""
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=timeout_s)
        for task in self._tasks:
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks)

    def _on_done(self, task: asyncio.Task[None]) -> None:
        self._tasks.remove(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            _log.error("%s failed: the message is delivered again", task.get_name(), exc_info=error)

    def take(self, key: str) -> bool:
        """Count one more message that waits without a worker, unless there are too many for this key."""
        if self._waiting[key] >= self._max_per_key:
            return False
        self._waiting[key] += 1
        return True

    def give_back(self, key: str) -> None:
        """Count one less."""
        self._waiting[key] -= 1
        if not self._waiting[key]:
            del self._waiting[key]


class WorkerSlot:
    """The worker's side of one message."""

    def __init__(self, slots: WorkerSlots) -> None:
        self._slots = slots
        self._key: str | None = None
        self.freed = asyncio.Event()

    async def run(self, work: Coroutine[Any, Any, None]) -> None:
        """Run `work` with this slot as the current one."""
        _current.set(self)
        try:
            await work
        finally:
            if self._key is not None:
                self._slots.give_back(self._key)

    def free(self, key: str) -> bool:
        """Let the worker take its next message; return False, and do nothing, if too many wait for `key`."""
        if self._key is None and self._slots.take(key):
            self._key = key
            self.freed.set()
        return self._key is not None


def free_worker(key: str) -> bool:
    """Let the worker of the message that is handled now take its next one: from here on the handler mostly waits.

    `key` names what it waits for, such as a model. Returns False if too many messages wait for it already; the worker
    is then held. Outside of a handler nothing happens.
    """
    slot = _current.get()
    return slot is None or slot.free(key)
