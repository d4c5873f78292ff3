"""The durable consumers of one app: declared at the start, and declared anew when they disappear."""

import asyncio
import logging

from nats.errors import Error as NatsError
from nats.js.api import ConsumerConfig

from chassis.jetstream import JetStreamBus
from chassis.settings import BusSettings
from chassis.streams import Manner, consumer, declare, ensure_stream, missing_consumers

_log = logging.getLogger(__name__)


class Consumers:
    """Knows what the app reads from, and looks after it."""

    def __init__(self, service: str, settings: BusSettings, bus: JetStreamBus) -> None:
        self._service = service
        self._settings = settings
        self._bus = bus
        self._configs: dict[str, ConsumerConfig] = {}

    def add(self, durable: str, filter_subject: str, manner: Manner) -> ConsumerConfig:
        """Plan a consumer; raise `ValueError` when its name is taken."""
        if durable in self._configs:
            raise ValueError(f"{self._service} has two handlers for consumer {durable}: give each its own role")
        self._configs[durable] = consumer(durable, filter_subject, manner, self._settings.bus_ack_wait_s)
        return self._configs[durable]

    async def join(self, durable: str, filter_subject: str, manner: Manner) -> ConsumerConfig:
        """Declare a consumer now, and look after it."""
        config = consumer(durable, filter_subject, manner, self._settings.bus_ack_wait_s)
        await declare(self._bus.js, config)
        self._configs[durable] = config
        return config

    def leave(self, durable: str) -> None:
        """No longer look after a consumer."""
        self._configs.pop(durable, None)

    async def declare(self) -> None:
        """Create or update everything planned."""
        for config in list(self._configs.values()):
            await declare(self._bus.js, config)

    async def missing(self) -> list[str]:
        """Return those that the server does not know."""
        return await missing_consumers(self._bus.js, list(self._configs))

    async def watch(self) -> None:
        """Declare anew what is missing, for ever: FastStream would go on asking a consumer that is no more."""
        while True:
            await asyncio.sleep(self._settings.bus_watch_s)
            try:
                await ensure_stream(self._bus.js)
                await self._declare_missing()
            except NatsError as error:
                _log.warning("%s cannot look after its consumers: %r", self._service, error)

    async def _declare_missing(self) -> None:
        for durable in await self.missing():
            if durable in self._configs:
                _log.warning("consumer %s was missing and is declared anew", durable)
                await declare(self._bus.js, self._configs[durable])
