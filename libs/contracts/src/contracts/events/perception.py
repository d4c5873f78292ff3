"""Events about perception: what is in frames, and where. Arrays travel as artifacts."""

from typing import Annotated, ClassVar, Literal, TypeAlias

from pydantic import Field, NonNegativeFloat, NonNegativeInt, PositiveFloat, PositiveInt

from contracts.envelope import Event, Request
from contracts.event_line import EventLine
from contracts.model import Model
from contracts.models.artifact import ArtifactRef
from contracts.models.geometry import Vector
from contracts.models.questions.frames import FrameRef
from contracts.outcomes import FailureOutcome
from contracts.text import spaced

MAX_RECONSTRUCTED_FRAMES = 64
MIN_CLASSIC_FRAMES = 3
"""Of a scene that is reconstructed without a server."""
MAX_TRACKED_FRAMES = 1000
MAX_PROMPTS = 16
MAX_PROMPT_CHARS = 200
MAX_TRACKED_POINTS = 2048

PixelPoint = tuple[float, float]
"""u to the right, v down."""
PixelBox = tuple[float, float, float, float]
"""x1, y1, x2, y2"""
Alignment = Literal["ground", "sim"]
"""`ground`: metres, y up, the ground at y = 0, the first camera at x = z = 0 and looking to -z. `sim`: the simulator's
own frame, z up."""


class TextPrompt(Model):
    """All instances of what a text names."""

    kind: Literal["text"]
    text: Annotated[str, Field(min_length=1, max_length=MAX_PROMPT_CHARS)]


class PointsPrompt(Model):
    """The object under the foreground points, without what is under the background points."""

    kind: Literal["points"]
    foreground: Annotated[tuple[PixelPoint, ...], Field(min_length=1, max_length=64)]
    background: Annotated[tuple[PixelPoint, ...], Field(max_length=64)] = ()


class BoxPrompt(Model):
    """The object that fills a rectangle best."""

    kind: Literal["box"]
    box: PixelBox


Prompt: TypeAlias = Annotated[TextPrompt | PointsPrompt | BoxPrompt, Field(discriminator="kind")]


class Reconstruct(Model):
    """Find depth, intrinsics and camera poses of frames of one scene."""

    kind: Literal["reconstruct"]
    frames: Annotated[tuple[FrameRef, ...], Field(min_length=1, max_length=MAX_RECONSTRUCTED_FRAMES)]
    align: Alignment = "ground"


class SegmentImage(Model):
    """Find the pixels of objects in one image."""

    kind: Literal["segment_image"]
    frame: FrameRef
    prompt: Prompt
    confidence_threshold: Annotated[float, Field(ge=0, le=1)] = 0.3


class SegmentVideo(Model):
    """Find the pixels of objects in frames, under the same ids in all."""

    kind: Literal["segment_video"]
    frames: Annotated[tuple[FrameRef, ...], Field(min_length=1, max_length=MAX_TRACKED_FRAMES)]
    prompts: Annotated[tuple[Prompt, ...], Field(min_length=1, max_length=MAX_PROMPTS)]
    prompt_frame_index: NonNegativeInt
    """Absolute index of the frame that points and boxes refer to; one of the frames."""
    confidence_threshold: Annotated[float, Field(ge=0, le=1)] = 0.3


class TrackPoints(Model):
    """Find where points of one frame are in the others."""

    kind: Literal["track_points"]
    frames: Annotated[tuple[FrameRef, ...], Field(min_length=1, max_length=MAX_RECONSTRUCTED_FRAMES)]
    points: Annotated[tuple[PixelPoint, ...], Field(min_length=1, max_length=MAX_TRACKED_POINTS)]
    prompt_frame_index: NonNegativeInt
    """Absolute index of the frame that the points are in; one of the frames."""


class RenderFrames(Model):
    """Render the pictures of a stored scene, to ask questions about. Kernels cannot request it."""

    kind: Literal["render_frames"]
    scene: ArtifactRef
    """JSON of a `SpatialScene`."""
    states: Annotated[tuple[NonNegativeInt, ...], Field(max_length=MAX_TRACKED_FRAMES)] = ()
    """Indices of the states to render; empty: all."""


KernelOperation: TypeAlias = Annotated[
    Reconstruct | SegmentImage | SegmentVideo | TrackPoints, Field(discriminator="kind")
]
"""What a cell may request. Its frames have no `source`: the host knows it."""
Operation: TypeAlias = Annotated[
    Reconstruct | SegmentImage | SegmentVideo | TrackPoints | RenderFrames, Field(discriminator="kind")
]


