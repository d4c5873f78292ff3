"""Speaking to a guarded server, as a service or as somebody who would like to be one."""

# pyright: reportUnknownMemberType=false
# nats-py leaves some of its options untyped.

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

from chassis.settings import BusSettings
from chassis.stream.connection import inbox_of
from local_stack.servers.ports import LOOPBACK
from nats.aio.client import Client
from nats.js import JetStreamContext

PASSWORD = "secret-of-"


@dataclass(frozen=True)
class Guarded:
    """Where it listens, and how to come in."""

    port: int
    log: Path

    def url(self, user: str) -> str:
        """Return the `NATS_URL` of a service."""
        return f"nats://{user}:{PASSWORD}{user}@{LOOPBACK}:{self.port}"

    def violations(self) -> list[str]:
        """Return what was refused so far, in the server's words."""
        return [line for line in self.log.read_text("utf-8").splitlines() if "Violation" in line]

    def settings(self, user: str) -> BusSettings:
        """Return what a service knows of the bus."""
        return BusSettings(nats_url=self.url(user), bus_connect_timeout_s=20.0)


class Visitor:
    """A raw connection under a service's user, as that of somebody who has got hold of its password."""

    def __init__(self) -> None:
        self._client = Client()
        self._refusals: list[str] = []

    async def enter(self, server: Guarded, user: str) -> None:
        """Connect; the inbox is the user's own."""
        await self._client.connect(server.url(user), inbox_prefix=inbox_of(user), error_cb=self._note)

    async def leave(self) -> None:
        """Disconnect."""
        await self._client.close()

    @property
    def js(self) -> JetStreamContext:
        """JetStream, as this user."""
        return self._client.jetstream()

    async def refused_publishing(self, subjects: Iterable[str]) -> set[str]:
        """Publish to all of these; return where the server refused it."""
        return await self._refused("publish", subjects, lambda subject: self._client.publish(subject, b"{}"))

    async def refused_subscribing(self, subjects: Iterable[str]) -> set[str]:
        """Subscribe to all of these; return where the server refused it."""
        return await self._refused("subscription", subjects, self._listen)

    async def _listen(self, subject: str) -> None:
        await self._client.subscribe(subject)

    async def _refused(self, what: str, subjects: Iterable[str], act: Callable[[str], Awaitable[object]]) -> set[str]:
        asked = list(subjects)
        for subject in asked:
            await act(subject)
        last = f"nobody.may.say.{uuid4()}"
        await self._client.publish(last, b"")
        # Complaints come in order, but later than the answer to a flush.
        while not _told(self._refusals, "publish", last):  # noqa: ASYNC110 - the condition is a list's growth
            await asyncio.sleep(0.005)
        return {subject for subject in asked if _told(self._refusals, what, subject)}

    async def _note(self, error: Exception) -> None:
        self._refusals.append(str(error))


def _told(refusals: list[str], what: str, subject: str) -> bool:
    """Tell whether the server complained; nats-py turns its words to lower case."""
    return f'nats: permissions violation for {what} to "{subject.lower()}"' in refusals


@asynccontextmanager
async def visiting(server: Guarded, user: str) -> AsyncGenerator[Visitor]:
    """Come in under a service's user."""
    visitor = Visitor()
    await visitor.enter(server, user)
    try:
        yield visitor
    finally:
        await visitor.leave()
