"""Questions about the film of the design under review, which another agent answers by measuring its images."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from contracts.models.questions.answers import (
    AnswerSpec,
    BooleanSpec,
    ChoiceSpec,
    IntegerSpec,
    NumberSpec,
    TextSpec,
    Value,
)

MAX_QUESTIONS = 4
"""About the film of one design."""

Expected = Literal["boolean", "number", "integer", "text"]


@dataclass(frozen=True)
class FilmAnswer:
    """What a question about the film was answered with."""

    question: str
    value: Value
    """A choice by its letter."""
    ending: str
    """`returned`, or `last_valid`: its limit was reached, and this is the last answer that was accepted."""
    run_id: str
    """The run of the question: its cells and images are there."""


AskFilm = Callable[[str, AnswerSpec, tuple[float, float] | None], FilmAnswer]
_connected: list[AskFilm] = []


def connect(ask: AskFilm) -> None:
    """Let this process ask about the film of one design."""
    _connected[:] = [ask]


def ask_film(
    question: str,
    expect: Expected = "boolean",
    choices: Sequence[str] = (),
    unit: str = "",
    between_s: tuple[float, float] | None = None,
) -> FilmAnswer:
    """Ask one of up to 4 spatial questions about the film of the verdict's simulation, and return its answer; bind it
    as evidence.

    The key frames of the film are asked about, or those between two times. With `choices`, the answer is one of their
    letters. It is measured in images: what `result` holds as numbers is more exact.
    """
    (ask,) = _connected
    found = ask(question, _spec(expect, choices, unit), between_s)
    print(f"{found.value} ({found.ending}, run {found.run_id})")  # noqa: T201 - the critic reads it
    return found


def _spec(expect: Expected, choices: Sequence[str], unit: str) -> AnswerSpec:
    if choices:
        return ChoiceSpec(kind="choice", choices=tuple(choices))
    match expect:
        case "boolean":
            return BooleanSpec(kind="boolean")
        case "number":
            return NumberSpec(kind="number", unit=unit)
        case "integer":
            return IntegerSpec(kind="integer")
        case "text":
            return TextSpec(kind="text")
