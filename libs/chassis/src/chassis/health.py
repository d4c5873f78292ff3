"""Health of an app: its connection, stream, consumers and outages."""

from collections.abc import Awaitable, Callable

from nats.errors import Error as NatsError

from chassis.background_tasks import ENDED
from chassis.delivery.keepalive import InFlight
from chassis.delivery.reconciliation import ConsumerReconciler
from chassis.retry import Outages
from chassis.settings import BusSettings
from chassis.stream.jetstream_bus import JetStreamBus

HealthCheck = Callable[[], Awaitable[str | None]]
"""Returns a problem, or None."""
TaskCheck = Callable[[], str | None]
"""Returns what is wrong with a background task, or None."""

NO_ANSWER = "gets no answer from JetStream"
"""On a busy machine, too: what is asked is asked again."""


class Health:
    """Checks everything that an app needs in order to work."""

    def __init__(  # noqa: PLR0913, PLR0917 - the parts whose health is checked
        self,
        service: str,
        settings: BusSettings,
        bus: JetStreamBus,
        consumers: ConsumerReconciler,
        outages: Outages,
        in_flight: InFlight,
    ) -> None:
        self._service = service
        self._max_idle_s = settings.bus_max_retry_delay_s + settings.bus_ack_wait_s
        self._bus = bus
        self._consumers = consumers
        self._outages = outages
        self._in_flight = in_flight
        self._checks: list[HealthCheck] = []
        self._task_checks: list[TaskCheck] = []

    def add_check(self, check: HealthCheck) -> None:
        """Include a check, which is made whenever JetStream can be reached."""
        self._checks.append(check)

    def add_task_check(self, check: TaskCheck) -> None:
        """Include a background task, whether or not JetStream can be reached."""
        self._task_checks.append(check)

    def fatal_problems(self) -> list[str]:
        """Return what only a restart of the process ends: background tasks that have ended."""
        checked = (check() for check in self._task_checks)
        return [each for each in checked if each is not None and each.endswith(ENDED)]

    async def problems(self) -> list[str]:
        """Return one line for each problem."""
        tasks = (check() for check in self._task_checks)
        outages = [*(each for each in tasks if each is not None), *self._outages.problems()]
        if not self._bus.client.is_connected:
            return [f"{self._service} is not connected to NATS", *outages]
        try:
            checked = [await check() for check in self._checks]
            problems = [*await self._consumers.problems(), *await self._stuck_consumers(), *outages]
            return [*problems, *(each for each in checked if each is not None)]
        except NatsError as error:
            return [f"{self._service} {NO_ANSWER}: {error!r}", *outages]

    async def _stuck_consumers(self) -> list[str]:
        """Return consumers with messages to deliver of which this app has had none in flight for longer than any pause.

        The time counts from the first call, so a single call finds nothing.
        """
        stuck: list[str] = []
        for durable, waiting in (await self._consumers.waiting()).items():
            idle_s = self._in_flight.idle_s(durable) if waiting else 0.0
            if idle_s > self._max_idle_s:
                stuck.append(
                    f"consumer {durable} has {waiting} messages waiting, none of them taken for {idle_s:.0f} s"
                )
        return stuck
