"""Request to outcome through two services, one request at a time, all rivals in turns."""

import time
from contextlib import AsyncExitStack
from dataclasses import dataclass, field

from chassis.settings import BusSettings

from perf.messaging.contender import Asker
from perf.messaging.contenders import RIVALS
from perf.messaging.services import services_of
from tests.support.measurements import percentile, table

WARM_UP = 50
REFERENCE = "faststream"


@dataclass
class Lane:
    """One rival with its asker, and what was measured."""

    name: str
    asker: Asker
    asked: int = 0
    spent_ms: list[float] = field(default_factory=list[float])

    async def go(self, count: int) -> list[float]:
        """Ask so many times; return how long each took, in milliseconds."""
        spent_ms: list[float] = []
        for _ in range(count):
            began = time.perf_counter()
            await self.asker.ask(self.asked)
            spent_ms.append(1000 * (time.perf_counter() - began))
            self.asked += 1
        return spent_ms


async def race(settings: BusSettings, rounds: int, count: int) -> list[Lane]:
    """Measure `rounds` times, each rival `count` requests after another."""
    lanes = [Lane(name, rival.make_asker(settings)) for name, rival in RIVALS.items()]
    with services_of(RIVALS, settings):
        async with AsyncExitStack() as leaving:
            for lane in lanes:
                await lane.asker.start()
                leaving.push_async_callback(lane.asker.stop)
                await lane.go(WARM_UP)
            for _ in range(rounds):
                for lane in lanes:
                    lane.spent_ms += await lane.go(count)
    return lanes


def latency_table(lanes: list[Lane]) -> str:
    """Return each rival's percentiles, and how they compare with plain FastStream's."""
    half = {lane.name: percentile(lane.spent_ms, 50) for lane in lanes}
    rows = [
        (
            RIVALS[lane.name].name,
            f"{half[lane.name]:.2f}",
            f"{percentile(lane.spent_ms, 99):.2f}",
            f"{half[lane.name] / half[REFERENCE]:.2f}",
            RIVALS[lane.name].promises,
        )
        for lane in lanes
    ]
    return table(("one request at a time", "p50 ms", "p99 ms", "p50 / FastStream", "what it promises"), rows)
