"""What a cell printed, changed and showed."""

from typing import Literal

from pydantic import NonNegativeFloat, NonNegativeInt, PositiveInt

from contracts.model import Model
from contracts.models.artifact import ArtifactRef


class Variable(Model):
    """One variable of the kernel after a cell."""

    name: str
    type: str
    summary: str
    """Value, shape or measures, with units."""
    change: Literal["new", "changed", "lost"]
    fingerprint: str = ""
    """Digest of the content: equal content, equal fingerprint, in any kernel. Empty where nothing could be read."""


class CellError(Model):
    """Why a cell stopped."""

    type: str
    message: str
    line: NonNegativeInt | None = None
    """Line of the cell, 1-based."""
    traceback: str = ""


class Recovery(Model):
    """The kernel of earlier cells was gone, and another one was brought to where it had been."""

    why: str
    replayed_cells: NonNegativeInt
    """How many of the completed cells ran again, from the first on; their tools gave the replies of then."""
    elapsed_s: NonNegativeFloat
    files: tuple[str, ...] = ()
    """Files that were written again."""
    restored: tuple[str, ...] = ()
    """Variables that are what they were, as far as their fingerprints tell."""
    different: tuple[str, ...] = ()
    """Variables that are there, and not what they were."""
    lost: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()
    """What else is not as it was, such as cells that did not run again."""


class ShownImage(Model):
    """A picture that a cell has shown."""

    label: str
    """In the cell's words: one line, at most 80 characters; in front of them, of a simulated run, as many of its
    verdict."""
    artifact: ArtifactRef
    """PNG, made anew by the host."""
    width_px: PositiveInt
    height_px: PositiveInt
    id: str = ""
    """By which it can be shown again in this session, such as `picture-7`; empty in logs from before."""


class Observation(Model):
    """What an agent sees of a cell."""

    status: Literal["ok", "error", "timeout", "killed", "refused"]
    output: str = ""
    """What the cell printed, head and tail of it when long."""
    output_chars: NonNegativeInt = 0
    """How much it printed in truth."""
    error: CellError | None = None
    variables: tuple[Variable, ...] = ()
    """What is new, changed or lost since the cell before."""
    variables_left_out: NonNegativeInt = 0
    """How many more there are of them."""
    elapsed_s: NonNegativeFloat = 0.0
    full_output: ArtifactRef | None = None
    """All that was printed, if `output` leaves something out: text, of which the middle is missing beyond 2 MiB."""
    images: tuple[ShownImage, ...] = ()
    images_refused: tuple[str, ...] = ()
    """What else was to be shown, and why it is not."""
    images_left: NonNegativeInt | None = None
    """How many more the session may show."""
    tool_calls_left: NonNegativeInt | None = None
    """How many more the cell could have made."""
    put_back: tuple[str, ...] = ()
    """Documents that the cell spoilt, one sentence each: they stand as before it, and why."""
    recovery: Recovery | None = None
    """What happened to the kernel since the last cell; or, if this cell killed it, because of it."""


class LintFinding(Model):
    """What a linter says of one place in a file."""

    tool: Literal["ruff", "pyright"]
    rule: str
    line: PositiveInt
    column: PositiveInt
    """Both 1-based."""
    message: str
