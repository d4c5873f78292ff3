"""The three nodes of every role's graph: remember, think, act."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated, Any, Generic, Literal, Protocol, TypedDict
from uuid import UUID

from contracts.envelope import Event, Role
from contracts.events.conversation import ModelCalled, ReplyRejected
from langgraph.channels.untracked_value import UntrackedValue  # pyright: ignore[reportMissingTypeStubs] - LangGraph ships none

from agent.context.budget import PromptBudgetError
from agent.context.stand_ins import replies_in
from agent.context.summarizer import Summarizer
from agent.context.token_estimate import tokens_of_messages
from agent.journal.bookmark import Place
from agent.loop.replies import MalformedReplyError, require_complete
from agent.loop.role import Decision, Notes, Reaction, RolePolicy, StepEvents
from agent.loop.thread_state import ThreadState, step_ids
from agent.model.budgeted_call import Question, call_within_budget
from agent.model.failures import ModelRefusedError, ModelUnavailableError
from agent.model.prices import add_usage
from agent.model.role_model import RoleModel

MAX_MALFORMED_IN_A_ROW = 3
"""After this many unreadable replies a role gives up."""


class EventLog(Protocol):
    """The log, as far as a conversation needs it."""

    async def publish(self, event: Event) -> bool:
        """Store an event; False: another one already lies at its id."""
        ...

    async def find(self, run_id: UUID, role: Role, id: UUID) -> Event | None:  # noqa: A002 - the chassis' word
        """Return the event with this id, if it was stored."""
        ...

    async def history(self, run_id: UUID) -> list[Event]:
        """Return every event of the run, in order."""
        ...


@dataclass(frozen=True)
class ModelRefused:
    """The model will not answer, however often it is asked."""

    problem: str


class RoleState(TypedDict):
    """What flows through the graph. Only `memory_json` is checkpointed; the rest lives for one event."""

    memory_json: str
    heard: Annotated[Event, UntrackedValue]
    at_step: Annotated[int, UntrackedValue]
    meaning: Annotated[Reaction[Any], UntrackedValue]
    called: Annotated[ModelCalled | ModelRefused, UntrackedValue]
    decided: Annotated[tuple[Event, ...], UntrackedValue]


class Remembered(TypedDict):
    """What `remember` adds to the state."""

    meaning: Reaction[Any]


class Thought(TypedDict):
    """What `think` adds to the state."""

    called: ModelCalled | ModelRefused


class Done(TypedDict):
    """What `act` leaves behind."""

    memory_json: str
    decided: tuple[Event, ...]


class ThreadMovedError(Exception):
    """The log says that another event made this step: the memory of the thread is old."""


def moved(memory: ThreadState, event: Event, role: Role) -> ThreadMovedError:
    """Return what to raise when a step turns out to be another event's."""
    return ThreadMovedError(f"step {memory.step} of {event.run_id}:{role} belongs to another event than {event.id}")


@lru_cache(maxsize=4)
def memory_from(stored: str | None) -> ThreadState:
    """Return the thread's memory, empty before its first event. One event reads it several times."""
    return ThreadState.model_validate_json(stored) if stored else ThreadState()


