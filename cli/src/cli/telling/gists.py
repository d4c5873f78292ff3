"""One line for people, and the function that each kind of event gives its own words to."""

from dataclasses import dataclass
from functools import singledispatch
from typing import Literal

from contracts.envelope import Event

from cli.words import one_line

Mood = Literal["good", "bad", "plain", "quiet"]
"""Quiet: only of interest to those who read the whole log."""


@dataclass(frozen=True)
class Gist:
    """One line, and how it is meant."""

    text: str
    mood: Mood = "plain"


def gist(event: Event) -> Gist:
    """Return what the event says."""
    told = tell(event)
    return Gist(one_line(told.text), told.mood)


@singledispatch
def tell(event: Event) -> Gist:
    """Say it, whole; `gist` cuts it to a line."""
    return Gist(event.type, "quiet")
