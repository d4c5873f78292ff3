"""Scores of answers, from 0 to 1: choice letter, exact, mean relative accuracy, a tolerance, and those of few sets."""

import base64
import math
import re
from collections.abc import Sequence
from statistics import fmean
from typing import cast

from contracts.models.questions.answers import (
    AnswerSpec,
    BoxSpec,
    ChoiceSpec,
    NumberSpec,
    ValidAnswer,
    Value,
    VectorSpec,
    check_answer,
)
from PIL import Image

from questions.items import QuestionItem
from questions.media.images import SamplingOptions, open_image, require_size

RELATIVE_ACCURACY_THRESHOLDS = tuple(0.5 + 0.05 * step for step in range(10))
"""0.50, 0.55, ... 0.95 of VSI-Bench's mean relative accuracy."""
VIEW_AXES = (
    ("move_right", "move_left"),
    ("move_up", "move_down"),
    ("move_forward", "move_backward"),
    ("rotate_right", "rotate_left"),
    ("rotate_up", "rotate_down"),
)
_LETTER_FORMS = (
    r"\\boxed\{\s*(?:\\text\{)?\(?([A-Z])\)?\}?\s*\}",
    r"(?:answer|option|choice)\s*(?:is|:)?\s*\(?([A-Z])\)?(?![A-Za-z])",
    r"^\s*\(?([A-Z])\)?\s*[.):]?\s*$",
    r"^\s*\(?([A-Z])\s*[.):](?=\s)",
    r"\(([A-Z])\)",
)


def score(item: QuestionItem, given: Value | None) -> float:
    """Return the score of an answer, 0 for none or one that the question does not accept."""
    if given is None:
        return 0.0
    answer = check_answer(item.answer, list(given) if isinstance(given, tuple) else given)
    if not isinstance(answer, ValidAnswer):
        return 0.0
    return _score_of_value(item, answer.value)


def _score_of_value(item: QuestionItem, value: Value) -> float:
    match item.scorer:
        case "choice" | "exact":
            return float(_same(value, item.exact))
        case "relative_accuracy":
            return _number_score(item, _number(value), _number(item.exact))
        case "tolerance":
            return float(is_within_tolerance(item.answer, value, item.exact))
        case "view_change":
            return view_change_accuracy(str(value), str(item.exact))
        case "point_in_mask":
            return brightness_at(_numbers(value), item.mask)


def _number_score(item: QuestionItem, given: float, exact: float) -> float:
    """Return the mean relative accuracy, by the item's rule if the exact number is 0."""
    if exact != 0 or item.zero == "exact":
        return mean_relative_accuracy(given, exact)
    if item.zero == "absolute":
        return _share_of_thresholds(abs(given))
    moved = abs(given)
    return 1.0 if moved < item.stationary_below else mean_relative_accuracy(moved, item.stationary_below)


def mean_relative_accuracy(given: float, exact: float) -> float:
    """Return the share of the ten thresholds t for which the relative error is at most 1 - t.

    The relative error to 0 is not defined: then only 0 itself scores.
    """
    if not math.isfinite(given):
        return 0.0
    if exact == 0:
        return float(given == 0)
    return _share_of_thresholds(abs(given - exact) / abs(exact))


def _share_of_thresholds(error: float) -> float:
    passed = sum(error <= 1 - threshold + 1e-9 for threshold in RELATIVE_ACCURACY_THRESHOLDS)
    return passed / len(RELATIVE_ACCURACY_THRESHOLDS)


def view_change_accuracy(given: str, exact: str) -> float:
    """Return the mean relative accuracy of the five axes of a camera's motion, such as `move_right:0.3,rotate_up:5`.

    As in SPAR's own evaluation, the error of an axis is relative to what is given, and absolute if that is 0.
    """
    try:
        moved = _axes(given)
    except ValueError:
        return 0.0
    expected = _axes(exact)
    return fmean(
        _share_of_thresholds(abs(one - other) / abs(one) if one else abs(other))
        for one, other in zip(moved, expected, strict=True)
    )