class RoleNodes(Generic[Notes]):
    """The nodes of one role."""

    def __init__(self, policy: RolePolicy[Notes], model: RoleModel, ledger: EventLog) -> None:
        self._policy = policy
        self._model = model
        self._ledger = ledger
        self._recollection = Summarizer(model, ledger, policy.role)
        self.role: Role = policy.role

    async def remember(self, state: RoleState) -> Remembered:
        """Say what the event means to this role; some events are decided without thinking.

        The memory may be another than the one that was looked at a moment ago, since other processes write it, too.
        """
        memory, event = memory_from(state.get("memory_json")), state["heard"]
        if memory.step != state["at_step"] or event.id in memory.heard:
            raise moved(memory, event, self.role)
        place = Place(bookmark=memory.bookmark, token=memory.timeline_tokens)
        pen = StepEvents(event, self._policy.role, memory.step, place=place)
        return {"meaning": await self._policy.on_event(event, self._notes(memory), pen)}

    def way_on(self, state: RoleState) -> Literal["think", "act"]:
        """Think only when there is a question."""
        return "think" if state["meaning"].model else "act"

    async def think(self, state: RoleState) -> Thought:
        """Call the model, unless its answer to this very step is already in the log."""
        memory, event, meaning = memory_from(state.get("memory_json")), state["heard"], state["meaning"]
        call_id, _ = step_ids(event.run_id, self.role, memory.step)
        stored = await self._ledger.find(event.run_id, self.role, call_id)
        if stored is None:
            try:
                called = await self._call(memory, event, meaning)
            except (ModelRefusedError, ModelUnavailableError, PromptBudgetError) as error:
                return {"called": ModelRefused(str(error))}
            if await self._ledger.publish(called):
                return {"called": called}
            stored = await self._ledger.find(event.run_id, self.role, call_id)
        if not isinstance(stored, ModelCalled) or stored.causation_id != event.id:
            raise moved(memory, event, self.role)
        return {"called": stored}

    async def act(self, state: RoleState) -> Done:
        """Turn the reply into decisions, tell them, and remember all of it at once: the last before the checkpoint.

        What is remembered has been told, so that a thread that heard an event owes nothing on it any more.
        """
        memory, event, meaning = memory_from(state.get("memory_json")), state["heard"], state["meaning"]
        then = memory.model_copy(update={"messages": (*memory.messages, *meaning.messages)})
        acted = Decision(notes=meaning.notes, decided=())
        if meaning.model:
            then, acted = await self._take(then, state)
        decided = (*meaning.decided, *acted.decided)
        marks = step_ids(event.run_id, self.role, memory.step)
        called = bool(meaning.model) and isinstance(state["called"], ModelCalled)
        has_moved = called or any(each.id in marks for each in decided)
        await self._tell(memory, event, decided)
        then = then.after(event, moved=has_moved).noting(decided, replies_in(memory.messages))
        then = then.model_copy(update={"notes_json": acted.notes.model_dump_json()})
        return {"memory_json": then.model_dump_json(), "decided": decided}

    async def _tell(self, memory: ThreadState, event: Event, decided: tuple[Event, ...]) -> None:
        """Publish what was decided; if the step's first decision is another's, the step was not ours to make."""
        marks = step_ids(event.run_id, self.role, memory.step)
        for each in decided:
            if await self._ledger.publish(each) or each.id not in marks:
                continue
            stored = await self._ledger.find(event.run_id, self.role, each.id)
            if stored is None or stored.causation_id != event.id:
                raise moved(memory, event, self.role)

    def _notes(self, memory: ThreadState) -> Notes:
        conduct = self._policy
        return (
            conduct.notes_class.model_validate_json(memory.notes_json) if memory.notes_json else conduct.notes_class()
        )

    async def _call(self, memory: ThreadState, event: Event, meaning: Reaction[Notes]) -> ModelCalled:
        call_id, _ = step_ids(event.run_id, self.role, memory.step)
        messages = (*memory.messages, *meaning.messages)
        name = self._model.resolve_name(meaning.model)
        tools = self._policy.tools if meaning.tools is None else meaning.tools
        memory = await self._recollection.before_call(memory, event, messages, name, tools)
        question = Question(event.run_id, messages, memory.condensed, tools, memory.memories)
        prompt, answer = await call_within_budget(self._model, name, question)
        return ModelCalled(
            id=call_id,
            run_id=event.run_id,
            kind=event.kind,
            role=self.role,
            causation_id=event.id,
            producer=self.role,
            model=name,
            step=memory.step,
            prompt_digest=self._policy.prompt_digest,
            new_messages=messages[memory.seen_by_model :],
            condensed=prompt.condensed,
            prompt_tokens=prompt.tokens,
            reply=answer.reply,
            ending=answer.ending,
            usage=answer.usage,
            spent=add_usage(memory.spent, answer.usage),
        )

    async def _take(self, memory: ThreadState, state: RoleState) -> tuple[ThreadState, Decision[Notes]]:
        """Return memory and decisions after a reply. A malformed reply is answered for, never shown again."""
        called, meaning = state["called"], state["meaning"]
        told = () if isinstance(called, ModelRefused) else called.new_messages
        token = memory.timeline_tokens + tokens_of_messages(told)
        place = Place(bookmark=memory.bookmark.after(meaning.decided), token=token)
        pen = StepEvents(state["heard"], self.role, memory.step, 1 + len(meaning.decided), place)
        if isinstance(called, ModelRefused):
            return memory, self._policy.give_up(called.problem, meaning.notes, pen)
        memory = await self._recollection.again(memory, called)
        tokens = token + tokens_of_messages([called.reply])
        memory = memory.model_copy(
            update={"spent": called.spent, "condensed": called.condensed, "timeline_tokens": tokens}
        )
        try:
            require_complete(called)
            acted = await self._policy.on_reply(called.reply, meaning.notes, pen)
        except MalformedReplyError as error:
            return self._refuse(memory, str(error), called.model, meaning.notes, pen)
        messages = (*memory.messages, called.reply)
        update = {"messages": messages, "seen_by_model": len(messages), "malformed_in_a_row": 0}
        return memory.model_copy(update=update), acted

    def _refuse(
        self, memory: ThreadState, problem: str, model: str, notes: Notes, pen: StepEvents
    ) -> tuple[ThreadState, Decision[Notes]]:
        attempt = memory.malformed_in_a_row + 1
        update = {"seen_by_model": len(memory.messages), "malformed_in_a_row": attempt}
        if attempt >= MAX_MALFORMED_IN_A_ROW:
            detail = f"{attempt} replies of {model} in a row could not be used; the last: {problem}"
            return memory.model_copy(update=update), self._policy.give_up(detail, notes, pen)
        rejected = pen.next(ReplyRejected, problem=problem, attempt=attempt)
        return memory.model_copy(update=update), Decision(notes=notes, decided=(rejected,))
