"""The expert's replies to questions about images: cells one at a time, all at once, tool calls, or a guess."""

import re
from collections.abc import Sequence

from langchain_core.messages import AIMessage, BaseMessage

from offline_expert.markdown import last_containing
from offline_expert.questions.film_cells import REST_CELLS
from offline_expert.questions.plain_words import in_plain_words
from offline_expert.questions.solver import UnknownQuestionError, solver_cells
from offline_expert.questions.tool_steps import tool_steps

GUESSES: dict[str, object] = {
    "choice": "A",
    "integer": 3,
    "number": 1.0,
    "text": "unknown",
    "boolean": False,
    "vector": [0, 0, 0],
    "box": [0, 0, 1, 1],
}
"""What the expert answers when it cannot measure."""
PLAN = """Reconstruct all frames, find what the question names, compute the answer from centres, outlines and masks in
the frame of reference that the question names, and print it before answering. If nothing matches a name, use a plainer
one."""
_QUESTION = re.compile(r"# Question\s+(?P<fence>~+)text\n(?P<text>.*?)\n(?P=fence)", re.DOTALL)
_KIND = re.compile(r"^Kind: (?P<kind>[a-z]+)$", re.MULTILINE)
_EXECUTOR = re.compile(r"^Executor: (?P<executor>[a-z_]+)$", re.MULTILINE)
_RAN = "**The cell ran**"
_NOTHING = "nothing matches"


class NoQuestionError(ValueError):
    """The conversation has no question, or does not say how it is answered."""


def decide(messages: Sequence[BaseMessage]) -> AIMessage:
    """Return the plan, the next cell or tool call, or an answer in text."""
    asked = last_containing(messages, "# Question")
    text, kind, executor = _QUESTION.search(asked), _KIND.search(asked), _EXECUTOR.search(messages[0].text)
    if text is None or kind is None or executor is None:
        raise NoQuestionError("the conversation has no question, no kind of answer or no executor")
    guess = GUESSES[kind["kind"]]
    if "# Plan" in messages[-1].text:
        return AIMessage(PLAN)
    match executor["executor"]:
        case "code":
            return _next_cell(messages, text["text"], guess)
        case "single_pass":
            return _cell("\n\n".join(_cells(text["text"], guess)), "answer in one cell")
        case "tool_calls":
            return _next_call(messages, text["text"], guess)
        case _:
            return AIMessage(f"ANSWER: {str(guess).lower() if isinstance(guess, bool) else guess}")


def _next_cell(messages: Sequence[BaseMessage], question: str, guess: object) -> AIMessage:
    """Go on after a cell that ran; say it in plainer words if nothing matched; guess after any other failure."""
    number, is_plain = 0, False
    for observation in _observations(messages):
        if _RAN in observation:
            number += 1
        elif _NOTHING in observation and not is_plain and in_plain_words(question) != question:
            number, is_plain = 0, True
        else:
            return _cell(f"ReturnAnswer({guess!r})", "give up")
    cells = _cells(in_plain_words(question) if is_plain else question, guess)
    return _cell(cells[min(number, len(cells) - 1)], f"step {number + 1} of {len(cells)}")


def _next_call(messages: Sequence[BaseMessage], question: str, guess: object) -> AIMessage:
    """Make the next call; guess if there is no chain of calls for the question, or one of them failed."""
    seen = _observations(messages)
    steps = tool_steps(question)
    if not steps or any(_RAN not in each for each in seen):
        return _call("return_answer", len(seen), value=repr(guess))
    step = steps[min(len(seen), len(steps) - 1)]
    return _call(step.name, len(seen), **step.arguments)


def _observations(messages: Sequence[BaseMessage]) -> list[str]:
    return [message.text for message in messages if message.text.startswith("# Observation of cell")]


def _cells(question: str, guess: object) -> list[str]:
    if re.search(r"does the motion end", question, re.IGNORECASE):
        return list(REST_CELLS)
    try:
        return solver_cells(question)
    except UnknownQuestionError:
        return [f"ReturnAnswer({guess!r})"]


def _cell(code: str, purpose: str) -> AIMessage:
    sections = {
        "Purpose": purpose,
        "Reasoning": "The question follows a rule that is known.",
        "Next goal": "go on",
        "Code": f"```python\n{code}\n```",
    }
    return AIMessage("\n\n".join(f"## {name}\n\n{text}" for name, text in sections.items()))


def _call(name: str, number: int, **arguments: str) -> AIMessage:
    return AIMessage("", tool_calls=[{"id": f"call-{number}", "name": name, "args": arguments}])
