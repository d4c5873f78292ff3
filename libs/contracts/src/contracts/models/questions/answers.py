"""Answers to questions: what a question expects, and whether a value is an answer to it."""

import math
import re
from collections.abc import Callable, Sequence
from numbers import Integral, Real
from typing import Annotated, Any, Literal, TypeAlias, cast

from pydantic import Field, NonNegativeFloat, PositiveInt

from contracts.model import Model

MAX_TEXT_CHARS = 2_000
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_LETTER = re.compile(r"\(?\s*([A-Za-z])\s*[).:]?")


class ChoiceSpec(Model):
    """One of several choices, answered by its letter."""

    kind: Literal["choice"]
    choices: Annotated[tuple[str, ...], Field(min_length=2, max_length=26)]
    """Texts of the choices; the first is A."""

    @property
    def letters(self) -> str:
        """Return the letters of all choices, such as ABCD."""
        return _LETTERS[: len(self.choices)]


class IntegerSpec(Model):
    """A whole number, such as a count."""

    kind: Literal["integer"]
    minimum: int | None = None
    maximum: int | None = None


class NumberSpec(Model):
    """A number in a unit."""

    kind: Literal["number"]
    unit: str
    """As in `m`, `deg` or `m/s`; empty for a ratio."""
    relative_tolerance: NonNegativeFloat = 0.05
    """Of the exact value: half the width of what counts as right, where a question set scores by tolerance."""
    absolute_tolerance: NonNegativeFloat = 0.0
    """In the unit; the larger of both tolerances counts."""


class TextSpec(Model):
    """A short text."""

    kind: Literal["text"]
    max_chars: Annotated[int, Field(ge=1, le=MAX_TEXT_CHARS)] = 200


class BooleanSpec(Model):
    """Yes (True) or no (False)."""

    kind: Literal["boolean"]


class VectorSpec(Model):
    """A point or a direction."""

    kind: Literal["vector"]
    length: PositiveInt = 3
    unit: str = "m"
    absolute_tolerance: NonNegativeFloat = 0.05
    """Largest distance from the exact vector, in the unit."""


class BoxSpec(Model):
    """A rectangle in an image: x1, y1, x2, y2 in pixels, x to the right and y down."""

    kind: Literal["box"]
    minimum_iou: Annotated[float, Field(gt=0, le=1)] = 0.5
    """Smallest overlap with the exact box, as intersection over union."""


AnswerSpec: TypeAlias = Annotated[
    ChoiceSpec | IntegerSpec | NumberSpec | TextSpec | BooleanSpec | VectorSpec | BoxSpec, Field(discriminator="kind")
]
"""What a question expects as its answer."""

Value: TypeAlias = bool | int | float | str | tuple[float, ...]


class ValidAnswer(Model):
    """A value that a question's specification accepts."""

    kind: Literal["choice", "integer", "number", "text", "boolean", "vector", "box"]
    value: Value
    """A letter in upper case, a number in the unit of the specification, a text, True or False, or several numbers."""


class AnswerRefused(Model):
    """Why a value is not an answer."""

    reason: str
    """What was expected, what was given, and how to give it."""


class _NotAnAnswerError(ValueError):
    """Carries the reason from the reader of a value to `check_answer`."""


def check_answer(spec: AnswerSpec, value: object) -> ValidAnswer | AnswerRefused:
    """Return the value as an answer, or the reason why the specification does not accept it.

    Scalars and arrays of numpy count as the numbers that they hold.
    """
    try:
        return ValidAnswer(kind=spec.kind, value=_READERS[spec.kind](spec, _plain(value)))
    except _NotAnAnswerError as problem:
        return AnswerRefused(reason=str(problem))


def expected_text(spec: AnswerSpec) -> str:
    """Return in words what a specification expects."""
    match spec:
        case ChoiceSpec():
            text = f"one letter of {', '.join(spec.letters)}"
        case IntegerSpec():
            text = f"a whole number{_range_text(spec)}"
        case NumberSpec():
            text = f"a number{_unit_text(spec.unit)}"
        case TextSpec():
            text = f"a text of at most {spec.max_chars} characters"
        case BooleanSpec():
            text = "True or False"
        case VectorSpec():
            text = f"{spec.length} numbers{_unit_text(spec.unit)}"
        case BoxSpec():
            text = "a box (x1, y1, x2, y2) in pixels"
    return text


def _unit_text(unit: str) -> str:
    return f" in {unit}" if unit else ""


