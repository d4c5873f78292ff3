"""Threads of a role: one per run, each a LangGraph thread that advances by one event at a time."""
# LangGraph ships no stubs, and its generics leave parameters open that we do not use:
# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false

import asyncio
import logging
from collections.abc import Mapping
from functools import cached_property
from itertools import count
from typing import Generic
from uuid import UUID
from weakref import WeakValueDictionary

from chassis.bus import Bus
from contracts.envelope import Event, Request, Role, outcome_id, request_id
from contracts.events.catalog import CatalogQueried
from contracts.events.conversation import ReplyRejected
from langchain_core.runnables import RunnableConfig
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph

from agent.loop.checkpoints import Checkpoints
from agent.loop.nodes import RoleNodes, RoleState, ThreadMovedError, parse_state
from agent.loop.role import Notes, RolePolicy
from agent.loop.thread_state import ThreadState, step_ids
from agent.model.role_model import RoleModel

MAX_CATCH_UPS = 10
"""How often one event may find that other processes advanced the thread meanwhile."""

SELF_CONSUMED = (ReplyRejected, CatalogQueried)
"""Events that a role publishes on its way to an outcome and consumes itself."""

_log = logging.getLogger(__name__)

Consumes = Mapping[type[Event], Role | None]
"""The events that advance a role's threads, and on whose thread of the run they must be; None: on any."""


class ThreadLostError(Exception):
    """The log lacks events that a thread consumed: it was purged, or rebuilt with gaps."""


class UnansweredError(Exception):
    """A role decided nothing on a request that it owns."""


class RoleThreads(Generic[Notes]):
    """All threads of one role, `run_id:role`.

    Within a process a thread consumes one event at a time. Two processes that advance one thread at once meet at the
    log: the second finds the first's step, catches up and makes the next step.
    """

    def __init__(self, policy: RolePolicy[Notes], model: RoleModel, bus: Bus, checkpoints: Checkpoints) -> None:
        self._role: Role = policy.role
        self._bus = bus
        self._graph = RoleGraph(RoleNodes(policy, model, bus), checkpoints)
        self._locks: WeakValueDictionary[UUID, asyncio.Lock] = WeakValueDictionary()

    async def advance(self, event: Event) -> list[Event]:
        """Advance the run's thread by one event, with at most one model call; return the decisions, all published.

        For an event that was consumed before, its decisions are read from the log. A state that is older than the log,
        or lost, first catches up with the log, which holds all model calls.
        """
        async with self._locks.setdefault(event.run_id, asyncio.Lock()):
            for _ in range(MAX_CATCH_UPS):
                state = await self._graph.state(event.run_id)
                if event.id in state.consumed:
                    return await self._recorded_decisions(event, state)
                try:
                    if not await self._is_behind(state, event):
                        return await self._graph.enter(event, state.step)
                    await self._catch_up(state, event.run_id)
                except ThreadMovedError as error:
                    _log.info("%s; catching up", error)
            raise ThreadMovedError(f"others advanced the thread {MAX_CATCH_UPS} times before {event.type} {event.id}")

    async def consume(self, event: Event) -> list[Event]:
        """Advance the run's thread. Returns nothing to publish: the thread has published its decisions."""
        await self.advance(event)
        return []

    async def answer(self, request: Request) -> None:
        """Advance the thread until its outcome of this request is stored."""
        await self.run_until_answered(request)

    async def run_until_answered(self, request: Request) -> Event:
        """Advance the thread until it answers this request, by what the role itself publishes meanwhile."""
        event: Event = request
        while True:
            decided = await self.advance(event)
            answers = [each for each in decided if each.id == outcome_id(request.id)]
            if answers:
                return answers[0]
            own = [each for each in decided if isinstance(each, SELF_CONSUMED)]
            if not own:
                raise UnansweredError(f"{self._role} decided nothing about {request.type} {request.id}")
            event = own[0]

    async def forget(self, end: Event) -> list[Event]:
        """Delete the thread of a run that has ended, once no event advances it here. Decides nothing."""
        async with self._locks.setdefault(end.run_id, asyncio.Lock()):
            await self._graph.forget(end.run_id)
        return []

    async def _recorded_decisions(self, event: Event, state: ThreadState) -> list[Event]:
        """Return from the log what was decided on an event that was consumed before."""
        decisions = list[Event]()
        if event.id in state.step_causes:
            step = state.step_causes.index(event.id)
            for ordinal in count(1):
                decision_id = request_id(event.run_id, self._role, step, ordinal)
                decision = await self._bus.find(event.run_id, self._role, decision_id)
                if decision is None:
                    break
                decisions.append(decision)
        outcome = await self._bus.find(event.run_id, event.role, outcome_id(event.id))
        return decisions if outcome is None or outcome.producer != self._role else [*decisions, outcome]

    async def _is_behind(self, state: ThreadState, event: Event) -> bool:
        """Return whether the log shows that another event made the step that the thread would make now."""
        recorded = [
            await self._bus.find(event.run_id, self._role, step_id)
            for step_id in step_ids(event.run_id, self._role, state.step)
        ]
        return any(each is not None and each.causation_id != event.id for each in recorded)

    async def _catch_up(self, state: ThreadState, run_id: UUID) -> None:
        """Repeat the steps that the log has and the state lacks, in order. No model is called for them."""
        history = {event.id: event for event in await self._bus.history(run_id)}
        for step in count(state.step):
            call_id, decision_id = step_ids(run_id, self._role, step)
            recorded = history.get(call_id) or history.get(decision_id)
            if recorded is None:
                return
            cause = history.get(recorded.causation_id) if recorded.causation_id else None
            if cause is None:
                raise ThreadLostError(f"step {step} of {run_id}:{self._role}: the log lacks its cause")
            await self._graph.enter(cause, step)


