"""A supervisor for those who kill on purpose: whatever dies is started again, however often."""

import asyncio
import time

from cli.supervising import Supervisor

LOOK_S = 0.05
PAUSE_S = 0.5
"""Between two starts of one program: Postgres needs a moment to see that its old self is gone."""


class Undying(Supervisor):
    """Starts again for ever; who died how often is for others to judge."""

    async def watch(self) -> None:
        """Restart what dies. Never returns."""
        begun_s: dict[int, float] = {}
        while True:
            for one in [each for each in self._all() if each.dead()]:
                if time.monotonic() - begun_s.get(id(one), 0.0) >= PAUSE_S:
                    begun_s[id(one)] = time.monotonic()
                    self._say(f"{one.how_it_died()} and is started again")
                    one.start()
            await asyncio.sleep(LOOK_S)
