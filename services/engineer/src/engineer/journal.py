"""What is worth a journal entry: a design was tried, and this came of it."""

import re

from contracts.model import Model
from contracts.session import Observation

_TRIES = re.compile(r"\b(?:simulate|validate_and_price|submit_for_review)\(")
_RESULT_CHARS = 400


class Trial(Model):
    """A design was tried; what it teaches is written down with the next reply."""

    intent: str
    result: str


def tries_a_design(code: str) -> bool:
    """Tell whether a cell prices, previews or submits."""
    return _TRIES.search(code) is not None


def result_of(observation: Observation) -> str:
    """Say in a few words what came of a cell."""
    if observation.error is not None:
        return f"{observation.status}: {observation.error.type}: {observation.error.message}"[:_RESULT_CHARS]
    return f"{observation.status}: {observation.output.strip()}"[:_RESULT_CHARS]