class RoleGraph(Generic[Notes]):
    """One role's graph over its checkpoints, entered once per event: react, call the model, decide."""

    def __init__(self, nodes: RoleNodes[Notes], checkpoints: Checkpoints) -> None:
        self._nodes = nodes
        self._checkpoints = checkpoints

    async def enter(self, event: Event, at_step: int) -> list[Event]:
        """Advance the event's thread by one step and return the decisions.

        One checkpoint per event is written, at the end: a crash before it leads to a redelivery. Raises
        `ThreadMovedError` if the thread is not at this step any more.
        """
        graph_input, thread = {"event": event, "at_step": at_step}, self._thread(event.run_id)
        graph_state = await self._compiled.ainvoke(graph_input, thread, durability="exit")  # pyright: ignore[reportArgumentType, reportCallIssue] - LangGraph accepts a part of the state as input, which its types do not show
        await self._checkpoints.keep_newest(self._name(event.run_id))
        return list(graph_state["decided"])

    async def forget(self, run_id: UUID) -> None:
        """Delete a thread."""
        await self._checkpoints.forget(self._name(run_id))

    async def state(self, run_id: UUID) -> ThreadState:
        """Return the checkpointed state of a thread.

        A checkpoint of a version that named its state otherwise counts as lost: the thread is restored from the log.
        """
        snapshot = await self._compiled.aget_state(self._thread(run_id))
        return parse_state(snapshot.values.get("state_json"))

    @cached_property
    def _compiled(self) -> "CompiledStateGraph[RoleState]":
        # On the first event: a saver exists only once the checkpoints were started.
        graph = StateGraph(RoleState)
        graph.add_node("react", self._nodes.react)
        graph.add_node("call_model", self._nodes.call_model)
        graph.add_node("decide", self._nodes.decide)
        graph.add_edge(START, "react")
        graph.add_conditional_edges("react", self._nodes.after_reaction, ["call_model", "decide"])
        graph.add_edge("call_model", "decide")
        graph.add_edge("decide", END)
        return graph.compile(checkpointer=self._checkpoints.saver)

    def _thread(self, run_id: UUID) -> RunnableConfig:
        return {"configurable": {"thread_id": self._name(run_id)}}

    def _name(self, run_id: UUID) -> str:
        return f"{run_id}:{self._nodes.role}"
