"""An event loop in virtual time for several processes, any of which can be killed between two of its steps.

A process is a context variable: every task and callback inherits it. A killed process takes no further step: no
`finally` block of it runs, as after SIGKILL. Nothing here uses threads, sockets or the machine's clock.
"""

# pyright: reportPrivateUsage=false, reportIncompatibleMethodOverride=false
# An event loop reads the private parts of asyncio's handles, as asyncio's own loops do.

import asyncio
import contextvars
import heapq
import sys
import warnings
from collections import deque
from collections.abc import Callable, Coroutine
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import count
from typing import Any, TypeVar

T = TypeVar("T")

_process: contextvars.ContextVar["Process | None"] = contextvars.ContextVar("process", default=None)


@dataclass(eq=False)
class Process:
    """One process of the cluster, and its clocks."""

    name: str
    crash_at_step: int | None = None
    """Killed before this step, counted from 1."""
    clock_offset_s: float = 0.0
    clock_rate: float = 1.0
    wall_skew_s: float = 0.0
    cut_off_until_s: float = 0.0
    """No message reaches it or leaves it before this time."""
    is_alive: bool = True
    steps: int = 0
    tasks: list["asyncio.Task[Any]"] = field(default_factory=list["asyncio.Task[Any]"])
    on_death: list[Callable[[], None]] = field(default_factory=list[Callable[[], None]])

    def kill(self) -> None:
        """Let it take no further step."""
        if self.is_alive:
            self.is_alive = False
            for notify in self.on_death:
                notify()


def current_process() -> Process | None:
    """Return the process of the step that is under way; None for the world outside."""
    return _process.get()


class StalledError(AssertionError):
    """The loop took more steps than any schedule needs: something spins without virtual time."""


class VirtualLoop(asyncio.AbstractEventLoop):
    """Runs callbacks in the order of virtual time."""

    def __init__(self, max_steps: int = 2_000_000) -> None:
        self.now_s = 0.0
        self.steps = 0
        self._max_steps = max_steps
        self._ready: deque[asyncio.Handle] = deque()
        self._timers: list[tuple[float, int, asyncio.TimerHandle]] = []
        self._numbers = count()
        self._is_closed = False
        self.failures: list[dict[str, Any]] = []
        """Exceptions that no task awaited."""
        self._orphans: list[asyncio.Task[Any]] = []

    def time(self) -> float:
        return self.now_s

    def get_debug(self) -> bool:
        return False

    def is_running(self) -> bool:
        return True

    def is_closed(self) -> bool:
        return self._is_closed

    def call_soon(self, callback: Any, *args: Any, context: contextvars.Context | None = None) -> asyncio.Handle:
        handle = asyncio.Handle(callback, args, self, context)
        self._ready.append(handle)
        return handle

    call_soon_threadsafe = call_soon

    def call_later(
        self, delay: float, callback: Any, *args: Any, context: contextvars.Context | None = None
    ) -> asyncio.TimerHandle:
        return self.call_at(self.now_s + delay, callback, *args, context=context)

    def call_at(
        self, when: float, callback: Any, *args: Any, context: contextvars.Context | None = None
    ) -> asyncio.TimerHandle:
        timer = asyncio.TimerHandle(when, callback, args, self, context)
        heapq.heappush(self._timers, (when, next(self._numbers), timer))
        return timer

    def _timer_handle_cancelled(self, handle: asyncio.TimerHandle) -> None:
        """Called by `asyncio.TimerHandle.cancel`; the heap drops the timer when its time comes."""

    def run_in_executor(self, executor: Any, func: Callable[..., T], *args: Any) -> asyncio.Future[T]:
        """Call `func` at once, in no other thread."""
        future: asyncio.Future[T] = self.create_future()
        future.set_result(func(*args))
        return future

    def create_future(self) -> asyncio.Future[Any]:
        return asyncio.Future(loop=self)

    def create_task(
        self, coro: Any, *, name: str | None = None, context: contextvars.Context | None = None
    ) -> asyncio.Task[Any]:
        task = asyncio.Task(coro, loop=self, name=name, context=context)
        process = (context or contextvars.copy_context()).get(_process)
        (self._orphans if process is None else process.tasks).append(task)
        return task

    def spawn(self, process: Process, work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        """Run `work` in a process."""
        context = contextvars.Context()
        context.run(_process.set, process)
        return self.create_task(work, context=context)

    def call_exception_handler(self, context: dict[str, Any]) -> None:
        self.failures.append(context)

    def default_exception_handler(self, context: dict[str, Any]) -> None:
        self.failures.append(context)

    def run_until(self, is_done: Callable[[], bool], limit_s: float) -> bool:
        """Take steps until `is_done`, checked when nothing is ready; return False when the time is over."""
        before = asyncio._get_running_loop()
        asyncio._set_running_loop(self)
        try:
            while True:
                self._run_ready()
                if is_done():
                    return True
                if not self._timers or self._timers[0][0] > limit_s:
                    return False
                self._advance()
        finally:
            asyncio._set_running_loop(before)

    def _run_ready(self) -> None:
        ready = self._ready
        while ready:
            handle = ready.popleft()
            if handle._cancelled:
                continue
            process = handle._context.get(_process)
            if process is not None:
                if not process.is_alive:
                    continue
                process.steps += 1
                if process.steps == process.crash_at_step:
                    process.kill()
                    continue
            self.steps += 1
            if self.steps > self._max_steps:
                raise StalledError(f"{self.steps} steps at {self.now_s:.3f} s of virtual time")
            handle._run()

    def _advance(self) -> None:
        """Make ready what is due next."""
        self.now_s = max(self.now_s, self._timers[0][0])
        while self._timers and self._timers[0][0] <= self.now_s:
            _, _, timer = heapq.heappop(self._timers)
            if not timer._cancelled:
                self._ready.append(timer)

    def dispose(self, processes: list[Process]) -> None:
        """Drop all tasks; what their `finally` blocks still do has no effect."""
        self._is_closed = True
        before, sys.unraisablehook = sys.unraisablehook, _ignore
        warnings.simplefilter("ignore", RuntimeWarning)  # of coroutines that never began; the caller restores it
        asyncio._set_running_loop(self)
        try:
            for task in [*self._orphans, *(task for each in processes for task in each.tasks)]:
                setattr(task, "_log_destroy_pending", False)  # noqa: B010 - asyncio's own name, which its types lack
                with suppress(BaseException):
                    task.get_coro().close()  # pyright: ignore[reportOptionalMemberAccess]
            self._ready.clear()
            self._timers.clear()
            self._orphans.clear()
            for each in processes:
                each.tasks.clear()
        finally:
            asyncio._set_running_loop(None)
            sys.unraisablehook = before


def _ignore(_: object) -> None:
    """Report nothing."""
