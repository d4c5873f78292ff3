"""The durable consumers of one app: declared at its start, and declared again when they disappear or change."""

# pyright: reportUnknownMemberType=false
# nats-py leaves some of its options untyped.

import asyncio
import logging
from dataclasses import dataclass

from contracts.settings import COMMAND
from nats.errors import Error as NatsError
from nats.js import JetStreamContext
from nats.js.api import AckPolicy, ConsumerConfig, ConsumerInfo, DeliverPolicy
from nats.js.errors import APIError, NotFoundError

from chassis.errors import BusUnavailableError
from chassis.retry import retry
from chassis.settings import BusSettings
from chassis.stream.jetstream_bus import JetStreamBus
from chassis.stream.reads import STREAM_LOST, has_stream
from chassis.subjects import STREAM, SubscriptionMode

RELIED_ON = (
    "filter_subject",
    "deliver_policy",
    "ack_policy",
    "ack_wait",
    "max_deliver",
    "max_ack_pending",
    "inactive_threshold",
    "backoff",
)
"""Fields of a consumer that cannot change without messages being lost, repeated or held up."""

THREAD_CONSUMER_EXPIRES_S = 3600.0
"""The server removes the consumer of a thread that no process serves. A later one starts again from the first request
and skips what is answered."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class PlannedConsumer:
    """The configuration that a consumer must have, and its stream."""

    config: ConsumerConfig
    stream: str = STREAM

    @property
    def durable(self) -> str:
        """The durable name."""
        return self.config.durable_name or ""


def consumer_config(durable: str, filter_subject: str, mode: SubscriptionMode, ack_wait_s: float) -> ConsumerConfig:
    """Return the configuration of a durable consumer.

    The server never gives a message up (`max_deliver=-1`), which it would do without an event. The chassis counts
    attempts instead.
    """
    serves_thread = mode is SubscriptionMode.SERVE_THREAD
    return ConsumerConfig(
        name=durable,
        durable_name=durable,
        filter_subject=filter_subject,
        deliver_policy=DeliverPolicy.ALL,
        ack_policy=AckPolicy.EXPLICIT,
        ack_wait=ack_wait_s,
        max_deliver=-1,
        max_ack_pending=1 if serves_thread else -1 if mode is SubscriptionMode.SCHEDULE else 1000,
        inactive_threshold=THREAD_CONSUMER_EXPIRES_S if serves_thread else None,
    )


class ConsumerReconciler:
    """Keeps the consumers of an app on the server as they are planned."""

    def __init__(self, service: str, settings: BusSettings, bus: JetStreamBus) -> None:
        self._service = service
        self._settings = settings
        self._bus = bus
        self._planned: dict[str, PlannedConsumer] = {}

    @property
    def js(self) -> JetStreamContext:
        """JetStream of the app's connection."""
        return self._bus.js

    @property
    def planned(self) -> list[PlannedConsumer]:
        """Every consumer of the app."""
        return list(self._planned.values())

    def plan(self, durable: str, filter_subject: str, mode: SubscriptionMode, stream: str = STREAM) -> ConsumerConfig:
        """Plan a consumer; raise `ValueError` when its name is taken."""
        if durable in self._planned:
            raise ValueError(f"{self._service} has two handlers for consumer {durable}: give each its own role")
        config = consumer_config(durable, filter_subject, mode, self._settings.bus_ack_wait_s)
        self._planned[durable] = PlannedConsumer(config, stream)
        return config

    async def declare_now(self, durable: str, filter_subject: str, mode: SubscriptionMode) -> ConsumerConfig:
        """Declare a consumer while the app works, and plan it from then on."""
        config = consumer_config(durable, filter_subject, mode, self._settings.bus_ack_wait_s)
        planned = PlannedConsumer(config)
        await self._add_consumer(planned)
        self._planned[durable] = planned
        return config

    def forget(self, durable: str) -> None:
        """Plan a consumer no longer; the server keeps it until it expires."""
        self._planned.pop(durable, None)

    async def declare(self) -> None:
        """Create or update every planned consumer; raise `BusUnavailableError`, with the remedy, if that fails."""
        for planned in self.planned:
            await self._declare(planned, self._settings.bus_connect_timeout_s)

    async def problems(self) -> list[str]:
        """Return one line for the stream if it is lost, and else for each consumer that is not as planned."""
        if not await has_stream(self._bus.js):
            return [STREAM_LOST]
        problems: list[str] = []
        for planned in self.planned:
            info = await self._info(planned)
            if info is None:
                problems.append(f"consumer {planned.durable} is missing")
            elif differing := differences(planned.config, info.config):
                problems.append(f"consumer {planned.durable} was changed: {'; '.join(differing)}")
        return problems

    async def waiting(self) -> dict[str, int]:
        """Return how many messages each consumer has yet to deliver."""
        infos = {planned.durable: await self._info(planned) for planned in self.planned}
        return {durable: info.num_pending or 0 for durable, info in infos.items() if info is not None}

    async def reconcile_for_ever(self) -> None:
        """Declare missing and changed consumers again, every `bus_watch_s`: FastStream does not notice their loss."""
        while True:
            await asyncio.sleep(self._settings.bus_watch_s)
            try:
                if await has_stream(self._bus.js):
                    await self._reconcile()
                else:
                    _log.error("%s waits: %s", self._service, STREAM_LOST)
            except NatsError as error:
                _log.warning("%s cannot check its consumers: %r", self._service, error)

    async def _reconcile(self) -> None:
        for planned in self.planned:
            info = await self._info(planned)
            differing = differences(planned.config, info.config) if info is not None else ["it was missing"]
            if differing and planned.durable in self._planned:
                _log.warning("consumer %s is declared again: %s", planned.durable, "; ".join(differing))
                try:
                    await self._declare(planned, self._settings.bus_watch_s)
                except BusUnavailableError as error:
                    _log.error("%s", error)

    async def _declare(self, planned: PlannedConsumer, timeout_s: float) -> None:
        try:
            async with asyncio.timeout(timeout_s):
                await self._add_consumer(planned)
        except TimeoutError as error:
            raise BusUnavailableError(
                f"consumer {planned.durable} could not be declared within {timeout_s:g} s: does stream "
                f"{planned.stream} exist? `{COMMAND} migrate` creates it"
            ) from error
        except APIError as error:
            raise BusUnavailableError(
                f"consumer {planned.durable} cannot be declared as planned: {error.description}. "
                "Delete it: it is created again, and no message is lost"
            ) from error

    async def _add_consumer(self, planned: PlannedConsumer) -> None:
        """Create or update a consumer. Raw nats-py: FastStream never changes an existing durable."""
        await retry(
            lambda: self._bus.js.add_consumer(planned.stream, config=planned.config), f"consumer {planned.durable}"
        )

    async def _info(self, planned: PlannedConsumer) -> ConsumerInfo | None:
        """Return the state of a consumer. Raw nats-py: FastStream does not offer it."""
        try:
            return await self._bus.js.consumer_info(planned.stream, planned.durable)
        except NotFoundError:
            return None


def differences(planned: ConsumerConfig, found: ConsumerConfig) -> list[str]:
    """Return one text for each field, of those that are relied on, that differs from the plan."""
    return [
        f"{field} is {_shown(getattr(found, field))} and must be {_shown(getattr(planned, field))}"
        for field in RELIED_ON
        if _shown(getattr(found, field)) != _shown(getattr(planned, field))
    ]


def _shown(value: object) -> str:
    """Return a value so that a field that the server omits equals one that was not set."""
    return str(getattr(value, "value", value) or "none")
