"""Rare words for colours and shapes, which perception may not know, and the plain ones."""

import re

PLAIN_WORDS = {
    "crimson": "red",
    "emerald": "green",
    "azure": "blue",
    "golden": "yellow",
    "violet": "purple",
    "tangerine": "orange",
    "ebony": "black",
    "ivory": "white",
    "chestnut": "brown",
    "orb": "ball",
    "crate": "box",
    "drum": "cylinder",
}
_RARE = re.compile(rf"\b({'|'.join(PLAIN_WORDS)})\b")


def in_plain_words(text: str) -> str:
    """Return the text with plain words in place of rare ones."""
    return _RARE.sub(lambda found: PLAIN_WORDS[found[0]], text)
