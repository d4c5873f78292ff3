"""The steps of a conversation, and how an old one reads: shortened, or in one line."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass

from contracts.conversation import Message, ToolCall

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


def steps_of(messages: Sequence[Message]) -> tuple[tuple[Message, ...], list[Step]]:
    """Return what was said before the first reply, system prompt and task, and then the steps."""
    starts = [index for index, message in enumerate(messages) if message.author == "assistant"]
    ends = [*starts, len(messages)][1:]
    steps = [
        Step(number, messages[start], tuple(messages[start + 1 : end]))
        for number, (start, end) in enumerate(zip(starts, ends, strict=True), start=1)
    ]
    return tuple(messages[: starts[0]] if starts else messages), steps


def shortened_reply(step: Step) -> Message:
    """Return the reply without code that was not reached, texts that went into files, and what was thought before."""
    lines = next((answer.stopped_at_line for answer in step.answers if answer.stopped_at_line), None)
    text = step.reply.text if lines is None else _CODE.sub(lambda code: _first_lines(code[0], lines), step.reply.text)
    return step.reply.model_copy(
        update={"text": text, "tool_calls": tuple(map(_shortened_call, step.reply.tool_calls)), "reasoning": ()}
    )


def shortened_answer(answer: Message) -> Message:
    """Return the answer's gist in its place, unless the answer is shorter and has no pictures."""
    text = _gist(answer) if answer.images else min(_gist(answer), answer.text, key=len)
    return answer.model_copy(update={"text": text, "images": ()})


def line_of(step: Step) -> str:
    """Return the step in one line."""
    told = "; ".join(_gist(answer).splitlines()[0] for answer in step.answers if answer.text)
    return f"- step {step.number}: {_ended(told, _LINE_CHARS)}"


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
