"""The durable consumers of one app: declared at the start, and brought back when they disappear or change."""

import asyncio
import logging
from dataclasses import dataclass

from nats.errors import Error as NatsError
from nats.js import JetStreamContext
from nats.js.api import ConsumerConfig, ConsumerInfo
from nats.js.errors import APIError, NotFoundError

from chassis.errors import BusUnavailableError
from chassis.settings import BusSettings
from chassis.stream.jetstream_bus import JetStreamBus
from chassis.stream.subjects import STREAM, STREAM_LOST, Mode, consumer_config, declare, has_stream

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
"""Fields of a consumer that nothing may change without messages being lost, repeated or held up."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class PlannedConsumer:
    """A consumer as it is to be, and where."""

    config: ConsumerConfig
    stream: str = STREAM

    @property
    def durable(self) -> str:
        """Its name."""
        return self.config.durable_name or ""


class ConsumerReconciler:
    """Knows what the app reads from, and looks after it."""

    def __init__(self, service: str, settings: BusSettings, bus: JetStreamBus) -> None:
        self._service = service
        self._settings = settings
        self._bus = bus
        self._planned: dict[str, PlannedConsumer] = {}

    def add(self, durable: str, filter_subject: str, manner: Mode, stream: str = STREAM) -> ConsumerConfig:
        """Plan a consumer; raise `ValueError` when its name is taken."""
        if durable in self._planned:
            raise ValueError(f"{self._service} has two handlers for consumer {durable}: give each its own role")
        config = consumer_config(durable, filter_subject, manner, self._settings.bus_ack_wait_s)
        self._planned[durable] = PlannedConsumer(config, stream)
        return config

    async def join(self, durable: str, filter_subject: str, manner: Mode) -> ConsumerConfig:
        """Declare a consumer now, and look after it."""
        config = consumer_config(durable, filter_subject, manner, self._settings.bus_ack_wait_s)
        await declare(self._bus.js, config)
        self._planned[durable] = PlannedConsumer(config)
        return config

    def leave(self, durable: str) -> None:
        """No longer look after a consumer."""
        self._planned.pop(durable, None)

    @property
    def js(self) -> JetStreamContext:
        """Raw JetStream, for who reads from these."""
        return self._bus.js

    @property
    def everywhere(self) -> list[PlannedConsumer]:
        """Every consumer, of whatever stream, as it is to be."""
        return list(self._planned.values())

    @property
    def planned(self) -> list[ConsumerConfig]:
        """Every consumer of the one stream, as it is to be."""
        return [planned.config for planned in self._planned.values() if planned.stream == STREAM]

    async def declare(self) -> None:
        """Create or update everything planned; raise `BusUnavailableError` with the mend when that cannot be."""
        for planned in list(self._planned.values()):
            await self._declare(planned, self._settings.bus_connect_timeout_s)

    async def problems(self) -> list[str]:
        """Return in words what the server lacks, and what it has otherwise than it is to be."""
        if not await has_stream(self._bus.js):
            return [STREAM_LOST]
        problems: list[str] = []
        for planned in list(self._planned.values()):
            info = await self._info(planned)
            if info is None:
                problems.append(f"consumer {planned.durable} is missing")
            elif differing := differences(planned.config, info.config):
                problems.append(f"consumer {planned.durable} was changed: {'; '.join(differing)}")
        return problems

    async def waiting(self) -> dict[str, int]:
        """Return how many messages each consumer has yet to deliver."""
        infos = {planned.durable: await self._info(planned) for planned in list(self._planned.values())}
        return {durable: info.num_pending or 0 for durable, info in infos.items() if info is not None}

    async def watch(self) -> None:
        """Bring back what is missing or was changed, for ever: FastStream goes on asking a consumer that is no more."""
        while True:
            await asyncio.sleep(self._settings.bus_watch_s)
            try:
                if await has_stream(self._bus.js):
                    await self._mend()
                else:
                    _log.error("%s waits: %s", self._service, STREAM_LOST)
            except NatsError as error:
                _log.warning("%s cannot look after its consumers: %r", self._service, error)

    async def _mend(self) -> None:
        for planned in list(self._planned.values()):
            info = await self._info(planned)
            differing = differences(planned.config, info.config) if info is not None else ["it was missing"]
            if differing and planned.durable in self._planned:
                _log.warning("consumer %s is declared anew: %s", planned.durable, "; ".join(differing))
                try:
                    await self._declare(planned, self._settings.bus_watch_s)
                except BusUnavailableError as error:
                    _log.error("%s", error)

    async def _declare(self, planned: PlannedConsumer, patience_s: float) -> None:
        try:
            async with asyncio.timeout(patience_s):
                await declare(self._bus.js, planned.config, planned.stream)
        except TimeoutError as error:
            raise BusUnavailableError(
                f"consumer {planned.durable} could not be declared within {patience_s:g} s: is stream "
                f"{planned.stream} there? `millwright migrate` creates it"
            ) from error
        except APIError as error:
            raise BusUnavailableError(
                f"consumer {planned.durable} cannot be made what it must be: {error.description}. "
                "Delete it: it is created anew, and nothing is lost"
            ) from error

    async def _info(self, planned: PlannedConsumer) -> ConsumerInfo | None:
        """Return what the server knows of a consumer. Raw nats-py: FastStream does not look."""
        try:
            return await self._bus.js.consumer_info(planned.stream, planned.durable)
        except NotFoundError:
            return None


def differences(wanted: ConsumerConfig, found: ConsumerConfig) -> list[str]:
    """Return in words in what a consumer differs from what it is to be."""
    return [
        f"{field} is {_plain(getattr(found, field))} and must be {_plain(getattr(wanted, field))}"
        for field in RELIED_ON
        if _plain(getattr(found, field)) != _plain(getattr(wanted, field))
    ]


def _plain(value: object) -> str:
    """Return a value so that what the server leaves out equals what is not asked for."""
    return str(getattr(value, "value", value) or "none")
