"""One question to a model, with a prompt that its window holds."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from uuid import UUID

from contracts.models.conversation import Condensed, Message
from pydantic import BaseModel

from agent.context.budget import Prompt, PromptBudgetError, fit_prompt
from agent.context.stand_ins import Memories
from agent.model.failures import ModelRefusedError, PromptTooLongError
from agent.model.role_model import Answer, RoleModel

MOST_PROMPTS = 5
"""So often a prompt is made, each time shorter, when a provider says that it is too long."""
_SHORTER = 0.7
"""The next prompt, of the one that was refused."""


@dataclass(frozen=True)
class Question:
    """What a role wants answered."""

    run_id: UUID
    messages: Sequence[Message]
    """The whole conversation, uncondensed."""
    condensed: Condensed
    """How it was shortened for the call before."""
    tools: Sequence[type[BaseModel]]
    memories: Memories = field(default_factory=Memories)


async def call_within_budget(model: RoleModel, name: str, question: Question) -> tuple[Prompt, Answer]:
    """Return the prompt that was sent, and what the model called `name` answered.

    A provider that counts more tokens than were estimated refuses the prompt, which costs nothing: it gets a shorter
    one. Raise `PromptBudgetError` and what `RoleModel.answer` raises otherwise.
    """
    messages, before, tools = question.messages, question.condensed, question.tools
    budget_tokens, most_images = model.prompt_budget_tokens(name), model.max_images(name)
    fit = partial(fit_prompt, max_images=most_images, memories=question.memories)
    told, sent_tokens = "", 0
    for _ in range(MOST_PROMPTS):
        try:
            prompt = fit(budget_tokens, messages, before, tools)
        except PromptBudgetError as error:
            if not told:
                raise
            if error.least_tokens >= sent_tokens:
                break
            prompt = fit(error.least_tokens, messages, before, tools)
        try:
            return prompt, await model.answer(name, prompt.messages, tools, question.run_id)
        except PromptTooLongError as error:
            told, before, sent_tokens = str(error), prompt.condensed, prompt.tokens
            budget_tokens = int(_SHORTER * sent_tokens)
    raise ModelRefusedError(f"{told}; no shorter prompt can be made, or {MOST_PROMPTS} were too long")
