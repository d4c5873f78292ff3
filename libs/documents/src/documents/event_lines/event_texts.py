"""The long texts of an event: what models, kernels and users wrote in it, for pages and reports alike."""

import json
from functools import singledispatch
from typing import Literal, NamedTuple, cast

from contracts.envelope import Event
from contracts.events.benchmark import (
    BenchmarkDrafted,
    BenchmarkPlanProposed,
    BenchmarkRequested,
)
from contracts.events.conversation import JournalEntryAdded, ModelCalled, ReplyRejected, ToolAnswered
from contracts.events.plan import PlanProposed, PlanRefused
from contracts.events.question import LookCompleted, LookRequested, QuestionAsked
from contracts.events.reviews import Review
from contracts.events.run import EngineeringRequested
from contracts.events.session import CellRequested, FileEditRequested, FileViewed, FileWriteRequested
from contracts.events.simulation import FilmCompleted


class EventText(NamedTuple):
    """A text with its title."""

    title: str
    text: str
    form: Literal["prose", "code"] = "prose"
    """`prose`: Markdown."""

    @property
    def heading(self) -> str:
        """The title; empty for Markdown that begins with a heading of its own."""
        return "" if self.form == "prose" and self.text.lstrip().startswith("# ") else self.title


def texts_of(event: Event) -> list[EventText]:
    """Return the texts of an event that are not empty; none for what its line says completely."""
    return [each for each in _texts_of(event) if each.text]


def thought_of(block: str) -> str:
    """Return the text of a provider's block of reasoning, which is JSON of several forms."""
    try:
        found: object = json.loads(block)
    except ValueError:
        return block
    return "\n\n".join(_texts_in(found))


def _texts_in(found: object) -> list[str]:
    """Return the texts of a block: under the names that providers use for them."""
    names = ("reasoning_content", "reasoning", "thinking", "text", "summary", "reasoning_details")
    if isinstance(found, str):
        return [found]
    if isinstance(found, list):
        return [text for each in cast("list[object]", found) for text in _texts_in(each)]
    if isinstance(found, dict):
        fields = cast("dict[str, object]", found)
        return [text for name in names if name in fields for text in _texts_in(fields[name])]
    return []


@singledispatch
def _texts_of(event: Event) -> list[EventText]:
    del event
    return []


@_texts_of.register
def _(event: EngineeringRequested) -> list[EventText]:
    task = EventText("Task", event.assignment.variant.description)
    return [task] if event.continues is None else [task, EventText("Instruction", event.continues.says)]


@_texts_of.register
def _(event: PlanProposed) -> list[EventText]:
    return [EventText("Plan", event.plan_md), EventText("TODO list", event.todo_md)]


@_texts_of.register
def _(event: Review) -> list[EventText]:
    return [EventText("Review", event.review_md)]


@_texts_of.register
def _(event: PlanRefused) -> list[EventText]:
    return [EventText("Proof", event.proof_md)]


@_texts_of.register
def _(event: ModelCalled) -> list[EventText]:
    thoughts = "\n\n".join(filter(None, map(thought_of, event.reply.reasoning)))
    calls = [EventText(f"Calls {each.name}", each.arguments_json, "code") for each in event.reply.tool_calls]
    return [EventText("Thought", thoughts), EventText("Reply", event.reply.text), *calls]


@_texts_of.register
def _(event: ReplyRejected) -> list[EventText]:
    return [EventText("Problem", event.problem)]


@_texts_of.register
def _(event: ToolAnswered) -> list[EventText]:
    return [EventText(event.tool, event.arguments_json, "code"), EventText("Answer", event.answer_md)]


@_texts_of.register
def _(event: JournalEntryAdded) -> list[EventText]:
    return [
        EventText("Intent", event.intent),
        EventText("Result", event.result),
        EventText("Reflection", event.reflection),
        EventText("Next step", event.next_step),
    ]


@_texts_of.register
def _(event: CellRequested) -> list[EventText]:
    return [
        EventText("Purpose", event.purpose),
        EventText("Code", event.code, "code"),
        EventText("Next goal", event.next_goal),
    ]


@_texts_of.register
def _(event: FileWriteRequested) -> list[EventText]:
    return [EventText(event.path, event.text, "code")]


@_texts_of.register
def _(event: FileEditRequested) -> list[EventText]:
    return [
        EventText(f"{event.path}, before", event.old_text, "code"),
        EventText(f"{event.path}, after", event.new_text, "code"),
    ]


@_texts_of.register
def _(event: FileViewed) -> list[EventText]:
    return [EventText(event.path, event.text, "code")]


@_texts_of.register
def _(event: BenchmarkRequested) -> list[EventText]:
    return [EventText("Task", event.brief.task)]


@_texts_of.register
def _(event: BenchmarkPlanProposed) -> list[EventText]:
    return [EventText("Plan", event.plan_md)]


@_texts_of.register
def _(event: BenchmarkDrafted) -> list[EventText]:
    files = event.draft.files
    return [
        EventText("benchmark.yaml", files.benchmark_yaml, "code"),
        EventText("environment.py", files.environment_py, "code"),
        EventText("witness.py", files.witness_py, "code"),
    ]


@_texts_of.register
def _(event: QuestionAsked) -> list[EventText]:
    return [EventText("Question", event.question.text)]


@_texts_of.register
def _(event: LookRequested) -> list[EventText]:
    return [EventText("Question to the vision model", event.text)]


@_texts_of.register
def _(event: LookCompleted) -> list[EventText]:
    return [EventText("Answer of the vision model", event.text)]


@_texts_of.register
def _(event: FilmCompleted) -> list[EventText]:
    return [EventText("Course", event.summary_md)]
