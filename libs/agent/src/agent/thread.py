"""A role's threads: one per run, each moved by one event at a time."""

import asyncio
from collections.abc import Mapping
from typing import Generic
from uuid import UUID
from weakref import WeakValueDictionary

from contracts.conversation import ReplyRejected
from contracts.envelope import Event, Request, Role, outcome_id

from agent.checkpoints import Checkpoints
from agent.conduct import Conduct, Notes
from agent.graph import RoleGraph
from agent.models import RoleModel
from agent.nodes import Ledger, RoleNodes

HeardTable = Mapping[type[Event], Role | None]
"""Which events move a role's threads, and on whose threads of the run they must lie; None: on any."""


class UnansweredError(Exception):
    """A role heard a request that it owns and decided nothing."""


class RoleThreads(Generic[Notes]):
    """All threads of one role, `run_id:role`.

    A thread is moved by at most one event at a time in this process. Two processes that move one thread at once meet
    at the log: the second finds the first's `ModelCalled` and raises `ThreadMovedError`.
    """

    def __init__(
        self,
        conduct: Conduct[Notes],
        model: RoleModel,
        ledger: Ledger,
        checkpoints: Checkpoints,
        heard: HeardTable,
    ) -> None:
        self._conduct = conduct
        self._heard = heard
        self._ledger = ledger
        self._graph = RoleGraph(RoleNodes(conduct, model, ledger), checkpoints)
        self._locks: WeakValueDictionary[UUID, asyncio.Lock] = WeakValueDictionary()

    async def advance(self, event: Event) -> list[Event]:
        """Move the run's thread by one event, with one model call at most, and return what to publish.

        An event that was heard before is not acted on again: what it led to is returned once more. A thread without a
        checkpoint is first told what the log says it has heard; its model's answers stand there too.
        """
        async with self._locks.setdefault(event.run_id, asyncio.Lock()):
            memory = await self._graph.memory(event.run_id)
            if memory.step == 0:
                await self._retell(event)
                memory = await self._graph.memory(event.run_id)
            if event.id in memory.heard:
                return memory.decided_on(event)
            return await self._graph.enter(event)

    async def settle(self, request: Request) -> Event:
        """Move the thread until it answers this request, asking the model again for what could not be read."""
        event: Event = request
        while True:
            decided = await self.advance(event)
            answers = [each for each in decided if each.id == outcome_id(request.id)]
            for each in decided:
                if each not in answers:
                    await self._ledger.publish(each)
            if answers:
                return answers[0]
            again = [each for each in decided if isinstance(each, ReplyRejected)]
            if not again:
                raise UnansweredError(f"{self._conduct.role} decided nothing about {request.type} {request.id}")
            event = again[0]

    async def _retell(self, event: Event) -> None:
        for past in await self._ledger.history(event.run_id):
            if past.id == event.id:
                return
            if self._hears(past):
                await self._graph.enter(past)

    def _hears(self, event: Event) -> bool:
        event_class = type(event)
        return event_class in self._heard and self._heard[event_class] in (None, event.role)
