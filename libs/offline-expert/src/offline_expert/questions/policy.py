"""The expert's replies to questions about images: cells one at a time, all at once, tool calls, or a refusal.

It answers what it measures and nothing else: without a rule for the question, or after a measurement that failed, it
refuses and names what is missing.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

from langchain_core.messages import AIMessage, BaseMessage

from offline_expert.markdown import last_containing
from offline_expert.questions.plain_words import in_plain_words
from offline_expert.questions.rest_cells import rest_cells
from offline_expert.questions.solver import UnknownQuestionError, solver_cells
from offline_expert.questions.tool_steps import ToolStep, tool_steps

PLAN = """Reconstruct all frames, find what the question names, compute the answer from centres, outlines and masks in
the frame of reference that the question names, and print it before answering. If nothing matches a name, use a plainer
one."""
UNITS = ("", "m", "s", "m/s")
"""In which the expert measures."""
NO_RULE = (
    "the rule-based expert has no way to measure this: it times when the motion in a film ends, and answers questions "
    "as of the generated set about exact scenes"
)
NO_CHAIN = "the rule-based expert has no chain of single tool calls for this question; the executor `code` may"
NO_MODELS = (
    "perception works without models here, which know no lengths and find no more than colours: the rule-based expert "
    "measures with exact perception or a server"
)
NO_KERNEL = "the rule-based expert sees no pictures: it measures with an executor that has a kernel, such as `code`"
REASON_CHARS = 300
_QUESTION = re.compile(r"# Question\s+(?P<fence>~+)text\n(?P<text>.*?)\n(?P=fence)", re.DOTALL)
_KIND = re.compile(r"^Kind: (?P<kind>[a-z]+)$", re.MULTILINE)
_UNIT = re.compile(r"^Expected: (?:a number|\d+ numbers) in (?P<unit>.+)$", re.MULTILINE)
_EXECUTOR = re.compile(r"^Executor: (?P<executor>[a-z_]+)$", re.MULTILINE)
_ERROR = re.compile(r"^### Error\n(?P<text>.*?)(?=\n\n|\Z)", re.DOTALL | re.MULTILINE)
_RAN = "**The cell ran**"
_WITHOUT_MODELS = "Without a server of perception"
_NOTHING = "nothing matches"


class NoQuestionError(ValueError):
    """The conversation has no question, or does not say how it is answered."""


class _Question(NamedTuple):
    """What is asked."""

    text: str
    kind: str
    unit: str


def decide(messages: Sequence[BaseMessage]) -> AIMessage:
    """Return the plan, the next cell or tool call, or a refusal."""
    question, executor = _read(messages)
    has_models = _WITHOUT_MODELS not in messages[0].text
    match executor:
        case "tool_calls":
            steps = tool_steps(question.text)
            if not (steps and has_models):
                return _refusal(NO_MODELS if steps else NO_CHAIN)
            return _planned(messages) or _next_call(messages, steps)
        case "code" | "single_pass":
            cells = _cells(question)
        case _:
            return _refusal(NO_KERNEL)
    if not cells or not (has_models or _rest(question)):
        return _refusal(NO_MODELS if cells else NO_RULE)
    if executor == "single_pass":
        return _cell("\n\n".join(cells), "answer in one cell")
    return _planned(messages) or _next_cell(messages, question, cells)


def _read(messages: Sequence[BaseMessage]) -> tuple[_Question, str]:
    """Return the question and the executor; raise `NoQuestionError`."""
    asked = last_containing(messages, "# Question")
    text, kind, executor = _QUESTION.search(asked), _KIND.search(asked), _EXECUTOR.search(messages[0].text)
    if text is None or kind is None or executor is None:
        raise NoQuestionError("the conversation has no question, no kind of answer or no executor")
    unit = _UNIT.search(asked)
    return _Question(text["text"], kind["kind"], unit["unit"] if unit else ""), executor["executor"]


def _planned(messages: Sequence[BaseMessage]) -> AIMessage | None:
    return AIMessage(PLAN) if "# Plan" in messages[-1].text else None


def _next_cell(messages: Sequence[BaseMessage], question: _Question, cells: Sequence[str]) -> AIMessage:
    """Go on after a cell that ran; ask in plainer words if nothing matched; refuse after any other failure."""
    number, is_plain = 0, False
    for observation in _observations(messages):
        if _RAN in observation:
            number += 1
        elif _NOTHING in observation and not is_plain and in_plain_words(question.text) != question.text:
            number, is_plain = 0, True
        else:
            return _refusal(_why_failed(observation))
    if is_plain:
        cells = _cells(question._replace(text=in_plain_words(question.text)))
    if number >= len(cells):
        return _refusal("the value that was measured is not an answer of the expected form")
    return _cell(cells[number], f"step {number + 1} of {len(cells)}")


def _next_call(messages: Sequence[BaseMessage], steps: Sequence[ToolStep]) -> AIMessage:
    """Make the next call; refuse if one of them failed."""
    seen = _observations(messages)
    failed = next((each for each in seen if _RAN not in each), None)
    if failed is not None:
        return _refusal(_why_failed(failed))
    if len(seen) >= len(steps):
        return _refusal("the value that was measured is not an answer of the expected form")
    step = steps[len(seen)]
    return AIMessage("", tool_calls=[{"id": f"call-{len(seen)}", "name": step.name, "args": step.arguments}])


def _observations(messages: Sequence[BaseMessage]) -> list[str]:
    return [message.text for message in messages if message.text.startswith("# Observation of cell")]


def _cells(question: _Question) -> list[str]:
    """Return the cells that measure the answer; none without a rule for the question."""
    if question.unit not in UNITS:
        return []
    if cells := _rest(question):
        return cells
    try:
        return solver_cells(question.text)
    except UnknownQuestionError:
        return []


def _rest(question: _Question) -> list[str]:
    """Return the cells that time when motion ends, by pixels alone; none for another question."""
    return rest_cells(question.text, question.kind, question.unit)


def _why_failed(observation: str) -> str:
    found = _ERROR.search(observation)
    return f"the measurement failed: {found['text'] if found else 'its cell did not run to its end'}"


def _refusal(why: str) -> AIMessage:
    return AIMessage(f"REFUSED: {' '.join(why.split())[:REASON_CHARS]}")


def _cell(code: str, purpose: str) -> AIMessage:
    sections = {
        "Purpose": purpose,
        "Reasoning": "The question follows a rule that is known.",
        "Next goal": "go on",
        "Code": f"```python\n{code}\n```",
    }
    return AIMessage("\n\n".join(f"## {name}\n\n{text}" for name, text in sections.items()))
