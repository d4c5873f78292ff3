"""Renders a conversation as a prompt: whole, or with old steps shortened, in one line each, or replaced by stand-ins.

Old pictures become captions. Rendering is a pure function of messages, `Condensed` and stand-ins, so that the event log
alone restores each prompt.
"""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from contracts.models.conversation import Condensed, Message, Picture, ToolCall

from agent.context.stand_ins import StandIns, forgotten_line, journal_lines_within
from agent.context.summary_form import MAX_SUMMARY_CHARS
from agent.model.messages import user_message
from agent.token_estimate import tokens_of_message, tokens_of_messages

RULE = 2
"""Version of the rendering; grows whenever the same conversation would give another prompt."""
_KNOWN_RULES = frozenset({0, 1, RULE})
"""0: nothing was shortened; 1: without journal entries, summaries and ids of pictures."""
_SHORT_FORM_CHARS = 200
"""Of an answer without a short form: the first line, shortened."""
_LINE_CHARS = 240
_ARGUMENT_CHARS = 160
"""Longer texts in the arguments of an old tool call, such as whole files, are left out."""
_CELL_TOOL = "run_cell"
_CODE = re.compile(r"(?<=^```python\n).*?(?=^```)", re.DOTALL | re.MULTILINE)

MAX_IMAGE_BYTES = 3_750_000
"""Anthropic's API takes 5 MB of an image's base64 (its guide "Vision"), which has four bytes for three."""
MAX_EDGE_PX = 1568
"""Anthropic's API shrinks larger pictures before a model sees them, so nothing is lost by not sending more."""
_CAPTIONS_ONLY = "You cannot be sent pictures. Their captions"
_OLD_RULE_1 = "Pictures that are only named here, for a prompt has room for few; show again what you must see"
"""Text of rule 1: no picture had an id then."""
_OLD = 'Pictures that are only named here: a prompt has room for few; in a cell `recall("picture-1")` shows that again'
_TOO_LARGE = "Pictures that are too large to be sent; show them smaller"


def is_sendable(image: Picture) -> bool:
    """Return whether providers accept a picture of this size."""
    is_small = max(image.width_px, image.height_px) <= MAX_EDGE_PX
    return is_small and image.artifact.size_bytes <= MAX_IMAGE_BYTES


def images_of(messages: Sequence[Message]) -> list[Picture]:
    """Return all pictures of a conversation, in order."""
    return [image for message in messages for image in message.images]


