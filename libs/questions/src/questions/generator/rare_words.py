"""Rare words for colours and shapes, by which no perception finds anything."""

import re

RARE_WORDS = {
    "red": "crimson", "green": "emerald", "blue": "azure", "yellow": "golden", "purple": "violet",
    "orange": "tangerine", "black": "ebony", "white": "ivory", "brown": "chestnut",
    "ball": "orb", "box": "crate", "cylinder": "drum",
}  # fmt: skip
_NAME = re.compile(r"\b(red|green|blue|yellow|purple|orange|black|white|brown) (ball|box|cylinder)\b")


def reworded(text: str) -> str:
    """Return a question with rare words in every name of an object."""
    return _NAME.sub(lambda found: f"{RARE_WORDS[found[1]]} {RARE_WORDS[found[2]]}", text)
