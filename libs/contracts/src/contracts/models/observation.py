"""The observation of a cell: its output, variables, images and errors."""

from typing import Literal

from pydantic import NonNegativeFloat, NonNegativeInt, PositiveInt

from contracts.model import Model
from contracts.models.artifact import ArtifactRef


class Variable(Model):
    """A variable of the kernel after a cell."""

    name: str
    type: str
    summary: str
    """Value, shape or measurements, with units."""
    change: Literal["new", "changed", "lost"]
    fingerprint: str = ""
    """Digest of the content: equal content has equal fingerprints in any kernel. Empty if the content is unreadable."""


class CellError(Model):
    """The error that stopped a cell."""

    type: str
    message: str
    line: NonNegativeInt | None = None
    """1-based line of the cell."""
    traceback: str = ""


class Recovery(Model):
    """The kernel of earlier cells was lost, or is another run's, and a new one was brought to its state by replay."""

    why: str
    is_fork: bool = False
    """Whether the session begins with cells of an earlier run, and nothing was lost."""
    replayed_cells: NonNegativeInt
    """Number of completed cells that were replayed, from the first one, with the recorded replies of their tools."""
    elapsed_s: NonNegativeFloat
    files: tuple[str, ...] = ()
    """Files that were restored."""
    restored: tuple[str, ...] = ()
    """Variables that are unchanged according to their fingerprints."""
    different: tuple[str, ...] = ()
    """Variables that exist but have changed."""
    lost: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()
    """Other differences, such as cells that were not replayed."""


class ShownImage(Model):
    """An image that a cell showed."""

    label: str
    """The cell's caption, one line of at most 80 characters; for a simulation, its verdict of at most 80 characters
    precedes it."""
    artifact: ArtifactRef
    """PNG, re-encoded by the host."""
    width_px: PositiveInt
    height_px: PositiveInt
    id: str = ""
    """With which it can be shown again in this session, such as `picture-7`; empty in logs older than this field."""
    shows: str = ""
    """What it shows, as a model that looks at it must know: views, axes, colours and moments."""


class Observation(Model):
    """The result of a cell as the agent sees it."""

    status: Literal["ok", "error", "timeout", "killed", "refused"]
    output: str = ""
    """What the cell printed; only its head and tail if it is long."""
    output_chars: NonNegativeInt = 0
    """Number of characters that the cell printed."""
    error: CellError | None = None
    variables: tuple[Variable, ...] = ()
    """Variables that are new, changed or lost since the previous cell."""
    variables_left_out: NonNegativeInt = 0
    """Number of such variables that are not listed."""
    elapsed_s: NonNegativeFloat = 0.0
    full_output: ArtifactRef | None = None
    """The whole output if `output` is shortened, as text; beyond 2 MiB its middle is left out."""
    images: tuple[ShownImage, ...] = ()
    images_refused: tuple[str, ...] = ()
    """Images that were not accepted, with the reason."""
    images_left: NonNegativeInt | None = None
    """Number of images that the session may still show."""
    tool_calls_left: NonNegativeInt | None = None
    """Number of tool calls that the cell could still have made."""
    put_back: tuple[str, ...] = ()
    """Documents that the cell made invalid and that were restored, each with the reason in one sentence."""
    recovery: Recovery | None = None
    """How the kernel was recovered since the previous cell, or because this cell killed it."""


class LintFinding(Model):
    """A linter's message about one location in a file."""

    tool: Literal["ruff", "pyright"]
    rule: str
    line: PositiveInt
    column: PositiveInt
    """`line` and `column` are 1-based."""
    message: str
