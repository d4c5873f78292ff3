"""From a conversation, and how it is to be condensed, to the prompt: a pure function, so that the log can tell it."""

from collections.abc import Sequence
from functools import lru_cache

from contracts.models.conversation import Condensed, Message

from agent.context.images import with_captions
from agent.context.stand_ins import MOST_CHARS, Memories, entries_within, gone
from agent.context.steps import Step, steps_of
from agent.context.token_estimate import tokens_of_message, tokens_of_messages
from agent.model.messages import user_message

RULE = 2
"""Grows whenever the same conversation would give another prompt."""
_KNOWN = frozenset({0, 1, RULE})
"""By 0 nothing was shortened; 1 knew no journal, no summaries, and no pictures that can be recalled."""


class UnknownPromptRuleError(ValueError):
    """The prompt was made by a rule of another version of this code."""


class PromptRenderer:
    """One conversation, told in prompts of different length. What is worked out for one of them serves the others."""

    def __init__(self, messages: Sequence[Message], memories: Memories) -> None:
        self.messages = tuple(messages)
        self._memories = memories
        self._steps = lru_cache(self._steps_with)

    def prompt(self, condensed: Condensed) -> tuple[Message, ...]:
        """Return what the model sees; raise `UnknownRuleError`.

        What was said before the first reply stays as it is, and so does the newest answer unless it is cut; their
        pictures, too, give way to captions.
        """
        if condensed.rule not in _KNOWN:
            raise UnknownPromptRuleError(f"a prompt made by rule {condensed.rule} cannot be told by rule {RULE}")
        if not condensed.rule:
            return self.messages
        head, after = self._parts(condensed)
        return (*head, *(_cut(message, condensed.longest_text_chars) for message in after))

    def tokens(self, condensed: Condensed) -> int:
        """Return how many tokens this prompt takes, estimated."""
        if not condensed.rule or condensed.longest_text_chars is not None:
            return tokens_of_messages(self.prompt(condensed))
        head, steps = self._steps_at(condensed)
        said = sum(_tokens_of(step, condensed, newest=step is steps[-1]) for step in _whole(steps, condensed))
        return tokens_of_messages((*head, *self._told(steps, condensed))) + said

    def _parts(self, condensed: Condensed) -> tuple[tuple[Message, ...], list[Message]]:
        head, steps = self._steps_at(condensed)
        after = self._told(steps, condensed)
        for step in _whole(steps, condensed):
            after += _said(step, condensed, newest=step is steps[-1])
        return head, after

    def _steps_at(self, condensed: Condensed) -> tuple[tuple[Message, ...], list[Step]]:
        return self._steps(condensed.captioned_images, condensed.captions_only, condensed.rule)

    def _steps_with(self, captioned: int, captions_only: bool, rule: int) -> tuple[tuple[Message, ...], list[Step]]:
        shown = Condensed(rule=rule, captioned_images=captioned, captions_only=captions_only)
        return steps_of(with_captions(self.messages, shown))

    def _told(self, steps: Sequence[Step], condensed: Condensed) -> list[Message]:
        """Return the message that tells the oldest steps, if any are only told."""
        if not condensed.summarised_steps:
            return []
        lines = [step.line for step in steps[condensed.folded_steps : condensed.summarised_steps]]
        if condensed.folded_steps:
            lines = [*self._folded(steps, condensed), *lines]
        return [user_message("# Your first steps, in short\n\n" + "\n".join(lines))]

    def _folded(self, steps: Sequence[Step], condensed: Condensed) -> list[str]:
        if condensed.rule == 1:
            return [gone(1, condensed.folded_steps)]
        summed, forgotten = condensed.recollected_steps, condensed.forgotten_steps
        lines = list[str]()
        if summed:
            lines.append(f"Steps 1 to {summed}, as you summed them up:\n\n{self._memories.summary.text[:MOST_CHARS]}\n")
        if forgotten > summed:
            lines.append(gone(summed + 1, forgotten))
        return [*lines, *self._noted(steps, max(summed, forgotten) + 1, condensed.folded_steps)]

    def _noted(self, steps: Sequence[Step], first: int, last: int) -> list[str]:
        """Return the journal's entries about these steps, and a line for each step that none of them is about."""
        told = dict(entries_within(self._memories, first, last))
        covered = {number for each in told for number in each}
        lines = {number: steps[number - 1].line for number in range(first, last + 1) if number not in covered}
        lines |= {each.start: line for each, line in told.items()}
        return [lines[number] for number in sorted(lines)]


def prompt_of(
    messages: Sequence[Message], condensed: Condensed, memories: Memories | None = None
) -> tuple[Message, ...]:
    """Return what the model sees of a conversation; raise `UnknownRuleError`."""
    return PromptRenderer(messages, memories or Memories()).prompt(condensed)


def _whole(steps: Sequence[Step], condensed: Condensed) -> Sequence[Step]:
    return steps[max(condensed.summarised_steps, condensed.folded_steps) :]


def _said(step: Step, condensed: Condensed, *, newest: bool) -> list[Message]:
    if step.number > condensed.shortened_steps:
        return [step.reply, *step.answers]
    return [step.shortened_reply, *(step.answers if newest else step.shortened_answers)]


def _tokens_of(step: Step, condensed: Condensed, *, newest: bool) -> int:
    if step.number > condensed.shortened_steps:
        return step.tokens
    if newest:
        return tokens_of_message(step.shortened_reply) + tokens_of_messages(step.answers)
    return step.shortened_tokens


def _cut(message: Message, chars: int | None) -> Message:
    """Return the message with at most so many characters of its text, from both ends."""
    if chars is None or len(message.text) <= chars:
        return message
    head, tail = message.text[: chars // 2], message.text[-(chars // 2) :]
    left_out = len(message.text) - len(head) - len(tail)
    note = f"\n… {left_out} characters are left out here: the prompt budget has no room for them …\n"
    return message.model_copy(update={"text": head + note + tail})
