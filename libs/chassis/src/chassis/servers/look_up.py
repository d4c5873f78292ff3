"""What is announced now, for who calls such servers: read again once the last reading is a few seconds old."""

import asyncio
import logging
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from time import monotonic

from contracts.settings import COMMAND
from nats.errors import Error as NatsError
from nats.js import JetStreamContext

from chassis.servers.addresses import refused_address
from chassis.servers.registry import AnnouncedServer, RegisteredServer, ServerKind, ServerRegistry

READ_EVERY_S = 3.0
ANSWER_TIMEOUT_S = 2.0

_log = logging.getLogger(__name__)


class AnnouncedServers:
    """The announced servers of one kind. While the registry does not answer, what was read last goes on to expire."""

    def __init__(
        self, js: Callable[[], JetStreamContext], kind: ServerKind, read_every_s: float = READ_EVERY_S
    ) -> None:
        self._registry = ServerRegistry(js)
        self._kind = kind
        self._read_every_s = read_every_s
        self._read_s = -read_every_s
        self._found: list[RegisteredServer] = []
        self._reading = asyncio.Lock()

    async def current(self) -> tuple[AnnouncedServer, ...]:
        """Return the servers whose entries hold."""
        async with self._reading:
            if monotonic() - self._read_s >= self._read_every_s:
                await self._read()
        now = datetime.now(UTC)
        return tuple(each.server for each in self._found if each.server.kind == self._kind and each.expires_at > now)

    async def _read(self) -> None:
        self._read_s = monotonic()
        try:
            async with asyncio.timeout(ANSWER_TIMEOUT_S):
                found = await self._registry.read()
                self._found = await asyncio.to_thread(_usable, found)
        except (NatsError, TimeoutError) as error:
            _log.warning(f"announced servers cannot be read: %r; `{COMMAND} doctor` finds what is wrong", error)


def _usable(found: Sequence[RegisteredServer]) -> list[RegisteredServer]:
    """Return the servers without those whose address is refused: an entry may come from an unchecked writer."""
    problems = {each: refused_address(each.server.url) for each in found}
    for each, problem in problems.items():
        if problem is not None:
            _log.warning("the announced server %s is not used: %s", each.server.url, problem)
    return [each for each, problem in problems.items() if problem is None]