def _axes(text: str) -> list[float]:
    """Return each axis's motion, positive to the right, up and forward; raise `ValueError` for any other form."""
    parts = [part.partition(":") for part in text.split(",")]
    moved = {name.strip(): float(value) for name, _, value in parts}
    return [moved.get(there, 0.0) - moved.get(back, 0.0) for there, back in VIEW_AXES]


def require_view_change(exact: str) -> None:
    """Raise `ValueError` for an exact motion with an unknown axis, or without a finite number for each."""
    known = {name for axis in VIEW_AXES for name in axis}
    if unknown := [
        name for name, _, _ in (part.partition(":") for part in exact.split(",")) if name.strip() not in known
    ]:
        raise ValueError(f"{unknown[0].strip()!r} is not an axis")
    if not all(map(math.isfinite, _axes(exact))):
        raise ValueError("it is not finite")


def mask_image(mask: str) -> Image.Image:
    """Return a mask in grey; raise `ValueError` or `OSError` for no image, or one that is too large."""
    name, options = "its mask", SamplingOptions()
    with open_image(name, base64.b64decode(mask.rpartition("base64,")[2]), options) as image:
        require_size(name, image.width, image.height, options)
        return image.convert("L")


def brightness_at(point: tuple[float, ...], mask: str) -> float:
    """Return the brightness of a mask, 0 to 1, at a point in shares of its width and height, or in pixels beyond 1."""
    grey = mask_image(mask)
    is_share = all(0 <= each <= 1 for each in point)
    spans = (grey.width - 1, grey.height - 1)
    x, y = (
        min(max(round(each * span if is_share else each), 0), span) for each, span in zip(point, spans, strict=True)
    )
    return float(cast("int", grey.getpixel((x, y)))) / 255


def is_within_tolerance(spec: AnswerSpec, given: Value, exact: Value) -> bool:
    """Tell whether an answer is as close as its specification asks."""
    match spec:
        case NumberSpec():
            allowed = max(spec.absolute_tolerance, spec.relative_tolerance * abs(_number(exact)))
            return abs(_number(given) - _number(exact)) <= allowed + 1e-9
        case VectorSpec():
            return math.dist(_numbers(given), _numbers(exact)) <= spec.absolute_tolerance + 1e-9
        case BoxSpec():
            return _overlap(_numbers(given), _numbers(exact)) >= spec.minimum_iou
        case _:
            return _same(given, exact)


def choice_letter(text: str, choices: Sequence[str]) -> str | None:
    """Return the letter that a free text answers with; None if it names no choice, or several.

    Explicit forms come first: a boxed letter, "the answer is B", a letter alone. A letter that ends a word, as in
    "The dog.", is not one. Then the only choice whose text occurs.
    """
    letters = ChoiceSpec(kind="choice", choices=tuple(choices)).letters
    for form in _LETTER_FORMS:
        found = {letter for letter in re.findall(form, text, re.MULTILINE | re.IGNORECASE) if letter.upper() in letters}
        if len({letter.upper() for letter in found}) == 1:
            return found.pop().upper()
    named = [letter for letter, each in zip(letters, choices, strict=True) if _occurs(each, text)]
    return named[0] if len(named) == 1 else None


def _occurs(choice: str, text: str) -> bool:
    return bool(re.search(rf"(?<!\w){re.escape(choice.strip())}(?!\w)", text, re.IGNORECASE))


def _same(given: Value, exact: Value) -> bool:
    if isinstance(given, str) and isinstance(exact, str):
        return given.strip().casefold() == exact.strip().casefold()
    return given == exact


def _number(value: Value) -> float:
    if isinstance(value, str | tuple):
        raise TypeError(f"a number is scored, not {value!r}")
    return float(value)


def _numbers(value: Value) -> tuple[float, ...]:
    if not isinstance(value, tuple):
        raise TypeError(f"several numbers are scored, not {value!r}")
    return value


def _overlap(first: tuple[float, ...], second: tuple[float, ...]) -> float:
    """Return intersection over union of two boxes x1, y1, x2, y2."""
    width = min(first[2], second[2]) - max(first[0], second[0])
    height = min(first[3], second[3]) - max(first[1], second[1])
    common = max(0.0, width) * max(0.0, height)
    areas = sum((box[2] - box[0]) * (box[3] - box[1]) for box in (first, second))
    return common / (areas - common)
