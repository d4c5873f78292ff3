"""Background tasks: reliable cancellation, periodic tasks, and an event loop on its own thread."""

import asyncio
import logging
import threading
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, TypeVar

T = TypeVar("T")

_log = logging.getLogger(__name__)


async def cancel_and_wait(*tasks: asyncio.Task[None], repeat_s: float = 0.5, growth: float = 1.0) -> None:
    """Cancel tasks and wait until they have ended.

    A task can swallow a cancellation, as `asyncio.wait_for` of Python 3.11 does when its result arrives at that moment.
    It is therefore repeated, first after `repeat_s`; each pause is the last one times `growth`.
    """
    pending = set(tasks)
    while pending:
        for task in pending:
            task.cancel()
        _, pending = await asyncio.wait(pending, timeout=repeat_s)
        repeat_s *= growth


class PeriodicTask:
    """A resource that calls `work` at its start and then every `every_s`. A call that fails is logged and repeated."""

    def __init__(self, name: str, work: Callable[[], Awaitable[None]], every_s: float) -> None:
        self._name = name
        self._work = work
        self._every_s = every_s
        self._task: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Begin, without waiting for the first call."""
        self._task = asyncio.create_task(self._repeat(), name=self._name)

    async def stop(self) -> None:
        """Cancel the call that is under way, and make no further one."""
        if self._task is not None:
            await cancel_and_wait(self._task)
            self._task = None

    async def _repeat(self) -> None:
        while True:
            try:
                await self._work()
            except Exception as error:  # noqa: BLE001 - one failure, such as a lost connection, must not end the task
                _log.warning("%s: %r", self._name, error)
            await asyncio.sleep(self._every_s)


class LoopThread:
    """An event loop in a thread of its own: what runs on it goes on while the app's loop is blocked."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None

    @property
    def is_running(self) -> bool:
        """Whether it was started and not stopped since."""
        return self._thread is not None

    def start(self) -> None:
        """Start the thread and its loop."""
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run_loop, args=(self._loop,), name=self._name, daemon=True)
        self._thread.start()

    async def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Run `work` on the thread's loop and return its result; a cancellation here is passed on to it."""
        if self._loop is None:
            work.close()
            raise RuntimeError(f"{self._name}: `start` comes first")
        return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(work, self._loop))

    async def stop(self) -> None:
        """End the loop and the thread. The caller has ended all tasks on the loop before."""
        thread, self._thread = self._thread, None
        if thread is not None and self._loop is not None:
            self._loop.call_soon_threadsafe(self._loop.stop)
            await asyncio.to_thread(thread.join)

    def _run_loop(self, loop: asyncio.AbstractEventLoop) -> None:
        asyncio.set_event_loop(loop)
        try:
            loop.run_forever()
            loop.run_until_complete(loop.shutdown_asyncgens())
        finally:
            loop.close()
