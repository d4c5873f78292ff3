"""A supervisor for those who kill on purpose: whatever dies is started again, however often."""

import asyncio
import time

from local_stack.errors import UserError
from local_stack.processes.supervisor import Supervisor

LOOK_S = 0.05
READY_S = 300.0
"""Ten processes that start at once on a machine that has other work take their time."""
PAUSE_S = 0.5
"""Between two starts of one program: Postgres needs a moment to see that its old self is gone."""


class Undying(Supervisor):
    """Starts again for ever; who died how often is for others to judge."""

    def wait_until_ready(self) -> None:
        """Return when everything works; raise `CannotGoOnError` when something does not. Safe in any thread."""
        deadline = time.monotonic() + READY_S
        for one in self._all():
            while not one.startable.ready():
                if time.monotonic() > deadline:
                    raise UserError(f"{one.startable.name} was not ready within {READY_S:g} s")
                time.sleep(LOOK_S)

    async def watch(self) -> None:
        """Restart what dies. Never returns."""
        begun_s: dict[int, float] = {}
        while True:
            for one in [each for each in self._all() if each.has_died()]:
                if time.monotonic() - begun_s.get(id(one), 0.0) >= PAUSE_S:
                    begun_s[id(one)] = time.monotonic()
                    self._report(f"{one.describe_death()} and is started again")
                    one.start()
            await asyncio.sleep(LOOK_S)
