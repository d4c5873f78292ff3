"""A role's threads: one per run, each moved by one event at a time."""

import asyncio
import logging
from collections.abc import Mapping
from itertools import count
from typing import Generic
from uuid import UUID
from weakref import WeakValueDictionary

from contracts.envelope import Event, Request, Role, outcome_id, request_id
from contracts.events.catalog import CatalogQueried
from contracts.events.conversation import ReplyRejected

from agent.loop.checkpoints import Checkpoints
from agent.loop.graph import RoleGraph
from agent.loop.nodes import EventLog, RoleNodes, ThreadMovedError
from agent.loop.role import Notes, RolePolicy
from agent.loop.thread_state import ThreadState, step_ids
from agent.model.role_model import RoleModel

MOST_CATCHING_UP = 10
"""How often one event may find that others moved the thread meanwhile."""

TO_ITSELF = (ReplyRejected, CatalogQueried)
"""What a role says on its way to an answer, and hears itself."""

_log = logging.getLogger(__name__)

Subscriptions = Mapping[type[Event], Role | None]
"""Which events move a role's threads, and on whose threads of the run they must lie; None: on any."""


class ThreadLostError(Exception):
    """The log does not hold what a thread was told: it was purged, or rebuilt with gaps."""


class UnansweredError(Exception):
    """A role heard a request that it owns and decided nothing."""


class RoleThreads(Generic[Notes]):
    """All threads of one role, `run_id:role`.

    A thread is moved by at most one event at a time in this process. Two processes that move one thread at once meet
    at the log: the second finds the first's mark, catches up and makes the next step.
    """

    def __init__(
        self,
        policy: RolePolicy[Notes],
        model: RoleModel,
        ledger: EventLog,
        checkpoints: Checkpoints,
    ) -> None:
        self._conduct = policy
        self._ledger = ledger
        self._graph = RoleGraph(RoleNodes(policy, model, ledger), checkpoints)
        self._locks: WeakValueDictionary[UUID, asyncio.Lock] = WeakValueDictionary()

    async def advance(self, event: Event) -> list[Event]:
        """Move the run's thread by one event, with one model call at most, and return what was decided and published.

        An event that was heard before is not acted on again: what it led to is read from the log. A memory that is
        older than the log, or lost, is first told what made the steps that it lacks; their model calls stand there too.
        """
        async with self._locks.setdefault(event.run_id, asyncio.Lock()):
            for _ in range(MOST_CATCHING_UP):
                memory = await self._graph.memory(event.run_id)
                if event.id in memory.heard:
                    return await self._said_on(event, memory)
                try:
                    if not await self._is_behind(memory, event):
                        return await self._graph.enter(event, memory.step)
                    await self._catch_up(memory, event.run_id)
                except ThreadMovedError as error:
                    _log.info("%s; catching up", error)
            raise ThreadMovedError(f"others moved the thread {MOST_CATCHING_UP} times before {event.type} {event.id}")

    async def run_until_answered(self, request: Request) -> Event:
        """Move the thread until it answers this request: what a role says to itself meanwhile moves it on."""
        event: Event = request
        while True:
            decided = await self.advance(event)
            answers = [each for each in decided if each.id == outcome_id(request.id)]
            if answers:
                return answers[0]
            again = [each for each in decided if isinstance(each, TO_ITSELF)]
            if not again:
                raise UnansweredError(f"{self._conduct.role} decided nothing about {request.type} {request.id}")
            event = again[0]

    async def forget(self, end: Event) -> list[Event]:
        """Throw the thread of a run that is over away, once nothing here moves it any more. Decides nothing."""
        async with self._locks.setdefault(end.run_id, asyncio.Lock()):
            await self._graph.forget(end.run_id)
        return []

    async def _said_on(self, event: Event, memory: ThreadState) -> list[Event]:
        """Return what an event that was heard before led to, from the log."""
        role, said = self._conduct.role, list[Event]()
        if event.id in memory.moved_by:
            step = memory.moved_by.index(event.id)
            for ordinal in count(1):
                decided = await self._ledger.find(event.run_id, role, request_id(event.run_id, role, step, ordinal))
                if decided is None:
                    break
                said.append(decided)
        outcome = await self._ledger.find(event.run_id, event.role, outcome_id(event.id))
        return said if outcome is None or outcome.producer != role else [*said, outcome]

    async def _is_behind(self, memory: ThreadState, event: Event) -> bool:
        """Tell whether the log says that the step which the thread would make now was made, and by another event."""
        role = self._conduct.role
        marks = [
            await self._ledger.find(event.run_id, role, mark) for mark in step_ids(event.run_id, role, memory.step)
        ]
        return any(mark is not None and mark.causation_id != event.id for mark in marks)

    async def _catch_up(self, memory: ThreadState, run_id: UUID) -> None:
        """Make the steps again that the log has and the memory lacks, in their order. No model is called for them."""
        history = {event.id: event for event in await self._ledger.history(run_id)}
        for step in count(memory.step):
            first_mark, second_mark = step_ids(run_id, self._conduct.role, step)
            mark = history.get(first_mark) or history.get(second_mark)
            if mark is None:
                return
            cause = history.get(mark.causation_id) if mark.causation_id else None
            if cause is None:
                raise ThreadLostError(f"step {step} of {run_id}:{self._conduct.role}: the log lacks what caused it")
            await self._graph.enter(cause, step)
