"""Possible endings of a replica, found in a chunk of its readings."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from contracts.models.simulation import Ending

from sim_worker.judge.hold_timer import Flags
from sim_worker.run.readings import Readings


@dataclass(frozen=True)
class Details:
    """Fields of a `ReplicaResult` that explain its ending."""

    touched: str = ""
    culprit: str = ""
    cause: str = ""
    payload: int = 0
    """Index of the payload that the result describes."""


@dataclass(frozen=True)
class Candidate:
    """A possible ending, and the first step of a chunk at which it occurs."""

    step: int
    ending: Ending
    explain: Callable[[Readings], Details]
    """From the chunk up to that step."""


def candidate(ending: Ending, occurs: Flags, explain: Callable[[Readings], Details]) -> Candidate | None:
    """Return the first of the steps (n,) at which an ending occurs."""
    return Candidate(int(np.argmax(occurs)), ending, explain) if occurs.any() else None


def step_of(found: Candidate) -> int:
    """Return the step, to find the first candidate."""
    return found.step


def any_of(flags: Flags) -> Flags:
    """(n, k) -> (n,)"""
    rows: Flags = np.logical_or.reduce(flags, axis=1)
    return rows
