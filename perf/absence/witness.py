"""Who reads the stream of a run, message by message, and remembers all of it."""

import asyncio
from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from chassis.stream.reads import next_message
from chassis.stream.subjects import Address
from contracts.registry import class_at
from nats.aio.client import Client

LOOK_EVERY_S = 0.05


@dataclass(frozen=True)
class Said:
    """One message of the stream."""

    sequence: int
    type: str
    id: UUID
    stored_at: datetime


@dataclass
class Witness:
    """Sees one run."""

    client: Client
    run_id: UUID
    said: list[Said] = field(default_factory=list[Said])
    _grown: asyncio.Condition = field(default_factory=asyncio.Condition)

    async def watch(self) -> None:
        """Read for ever."""
        while True:
            message = await next_message(self.client, self.run_id, self.said[-1].sequence if self.said else 0)
            if message is None:
                await asyncio.sleep(LOOK_EVERY_S)
                continue
            assert message.subject is not None
            assert message.time is not None
            kind = class_at(message.subject).__name__
            self.said.append(Said(message.seq or 0, kind, Address.of(message.subject).id, message.time))
            async with self._grown:
                self._grown.notify_all()

    async def until(self, kind: str) -> None:
        """Return as soon as an event of this class is stored."""
        async with self._grown:
            await self._grown.wait_for(lambda: any(each.type == kind for each in self.said))

    async def until_quiet(self) -> None:
        """Return when nothing was said for a moment."""
        seen = -1
        while seen != len(self.said):
            seen = len(self.said)
            await asyncio.sleep(20 * LOOK_EVERY_S)

    def counts(self) -> Counter[str]:
        """Return how many events of each class there are."""
        return Counter(each.type for each in self.said)

    def doubled(self) -> list[UUID]:
        """Return the ids that stand in the stream more than once."""
        return [id_ for id_, times in Counter(each.id for each in self.said).items() if times > 1]
