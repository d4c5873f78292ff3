"""A role's own memory of its oldest steps: summed up by its model, once a prompt has no room for them."""

import logging
from collections.abc import Sequence
from typing import Protocol
from uuid import UUID, uuid5

from contracts.envelope import Event, Role
from contracts.events.conversation import ModelCalled
from contracts.models.conversation import Message
from pydantic import BaseModel

from agent.context.budget import fit_prompt
from agent.context.stand_ins import summary_in
from agent.context.summary_request import prompt_digest, question_about, with_summary
from agent.context.token_estimate import tokens_of_messages
from agent.loop.thread_state import ThreadState
from agent.model.failures import ModelRefusedError, PromptTooLongError
from agent.model.prices import add_usage
from agent.model.role_model import RoleModel

_log = logging.getLogger(__name__)


class Ledger(Protocol):
    """The log, as far as a recollection needs it."""

    async def publish(self, event: Event) -> bool:
        """Store an event; False: another one already lies at its id."""
        ...

    async def find(self, run_id: UUID, role: Role, id: UUID) -> Event | None:  # noqa: A002 - the chassis' word
        """Return the event with this id, if it was stored."""
        ...


class Summarizer:
    """Sums up, and finds what was summed up: at most once in each step of a thread."""

    def __init__(self, model: RoleModel, ledger: Ledger, role: Role) -> None:
        self._model = model
        self._ledger = ledger
        self._role: Role = role

    async def before_call(
        self,
        memory: ThreadState,
        event: Event,
        messages: Sequence[Message],
        name: str,
        tools: Sequence[type[BaseModel]],
    ) -> ThreadState:
        """Return the memory with a summary of the steps that the next prompt would fold, if the model `name` sums up.

        Raises what `RoleModel.answer` raises; a model that will not sum up goes on with its journal alone.
        """
        budget_tokens = self._model.prompt_budget_tokens(name)
        if budget_tokens is None or not self._model.summarizes(name):
            return memory
        images = self._model.max_images(name)
        prompt = fit_prompt(
            budget_tokens, messages, memory.condensed, tools, max_images=images, memories=memory.memories
        )
        last_step = prompt.condensed.folded_steps
        if last_step <= memory.memories.summary.steps:
            return memory
        question = question_about(messages, memory.memories, last_step, budget_tokens)
        try:
            called = await self._called(memory, event, question, name, last_step)
        except (ModelRefusedError, PromptTooLongError) as error:
            _log.warning("%s of run %s goes on without a summary: %s", self._role, event.run_id, error)
            return memory
        return _after(memory, called)

    async def again(self, memory: ThreadState, called: ModelCalled) -> ThreadState:
        """Return the memory with the summary that this call's prompt was made with."""
        if called.condensed.recollected_steps == memory.memories.summary.steps:
            return memory
        stored = await self._ledger.find(called.run_id, self._role, _id(called.run_id, self._role, called.step))
        return _after(memory, stored) if isinstance(stored, ModelCalled) else memory

    async def _called(
        self, memory: ThreadState, event: Event, question: Message, name: str, last_step: int
    ) -> ModelCalled:
        """Return the recorded call of this step, made now if there is none."""
        call_id = _id(event.run_id, self._role, memory.step)
        stored = await self._ledger.find(event.run_id, self._role, call_id)
        if isinstance(stored, ModelCalled):
            return stored
        answer = await self._model.answer(name, [question], (), event.run_id)
        called = ModelCalled(
            id=call_id,
            run_id=event.run_id,
            kind=event.kind,
            role=self._role,
            causation_id=event.id,
            producer=self._role,
            model=name,
            step=memory.step,
            purpose="memory",
            prompt_digest=prompt_digest(),
            new_messages=(question,),
            condensed=memory.condensed.model_copy(update={"recollected_steps": last_step}),
            prompt_tokens=tokens_of_messages([question]),
            reply=answer.reply,
            ending=answer.ending,
            usage=answer.usage,
            spent=add_usage(memory.spent, answer.usage),
        )
        if await self._ledger.publish(called):
            return called
        stored = await self._ledger.find(event.run_id, self._role, call_id)
        return stored if isinstance(stored, ModelCalled) else called


def _after(memory: ThreadState, called: ModelCalled) -> ThreadState:
    summary = summary_in(called)
    if summary is None:
        return memory.model_copy(update={"spent": called.spent})
    memories = memory.memories.model_copy(update={"summary": summary})
    condensed = with_summary(memory.condensed, summary)
    return memory.model_copy(update={"spent": called.spent, "memories": memories, "condensed": condensed})


def _id(run_id: UUID, role: Role, step: int) -> UUID:
    return uuid5(run_id, f"{role}:{step}:memory")
