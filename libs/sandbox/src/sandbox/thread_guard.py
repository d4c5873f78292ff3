"""Guard of threads: native code starts thousands in a second, faster than an event loop that has other work can look.

Linux limits threads by user. Under a user of its own, as root gives one to each child, that limit holds exactly; an
ordinary user and a container have one user for everything.
"""

import asyncio
import os
import signal
import threading
from collections.abc import Callable
from contextlib import suppress

from sandbox.usage import threads_of
from sandbox.zygote.client import ConfinedChild

INTERVAL_S = 0.002


class ThreadGuard:
    """Stops a child that has more threads than allowed, in a thread of this process; then the event loop kills it."""

    def __init__(self, most: int, kill: Callable[[ConfinedChild, str], None]) -> None:
        self._most = most
        self._kill = kill
        self._watched: dict[int, ConfinedChild] = {}
        self._has_work = threading.Event()
        self._is_stopped = False

    def start(self, loop: asyncio.AbstractEventLoop) -> None:
        """Begin to look; `kill` is called on this loop."""
        self._is_stopped = False
        threading.Thread(target=self._run, args=(loop,), name="thread guard", daemon=True).start()

    def stop(self) -> None:
        """Look no longer."""
        self._is_stopped = True
        self._has_work.set()

    def watch(self, child: ConfinedChild) -> None:
        """Watch a child until it is forgotten."""
        self._watched[child.pid] = child
        self._has_work.set()

    def forget(self, child: ConfinedChild) -> None:
        """Do not look at a child any more."""
        self._watched.pop(child.pid, None)
        if not self._watched and not self._is_stopped:
            self._has_work.clear()

    def _run(self, loop: asyncio.AbstractEventLoop) -> None:
        pause = threading.Event()
        while not self._is_stopped:
            self._has_work.wait()
            for pid, child in list(self._watched.items()):
                count = threads_of(pid)
                if count > self._most and child.killed_for is None:
                    self._watched.pop(pid, None)
                    with suppress(ProcessLookupError, PermissionError):  # of a child with a user of its own
                        os.kill(pid, signal.SIGSTOP)
                    excess = f"it ran {count} threads; at most {self._most} are allowed"
                    with suppress(RuntimeError):  # the loop is closed, and its children are dead
                        loop.call_soon_threadsafe(self._kill, child, excess)
            pause.wait(INTERVAL_S)
