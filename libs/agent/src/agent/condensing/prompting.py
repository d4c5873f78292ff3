"""From a conversation, and how it is to be condensed, to the prompt: a pure function, so that the log can tell it."""

from collections.abc import Sequence

from contracts.conversation import Condensed, Message

from agent.condensing.picturing import with_captions
from agent.condensing.steps import Step, line_of, shortened_answer, shortened_reply, steps_of
from agent.conversation import user

RULE = 1
"""Grows whenever the same conversation would give another prompt."""


class UnknownRuleError(ValueError):
    """The prompt was made by a rule of another version of this code."""


def prompt_of(messages: Sequence[Message], condensed: Condensed) -> tuple[Message, ...]:
    """Return what the model sees; raise `UnknownRuleError`.

    What was said before the first reply stays as it is, and so does the newest answer unless it is cut; their pictures,
    too, give way to captions.
    """
    if not condensed.rule:
        return tuple(messages)
    if condensed.rule != RULE:
        raise UnknownRuleError(f"a prompt made by rule {condensed.rule} cannot be told by rule {RULE}")
    head, steps = steps_of(with_captions(messages, condensed))
    after = [*_told(steps, condensed)]
    for step in steps[condensed.summarised_steps :]:
        after += _said(step, shortened=step.number <= condensed.shortened_steps, newest=step is steps[-1])
    return (*head, *(_cut(message, condensed.longest_text_chars) for message in after))


def _told(steps: Sequence[Step], condensed: Condensed) -> list[Message]:
    """Return the message that tells the oldest steps, if any are only told."""
    if not condensed.summarised_steps:
        return []
    lines = [line_of(step) for step in steps[condensed.folded_steps : condensed.summarised_steps]]
    if condensed.folded_steps:
        lines.insert(0, f"- steps 1 to {condensed.folded_steps}: too long ago to be told")
    return [user("# Your first steps, in short\n\n" + "\n".join(lines))]


def _said(step: Step, *, shortened: bool, newest: bool) -> list[Message]:
    if not shortened:
        return [step.reply, *step.answers]
    answers = step.answers if newest else map(shortened_answer, step.answers)
    return [shortened_reply(step), *answers]


def _cut(message: Message, chars: int | None) -> Message:
    """Return the message with at most so many characters of its text, from both ends."""
    if chars is None or len(message.text) <= chars:
        return message
    head, tail = message.text[: chars // 2], message.text[-(chars // 2) :]
    left_out = len(message.text) - len(head) - len(tail)
    note = f"\n… {left_out} characters are left out here: the prompt budget has no room for them …\n"
    return message.model_copy(update={"text": head + note + tail})
