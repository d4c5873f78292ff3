"""The event log as handlers, roles and the command line use it."""

from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from typing import Protocol, TypeVar
from uuid import UUID

from contracts.envelope import Event, Request, Role
from contracts.events.run import EngineeringStarted

E = TypeVar("E", bound=Event)
Fence = Callable[[], Awaitable[None]]
"""Returns when work may go on or be published; raises `LeaseLostError` when it must not."""


@dataclass(frozen=True)
class RunQueue:
    """The runs that have not ended."""

    waiting: tuple[UUID, ...]
    """Requested and not started, the oldest first."""
    started: frozenset[UUID]
    """Those that hold a slot."""
    last_start: int
    """Sequence of the newest start of any run; 0 if there is none."""


class Bus(Protocol):
    """The events of all runs. Every call waits while the server is unavailable, and none fails because of that.

    Events that cannot be read are left out. One of a newer schema version raises `FutureVersionError` instead if it
    ends the run, and, in an app that requires readable events, from `find`, `latest` and `history`.
    """

    async def publish(self, event: Event, fence: Fence | None = None) -> bool:
        """Store `event`; return False if an event with the same id, of any class, was stored before.

        `fence` is passed right before each attempt. Raises `EventTooLargeError` for an event that exceeds a message.
        """
        ...

    async def find(self, run_id: UUID, role: Role, id: UUID) -> Event | None:  # noqa: A002 - the envelope's name for it
        """Return the event with this id, of any class."""
        ...

    async def is_stored(self, run_id: UUID, role: Role, id: UUID) -> bool:  # noqa: A002
        """Return whether an event with this id is stored, also if it cannot be read."""
        ...

    async def latest(self, event_class: type[E], run_id: UUID, role: Role | None = None) -> E | None:
        """Return the newest event of a class in a run, on one role's thread or on any."""
        ...

    async def ask(self, request: Request) -> Event:
        """Publish `request` and wait for its outcome.

        If the request was abandoned, the outcome is a `MessageAbandoned`. If the run has ended and there will be no
        outcome, the event that ended the run is returned.
        """
        ...

    async def ended(self, run_id: UUID) -> Event | None:
        """Return the event that ended the run, if it has ended."""
        ...

    async def has_ended(self, run_id: UUID) -> bool:
        """Return whether the run has ended, even if only a newer version can read how."""
        ...

    async def queue(self) -> RunQueue:
        """Return which runs wait for a slot, and which hold one."""
        ...

    async def start_run(self, started: EngineeringStarted, queue: RunQueue) -> bool:
        """Store the start of a run; return False if any run was started since `queue` was read: read it again then."""
        ...

    async def history(self, run_id: UUID) -> list[Event]:
        """Return all events of a run so far, in the order of the log."""
        ...

    def follow(self, run_id: UUID, linger_s: float = 0.0) -> AsyncIterator[Event]:
        """Yield a run's events from the first one on, live, until `linger_s` seconds after its end."""
        ...

    async def wait_for_end(self, run_id: UUID) -> Event:
        """Wait for the end of a run and return the event that ended it."""
        ...
