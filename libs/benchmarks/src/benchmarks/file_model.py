"""Base class and boxes of benchmark.yaml: an unknown field is an error, since people write these files by hand."""

from typing import Annotated, Literal

from contracts.model import Model
from contracts.models.benchmark import Bound
from contracts.models.geometry import Box
from contracts.models.label import Label
from pydantic import ConfigDict, StringConstraints

NonEmptyText = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
Axis = Literal["x", "y"]


class FileModel(Model):
    """Base class of the format.

    It must be the last base class: pydantic takes `model_config` from the last one.
    """

    model_config = ConfigDict(extra="forbid")


class FileBox(Box, FileModel):
    """An axis-aligned box in millimetres."""


class FileObstacle(FileModel):
    """A named box that environment.py fills with something; seeds shrink and move it."""

    label: Label
    box: FileBox


class FileZone(FileModel):
    """A forbid zone."""

    label: Label
    box: FileBox
    binds: Bound = "both"
    """Who may not touch it: `parts` of the machine, the `payload`, or `both`."""
