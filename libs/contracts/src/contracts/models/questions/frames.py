"""References to images and frames of videos, and where the simulator backend finds their scene."""

from pydantic import NonNegativeFloat, NonNegativeInt, PositiveFloat, PositiveInt

from contracts.model import Model
from contracts.models.artifact import ArtifactRef


class Noise(Model):
    """Errors that the simulator backend adds to exact perception; zero everywhere: none."""

    depth_relative: NonNegativeFloat = 0.0
    """Standard deviation of a pixel's depth over the depth."""
    depth_step_m: NonNegativeFloat = 0.0
    """Depths are rounded to multiples of this; 0: not rounded."""
    position_m: NonNegativeFloat = 0.0
    """Standard deviation of a camera's position along each axis."""
    rotation_deg: NonNegativeFloat = 0.0
    """Standard deviation of a camera's rotation about each axis."""
    dropout: NonNegativeFloat = 0.0
    """Share of pixels without depth, and of masks' pixels that are missing."""
    seed: NonNegativeInt = 0


class SceneState(Model):
    """What a frame was rendered from: a stored scene and one of its states.

    Hosts know it. A kernel gets frames without it.
    """

    scene: ArtifactRef
    """JSON of a `SpatialScene`."""
    state: NonNegativeInt
    """Index of the state in the scene."""
    noise: Noise = Noise()


class FrameRef(Model):
    """An image, or a frame of a video."""

    picture: ArtifactRef
    """PNG or JPEG at the size below."""
    frame_index: NonNegativeInt
    """Absolute: in the video that it was sampled from, or in the order of the images."""
    time_s: NonNegativeFloat | None = None
    """Since the beginning of the video; None for an image."""
    width_px: PositiveInt
    height_px: PositiveInt
    reason: str = ""
    """Why it was chosen, if it is a key frame of a video."""
    focal_px: PositiveFloat | None = None
    """Focal length that a photo's EXIF data state, in pixels of the picture."""
    source: SceneState | None = None
    """None: pixels without a known scene, about which a server answers, or classic geometry."""
