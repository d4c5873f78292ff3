"""Times in a video that the text of a question names: moments and spans, not how long something takes."""

import re
from itertools import count

_TIME = r"(\d+(?::\d\d){1,2}|\d+(?:\.\d+)?\s*(?:s|secs?|seconds?|min|minutes?)(?![a-z]))"
_SPAN = re.compile(rf"\b(?:from|between)\s+{_TIME}\s+(?:to|and|until)\s+{_TIME}", re.IGNORECASE)
_MOMENT = re.compile(
    rf"\b(?:at|around|about|near|after|before|until|since|from|by)\s+(?:about\s+)?{_TIME}", re.IGNORECASE
)
_END = re.compile(rf"\b(first|last)\s+{_TIME}", re.IGNORECASE)
AROUND_S = 0.5
"""On both sides of a moment."""


def named_spans(question: str, duration_s: float) -> list[tuple[float, float]]:
    """Return first and last second of each time that is named and in the video: `at 0:12`, `between 3 s and 5 s`."""
    spans = [(_seconds(found[1]), _seconds(found[2])) for found in _SPAN.finditer(question)]
    rest = _SPAN.sub(" ", question)
    moments = [_seconds(found[1]) for found in _MOMENT.finditer(rest)]
    spans += [(moment - AROUND_S, moment + AROUND_S) for moment in moments if moment <= duration_s]
    for end in _END.finditer(rest):
        length = _seconds(end[2])
        spans.append((0, length) if end[1].lower() == "first" else (duration_s - length, duration_s))
    cut = [(max(0.0, low), min(high, duration_s)) for low, high in spans]
    return [(low, high) for low, high in cut if low < high]


def _seconds(text: str) -> float:
    if ":" in text:
        return sum(int(part) * 60**power for power, part in zip(count(), reversed(text.split(":")), strict=False))
    number = float(re.sub(r"[^\d.]", "", text))
    return number * (60 if "m" in text.lower() else 1)
