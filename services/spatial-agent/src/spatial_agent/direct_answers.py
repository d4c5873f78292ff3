"""Reader of what ends a question in text: a line that begins with `ANSWER:`, or a last line with `REFUSED:`."""

import json
import re

from agent.loop.replies import MalformedReplyError, require_text_only
from contracts.models.conversation import Message
from contracts.models.questions.answers import (
    AnswerRefused,
    AnswerSpec,
    BooleanSpec,
    ChoiceSpec,
    TextSpec,
    ValidAnswer,
    check_answer,
)

_LINE = re.compile(r"^[*_ \t]*answer[*_ \t]*:[*_ \t]*(?P<value>.+?)[*_ \t]*$", re.IGNORECASE | re.MULTILINE)
_REFUSAL = re.compile(r"(?:^|\n)[*_ \t]*refused[*_ \t]*:[*_ \t]*(?P<why>\S[^\n]*?)[*_ \t]*$", re.IGNORECASE)
_TRUTH = {"true": True, "yes": True, "false": False, "no": False}


def read_answer(reply: Message, spec: AnswerSpec) -> ValidAnswer:
    """Return the answer of a reply without cells; raise `MalformedReplyError`."""
    text = require_text_only(reply)
    found = _LINE.findall(text)
    if not found:
        raise MalformedReplyError("The reply must end with a line `ANSWER: ` and the answer.")
    checked = check_answer(spec, _value(found[-1], spec))
    if isinstance(checked, AnswerRefused):
        raise MalformedReplyError(f"The answer was not accepted: {checked.reason}.", "content")
    return checked


def read_refusal(reply: Message) -> str | None:
    """Return what is missing for an answer, if that is the last line of the reply; None for any other reply."""
    found = None if reply.tool_calls else _REFUSAL.search(reply.text.rstrip())
    return None if found is None else found["why"]


def _value(text: str, spec: AnswerSpec) -> object:
    """Return the text as the value that the specification expects; numbers and lists as JSON."""
    if isinstance(spec, ChoiceSpec | TextSpec):
        return text
    if isinstance(spec, BooleanSpec):
        return _TRUTH.get(text.strip(" .").lower(), text)
    try:
        return json.loads(text.strip(" ."))
    except ValueError:
        return text
