"""The three nodes of every role's graph: react to an event, call the model, decide."""

from functools import lru_cache
from typing import Annotated, Any, Generic, Literal, TypedDict

from chassis.bus import Bus
from contracts.envelope import Event, Role
from contracts.events.conversation import ModelCalled, ReplyRejected
from langgraph.channels.untracked_value import UntrackedValue  # pyright: ignore[reportMissingTypeStubs] - LangGraph ships none

from agent.context.stand_ins import count_steps
from agent.context.summarizer import Summarizer
from agent.context.token_estimate import tokens_of_messages
from agent.journal.entries import TimelinePosition
from agent.loop.model_call import ModelCaller, ModelRefused
from agent.loop.replies import MalformedReplyError, require_complete
from agent.loop.role import Decision, Notes, Reaction, RolePolicy, StepEvents
from agent.loop.thread_state import ThreadState, step_ids
from agent.model.role_model import RoleModel

MAX_MALFORMED_IN_A_ROW = 3
"""After this many unusable replies in a row a role gives up."""


class RoleState(TypedDict):
    """State of the graph. Only `state_json` is checkpointed; the other values live for one event."""

    state_json: str
    event: Annotated[Event, UntrackedValue]
    at_step: Annotated[int, UntrackedValue]
    reaction: Annotated[Reaction[Any], UntrackedValue]
    called: Annotated[ModelCalled | ModelRefused, UntrackedValue]
    decided: Annotated[tuple[Event, ...], UntrackedValue]


class Reacted(TypedDict):
    """What `react` adds to the state."""

    reaction: Reaction[Any]


class Called(TypedDict):
    """What `call_model` adds to the state."""

    called: ModelCalled | ModelRefused


class Decided(TypedDict):
    """What `decide` adds to the state."""

    state_json: str
    decided: tuple[Event, ...]


class ThreadMovedError(Exception):
    """The log shows that another event made this step: the thread state is outdated."""


def _moved(thread: ThreadState, event: Event, role: Role) -> ThreadMovedError:
    return ThreadMovedError(f"step {thread.step} of {event.run_id}:{role} belongs to another event than {event.id}")


@lru_cache(maxsize=4)
def parse_state(state_json: str | None) -> ThreadState:
    """Return the thread state, empty before the first event. Cached: one event parses it several times."""
    return ThreadState.model_validate_json(state_json) if state_json else ThreadState()


class RoleNodes(Generic[Notes]):
    """The nodes of one role."""

    def __init__(self, policy: RolePolicy[Notes], model: RoleModel, bus: Bus) -> None:
        self._policy = policy
        self._bus = bus
        self._summarizer = Summarizer(model, bus, policy.role)
        self._caller = ModelCaller(policy, model, bus, self._summarizer)
        self.role: Role = policy.role

    async def react(self, state: RoleState) -> Reacted:
        """Let the policy react to the event.

        The thread state may differ from the one that was read a moment ago, since other processes write it, too.
        """
        thread, event = parse_state(state.get("state_json")), state["event"]
        if thread.step != state["at_step"] or event.id in thread.consumed:
            raise _moved(thread, event, self.role)
        events = StepEvents(event, self.role, thread.step, position=thread.position)
        return {"reaction": await self._policy.on_event(event, self._notes(thread), events)}

    def after_reaction(self, state: RoleState) -> Literal["call_model", "decide"]:
        """Call the model only if the reaction asks for it."""
        return "call_model" if state["reaction"].model else "decide"

    async def call_model(self, state: RoleState) -> Called:
        """Call the model, unless its answer to this very step is already in the log."""
        thread, event = parse_state(state.get("state_json")), state["event"]
        called = await self._caller.call(thread, event, state["reaction"])
        if called is None:
            raise _moved(thread, event, self.role)
        return {"called": called}

    async def decide(self, state: RoleState) -> Decided:
        """Let the policy decide on the reply, publish the decisions, and return the state for the checkpoint.

        Decisions are published before the checkpoint: once an event counts as consumed, all of its effects are stored.
        """
        thread, event, reaction = parse_state(state.get("state_json")), state["event"], state["reaction"]
        new_thread = thread.model_copy(update={"messages": (*thread.messages, *reaction.messages)})
        decision = Decision(notes=reaction.notes, decided=())
        if reaction.model:
            new_thread, decision = await self._decide_on_reply(new_thread, state)
        decided = (*reaction.decided, *decision.decided)
        ids = step_ids(event.run_id, self.role, thread.step)
        has_call = bool(reaction.model) and isinstance(state["called"], ModelCalled)
        await self._publish(thread, event, decided)
        new_thread = new_thread.after_event(event, made_step=has_call or any(each.id in ids for each in decided))
        new_thread = new_thread.with_entries(decided, count_steps(thread.messages))
        new_thread = new_thread.model_copy(update={"notes_json": decision.notes.model_dump_json()})
        return {"state_json": new_thread.model_dump_json(), "decided": decided}

    async def _publish(self, thread: ThreadState, event: Event, decided: tuple[Event, ...]) -> None:
        """Publish the decisions; raise `ThreadMovedError` if the step's first decision is another event's."""
        ids = step_ids(event.run_id, self.role, thread.step)
        for each in decided:
            if await self._bus.publish(each) or each.id not in ids:
                continue
            stored = await self._bus.find(event.run_id, self.role, each.id)
            if stored is None or stored.causation_id != event.id:
                raise _moved(thread, event, self.role)

    def _notes(self, thread: ThreadState) -> Notes:
        notes_class = self._policy.notes_class
        return notes_class.model_validate_json(thread.notes_json) if thread.notes_json else notes_class()

    async def _decide_on_reply(self, thread: ThreadState, state: RoleState) -> tuple[ThreadState, Decision[Notes]]:
        """Return thread state and decision after a reply. A malformed reply is never shown to the model again."""
        called, reaction = state["called"], state["reaction"]
        new_messages = () if isinstance(called, ModelRefused) else called.new_messages
        token = thread.timeline_tokens + tokens_of_messages(new_messages)
        position = TimelinePosition(bookmark=thread.bookmark.after(reaction.decided), token=token)
        events = StepEvents(state["event"], self.role, thread.step, 1 + len(reaction.decided), position)
        if isinstance(called, ModelRefused):
            return thread, self._policy.give_up(called.problem, reaction.notes, events)
        thread = await self._summarizer.restore(thread, called)
        tokens = token + tokens_of_messages([called.reply])
        thread = thread.model_copy(
            update={"spent": called.spent, "condensed": called.condensed, "timeline_tokens": tokens}
        )
        try:
            require_complete(called)
            decision = await self._policy.on_reply(called.reply, reaction.notes, events)
        except MalformedReplyError as error:
            return self._reject(thread, str(error), called.model, reaction.notes, events)
        messages = (*thread.messages, called.reply)
        update = {"messages": messages, "recorded_messages": len(messages), "malformed_in_a_row": 0}
        return thread.model_copy(update=update), decision

    def _reject(
        self, thread: ThreadState, problem: str, model: str, notes: Notes, events: StepEvents
    ) -> tuple[ThreadState, Decision[Notes]]:
        attempt = thread.malformed_in_a_row + 1
        thread = thread.model_copy(update={"recorded_messages": len(thread.messages), "malformed_in_a_row": attempt})
        if attempt >= MAX_MALFORMED_IN_A_ROW:
            detail = f"{attempt} replies of {model} in a row could not be used; the last: {problem}"
            return thread, self._policy.give_up(detail, notes, events)
        rejected = events.next(ReplyRejected, problem=problem, attempt=attempt)
        return thread, Decision(notes=notes, decided=(rejected,))
