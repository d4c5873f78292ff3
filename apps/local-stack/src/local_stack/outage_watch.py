"""Servers that are away for a while: told to the user when it begins, and when it is over. Work waits meanwhile."""

import asyncio
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor

from local_stack.errors import UserError
from local_stack.probes import Probe

LOOK_S = 0.5
LOOK_AGAIN_S = 0.2
TELL_AFTER_S = 2.0
"""A server that dies and is started again is back before that."""
TELL_AGAIN_AFTER_S = 30.0
"""Then twice as long, and so on."""


class OutageWatch:
    """Asks servers again and again whether they answer. In threads of its own: others may all wait for a server."""

    def __init__(self, probes: Mapping[str, Probe], say: Callable[[str], None], patience_s: float) -> None:
        """`patience_s` is how long a server may stay away before the command gives up."""
        self._probes = probes
        self._say = say
        self._patience_s = patience_s
        self._away_since_s: dict[str, float] = {}

    @property
    def waiting(self) -> str | None:
        """What is waited for, in words; None when all answer. For a status line."""
        if not self._away_since_s:
            return None
        now = time.monotonic()
        return ", ".join(f"waiting for {name} ({now - since:.0f} s)" for name, since in self._away_since_s.items())

    async def watch(self) -> None:
        """Return never; raise `CannotGoOnError` when a server stays away."""
        threads = ThreadPoolExecutor(max_workers=max(1, len(self._probes)), thread_name_prefix="outages")
        try:
            async with asyncio.TaskGroup() as group:
                for name, probe in self._probes.items():
                    group.create_task(self._watch_one(name, probe, threads))
                group.create_task(asyncio.Event().wait())  # without servers there is nothing to watch, for ever
        except* UserError as errors:
            raise errors.exceptions[0] from None
        finally:
            threads.shutdown(wait=False, cancel_futures=True)

    async def _watch_one(self, name: str, probe: Probe, threads: ThreadPoolExecutor) -> None:
        while True:
            began_s = time.monotonic()
            if not await _ask(probe, threads):
                await self._wait_out(name, probe, threads, began_s)
            await asyncio.sleep(LOOK_S)

    async def _wait_out(self, name: str, probe: Probe, threads: ThreadPoolExecutor, since_s: float) -> None:
        """Return when the server answers again."""
        tell_after_s = TELL_AFTER_S
        while not await _ask(probe, threads):
            away_s = time.monotonic() - since_s
            if away_s >= self._patience_s:
                raise UserError(
                    f"{name} has not answered for {away_s:.0f} s: start it, then start again; what was done is kept. "
                    "MILLWRIGHT_OUTAGE_S sets how long an outage may last"
                )
            if away_s >= tell_after_s:
                self._away_since_s[name] = since_s
                self._say(f"{name} does not answer since {away_s:.0f} s; the run waits and goes on by itself")
                tell_after_s = max(TELL_AGAIN_AFTER_S, 2 * tell_after_s)
            await asyncio.sleep(LOOK_AGAIN_S)
        if self._away_since_s.pop(name, None) is not None:
            self._say(f"{name} is back after {time.monotonic() - since_s:.0f} s")


async def _ask(probe: Probe, threads: ThreadPoolExecutor) -> bool:
    return await asyncio.get_running_loop().run_in_executor(threads, probe)
