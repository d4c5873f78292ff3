"""Suggestions for misspelt names."""

from collections.abc import Iterable
from difflib import get_close_matches


def suggestion(name: str, known: Iterable[str]) -> str:
    """Return which known names resemble a name, or else which names there are."""
    names = list(known)
    similar = get_close_matches(name, names, n=3, cutoff=0.6)
    if similar:
        return f"did you mean {' or '.join(similar)}?"
    return f"there are {', '.join(names[:20])}{', ...' if len(names) > 20 else ''}" if names else "there are none"
