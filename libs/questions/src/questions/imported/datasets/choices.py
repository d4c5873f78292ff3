"""The choices of a question: from one column, from several, or from the question's own text."""

import re
from collections.abc import Mapping, Sequence
from typing import cast

from questions.imported.datasets.layout import DatasetLayout
from questions.imported.fields import LETTER_PREFIX, Record, RecordUnusableError, holds_list, parsed_choices

MAX_CHOICES = 26
"""Each has a letter."""
_MARKER = re.compile(r"(?<![A-Za-z0-9])\(?([A-Z])[.:)]\s+")
_HEADING = re.compile(r"[\s(]*(options?|choices?)\s*[:.]?\s*$", re.IGNORECASE)


def choices_of_record(record: Record, layout: DatasetLayout) -> tuple[str, tuple[str, ...]]:
    """Return the question's text without choices, and their texts without letters; none: it is an open question."""
    text = str(record[layout.question]).replace(layout.removed, "").strip()
    if layout.choices is None:
        return inline_choices(text)
    given = [record.get(name) for name in layout.choices]
    return text, _texts(given[0] if len(given) == 1 else given)


def _texts(given: object) -> tuple[str, ...]:
    if isinstance(given, str):
        lettered = () if holds_list(given) else inline_choices(given)[1]
        given = lettered or parsed_choices(given)
    if isinstance(given, Mapping):
        by_letter = cast("Mapping[str, object]", given)
        given = [by_letter[letter] for letter in sorted(by_letter)]
    listed = cast("Sequence[object]", given) if isinstance(given, list | tuple) else ()
    texts = [LETTER_PREFIX.sub("", "" if each is None else str(each)).strip() for each in listed]
    while texts and not texts[-1]:
        texts.pop()
    return tuple(texts)


def require_choices(choices: Sequence[str]) -> None:
    """Raise `RecordUnusableError` for choices of which a letter could not be answered."""
    if not all(choices):
        raise RecordUnusableError(f"its choice {chr(ord('A') + list(choices).index(''))} is empty; correct the row")
    if len(choices) > MAX_CHOICES:
        raise RecordUnusableError(f"it has {len(choices)} choices, at most {MAX_CHOICES} are possible")


def inline_choices(text: str) -> tuple[str, tuple[str, ...]]:
    """Return what comes before `A. ... B. ...` in a text, and the texts of these choices.

    The last A that is followed by a B begins them, if no choice is empty then: a question or a choice may name a
    point A.
    """
    markers = list(_MARKER.finditer(text))
    for start in range(len(markers) - 1, -1, -1):
        run = _run(markers[start:])
        if len(run) > 1:
            ends = [*(each.start() for each in run[1:]), len(text)]
            texts = tuple(
                text[marker.end() : end].strip().rstrip(",;").strip() for marker, end in zip(run, ends, strict=True)
            )
            if all(texts):
                return _HEADING.sub("", text[: run[0].start()]).strip(), texts
    return text.strip(), ()


def _run(markers: Sequence[re.Match[str]]) -> list[re.Match[str]]:
    """Return the markers that count A, B, C and so on from the first."""
    run: list[re.Match[str]] = []
    for marker in markers:
        if marker.group(1) == chr(ord("A") + len(run)):
            run.append(marker)
        elif not run:
            break
    return run
