"""The names that a cell finds: `InputImages`, `Metadata` and `tools`."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypedDict

from contracts.models.questions.question import ToolGroup

from spatial.frames import InputImages, VideoMetadata
from spatial.port import Perception
from spatial.tools.drawings import DrawTool, GraphTool
from spatial.tools.frame_choice import FrameChoice
from spatial.tools.geometry import GeometryTool
from spatial.tools.mask_measures import MaskMeasures
from spatial.tools.reconstruct import ReconstructTool
from spatial.tools.sam3 import SegmentTool
from spatial.tools.track import TrackTool
from spatial.tools.video_time import VideoTime

PERCEPTION_TOOLS = ("Reconstruct", "SAM3", "Track")
UTILITY_TOOLS = ("Geometry", "Mask", "Time", "Graph", "Draw")
_OF_GROUP: dict[ToolGroup, tuple[str, ...]] = {
    "perception": PERCEPTION_TOOLS,
    "segmentation": ("SAM3",),
    "utilities": UTILITY_TOOLS,
    "vlm": (),
}


@dataclass(frozen=True)
class Tools:
    """`tools`: perception (Reconstruct, SAM3, Track) and what works on its results."""

    Reconstruct: ReconstructTool
    SAM3: SegmentTool
    Track: TrackTool
    Geometry: GeometryTool
    Mask: MaskMeasures
    Time: VideoTime
    Graph: GraphTool
    Draw: DrawTool

    def __repr__(self) -> str:
        """Teach how to use them."""
        return tools_text()


class Namespace(TypedDict):
    """By the name in a cell."""

    InputImages: InputImages
    Metadata: VideoMetadata
    tools: Tools


def make_namespace(perception: Perception, images: InputImages, metadata: VideoMetadata) -> Namespace:
    """Return what a cell of a question can use; perception answers its calls."""
    frames = FrameChoice(images)
    tools = Tools(
        Reconstruct=ReconstructTool(perception, frames),
        SAM3=SegmentTool(perception, frames),
        Track=TrackTool(perception, frames),
        Geometry=GeometryTool(),
        Mask=MaskMeasures(),
        Time=VideoTime(images, metadata),
        Graph=GraphTool(),
        Draw=DrawTool(),
    )
    return Namespace(InputImages=images, Metadata=metadata, tools=tools)


def tools_left(tools_off: Sequence[ToolGroup]) -> tuple[str, ...]:
    """Return the names of the tools without those of some groups."""
    off = {name for group in tools_off for name in _OF_GROUP[group]}
    return tuple(name for name in (*PERCEPTION_TOOLS, *UTILITY_TOOLS) if name not in off)


def tools_text(names: tuple[str, ...] = (*PERCEPTION_TOOLS, *UTILITY_TOOLS)) -> str:
    """Return the documentation of tools, which is the docstrings of their classes: it cannot differ from the code."""
    documented = {
        "Reconstruct": ReconstructTool,
        "SAM3": SegmentTool,
        "Track": TrackTool,
        "Geometry": GeometryTool,
        "Mask": MaskMeasures,
        "Time": VideoTime,
        "Graph": GraphTool,
        "Draw": DrawTool,
    }
    return "\n".join(f"tools.{name}: {_dedented(documented[name].__doc__)}" for name in names)


def _dedented(text: str | None) -> str:
    return "\n".join(line.strip() for line in (text or "").strip().splitlines())
