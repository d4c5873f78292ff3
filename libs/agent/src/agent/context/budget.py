"""How far a conversation must be condensed to fit the budget: the oldest first, and no more than needed."""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from contracts.models.conversation import Condensed, Message
from pydantic import BaseModel

from agent.context.images import images_of, limit_images
from agent.context.prompt_renderer import RULE, PromptRenderer
from agent.context.stand_ins import Memories, replies_in
from agent.context.token_estimate import tokens_of_tools

KEPT_WHOLE = 4
"""The newest steps stay as they are while there is another way."""
MOST_LINES = 24
"""Of single steps, each told in one; when there are more, the older half gives way to the journal, or a summary."""
_AIM = 0.7
"""Of the budget: room for several steps is freed at once, so that their prompts begin alike, which caches live on."""
_SHORTEST_CUT_CHARS = 400


class PromptBudgetError(Exception):
    """System prompt and task alone do not fit. The text names the setting."""

    def __init__(self, told: str, least_tokens: int) -> None:
        super().__init__(told)
        self.least_tokens = least_tokens
        """What the shortest prompt takes, estimated."""


@dataclass(frozen=True)
class Prompt:
    """What a model is sent, and how it came about."""

    messages: tuple[Message, ...]
    condensed: Condensed
    tokens: int
    """Estimated, tools included."""


def fit_prompt(  # noqa: PLR0913 - all that a prompt depends on
    budget_tokens: int | None,
    messages: Sequence[Message],
    before: Condensed,
    tools: Sequence[type[BaseModel]],
    *,
    max_images: int,
    memories: Memories | None = None,
) -> Prompt:
    """Return the conversation condensed so that prompt and tools take at most the budget; raise `PromptBudgetError`.

    `before` is how it was condensed for the call before. Without a budget all texts are sent. Of the pictures at most
    the newest `most_images` are; with 0, captions alone.
    """
    telling, beside_tokens = PromptRenderer(messages, memories or Memories()), tokens_of_tools(tools)
    if budget_tokens is None:
        condensed = limit_images(messages, Condensed(captioned_images=before.captioned_images), max_images, RULE)
    else:
        condensed = limit_images(messages, before, max_images, RULE)
        condensed = _condensed(telling, condensed, budget_tokens, beside_tokens)
    return Prompt(telling.prompt(condensed), condensed, telling.tokens(condensed) + beside_tokens)


def _condensed(telling: PromptRenderer, before: Condensed, budget_tokens: int, beside_tokens: int) -> Condensed:
    room = budget_tokens - beside_tokens
    condensed = before.model_copy(update={"longest_text_chars": None})
    if telling.tokens(condensed) <= room:
        return condensed
    condensed = condensed.model_copy(update={"rule": RULE})
    for part, most, goal in _ways(telling.messages, int(_AIM * room), room):
        if telling.tokens(condensed) <= goal:
            break
        condensed = _further(telling, condensed, part, most, goal)
        if part == "summarised_steps":
            condensed = _with_few_lines(condensed)
    if telling.tokens(condensed) <= room:
        return condensed
    return _cut(telling, condensed, budget_tokens, beside_tokens)


def _ways(messages: Sequence[Message], aim: int, room: int) -> Iterator[tuple[str, int, int]]:
    """Yield what may be done in turn, how far at most, and until how many tokens are left."""
    steps, images = replies_in(messages), len(images_of(messages))
    old, all_but_newest = max(0, steps - KEPT_WHOLE), max(0, steps - 1)
    yield "shortened_steps", old, aim
    yield "captioned_images", images - len(messages[-1].images), aim
    yield "summarised_steps", old, aim
    yield "folded_steps", old, room
    yield "forgotten_steps", old, room
    yield "shortened_steps", all_but_newest, room
    yield "summarised_steps", all_but_newest, room
    yield "folded_steps", all_but_newest, room
    yield "forgotten_steps", all_but_newest, room
    yield "captioned_images", images, room
    yield "shortened_steps", steps, room  # the newest reply; its answer stays


def _with_few_lines(condensed: Condensed) -> Condensed:
    lines = condensed.summarised_steps - condensed.folded_steps
    if lines <= MOST_LINES:
        return condensed
    return condensed.model_copy(update={"folded_steps": condensed.summarised_steps - MOST_LINES // 2})


def _further(telling: PromptRenderer, condensed: Condensed, part: str, most: int, goal: int) -> Condensed:
    """Return the first condensing by more steps of one kind that reaches the goal, or else by the most of them."""

    def by(count: int) -> Condensed:
        return condensed.model_copy(update={part: count})

    counts = range(getattr(condensed, part), most + 1)
    if not counts:
        return condensed
    found = bisect_left(counts, True, key=lambda count: telling.tokens(by(count)) <= goal)
    return by(counts[min(found, len(counts) - 1)])


def _cut(telling: PromptRenderer, condensed: Condensed, budget_tokens: int, beside_tokens: int) -> Condensed:
    chars = max(len(message.text) for message in telling.messages)
    while chars >= _SHORTEST_CUT_CHARS:
        cut = condensed.model_copy(update={"longest_text_chars": chars})
        if telling.tokens(cut) + beside_tokens <= budget_tokens:
            return cut
        chars = chars * 3 // 4
    shortest = condensed.model_copy(update={"longest_text_chars": _SHORTEST_CUT_CHARS})
    least = telling.tokens(shortest) + beside_tokens
    if least <= budget_tokens:
        return shortest
    raise PromptBudgetError(
        f"the prompt takes at least {least} tokens (estimated), and MODEL_PROMPT_BUDGET_TOKENS allows {budget_tokens}: "
        f"raise it to {2 * least} or more",
        least,
    )
