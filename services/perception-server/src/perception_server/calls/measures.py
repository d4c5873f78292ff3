"""Metrics of the server."""

from chassis.observability.declarations import (
    KIND,
    PERCEPTION_BATCH,
    PERCEPTION_DURATION,
    PERCEPTION_MEMORY,
    PERCEPTION_WAITING,
)
from chassis.observability.metrics import Meters


class CallMeasures:
    """Measures calls and batches."""

    def __init__(self, meters: Meters) -> None:
        self._duration_s, self._batch = meters.measure(PERCEPTION_DURATION), meters.measure(PERCEPTION_BATCH)
        self._waiting, self._memory = meters.measure(PERCEPTION_WAITING), meters.measure(PERCEPTION_MEMORY)

    def note_call(self, method: str, duration_s: float, waiting: int, memory_bytes: int) -> None:
        """Note a call that has ended, and what is left."""
        self._duration_s(duration_s, {KIND: method})
        self._waiting(waiting)
        self._memory(memory_bytes)

    def note_batch(self, calls: int) -> None:
        """Note a batch that begins."""
        self._batch(calls)
