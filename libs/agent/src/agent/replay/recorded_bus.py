"""The log of a recorded run as a bus: what a replay publishes is compared with what was stored."""

from collections.abc import AsyncIterator, Iterable, Sequence
from typing import TypeVar
from uuid import UUID

from chassis.bus import Fence, RunQueue
from contracts.envelope import Event, Request, Role, outcome_id
from contracts.events.run import EngineeringStarted
from contracts.registry import ENDINGS

from agent.replay.divergence import Divergence, DivergenceError, lines_of

E = TypeVar("E", bound=Event)


class RecordedBus:
    """`chassis.bus.Bus` over the events of one run. It stores nothing."""

    def __init__(self, events: Sequence[Event]) -> None:
        self._events = list(events)
        self._by_key = {(event.role, event.id): event for event in events}
        self._published: set[UUID] = set()

    async def publish(self, event: Event, fence: Fence | None = None) -> bool:  # noqa: ARG002 - holds no lease
        """Compare the event with the recorded one; raise `DivergenceError` if they differ."""
        recorded = self._by_key.get((event.role, event.id))
        replayed = lines_of(event)
        if recorded is None:
            raise DivergenceError(Divergence("additional decision", self._cause_of(event), "", replayed))
        if lines_of(recorded) != replayed:
            raise DivergenceError(Divergence("decision", self._cause_of(event), lines_of(recorded), replayed))
        self._published.add(event.id)
        return True

    def require_published(self, expected: Iterable[Event]) -> None:
        """Raise `DivergenceError` if one of these recorded decisions was not published."""
        for event in expected:
            if event.id not in self._published:
                raise DivergenceError(Divergence("missing decision", self._cause_of(event), lines_of(event), ""))

    def _cause_of(self, event: Event) -> Event:
        return next((each for each in self._events if each.id == event.causation_id), event)

    async def find(self, run_id: UUID, role: Role, id: UUID) -> Event | None:  # noqa: A002, ARG002 - the port's names
        """See `Bus.find`."""
        return self._by_key.get((role, id))

    async def is_stored(self, run_id: UUID, role: Role, id: UUID) -> bool:  # noqa: A002, ARG002 - the port's names
        """See `Bus.is_stored`."""
        return (role, id) in self._by_key

    async def latest(self, event_class: type[E], run_id: UUID, role: Role | None = None) -> E | None:  # noqa: ARG002
        """See `Bus.latest`."""
        found = (each for each in reversed(self._events) if isinstance(each, event_class) and role in {None, each.role})
        return next(found, None)

    async def ask(self, request: Request) -> Event:
        """See `Bus.ask`: the outcome is the recorded one."""
        await self.publish(request)
        return self._by_key[request.role, outcome_id(request.id)]

    async def ended(self, run_id: UUID) -> Event | None:  # noqa: ARG002 - one run
        """See `Bus.ended`."""
        return next((event for event in self._events if isinstance(event, ENDINGS)), None)

    async def has_ended(self, run_id: UUID) -> bool:
        """See `Bus.has_ended`."""
        return await self.ended(run_id) is not None

    async def queue(self) -> RunQueue:
        """See `Bus.queue`."""
        return RunQueue((), frozenset(), last_start=0)

    async def start_run(self, started: EngineeringStarted, queue: RunQueue) -> bool:  # noqa: ARG002 - no other run
        """See `Bus.start_run`."""
        return await self.publish(started)

    async def history(self, run_id: UUID) -> list[Event]:  # noqa: ARG002 - one run
        """See `Bus.history`."""
        return list(self._events)

    async def follow(self, run_id: UUID, linger_s: float = 0.0) -> AsyncIterator[Event]:  # noqa: ARG002 - one run
        """See `Bus.follow`."""
        for event in self._events:
            yield event

    async def wait_for_end(self, run_id: UUID) -> Event:
        """See `Bus.wait_for_end`."""
        end = await self.ended(run_id)
        if end is None:
            raise LookupError(f"the recording of run {run_id} has no end")
        return end
