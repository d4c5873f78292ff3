"""Events about rendering geometry, which only sim-worker can do: it alone has OpenGL."""

from typing import Annotated, ClassVar, Literal

from pydantic import Field, NonNegativeInt, PositiveInt

from contracts.envelope import Event, Request
from contracts.event_line import EventLine
from contracts.model import Model
from contracts.models.artifact import ArtifactRef
from contracts.models.geometry import Rgba, Vector
from contracts.outcomes import FailureOutcome

View = Literal["iso", "front", "back", "left", "right", "top", "bottom"]
"""Camera position: front looks along +y, right along -x; x points to the right in front and top."""

Pixels = Annotated[int, Field(ge=64, le=1024)]


class Mesh(Model):
    """The surface of one solid as triangles."""

    label: str
    vertices_mm: tuple[Vector, ...]
    triangles: tuple[tuple[NonNegativeInt, NonNegativeInt, NonNegativeInt], ...]
    """Indices of vertices, counter-clockwise as seen from outside."""
    color_rgba: Rgba = (0.7, 0.7, 0.7, 1.0)


class Meshes(Model):
    """The solids to render."""

    meshes: tuple[Mesh, ...]


class RenderCompleted(Event):
    """The image was rendered."""

    unconsumed: ClassVar = "cad-worker waits for it while the requesting cell runs"

    picture: ArtifactRef
    """PNG: one tile for each view, two per row, with the name of the view in a corner."""
    width_px: PositiveInt
    height_px: PositiveInt

    def line(self) -> EventLine:
        return EventLine(f"rendered, {self.width_px} x {self.height_px} pixels", "detail")


class RenderFailed(FailureOutcome[Literal["meshes_invalid", "nothing_to_see", "too_large"]]):
    """The geometry could not be rendered."""

    unconsumed: ClassVar = "cad-worker waits for it while the requesting cell runs"
    summary: ClassVar = "rendering failed"


class RenderRequested(Request):
    """A cell requests an image of geometry."""

    publishers: ClassVar = ("cad-worker",)
    owner: ClassVar = "sim-worker"
    outcomes: ClassVar = (RenderCompleted, RenderFailed)

    meshes: ArtifactRef
    """JSON of `Meshes`."""
    views: Annotated[tuple[View, ...], Field(min_length=1, max_length=7)] = ("iso", "front", "right", "top")
    view_width_px: Pixels = 480
    view_height_px: Pixels = 360
    """Size of one view."""

    def line(self) -> EventLine:
        return EventLine(f"rendering: {', '.join(self.views)}", "detail")