def limit_images(messages: Sequence[Message], before: Condensed, max_images: int, rule: int) -> Condensed:
    """Return `before` with more of the oldest pictures captioned, so that at most `max_images` are sent.

    If there are too many, half of the limit is freed at once: the prompts of the next steps then begin alike, which
    lets providers cache them. With `max_images` 0 only captions are sent. `rule` is the rule that words captions.
    """
    images = images_of(messages)
    if not images:
        return before
    if max_images == 0:
        return before.model_copy(update={"captions_only": True, "rule": rule})
    captioned = before.captioned_images
    if len(images) - captioned > max_images:
        newest = min(len(messages[-1].images), max_images)
        captioned = len(images) - max(max_images // 2, newest)
    is_whole = captioned == 0 and all(map(is_sendable, images))
    update = {"captioned_images": captioned, "captions_only": False, "rule": before.rule if is_whole else rule}
    return before.model_copy(update=update)


def apply_captions(messages: Sequence[Message], condensed: Condensed) -> list[Message]:
    """Return the messages with only the pictures that are sent; the captions of the others end the text."""
    captioned: list[Message] = []
    before = 0
    for message in messages:
        captioned.append(_with_captions(message, condensed, before))
        before += len(message.images)
    return captioned


def _with_captions(message: Message, condensed: Condensed, before: int) -> Message:
    if not message.images:
        return message
    count = len(message.images) if condensed.captions_only else max(0, condensed.captioned_images - before)
    old, new = message.images[:count], message.images[count:]
    sent = tuple(filter(is_sendable, new))
    if len(sent) == len(message.images):
        return message.model_copy(update={"images": sent})
    notes = [
        _note(_CAPTIONS_ONLY if condensed.captions_only else _OLD if condensed.rule > 1 else _OLD_RULE_1, old),
        _note(_TOO_LARGE, tuple(image for image in new if not is_sendable(image))),
    ]
    text = "\n\n".join([message.text.rstrip(), *filter(None, notes)])
    return message.model_copy(update={"text": text, "images": sent})


def _note(reason: str, images: tuple[Picture, ...]) -> str:
    return f"{reason}: {', '.join(f'`{image.caption}`' for image in images)}." if images else ""


class UnknownPromptRuleError(ValueError):
    """The prompt was rendered by a rule of another version of this code."""


@dataclass(frozen=True)
class Step:
    """One reply and the messages that answer it, up to the next reply."""

    number: int
    """From 1."""
    reply: Message
    answers: tuple[Message, ...]

    @cached_property
    def shortened_reply(self) -> Message:
        """The reply without code that was not reached, texts that were written to files, and reasoning."""
        lines = next((answer.stopped_at_line for answer in self.answers if answer.stopped_at_line), None)
        text = (
            self.reply.text if lines is None else _CODE.sub(lambda code: _first_lines(code[0], lines), self.reply.text)
        )
        stops = {answer.tool_call_id: answer.stopped_at_line for answer in self.answers}
        calls = tuple(_shortened_call(call, stops.get(call.call_id)) for call in self.reply.tool_calls)
        return self.reply.model_copy(update={"text": text, "tool_calls": calls, "reasoning": ()})

    @cached_property
    def shortened_answers(self) -> tuple[Message, ...]:
        """The short forms of the answers; an answer that is shorter than its short form and has no pictures stays."""
        return tuple(map(_shortened_answer, self.answers))

    @cached_property
    def line(self) -> str:
        """The step in one line."""
        text = "; ".join(_short_form(answer).splitlines()[0] for answer in self.answers if answer.text)
        return f"- step {self.number}: {_truncated(text, _LINE_CHARS)}"

    @cached_property
    def tokens(self) -> int:
        """Tokens of the whole step."""
        return tokens_of_messages((self.reply, *self.answers))

    @cached_property
    def shortened_tokens(self) -> int:
        """Tokens of the shortened step."""
        return tokens_of_message(self.shortened_reply) + tokens_of_messages(self.shortened_answers)


def split_steps(messages: Sequence[Message]) -> tuple[tuple[Message, ...], list[Step]]:
    """Return the messages before the first reply (system prompt and task), and the steps."""
    starts = [index for index, message in enumerate(messages) if message.author == "assistant"]
    ends = [*starts, len(messages)][1:]
    steps = [
        Step(number, messages[start], tuple(messages[start + 1 : end]))
        for number, (start, end) in enumerate(zip(starts, ends, strict=True), start=1)
    ]
    return tuple(messages[: starts[0]] if starts else messages), steps


class PromptRenderer:
    """Renders one conversation at different lengths. Steps are computed once and shared by all renderings."""

    def __init__(self, messages: Sequence[Message], stand_ins: StandIns | None = None) -> None:
        self.messages = tuple(messages)
        self._stand_ins = stand_ins or StandIns()
        self._steps = lru_cache(self._split)

    def render(self, condensed: Condensed) -> tuple[Message, ...]:
        """Return the prompt; raise `UnknownPromptRuleError`.

        The task stays whole, and so does the newest answer unless it is cut; pictures of both may still be replaced by
        captions. The system prompt is whole or its gist.
        """
        if condensed.rule not in _KNOWN_RULES:
            raise UnknownPromptRuleError(f"a prompt made by rule {condensed.rule} cannot be rendered by rule {RULE}")
        if not condensed.rule:
            return self.messages
        head, steps = self._steps_for(condensed)
        after = self._old_steps(steps, condensed)
        for step in _whole(steps, condensed):
            after += _messages_of(step, condensed, newest=step is steps[-1])
        return (*head, *(_cut(message, condensed.longest_text_chars) for message in after))

    def tokens(self, condensed: Condensed) -> int:
        """Return the estimated tokens of this prompt, without rendering it if possible."""
        if not condensed.rule or condensed.longest_text_chars is not None:
            return tokens_of_messages(self.render(condensed))
        head, steps = self._steps_for(condensed)
        whole = sum(_tokens_of(step, condensed, newest=step is steps[-1]) for step in _whole(steps, condensed))
        return tokens_of_messages((*head, *self._old_steps(steps, condensed))) + whole

    def _steps_for(self, condensed: Condensed) -> tuple[tuple[Message, ...], list[Step]]:
        head, steps = self._steps(condensed.captioned_images, condensed.captions_only, condensed.rule)
        return tuple(map(_shortened_system, head)) if condensed.short_system else head, steps

    def _split(self, captioned: int, captions_only: bool, rule: int) -> tuple[tuple[Message, ...], list[Step]]:
        condensed = Condensed(rule=rule, captioned_images=captioned, captions_only=captions_only)
        return split_steps(apply_captions(self.messages, condensed))

    def _old_steps(self, steps: Sequence[Step], condensed: Condensed) -> list[Message]:
        """Return the message that lists the oldest steps, if any are only listed."""
        if not condensed.summarised_steps:
            return []
        lines = [step.line for step in steps[condensed.folded_steps : condensed.summarised_steps]]
        if condensed.folded_steps:
            lines = [*self._folded(steps, condensed), *lines]
        return [user_message("# Your first steps, in short\n\n" + "\n".join(lines))]

    def _folded(self, steps: Sequence[Step], condensed: Condensed) -> list[str]:
        if condensed.rule == 1:
            return [forgotten_line(1, condensed.folded_steps)]
        summarized, forgotten = condensed.recollected_steps, condensed.forgotten_steps
        lines = list[str]()
        if summarized:
            summary = self._stand_ins.summary.text[:MAX_SUMMARY_CHARS]
            lines.append(f"Steps 1 to {summarized}, as you summed them up:\n\n{summary}\n")
        if forgotten > summarized:
            lines.append(forgotten_line(summarized + 1, forgotten))
        return [*lines, *self._journal_lines(steps, max(summarized, forgotten) + 1, condensed.folded_steps)]

    def _journal_lines(self, steps: Sequence[Step], first: int, last: int) -> list[str]:
        """Return the journal's lines about these steps, and a line of its own for each step that none covers."""
        by_steps = dict(journal_lines_within(self._stand_ins, first, last))
        covered = {number for each in by_steps for number in each}
        lines = {number: steps[number - 1].line for number in range(first, last + 1) if number not in covered}
        lines |= {each.start: line for each, line in by_steps.items()}
        return [lines[number] for number in sorted(lines)]


def _shortened_system(message: Message) -> Message:
    return message.model_copy(update={"text": message.gist}) if message.author == "system" else message


def _whole(steps: Sequence[Step], condensed: Condensed) -> Sequence[Step]:
    return steps[max(condensed.summarised_steps, condensed.folded_steps) :]


def _messages_of(step: Step, condensed: Condensed, *, newest: bool) -> list[Message]:
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
    """Return the message with its text cut to `chars`: both ends stay."""
    if chars is None or len(message.text) <= chars:
        return message
    head, tail = message.text[: chars // 2], message.text[-(chars // 2) :]
    left_out = len(message.text) - len(head) - len(tail)
    note = f"\n… {left_out} characters are left out here: the prompt budget has no room for them …\n"
    return message.model_copy(update={"text": head + note + tail})


def _shortened_answer(answer: Message) -> Message:
    text = _short_form(answer) if answer.images else min(_short_form(answer), answer.text, key=len)
    return answer.model_copy(update={"text": text, "images": ()})


def _short_form(answer: Message) -> str:
    first = next((line.strip("# ") for line in answer.text.splitlines() if line.strip("# ")), "(nothing)")
    return answer.gist.strip() or _truncated(first, _SHORT_FORM_CHARS)


def _truncated(text: str, chars: int) -> str:
    return text if len(text) <= chars else text[: chars - 1] + "…"


def _first_lines(code: str, count: int) -> str:
    lines = code.splitlines()
    if len(lines) <= count + 1:
        return code
    return "\n".join([*lines[:count], f"# … it stopped here; {len(lines) - count} more lines are left out", ""])


def _shortened_call(call: ToolCall, stopped_at_line: int | None) -> ToolCall:
    """Return the call without long texts, which are in files; a cell's code is nowhere else, and stays as it ran."""
    arguments: dict[str, object] = json.loads(call.arguments_json)
    code = arguments.get("code")
    shortened = {name: _shortened_argument(value) for name, value in arguments.items()}
    if call.name == _CELL_TOOL and isinstance(code, str):
        shortened["code"] = code if stopped_at_line is None else _first_lines(code, stopped_at_line)
    return call.model_copy(update={"arguments_json": json.dumps(shortened, ensure_ascii=False)})


def _shortened_argument(value: object) -> object:
    if not isinstance(value, str) or len(value) <= _ARGUMENT_CHARS:
        return value
    return f"… ({len(value)} characters, left out here because they are old)"
