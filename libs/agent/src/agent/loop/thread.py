"""Threads of a role: one per run, each a LangGraph thread that advances by one event at a time.

The graph has three nodes: react to the event, call the model, decide.
"""
# LangGraph ships no stubs, and its generics leave parameters open that we do not use:
# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false

import asyncio
import logging
from collections.abc import Mapping, Sequence
from functools import cached_property, lru_cache
from itertools import count
from typing import Annotated, Any, Generic, Literal, TypedDict
from uuid import UUID
from weakref import WeakValueDictionary

from chassis.bus import Bus
from chassis.errors import FutureVersionError
from contracts.envelope import Event, Request, Role, outcome_id, request_id
from contracts.events.catalog import CatalogQueried
from contracts.events.conversation import ModelCalled, ReplyRejected, ToolAnswered
from contracts.registry import OPENINGS
from langchain_core.runnables import RunnableConfig
from langgraph.channels.untracked_value import UntrackedValue
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph

from agent.context.stand_ins import count_steps
from agent.journal.entries import TimelinePosition
from agent.loop.checkpoints import Checkpoints
from agent.loop.model_call import ModelCaller, RefusedCall
from agent.loop.rejections import Rejections, shown_messages
from agent.loop.replies import MalformedReplyError, require_complete
from agent.loop.role import Decision, Notes, Reaction, RolePolicy, StepEvents
from agent.loop.summarizer import Summarizer
from agent.loop.thread_state import ThreadState, step_ids
from agent.model.role_model import RoleModel
from agent.model.thoughts import without_thoughts
from agent.token_estimate import tokens_of_messages

MAX_CATCH_UPS = 10
"""How often one event may find that other processes advanced the thread meanwhile."""

SELF_CONSUMED = (ReplyRejected, CatalogQueried, ToolAnswered)
"""Events that a role publishes on its way to an outcome and consumes itself."""

_log = logging.getLogger(__name__)

Consumes = Mapping[type[Event], Role | None]
"""The events that advance a role's threads, and on whose thread of the run they must be; None: on any."""


class RoleState(TypedDict):
    """State of the graph. Only `state_json` is checkpointed; the other values live for one event."""

    state_json: str
    event: Annotated[Event, UntrackedValue]
    at_step: Annotated[int, UntrackedValue]
    reaction: Annotated[Reaction[Any], UntrackedValue]
    called: Annotated[ModelCalled | RefusedCall, UntrackedValue]
    decided: Annotated[tuple[Event, ...], UntrackedValue]


class Reacted(TypedDict):
    """What `_react` adds to the state."""

    reaction: Reaction[Any]


class Called(TypedDict):
    """What `_call_model` adds to the state."""

    called: ModelCalled | RefusedCall


class Decided(TypedDict):
    """What `_decide` adds to the state."""

    state_json: str
    decided: tuple[Event, ...]


class ThreadMovedError(Exception):
    """The log shows that another event made this step: the thread state is outdated."""


def _moved(thread: ThreadState, event: Event, role: Role) -> ThreadMovedError:
    return ThreadMovedError(f"step {thread.step} of {event.run_id}:{role} belongs to another event than {event.id}")


@lru_cache(maxsize=16)
def parse_state(state_json: str | None) -> ThreadState:
    """Return the thread state, empty before the first event. Cached: one event parses it several times."""
    return ThreadState.model_validate_json(state_json) if state_json else ThreadState()


