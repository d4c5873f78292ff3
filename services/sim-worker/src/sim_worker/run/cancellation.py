"""Cancellation of simulations: threads cannot be killed, so the work looks for itself whether it is still wanted."""

import asyncio
import threading
from collections.abc import Callable
from typing import TypeVar

from sim_worker.heap import give_back

T = TypeVar("T")


class SimulationCancelledError(Exception):
    """The result is no longer wanted."""


class Cancellation:
    """A request to stop, from the event loop to the thread that works."""

    def __init__(self) -> None:
        self._requested = threading.Event()

    def request(self) -> None:
        """Let the work end at its next check."""
        self._requested.set()

    def check(self) -> None:
        """Raise `SimulationCancelledError` if the work is to end."""
        if self._requested.is_set():
            raise SimulationCancelledError


async def run_in_thread(work: Callable[[Cancellation], T]) -> T:
    """Run blocking work in a thread; if this is cancelled, end it first, so that the next message has the processors.

    A second cancellation does not wait for the end.
    """
    cancellation = Cancellation()
    running = asyncio.ensure_future(asyncio.to_thread(_work, work, cancellation))
    try:
        return await asyncio.shield(running)
    except asyncio.CancelledError:
        cancellation.request()
        running.add_done_callback(_forget)
        await asyncio.wait({running})
        raise


def _work(work: Callable[[Cancellation], T], cancellation: Cancellation) -> T:
    try:
        return work(cancellation)
    finally:
        give_back()


def _forget(ended: "asyncio.Future[T]") -> None:
    """Retrieve the exception of work whose result nothing waits for."""
    if not ended.cancelled():
        ended.exception()