def _range_text(spec: IntegerSpec) -> str:
    limits = [(spec.minimum, "at least"), (spec.maximum, "at most")]
    words = [f"{word} {limit}" for limit, word in limits if limit is not None]
    return " of " + " and ".join(words) if words else ""


def _plain(value: object) -> object:
    """Return what a numpy scalar or array holds as plain Python; contracts do not know numpy itself."""
    holds = getattr(value, "tolist", None)
    return holds() if callable(holds) and hasattr(value, "dtype") else value


def _shown(value: object) -> str:
    text = repr(value) if isinstance(value, str | int | float | bool | None) else type(value).__name__
    return text if len(text) <= 60 else f"{text[:57]}..."


def _choice(spec: ChoiceSpec, value: object) -> str:
    if not isinstance(value, str):
        raise _NotAnAnswerError(f"expected {expected_text(spec)} as a text, such as 'A'; got {_shown(value)}")
    texts = [choice.strip().casefold() for choice in spec.choices]
    if value.strip().casefold() in texts:
        return spec.letters[texts.index(value.strip().casefold())]
    found = _LETTER.fullmatch(value.strip())
    letter = found.group(1).upper() if found else ""
    if not letter or letter not in spec.letters:
        raise _NotAnAnswerError(f"{_shown(value)} is not one of the choices; give {expected_text(spec)}")
    return letter


def _number_of(value: object, expected: str) -> float:
    """Return a finite real number; a bool, a text and anything else are refused by name."""
    if isinstance(value, bool):
        raise _NotAnAnswerError(f"expected {expected}, got the truth value {value}")
    if isinstance(value, str):
        raise _NotAnAnswerError(f"expected {expected}, got the text {_shown(value)}; give a number without unit")
    if not isinstance(value, Real):
        raise _NotAnAnswerError(f"expected {expected}, got {_shown(value)}")
    try:
        number = float(value)
    except OverflowError as error:
        raise _NotAnAnswerError(f"expected {expected}, got a number beyond the range of floats") from error
    if not math.isfinite(number):
        raise _NotAnAnswerError(f"expected {expected}, got {number}: check the masks and frames it was computed from")
    return number


def _integer(spec: IntegerSpec, value: object) -> int:
    expected = expected_text(spec)
    number = _number_of(value, expected)
    whole = int(value) if isinstance(value, Integral) else round(number)
    if whole != value:
        raise _NotAnAnswerError(f"expected {expected}, got {_shown(value)}; round it if a rounded value is meant")
    is_below = spec.minimum is not None and whole < spec.minimum
    if is_below or (spec.maximum is not None and whole > spec.maximum):
        raise _NotAnAnswerError(f"expected {expected}, got {whole}")
    return whole


def _number(spec: NumberSpec, value: object) -> float:
    return _number_of(value, expected_text(spec))


def _text(spec: TextSpec, value: object) -> str:
    if not isinstance(value, str) or not value.strip():
        raise _NotAnAnswerError(f"expected {expected_text(spec)}, got {_shown(value)}")
    text = value.strip()
    if len(text) > spec.max_chars:
        raise _NotAnAnswerError(f"expected {expected_text(spec)}, got {len(text)}")
    return text


def _boolean(spec: BooleanSpec, value: object) -> bool:
    if not isinstance(value, bool):
        raise _NotAnAnswerError(f"expected {expected_text(spec)}, got {_shown(value)}")
    return value


def _numbers(value: object, length: int, expected: str) -> tuple[float, ...]:
    if not isinstance(value, list | tuple):
        raise _NotAnAnswerError(f"expected {expected}, got {_shown(value)}")
    items = cast("Sequence[object]", value)
    if len(items) != length:
        raise _NotAnAnswerError(f"expected {expected}, got {len(items)} values")
    return tuple(_number_of(_plain(item), expected) for item in items)


def _vector(spec: VectorSpec, value: object) -> tuple[float, ...]:
    return _numbers(value, spec.length, expected_text(spec))


def _box(spec: BoxSpec, value: object) -> tuple[float, ...]:
    x1, y1, x2, y2 = _numbers(value, 4, expected_text(spec))
    if x1 >= x2 or y1 >= y2:
        raise _NotAnAnswerError(f"the box ({x1:g}, {y1:g}, {x2:g}, {y2:g}) is empty; x1 < x2 and y1 < y2 are needed")
    return x1, y1, x2, y2


_READERS: dict[str, Callable[[Any, object], Value]] = {
    "choice": _choice,
    "integer": _integer,
    "number": _number,
    "text": _text,
    "boolean": _boolean,
    "vector": _vector,
    "box": _box,
}
