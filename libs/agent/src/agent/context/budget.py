"""Fits a conversation into the prompt budget: oldest steps are condensed first, and no more than needed."""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from contracts.models.conversation import Condensed, Message
from pydantic import BaseModel

from agent.context.prompt_renderer import RULE, PromptRenderer, images_of, limit_images
from agent.context.stand_ins import StandIns, count_steps
from agent.token_estimate import tokens_of_message, tokens_of_tools

WHOLE_STEPS = 4
"""The newest steps stay whole as long as condensing older ones is enough."""
MAX_STEP_LINES = 24
"""If more steps are shown in one line each, the older half is folded into journal entries or a summary."""
_TARGET = 0.7
"""Share of the budget: space for several steps is freed at once; prompts that begin alike can be cached."""
_MIN_TEXT_CHARS = 400
_SYSTEM_SHARE = 0.5
"""Share of the budget: a longer system prompt, with its tools, is replaced by its gist, so that the work has space."""


class PromptBudgetError(Exception):
    """System prompt and task alone do not fit. The message names the setting."""

    def __init__(self, problem: str, min_tokens: int) -> None:
        super().__init__(problem)
        self.min_tokens = min_tokens
        """Estimated tokens of the shortest possible prompt."""


@dataclass(frozen=True)
class Prompt:
    """The messages for a model, and how they were condensed."""

    messages: tuple[Message, ...]
    condensed: Condensed
    tokens: int
    """Estimated, tools included."""


def fit_prompt(  # noqa: PLR0913 - everything that a prompt depends on
    budget_tokens: int | None,
    messages: Sequence[Message],
    before: Condensed,
    tools: Sequence[type[BaseModel]],
    *,
    max_images: int,
    stand_ins: StandIns | None = None,
) -> Prompt:
    """Return the conversation condensed so that prompt and tools take at most the budget; raise `PromptBudgetError`.

    `before` is the condensing of the previous call. Without a budget all texts are sent. At most the newest
    `max_images` pictures are sent; with 0, only captions.
    """
    renderer, tool_tokens = PromptRenderer(messages, stand_ins), tokens_of_tools(tools)
    if budget_tokens is None:
        condensed = limit_images(messages, Condensed(captioned_images=before.captioned_images), max_images, RULE)
    else:
        condensed = limit_images(messages, before, max_images, RULE)
        condensed = _condense(renderer, condensed, budget_tokens, tool_tokens)
    return Prompt(renderer.render(condensed), condensed, renderer.tokens(condensed) + tool_tokens)


def _condense(renderer: PromptRenderer, before: Condensed, budget_tokens: int, tool_tokens: int) -> Condensed:
    available = budget_tokens - tool_tokens
    condensed = _with_system_that_fits(renderer.messages[0], before, budget_tokens, tool_tokens)
    condensed = condensed.model_copy(update={"longest_text_chars": None})
    if renderer.tokens(condensed) <= available:
        return condensed
    condensed = condensed.model_copy(update={"rule": RULE})
    for field, limit, goal in _measures(renderer.messages, int(_TARGET * available), available):
        if renderer.tokens(condensed) <= goal:
            break
        condensed = _extend(renderer, condensed, field, limit, goal)
        if field == "summarised_steps":
            condensed = _limit_step_lines(condensed)
    if renderer.tokens(condensed) <= available:
        return condensed
    return _cut_texts(renderer, condensed, budget_tokens, tool_tokens)


def _with_system_that_fits(system: Message, before: Condensed, budget_tokens: int, tool_tokens: int) -> Condensed:
    is_long = tokens_of_message(system) + tool_tokens > _SYSTEM_SHARE * budget_tokens
    if system.author != "system" or not system.gist or not is_long:
        return before
    return before.model_copy(update={"short_system": True, "rule": RULE})


def _measures(messages: Sequence[Message], target: int, available: int) -> Iterator[tuple[str, int, int]]:
    """Yield the measures in order: the field of `Condensed`, its highest value, and the tokens to reach."""
    steps, images = count_steps(messages), len(images_of(messages))
    old, all_but_newest = max(0, steps - WHOLE_STEPS), max(0, steps - 1)
    yield "shortened_steps", old, target
    yield "captioned_images", images - len(messages[-1].images), target
    yield "summarised_steps", old, target
    yield "folded_steps", old, available
    yield "forgotten_steps", old, available
    yield "shortened_steps", all_but_newest, available
    yield "summarised_steps", all_but_newest, available
    yield "folded_steps", all_but_newest, available
    yield "forgotten_steps", all_but_newest, available
    yield "captioned_images", images, available
    yield "shortened_steps", steps, available  # shortens the newest reply; its answer stays whole


def _limit_step_lines(condensed: Condensed) -> Condensed:
    lines = condensed.summarised_steps - condensed.folded_steps
    if lines <= MAX_STEP_LINES:
        return condensed
    return condensed.model_copy(update={"folded_steps": condensed.summarised_steps - MAX_STEP_LINES // 2})


def _extend(renderer: PromptRenderer, condensed: Condensed, field: str, limit: int, goal: int) -> Condensed:
    """Return `condensed` with `field` raised to the smallest value that reaches the goal, or else to the limit."""

    def with_count(count: int) -> Condensed:
        return condensed.model_copy(update={field: count})

    counts = range(getattr(condensed, field), limit + 1)
    if not counts:
        return condensed
    found = bisect_left(counts, True, key=lambda count: renderer.tokens(with_count(count)) <= goal)
    return with_count(counts[min(found, len(counts) - 1)])


def _cut_texts(renderer: PromptRenderer, condensed: Condensed, budget_tokens: int, tool_tokens: int) -> Condensed:
    chars = max(len(message.text) for message in renderer.messages)
    while chars >= _MIN_TEXT_CHARS:
        cut = condensed.model_copy(update={"longest_text_chars": chars})
        if renderer.tokens(cut) + tool_tokens <= budget_tokens:
            return cut
        chars = chars * 3 // 4
    shortest = condensed.model_copy(update={"longest_text_chars": _MIN_TEXT_CHARS})
    min_tokens = renderer.tokens(shortest) + tool_tokens
    if min_tokens <= budget_tokens:
        return shortest
    raise PromptBudgetError(
        f"the prompt takes at least {min_tokens} tokens (estimated), and MODEL_PROMPT_BUDGET_TOKENS allows "
        f"{budget_tokens}: raise it to {2 * min_tokens} or more",
        min_tokens,
    )
