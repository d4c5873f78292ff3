"""The port to perception: in a kernel the host answers, in tests a backend does."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from contracts.events.perception import KernelOperation, KernelResult


@dataclass(frozen=True)
class PerceptionReply:
    """A result with its arrays, fetched."""

    result: KernelResult
    arrays_npz: bytes
    """The file of `result.arrays`."""


Perception: TypeAlias = Callable[[KernelOperation], PerceptionReply]
"""Answers one operation. The frames have no `source`; the host adds it. Raises `PerceptionRefusedError`."""