class RoleGraph(Generic[Notes]):
    """One role's graph over its checkpoints, entered once per event: react, call the model, decide."""

    def __init__(self, policy: RolePolicy[Notes], model: RoleModel, bus: Bus, checkpoints: Checkpoints) -> None:
        self._checkpoints = checkpoints
        self._policy = policy
        self._bus = bus
        self._summarizer = Summarizer(model, bus, policy.role)
        self._caller = ModelCaller(policy, model, bus, self._summarizer)
        self._role: Role = policy.role

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

    async def stored_runs(self) -> list[UUID]:
        """Return the runs of which this role has a thread."""
        runs = [name.removesuffix(f":{self._role}") for name in await self._checkpoints.threads()]
        return [UUID(run_id) for run_id in runs]

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
        graph.add_node("react", self._react)
        graph.add_node("call_model", self._call_model)
        graph.add_node("decide", self._decide)
        graph.add_edge(START, "react")
        graph.add_conditional_edges("react", self._after_reaction, ["call_model", "decide"])
        graph.add_edge("call_model", "decide")
        graph.add_edge("decide", END)
        return graph.compile(checkpointer=self._checkpoints.saver)

    def _thread(self, run_id: UUID) -> RunnableConfig:
        return {"configurable": {"thread_id": self._name(run_id)}}

    def _name(self, run_id: UUID) -> str:
        return f"{run_id}:{self._role}"

    async def _react(self, state: RoleState) -> Reacted:
        """Let the policy react to the event.

        The thread state may differ from the one that was read a moment ago, since other processes write it, too.
        """
        thread, event = parse_state(state.get("state_json")), state["event"]
        if thread.step != state["at_step"] or event.id in thread.consumed:
            raise _moved(thread, event, self._role)
        events = StepEvents(event, self._role, thread.step, position=thread.position)
        return {"reaction": await self._policy.on_event(event, self._notes(thread), events)}

    def _after_reaction(self, state: RoleState) -> Literal["call_model", "decide"]:
        """Call the model only if the reaction asks for it."""
        return "call_model" if state["reaction"].model else "decide"

    async def _call_model(self, state: RoleState) -> Called:
        """Call the model, unless its answer to this very step is already in the log."""
        thread, event = parse_state(state.get("state_json")), state["event"]
        called = await self._caller.call(thread, event, state["reaction"])
        if called is None:
            raise _moved(thread, event, self._role)
        return {"called": called}

    async def _decide(self, state: RoleState) -> Decided:
        """Let the policy decide on the reply, publish the decisions, and return the state for the checkpoint.

        Decisions are published before the checkpoint: once an event counts as consumed, all of its effects are stored.
        """
        thread, event, reaction = parse_state(state.get("state_json")), state["event"], state["reaction"]
        new_thread = thread.model_copy(update={"messages": (*thread.messages, *reaction.messages)})
        decision = Decision(notes=reaction.notes, decided=())
        if reaction.model:
            new_thread, decision = await self._decide_on_reply(new_thread, state)
        decided = (*reaction.decided, *decision.decided)
        ids = step_ids(event.run_id, self._role, thread.step)
        called = state["called"] if reaction.model else None
        stored = (called, *decided) if isinstance(called, ModelCalled) else decided
        await self._publish(thread, event, decided)
        made_step = isinstance(called, ModelCalled) or any(each.id in ids for each in decided)
        new_thread = new_thread.after_event(event, stored, made_step=made_step)
        new_thread = new_thread.with_entries(decided, count_steps(thread.messages))
        new_thread = new_thread.model_copy(update={"notes_json": decision.notes.model_dump_json()})
        return {"state_json": new_thread.model_dump_json(), "decided": decided}

    async def _publish(self, thread: ThreadState, event: Event, decided: tuple[Event, ...]) -> None:
        """Publish the decisions; raise `ThreadMovedError` if the step's first decision is another event's."""
        ids = step_ids(event.run_id, self._role, thread.step)
        for each in decided:
            if await self._bus.publish(each) or each.id not in ids:
                continue
            stored = await self._bus.find(event.run_id, self._role, each.id)
            if stored is None or stored.causation_id != event.id:
                raise _moved(thread, event, self._role)

    def _notes(self, thread: ThreadState) -> Notes:
        notes_class = self._policy.notes_class
        return notes_class.model_validate_json(thread.notes_json) if thread.notes_json else notes_class()

    async def _decide_on_reply(self, thread: ThreadState, state: RoleState) -> tuple[ThreadState, Decision[Notes]]:
        """Return thread state and decision after a reply, which the conversation has without leaked thoughts."""
        called, reaction = state["called"], state["reaction"]
        new_messages = () if isinstance(called, RefusedCall) else called.new_messages
        token = thread.timeline_tokens + tokens_of_messages(new_messages)
        position = TimelinePosition(bookmark=thread.bookmark.after(reaction.decided), token=token)
        events = StepEvents(state["event"], self._role, thread.step, 1 + len(reaction.decided), position)
        if isinstance(called, RefusedCall):
            return thread, self._policy.give_up(called.problem, reaction.notes, events)
        thread = await self._summarizer.restore(thread, called)
        tokens = token + tokens_of_messages([called.reply])
        thread = thread.model_copy(
            update={"spent": called.spent, "condensed": called.condensed, "timeline_tokens": tokens}
        )
        reply = without_thoughts(called.reply)
        try:
            require_complete(called)
            decision = await self._policy.on_reply(reply, reaction.notes, events)
        except MalformedReplyError as error:
            return self._reject(thread, error, called, reaction, events)
        messages = (*thread.messages, reply)
        update = {"messages": messages, "recorded_messages": len(messages), "rejections": Rejections()}
        return thread.model_copy(update=update), decision

    def _reject(
        self,
        thread: ThreadState,
        error: MalformedReplyError,
        called: ModelCalled,
        reaction: Reaction[Notes],
        events: StepEvents,
    ) -> tuple[ThreadState, Decision[Notes]]:
        """Return thread state and decision after a reply that cannot be used.

        The next call records the reply again, as its prompt shows it: so the log alone restores each prompt.
        """
        rejections = thread.rejections.after(error.cause)
        tools = self._policy.tools if reaction.tools is None else reaction.tools
        shown = shown_messages(without_thoughts(called.reply), called.ending, tools)
        recorded, messages = len(thread.messages), (*thread.messages, *shown)
        thread = thread.model_copy(
            update={"recorded_messages": recorded, "messages": messages, "rejections": rejections}
        )
        if rejections.are_too_many:
            detail = f"{rejections.in_a_row} replies of {called.model} in a row could not be used; the last: {error}"
            return thread, self._policy.give_up(detail, reaction.notes, events)
        rejected = ReplyRejected(**events.next(), problem=str(error), attempt=rejections.in_a_row, cause=error.cause)
        return thread, Decision(notes=reaction.notes, decided=(rejected,))


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
        self._graph = RoleGraph(policy, model, bus, checkpoints)
        self._locks: WeakValueDictionary[UUID, asyncio.Lock] = WeakValueDictionary()

    async def advance(self, event: Event) -> list[Event]:
        """Advance the run's thread by one event, with at most one model call; return the decisions, all published.

        For an event that was consumed before, its decisions are read from the log. A state that is older than the log,
        or lost, first catches up with the log, which holds all model calls. A state that is newer than the log, whose
        server lost what it had acknowledged or was restored from a backup, is dropped.
        """
        async with self._locks.setdefault(event.run_id, asyncio.Lock()):
            for _ in range(MAX_CATCH_UPS):
                state = await self._graph.state(event.run_id)
                if await self._is_ahead(state, event.run_id):
                    _log.warning("the log lacks the end of %s:%s, which is decided again", event.run_id, self._role)
                    await self._graph.forget(event.run_id)
                    continue
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

    async def answer(self, request: Request) -> Event:
        """Advance the thread until it answers this request, by what the role itself publishes meanwhile.

        The outcome is published when this returns it.
        """
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
        await self._forget(end.run_id)
        return []

    async def sweep(self, ends: Sequence[type[Event]]) -> None:
        """Delete the threads of runs that have one of these events, or that the log no longer knows.

        `forget` misses a thread whose checkpoint another process writes afterwards. A thread that is swept too early is
        restored from the log.
        """
        for run_id in await self._graph.stored_runs():
            if await self._is_over(run_id, ends):
                await self._forget(run_id)

    async def _is_over(self, run_id: UUID, ends: Sequence[type[Event]]) -> bool:
        """Return whether a run has ended or is unknown; one that only a newer version can read is neither."""
        try:
            if any([await self._bus.latest(each, run_id) for each in ends]):
                return True
            return not any([await self._bus.latest(each, run_id) for each in OPENINGS])
        except FutureVersionError:
            return False

    async def _forget(self, run_id: UUID) -> None:
        async with self._locks.setdefault(run_id, asyncio.Lock()):
            await self._graph.forget(run_id)

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

    async def _is_ahead(self, state: ThreadState, run_id: UUID) -> bool:
        """Return whether the log lacks what this thread stored last. A log loses its end: one look-up is enough."""
        newest = state.newest
        return newest is not None and await self._bus.find(run_id, newest.role, newest.id) is None

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
