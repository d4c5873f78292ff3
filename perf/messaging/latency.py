"""Time from a request to its outcome through two services, one request at a time, all contenders in turns."""

import time
from contextlib import AsyncExitStack
from dataclasses import dataclass, field

from chassis.settings import BusSettings

from perf.messaging.contender import Requester
from perf.messaging.contenders import CONTENDERS
from perf.messaging.services import services_of
from tests.support.measurements import percentile, table

WARM_UP = 50
REFERENCE = "faststream"


@dataclass
class Lane:
    """One contender with its requester and the measured times."""

    name: str
    requester: Requester
    requested: int = 0
    spent_ms: list[float] = field(default_factory=list[float])

    async def measure(self, count: int) -> list[float]:
        """Make `count` requests; return the milliseconds that each took."""
        spent_ms: list[float] = []
        for _ in range(count):
            began = time.perf_counter()
            await self.requester.request(self.requested)
            spent_ms.append(1000 * (time.perf_counter() - began))
            self.requested += 1
        return spent_ms


async def measure_latency(settings: BusSettings, rounds: int, count: int) -> list[Lane]:
    """Measure in `rounds` rounds; in each round, each contender makes `count` requests in a row."""
    lanes = [Lane(name, contender.make_requester(settings)) for name, contender in CONTENDERS.items()]
    with services_of(CONTENDERS, settings):
        async with AsyncExitStack() as leaving:
            for lane in lanes:
                await lane.requester.start()
                leaving.push_async_callback(lane.requester.stop)
                await lane.measure(WARM_UP)
            for _ in range(rounds):
                for lane in lanes:
                    lane.spent_ms += await lane.measure(count)
    return lanes


def latency_table(lanes: list[Lane]) -> str:
    """Return the percentiles of each contender, and its median as a multiple of plain FastStream's."""
    medians = {lane.name: percentile(lane.spent_ms, 50) for lane in lanes}
    rows = [
        (
            CONTENDERS[lane.name].name,
            f"{medians[lane.name]:.2f}",
            f"{percentile(lane.spent_ms, 99):.2f}",
            f"{medians[lane.name] / medians[REFERENCE]:.2f}",
            CONTENDERS[lane.name].guarantees,
        )
        for lane in lanes
    ]
    return table(("one request at a time", "p50 ms", "p99 ms", "p50 / FastStream", "guarantees"), rows)
