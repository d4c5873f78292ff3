"""The queue of runs as metrics."""

from chassis.bus import Bus
from chassis.observability.declarations import RUN_SLOTS, RUNS_IN_WORK, RUNS_WAITING
from chassis.observability.metrics import Meters


class QueueMetrics:
    """Measures how many runs wait, and how many hold one of the slots."""

    def __init__(self, bus: Bus, slots: int, meters: Meters) -> None:
        self._bus = bus
        self._waiting, self._in_work = meters.measure(RUNS_WAITING), meters.measure(RUNS_IN_WORK)
        self._slots = meters.measure(RUN_SLOTS)
        self._number_of_slots = slots

    async def measure(self) -> None:
        """Measure once. Every replica of the planner measures the same queue."""
        queue = await self._bus.queue()
        self._waiting(len(queue.waiting))
        self._in_work(len(queue.started))
        self._slots(self._number_of_slots)