class FrameIntrinsics(Model):
    """The pinhole model of one frame, in pixels of that frame, with the lens's radial distortion."""

    fx: PositiveFloat
    fy: PositiveFloat
    cx: float
    cy: float
    radial: float = 0.0
    """Pixel (u, v) shows the direction (x, y, 1 + radial (x² + y²)), where x = (u - cx) / fx and y = (v - cy) / fy."""


class Reconstructed(Model):
    """The result of `Reconstruct`."""

    kind: Literal["reconstructed"]
    arrays: ArtifactRef
    """npz: depth (n, h, w) float32 in m along the camera's z, confidence (n, h, w) uint8, 255 where it is certain and 0
    where there is no depth, and extrinsics (n, 4, 4) float64, camera to world, x right, y down, z forward."""
    frame_indices: tuple[NonNegativeInt, ...]
    intrinsics: tuple[FrameIntrinsics, ...]
    gravity_direction: Vector
    """Unit vector in the aligned world."""
    metric_scale: PositiveFloat = 1.0
    """Metres per unit of the reconstruction; 1 if it is metric."""
    align: Alignment = "ground"
    is_metric: bool = True
    """False: up to scale; the unit is any."""
    notes: tuple[str, ...] = ()
    """What the result is worth: its scale, where it has depths, what was assumed."""


class SegmentedObject(Model):
    """One object with a mask in each frame."""

    label: str
    """Of the prompt, with the number of the instance: `red cube_1`."""
    prompt: NonNegativeInt = 0
    """Index of the prompt that found it."""
    score: Annotated[float, Field(ge=0, le=1)]


class Segmented(Model):
    """The result of `SegmentImage` and `SegmentVideo`; without objects, if nothing matches."""

    kind: Literal["segmented"]
    arrays: ArtifactRef
    """npz: masks, (n, objects, ceil(h * w / 8)) uint8, packed bits row by row as of `numpy.packbits`; shape (4,), which
    is n, objects, h and w."""
    frame_indices: tuple[NonNegativeInt, ...]
    objects: tuple[SegmentedObject, ...]
    notes: tuple[str, ...] = ()
    """What the masks are worth, if no model made them."""


class Tracked(Model):
    """The result of `TrackPoints`."""

    kind: Literal["tracked"]
    arrays: ArtifactRef
    """npz: pixels (n, k, 2) float32, and confidence (n, k) uint8, 255 where the place is certain and 0 where it is
    hidden, out of the frame or lost."""
    frame_indices: tuple[NonNegativeInt, ...]
    notes: tuple[str, ...] = ()
    """What the tracks are worth."""


KernelResult: TypeAlias = Annotated[Reconstructed | Segmented | Tracked, Field(discriminator="kind")]


class Rendered(Model):
    """The result of `RenderFrames`."""

    kind: Literal["rendered"]
    frames: tuple[FrameRef, ...]


PerceptionResult: TypeAlias = Annotated[Reconstructed | Segmented | Tracked | Rendered, Field(discriminator="kind")]
BackendName = Literal["simulator", "gpu", "classic"]
"""`simulator`: exact, in a simulated scene. `gpu`: by a server's models. `classic`: by geometry, without a server."""
PerceptionProblem = Literal[
    "unknown_frame",
    "invalid_prompt",
    "image_unreadable",
    "scene_invalid",
    "too_large",
    "backend_unavailable",
    "too_little_texture",
    "no_parallax",
]
"""`unknown_frame`: not a frame of the question. `backend_unavailable`: no server answers. `too_little_texture`,
`no_parallax`: what classic geometry cannot measure."""


class PerceptionCompleted(Event):
    """The backend has answered."""

    unconsumed: ClassVar = "cad-worker waits for it while the requesting cell runs"

    backend: BackendName
    result: PerceptionResult
    duration_ms: NonNegativeFloat

    def line(self) -> EventLine:
        return EventLine(
            f"{spaced(self.result.kind)} by the {self.backend} backend in {self.duration_ms:.0f} ms", "detail"
        )


class PerceptionFailed(FailureOutcome[PerceptionProblem]):
    """There is no answer."""

    unconsumed: ClassVar = "cad-worker waits for it while the requesting cell runs"
    summary: ClassVar = "perception failed"

    detail: str
    """What is wrong, and what to try."""
    retry_after_s: PositiveInt | None = None
    """When a server may be back."""


class PerceptionRequested(Request):
    """A cell, or a host on behalf of a run, requests perception."""

    publishers: ClassVar = ("cad-worker",)
    owner: ClassVar = "perception-worker"
    outcomes: ClassVar = (PerceptionCompleted, PerceptionFailed)

    operation: Operation

    def line(self) -> EventLine:
        return EventLine(f"perception: {spaced(self.operation.kind)}", "detail")
