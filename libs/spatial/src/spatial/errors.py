"""Errors that a cell sees: each names what is wrong, the measured value, and what to write instead."""

from collections.abc import Sequence

from contracts.events.perception import PerceptionProblem


class PerceptionRefusedError(RuntimeError):
    """The host or the backend could not answer."""

    def __init__(self, reason: PerceptionProblem, detail: str) -> None:
        super().__init__(f"{reason.replace('_', ' ')}: {detail}")
        self.reason: PerceptionProblem = reason


class NothingFoundError(RuntimeError):
    """No object matches a prompt, or an object has no pixel in a frame; the message has what to try."""

    def __init__(self, what: str, hints: Sequence[str]) -> None:
        super().__init__("\n".join([what, "What to try:", *(f"- {hint}" for hint in hints)]))


class FrameMismatchError(ValueError):
    """Two containers do not have the same frames."""
