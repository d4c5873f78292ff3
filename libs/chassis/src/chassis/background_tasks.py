"""Background tasks: reliable cancellation, supervision, periodic tasks, and an event loop on its own thread.

Work that goes on for as long as its app is a `SupervisedTask`: it survives surprises, and its app is unhealthy while it
does not work. Bare tasks are for work that something waits for.
"""

import asyncio
import logging
import threading
import time
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, TypeVar

T = TypeVar("T")

RESTART_S = 1.0
"""Pause before work that failed begins again."""
UNHEALTHY_S = 60.0
"""How long a failure is reported: longer than the pauses between two looks at an app's health."""
BEGUN_AGAIN = "failed and was begun again"
"""What the problem of a task says that works on by itself."""
ENDED = "has ended: restart this service"
"""How the problem of a task ends that does not begin again by itself."""

_log = logging.getLogger(__name__)


async def cancel_and_wait(*tasks: asyncio.Task[Any], repeat_s: float = 0.5, growth: float = 1.0) -> None:
    """Cancel tasks and wait until they have ended.

    A task can swallow a cancellation, as `asyncio.wait_for` of Python 3.11 does when its result arrives at that moment.
    It is therefore repeated, first after `repeat_s`; each pause is the last one times `growth`.
    """
    pending = list(tasks)  # in order: simulated schedules repeat
    while pending:
        for task in pending:
            task.cancel()
        await asyncio.wait(pending, timeout=repeat_s)
        pending = [task for task in pending if not task.done()]
        repeat_s *= growth


async def cancel_all_others() -> None:
    """Cancel all other tasks of this event loop, and wait until they have ended.

    `asyncio.run` does so at its end, but only once, and then waits for ever for a task that swallows it.
    """
    await cancel_and_wait(*(asyncio.all_tasks() - {asyncio.current_task()}))


async def run_until_failure(*works: Coroutine[Any, Any, Any]) -> None:
    """Do all works at once until the first one raises, which is raised here, or until all have ended.

    Unlike a `TaskGroup`, which cancels each task only once, it also ends work that swallows a cancellation.
    """
    tasks = [asyncio.create_task(work) for work in works]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_EXCEPTION)
    finally:
        # Several times before a caller that repeats its own cancellation interrupts this.
        await cancel_and_wait(*tasks, repeat_s=0.05)
    for task in tasks:
        if not task.cancelled():
            task.result()


async def first_result(*works: Awaitable[T]) -> T:
    """Do all works at once; return the result of the first that ends, and cancel the others. Without works, wait."""
    waiting = [asyncio.ensure_future(work) for work in works]
    try:
        if not waiting:
            await asyncio.Event().wait()
        await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
        return next(each for each in waiting if each.done()).result()
    finally:
        for each in waiting:
            each.cancel()


class SupervisedTask:
    """Work that goes on until it is stopped. After a surprise it is logged and begun again; see `problem`."""

    def __init__(self, name: str, work: Callable[[], Awaitable[None]], restart_s: float = RESTART_S) -> None:
        """`work` returns only when it is asked to end."""
        self._name = name
        self._work = work
        self._restart_s = restart_s
        self._task: asyncio.Task[None] | None = None
        self._is_ending = False
        self._failure: str | None = None
        self._failed_s = 0.0

    def start(self) -> None:
        """Begin, on the running event loop."""
        self._is_ending = False
        self._task = asyncio.create_task(self._run(), name=self._name)

    async def stop(self) -> None:
        """Cancel the work."""
        self._is_ending = True
        if self._task is not None:
            await cancel_and_wait(self._task)
            self._task = None

    async def finish(self) -> None:
        """Wait until the work ends by itself, having been asked to; it is not begun again."""
        self._is_ending = True
        if self._task is not None:
            await self._task
            self._task = None

    def problem(self) -> str | None:
        """Return why the work is not done, or was not a moment ago; None if all is well. Of any thread."""
        task = self._task
        if task is not None and task.done() and not self._is_ending:
            return f"background task {self._name!r} {ENDED}"
        if self._failure is not None and time.monotonic() - self._failed_s < UNHEALTHY_S:
            return f"background task {self._name!r} {BEGUN_AGAIN}: {self._failure}"
        return None

    async def _run(self) -> None:
        while True:
            try:
                await self._work()
            except Exception as error:  # noqa: BLE001 - whatever it was, the work has to go on
                self._failure, self._failed_s = f"{type(error).__name__}: {str(error)[:300]}", time.monotonic()
                _log.error("background task %r failed, and begins again", self._name, exc_info=error)
            if self._is_ending:
                return
            await asyncio.sleep(self._restart_s)


class PeriodicTask:
    """A resource that calls `work` at its start and then every `every_s`. A call that fails is repeated in time."""

    def __init__(self, name: str, work: Callable[[], Awaitable[None]], every_s: float) -> None:
        self._work = work
        self._every_s = every_s
        self._task = SupervisedTask(name, self._repeat, every_s)

    async def start(self) -> None:
        """Begin, without waiting for the first call."""
        self._task.start()

    async def stop(self) -> None:
        """Cancel the call that is under way, and make no further one."""
        await self._task.stop()

    def problem(self) -> str | None:
        """Return why a call failed, if one did a moment ago."""
        return self._task.problem()

    async def _repeat(self) -> None:
        while True:
            await self._work()
            await asyncio.sleep(self._every_s)


class LoopThread:
    """An event loop in a thread of its own: what runs on it goes on while the app's loop is blocked."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None

    async def start(self, first: Coroutine[Any, Any, None]) -> None:
        """Start the thread and its loop, and run `first` on it."""
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run_loop, args=(self._loop,), name=self._name, daemon=True)
        self._thread.start()
        await self.run(first)

    async def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Run `work` on the thread's loop and return its result; a cancellation here is passed on to it."""
        if self._loop is None:
            work.close()
            raise RuntimeError(f"{self._name}: `start` comes first")
        return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(work, self._loop))

    async def stop(self, last: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Run `last`, which ends all tasks on the loop, then end loop and thread; do nothing if they have ended."""
        if self._thread is not None and self._loop is not None:
            await self.run(last())
            thread, self._thread = self._thread, None
            self._loop.call_soon_threadsafe(self._loop.stop)
            await asyncio.to_thread(thread.join)

    def _run_loop(self, loop: asyncio.AbstractEventLoop) -> None:
        asyncio.set_event_loop(loop)
        try:
            loop.run_forever()
            loop.run_until_complete(loop.shutdown_asyncgens())
        finally:
            loop.close()
