"""What is wrong with an app, in words."""

from collections.abc import Awaitable, Callable

from nats.errors import Error as NatsError

from chassis.delivery.in_flight import InFlight
from chassis.delivery.reconciliation import ConsumerReconciler
from chassis.recovery.outages import Outages
from chassis.settings import BusSettings
from chassis.stream.jetstream_bus import JetStreamBus

Check = Callable[[], Awaitable[str | None]]
"""Says what is wrong, if anything is."""


class Health:
    """Looks at everything that an app needs in order to work."""

    def __init__(  # noqa: PLR0913, PLR0917 - all that can be unwell
        self,
        service: str,
        settings: BusSettings,
        bus: JetStreamBus,
        consumers: ConsumerReconciler,
        outages: Outages,
        progress: InFlight,
    ) -> None:
        self._service = service
        self._patience_s = settings.bus_max_retry_delay_s + settings.bus_ack_wait_s
        self._bus = bus
        self._consumers = consumers
        self._outages = outages
        self._progress = progress
        self._checks: list[Check] = []

    def include(self, check: Check) -> None:
        """Ask this, too, whenever JetStream can be reached."""
        self._checks.append(check)

    async def problems(self) -> list[str]:
        """Return what is wrong: with the connection, the stream, the consumers, what is waited for, and idleness."""
        waited_for = self._outages.problems()
        if not self._bus.client.is_connected:
            return [f"{self._service} is not connected to NATS", *waited_for]
        try:
            checked = [await check() for check in self._checks]
            problems = [*await self._consumers.problems(), *await self._stuck(), *waited_for]
            return [*problems, *(each for each in checked if each is not None)]
        except NatsError as error:
            return [f"{self._service} gets no answer from JetStream: {error!r}", *waited_for]

    async def _stuck(self) -> list[str]:
        """Name consumers that have messages to deliver, while nothing has been in hand here for longer than any pause.

        Counted from when it was first asked: who never asks, never learns.
        """
        stuck: list[str] = []
        for durable, waiting in (await self._consumers.waiting()).items():
            idle_s = self._progress.idle_s(durable) if waiting else 0.0
            if idle_s > self._patience_s:
                stuck.append(
                    f"consumer {durable} has {waiting} messages waiting, and took none here for {idle_s:.0f} s"
                )
        return stuck
