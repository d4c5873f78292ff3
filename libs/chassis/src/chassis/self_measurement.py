"""What every app measures about itself: queues of its consumers, outages that it waits out, problems of its health."""

from collections import Counter
from contextlib import suppress

from nats.errors import Error as NatsError

from chassis.delivery.reconciliation import ConsumerReconciler
from chassis.health import Health
from chassis.observability.declarations import CONSUMER, HEALTH_PROBLEMS, OUTAGES_WAITING, QUEUE_DEPTH
from chassis.observability.metrics import Meters
from chassis.observability.telemetry import consumer_label
from chassis.retry import Outages


class SelfMeasurement:
    """Sets the gauges of one app."""

    def __init__(self, meters: Meters, consumers: ConsumerReconciler, outages: Outages, health: Health) -> None:
        self._queue_depth = meters.measure(QUEUE_DEPTH)
        self._outages_waiting = meters.measure(OUTAGES_WAITING)
        self._health_problems = meters.measure(HEALTH_PROBLEMS)
        self._consumers = consumers
        self._outages = outages
        self._health = health
        self._labels: set[str] = set()

    async def measure(self) -> None:
        """Measure once; without the server, all but the queues."""
        self._outages_waiting(len(self._outages.problems()))
        self._health_problems(len(await self._health.problems()))
        with suppress(NatsError):
            await self._measure_queues()

    async def _measure_queues(self) -> None:
        depths = Counter[str]()
        for durable, waiting in (await self._consumers.waiting()).items():
            depths[consumer_label(durable)] += waiting
        self._labels |= set(depths)
        for label in self._labels:
            self._queue_depth(depths[label], {CONSUMER: label})
