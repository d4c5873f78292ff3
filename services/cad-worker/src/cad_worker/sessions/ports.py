"""What sessions need of the bus and of the app that they live in."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Protocol
from uuid import UUID

from chassis.leases.lease import Fence
from contracts.envelope import Event, Request, Role

Handlers = Mapping[type[Request], Callable[[Any], Awaitable[Event]]]


class Attendance(Protocol):
    """Listening to one thread."""

    async def stop(self) -> None:
        """Stop listening."""
        ...


class Runs(Protocol):
    """What sessions need of the bus."""

    async def publish(self, event: Event) -> bool:
        """Say what has happened."""
        ...

    async def ask(self, request: Request) -> Event:
        """Ask and wait for the outcome."""
        ...

    async def find(self, run_id: UUID, role: Role, id: UUID) -> Event | None:  # noqa: A002 - the chassis' word
        """Return the event with this id, if it was stored."""
        ...

    async def history(self, run_id: UUID) -> list[Event]:
        """Return all that has been said in a run so far."""
        ...

    async def wait_for_end(self, run_id: UUID) -> Event:
        """Wait for the end of a run."""
        ...


class Threads(Protocol):
    """Who listens to which thread: of the chassis' app, what a session needs."""

    async def serve_thread(self, run_id: UUID, role: Role, handlers: Handlers, fence: Fence, /) -> Attendance:
        """Listen to a thread's requests, as long as `fence` can be passed."""
        ...
