"""The session protocol: the messages between host and kernel that every kind of kernel shares.

The host sends an order, and the kernel answers `SessionReady`. For each cell the host sends `RunCell`; the kernel sends
any number of `KernelCall`s, each of which the host answers, and at last `CellDone`. Everything that a kernel sends is
untrusted. A kind of kernel adds its order, its calls and their answers, and what its cells end with.
"""

from typing import Annotated, ClassVar, Literal

from kernel.runtime.cell import CellReport
from pydantic import BaseModel, Field, NonNegativeInt
from sandbox.channels.wire_model import WireModel

PROOF_CHARS = 20_000
"""Longer proofs of a refusal are cut."""


class SessionReady(WireModel):
    """The kernel's namespace is complete."""

    kind: Literal["ready"] = "ready"


class RunCell(BaseModel):
    """Run this code."""

    code: str
    name: str
    """The file name in tracebacks."""
    seed: int


class KernelCall(WireModel):
    """A call of one of the kernel's tools. Each class of calls has a field `kind`, by which the host knows it."""

    later_fields: ClassVar[frozenset[str]] = frozenset()
    """Fields that calls of older versions did not have: at its default, none of them changes a recorded digest."""

    @property
    def tool(self) -> str:
        """The call's kind."""
        return str(type(self).model_fields["kind"].default)


class RejectedCall(BaseModel):
    """The answer to a call that is not allowed; valid as an answer of every tool."""

    problem: str


class RecallCall(KernelCall):
    """Call of `recall` for an image of an earlier cell, answered by `ShowAnswer`."""

    kind: Literal["recall"] = "recall"
    picture: Annotated[str, Field(max_length=80)]


class ShowAnswer(BaseModel):
    """Empty if the image is shown."""

    note: str = ""
    """Why it is not shown, if the cell may go on: there are too many."""
    problem: str = ""
    """Why it cannot be shown: an error of the cell."""


class CellDone(WireModel):
    """The cell has ended."""

    kind: Literal["done"] = "done"
    report: CellReport
    late_chars: NonNegativeInt = 0
    """Printed by threads of earlier cells, and dropped."""
    refusal: str | None = None
    """The proof with which the agent refuses its task."""
