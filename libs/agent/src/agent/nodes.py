"""The three nodes of every role's graph: remember, think, act."""

from typing import Annotated, Any, Generic, Literal, Protocol, TypedDict
from uuid import UUID

from contracts.conversation import ModelCalled, ReplyRejected
from contracts.envelope import Event, Role, request_id
from langgraph.channels.untracked_value import UntrackedValue  # pyright: ignore[reportMissingTypeStubs] - LangGraph ships none

from agent.conduct import Acted, Conduct, Heard, Notes, Pen
from agent.memory import Memory
from agent.models import RoleModel
from agent.replies import MalformedReplyError

MAX_MALFORMED_IN_A_ROW = 3
"""After this many unreadable replies a role gives up."""


class Ledger(Protocol):
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


class RoleState(TypedDict):
    """What flows through the graph. Only `memory_json` is checkpointed; the rest lives for one event."""

    memory_json: str
    heard: Annotated[Event, UntrackedValue]
    meaning: Annotated[Heard[Any], UntrackedValue]
    called: Annotated[ModelCalled, UntrackedValue]
    decided: Annotated[tuple[Event, ...], UntrackedValue]


class Remembered(TypedDict):
    """What `remember` adds to the state."""

    meaning: Heard[Any]


class Thought(TypedDict):
    """What `think` adds to the state."""

    called: ModelCalled


class Done(TypedDict):
    """What `act` leaves behind."""

    memory_json: str
    decided: tuple[Event, ...]


class ThreadMovedError(Exception):
    """Another process moved this thread on another event; come back when its checkpoint is stored."""


def memory_from(stored: str | None) -> Memory:
    """Return the thread's memory, empty before its first event."""
    return Memory.model_validate_json(stored) if stored else Memory()


class RoleNodes(Generic[Notes]):
    """The nodes of one role."""

    def __init__(self, conduct: Conduct[Notes], model: RoleModel, ledger: Ledger) -> None:
        self._conduct = conduct
        self._model = model
        self._ledger = ledger
        self.role = conduct.role

    async def remember(self, state: RoleState) -> Remembered:
        """Say what the event means to this role; some events are decided without thinking."""
        memory, event = memory_from(state.get("memory_json")), state["heard"]
        pen = Pen(event, self._conduct.role, memory.step)
        return {"meaning": await self._conduct.remember(event, self._notes(memory), pen)}

    def way_on(self, state: RoleState) -> Literal["think", "act"]:
        """Think only when there is a question."""
        return "think" if state["meaning"].model else "act"

    async def think(self, state: RoleState) -> Thought:
        """Call the model, unless its answer to this very step is already in the log."""
        memory, event, meaning = memory_from(state.get("memory_json")), state["heard"], state["meaning"]
        call_id = request_id(event.run_id, self._conduct.role, memory.step)
        stored = await self._ledger.find(event.run_id, self._conduct.role, call_id)
        if stored is None:
            called = await self._call(memory, event, meaning)
            if await self._ledger.publish(called):
                return {"called": called}
            stored = await self._ledger.find(event.run_id, self._conduct.role, call_id)
        if not isinstance(stored, ModelCalled) or stored.causation_id != event.id:
            raise ThreadMovedError(
                f"step {memory.step} of {event.run_id}:{self._conduct.role} belongs to another event"
            )
        return {"called": stored}

    async def act(self, state: RoleState) -> Done:
        """Turn the reply into decisions, and remember all of it at once: the last thing before the checkpoint."""
        memory, event, meaning = memory_from(state.get("memory_json")), state["heard"], state["meaning"]
        memory = memory.model_copy(update={"messages": (*memory.messages, *meaning.says)})
        acted = Acted(notes=meaning.notes, decided=())
        if meaning.model:
            memory, acted = await self._take(memory, state)
        decided = (*meaning.decided, *acted.decided)
        memory = memory.after(event, decided).model_copy(update={"notes_json": acted.notes.model_dump_json()})
        return {"memory_json": memory.model_dump_json(), "decided": decided}

    def _notes(self, memory: Memory) -> Notes:
        conduct = self._conduct
        return (
            conduct.notes_class.model_validate_json(memory.notes_json) if memory.notes_json else conduct.notes_class()
        )

    async def _call(self, memory: Memory, event: Event, meaning: Heard[Notes]) -> ModelCalled:
        messages = (*memory.messages, *meaning.says)
        answer = await self._model.answer(meaning.model, messages, self._conduct.tools)
        return ModelCalled(
            id=request_id(event.run_id, self._conduct.role, memory.step),
            run_id=event.run_id,
            kind=event.kind,
            role=self._conduct.role,
            causation_id=event.id,
            producer=self._conduct.role,
            model=meaning.model,
            step=memory.step,
            prompt_digest=self._conduct.prompt_digest,
            new_messages=messages[memory.seen_by_model :],
            reply=answer.reply,
            usage=answer.usage,
        )

    async def _take(self, memory: Memory, state: RoleState) -> tuple[Memory, Acted[Notes]]:
        """Return memory and decisions after a reply. A malformed reply is answered for, never shown again."""
        reply, meaning = state["called"].reply, state["meaning"]
        pen = Pen(state["heard"], self._conduct.role, memory.step, first_ordinal=1 + len(meaning.decided))
        try:
            acted = await self._conduct.act(reply, meaning.notes, pen)
        except MalformedReplyError as error:
            return self._refuse(memory, str(error), meaning, pen)
        messages = (*memory.messages, reply)
        update = {"messages": messages, "seen_by_model": len(messages), "malformed_in_a_row": 0}
        return memory.model_copy(update=update), acted

    def _refuse(self, memory: Memory, problem: str, meaning: Heard[Notes], pen: Pen) -> tuple[Memory, Acted[Notes]]:
        attempt = memory.malformed_in_a_row + 1
        update = {"seen_by_model": len(memory.messages), "malformed_in_a_row": attempt}
        if attempt >= MAX_MALFORMED_IN_A_ROW:
            detail = f"{attempt} replies of {meaning.model} in a row could not be read; the last: {problem}"
            return memory.model_copy(update=update), self._conduct.give_up(detail, meaning.notes, pen)
        rejected = pen.write(ReplyRejected, problem=problem, attempt=attempt)
        return memory.model_copy(update=update), Acted(notes=meaning.notes, decided=(rejected,))
