"""The steps of a conversation, and how an old one reads: shortened, or in one line."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from contracts.models.conversation import Message, ToolCall

from agent.context.token_estimate import tokens_of_message, tokens_of_messages

_GIST_CHARS = 200
"""Of an answer for which its role wrote no gist."""
_LINE_CHARS = 240
_ARGUMENT_CHARS = 160
"""Longer texts in the arguments of an old tool call, such as whole files, are left out."""
_CODE = re.compile(r"(?<=^```python\n).*?(?=^```)", re.DOTALL | re.MULTILINE)


@dataclass(frozen=True)
class Step:
    """One reply and what it was answered, until the next reply."""

    number: int
    """From 1."""
    reply: Message
    answers: tuple[Message, ...]

    @cached_property
    def shortened_reply(self) -> Message:
        """The reply without code that was not reached, texts that went into files, and what was thought before."""
        lines = next((answer.stopped_at_line for answer in self.answers if answer.stopped_at_line), None)
        text = (
            self.reply.text if lines is None else _CODE.sub(lambda code: _first_lines(code[0], lines), self.reply.text)
        )
        calls = tuple(map(_shortened_call, self.reply.tool_calls))
        return self.reply.model_copy(update={"text": text, "tool_calls": calls, "reasoning": ()})

    @cached_property
    def shortened_answers(self) -> tuple[Message, ...]:
        """The answers' gists in their place, unless an answer is shorter and has no pictures."""
        return tuple(map(_shortened_answer, self.answers))

    @cached_property
    def line(self) -> str:
        """The step in one line."""
        told = "; ".join(_gist(answer).splitlines()[0] for answer in self.answers if answer.text)
        return f"- step {self.number}: {_ended(told, _LINE_CHARS)}"

    @cached_property
    def tokens(self) -> int:
        """How many it takes whole."""
        return tokens_of_messages((self.reply, *self.answers))

    @cached_property
    def shortened_tokens(self) -> int:
        """How many it takes shortened."""
        return tokens_of_message(self.shortened_reply) + tokens_of_messages(self.shortened_answers)


def steps_of(messages: Sequence[Message]) -> tuple[tuple[Message, ...], list[Step]]:
    """Return what was said before the first reply, system prompt and task, and then the steps."""
    starts = [index for index, message in enumerate(messages) if message.author == "assistant"]
    ends = [*starts, len(messages)][1:]
    steps = [
        Step(number, messages[start], tuple(messages[start + 1 : end]))
        for number, (start, end) in enumerate(zip(starts, ends, strict=True), start=1)
    ]
    return tuple(messages[: starts[0]] if starts else messages), steps


def _shortened_answer(answer: Message) -> Message:
    text = _gist(answer) if answer.images else min(_gist(answer), answer.text, key=len)
    return answer.model_copy(update={"text": text, "images": ()})


def _gist(answer: Message) -> str:
    first = next((line.strip("# ") for line in answer.text.splitlines() if line.strip("# ")), "(nothing)")
    return answer.gist.strip() or _ended(first, _GIST_CHARS)


def _ended(text: str, chars: int) -> str:
    return text if len(text) <= chars else text[: chars - 1] + "…"


def _first_lines(code: str, kept: int) -> str:
    lines = code.splitlines()
    if len(lines) <= kept + 1:
        return code
    return "\n".join([*lines[:kept], f"# … it stopped here; {len(lines) - kept} more lines are left out", ""])


def _shortened_call(call: ToolCall) -> ToolCall:
    arguments: dict[str, object] = json.loads(call.arguments_json)
    shortened = {name: _shortened_argument(value) for name, value in arguments.items()}
    return call.model_copy(update={"arguments_json": json.dumps(shortened, ensure_ascii=False)})


def _shortened_argument(value: object) -> object:
    if not isinstance(value, str) or len(value) <= _ARGUMENT_CHARS:
        return value
    return f"… ({len(value)} characters, left out here because they are old)"
