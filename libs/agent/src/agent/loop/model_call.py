"""The model call of a step: restored from the event log, or made within the prompt budget and recorded."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any
from uuid import UUID

from chassis.bus import Bus
from contracts.envelope import Event, caused_by
from contracts.events.conversation import ModelCalled
from contracts.models.conversation import Condensed, Message
from pydantic import BaseModel

from agent.context.budget import Prompt, PromptBudgetError, fit_prompt
from agent.context.stand_ins import StandIns
from agent.loop.lost_replies import Ask, LostReplies, StepCall
from agent.loop.role import Reaction, RolePolicy
from agent.loop.summarizer import Summarizer
from agent.loop.thread_state import ThreadState, step_ids
from agent.model.failures import ModelRefusedError, ModelUnavailableError, PromptTooLongError
from agent.model.role_model import Answer, RoleModel
from agent.token_prices import add_usage

MAX_PROMPTS = 5
"""How many prompts, each shorter than the last, are tried when a provider rejects them as too long."""
_SHORTER = 0.7
"""Length of the next prompt relative to the rejected one."""


@dataclass(frozen=True)
class RefusedCall:
    """The model will not answer, however often it is called."""

    problem: str


@dataclass(frozen=True)
class Question:
    """Everything that a model call depends on besides the model."""

    run_id: UUID
    messages: Sequence[Message]
    """The whole conversation, not condensed."""
    condensed: Condensed
    """How the prompt of the previous call was condensed."""
    tools: Sequence[type[BaseModel]]
    stand_ins: StandIns = field(default_factory=StandIns)


class ModelCaller:
    """Makes the model calls of one role's threads, each of them once."""

    def __init__(self, policy: RolePolicy[Any], model: RoleModel, bus: Bus, summarizer: Summarizer) -> None:
        self._policy = policy
        self._model = model
        self._bus = bus
        self._summarizer = summarizer
        self._lost = LostReplies(bus, policy.role)

    async def call(self, state: ThreadState, event: Event, reaction: Reaction[Any]) -> ModelCalled | RefusedCall | None:
        """Return the recorded call of this step, made now if there is none; None: the step is another event's."""
        call_id, _ = step_ids(event.run_id, self._policy.role, state.step)
        stored = await self._bus.find(event.run_id, self._policy.role, call_id)
        if stored is None:
            try:
                called = await self._make(state, event, reaction, call_id)
            except (ModelRefusedError, ModelUnavailableError, PromptBudgetError) as error:
                return RefusedCall(str(error))
            if await self._bus.publish(called):
                return called
            stored = await self._bus.find(event.run_id, self._policy.role, call_id)
        return stored if isinstance(stored, ModelCalled) and stored.causation_id == event.id else None

    async def _make(self, state: ThreadState, event: Event, reaction: Reaction[Any], call_id: UUID) -> ModelCalled:
        messages = (*state.messages, *reaction.messages)
        name = self._model.resolve_name(reaction.model)
        tools = self._policy.tools if reaction.tools is None else reaction.tools
        state = await self._summarizer.summarize_before_call(state, event, messages, name, tools)
        question = Question(event.run_id, messages, state.condensed, tools, state.stand_ins)
        call = StepCall(event, state.step, name, "act")
        prompt, answer = await call_within_budget(self._model, name, question, partial(self._lost.guard, call))
        return ModelCalled(
            **caused_by(event, call_id, self._policy.role, self._policy.role),
            model=name,
            step=state.step,
            prompt_digest=self._policy.prompt_digest,
            new_messages=messages[state.recorded_messages :],
            condensed=prompt.condensed,
            prompt_tokens=prompt.tokens,
            reply=answer.reply,
            ending=answer.ending,
            usage=answer.usage,
            spent=add_usage(state.spent, answer.usage),
        )


async def call_within_budget(
    model: RoleModel, name: str, question: Question, guard: Callable[[Ask], Awaitable[Answer]]
) -> tuple[Prompt, Answer]:
    """Return the prompt that the model called `name` answered, and its answer. `guard` makes each call.

    A provider that counts more tokens than estimated rejects the prompt without charge; then a shorter one is tried.
    Raise `PromptBudgetError` and what `RoleModel.answer` raises otherwise.
    """
    messages, before, tools = question.messages, question.condensed, question.tools
    budget_tokens, max_images = model.prompt_budget_tokens(name), model.max_images(name)
    fit = partial(fit_prompt, max_images=max_images, stand_ins=question.stand_ins)
    problem, sent_tokens = "", 0
    for _ in range(MAX_PROMPTS):
        try:
            prompt = fit(budget_tokens, messages, before, tools)
        except PromptBudgetError as error:
            if not problem:
                raise
            if error.min_tokens >= sent_tokens:
                break
            prompt = fit(error.min_tokens, messages, before, tools)
        try:
            return prompt, await guard(partial(model.answer, name, prompt.messages, tools, question.run_id))
        except PromptTooLongError as error:
            problem, before, sent_tokens = str(error), prompt.condensed, prompt.tokens
            budget_tokens = int(_SHORTER * sent_tokens)
    raise ModelRefusedError(f"{problem}; no shorter prompt can be made, or {MAX_PROMPTS} were too long")
