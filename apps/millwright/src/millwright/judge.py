"""The one call for scripts and notebooks: a workshop in a thread of its own, which stays warm between calls."""

import asyncio
import atexit
from collections.abc import Coroutine
from concurrent.futures import CancelledError
from functools import cache
from pathlib import Path
from threading import Thread
from typing import Any, TypeVar

from millwright.verdict import DesignVerdict
from millwright.workshop import REPLICAS, Workshop

T = TypeVar("T")


def judge(script: str | Path, benchmark: str | Path, *, seed: int = 0, replicas: int = REPLICAS) -> DesignVerdict:
    """Return the verdict on a design; the first call starts the sandbox, later ones find it warm.

    The arguments and errors are those of `Workshop.judge`, which also gives geometry and film, and which asynchronous
    code uses. It may be called in a notebook, where an event loop runs.
    """
    opened = background()
    trial = opened.run(opened.workshop.judge(script, benchmark, seed=seed, replicas=replicas))
    return trial.verdict


@cache
def background() -> "Background":
    return Background()


class Background:
    """An event loop in a thread, with a workshop that is open until Python ends."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = Thread(target=self._loop.run_forever, name="millwright", daemon=True)
        self._thread.start()
        self.workshop = Workshop()
        self.run(self.workshop.__aenter__())
        atexit.register(self._close)

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Wait for work on the loop; Ctrl-C cancels it."""
        future = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return future.result()
        except (KeyboardInterrupt, CancelledError):
            future.cancel()
            raise

    async def wait(self, work: Coroutine[Any, Any, T]) -> T:
        """Wait for work on the loop from another loop, which goes on meanwhile."""
        return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(work, self._loop))

    def _close(self) -> None:
        self.run(self.workshop.__aexit__(None, None, None))
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()
