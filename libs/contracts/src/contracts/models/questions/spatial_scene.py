"""The scene behind rendered frames: labelled shapes, and per frame a camera and the poses of what moves.

Perception's simulator backend renders it. It holds the exact answers to questions, so that no kernel may see it. SI
units, z up.
"""

from typing import Annotated, Literal, Self, TypeAlias

from pydantic import Field, NonNegativeFloat, NonNegativeInt, PositiveFloat, PositiveInt, model_validator

from contracts.model import Model
from contracts.models.geometry import Rgba, Vector

Quaternion = tuple[float, float, float, float]
"""w, x, y, z"""
IDENTITY: Quaternion = (1.0, 0.0, 0.0, 0.0)


class Pose(Model):
    """Where something is, and its rotation."""

    position_m: Vector
    quaternion: Quaternion = IDENTITY


class BoxShape(Model):
    """A box about its centre."""

    kind: Literal["box"] = "box"
    size_m: tuple[PositiveFloat, PositiveFloat, PositiveFloat]
    """Full lengths of its edges."""
    pose: Pose = Pose(position_m=(0.0, 0.0, 0.0))
    """In the frame of its object, as for the other shapes."""


class SphereShape(Model):
    """A sphere about its centre."""

    kind: Literal["sphere"] = "sphere"
    radius_m: PositiveFloat
    pose: Pose = Pose(position_m=(0.0, 0.0, 0.0))


class CylinderShape(Model):
    """A cylinder along z about its centre."""

    kind: Literal["cylinder"] = "cylinder"
    radius_m: PositiveFloat
    length_m: PositiveFloat
    pose: Pose = Pose(position_m=(0.0, 0.0, 0.0))


class MeshShape(Model):
    """A surface of triangles."""

    kind: Literal["mesh"] = "mesh"
    vertices_m: tuple[Vector, ...]
    triangles: tuple[tuple[NonNegativeInt, NonNegativeInt, NonNegativeInt], ...]
    pose: Pose = Pose(position_m=(0.0, 0.0, 0.0))


Shape: TypeAlias = Annotated[BoxShape | SphereShape | CylinderShape | MeshShape, Field(discriminator="kind")]


class SceneObject(Model):
    """One labelled thing. Text prompts find it by label, then alias, colour and material."""

    label: str
    aliases: tuple[str, ...] = ()
    color: str = ""
    """A word, such as red."""
    material: str = ""
    rgba: Rgba = (0.7, 0.7, 0.7, 1.0)
    shapes: Annotated[tuple[Shape, ...], Field(min_length=1)]
    pose: Pose
    """In the world, in states that do not name another."""


class Camera(Model):
    """A pinhole camera with square pixels and its principal point in the centre of the image."""

    pose: Pose
    """Of the camera's axes in OpenCV's convention: x right, y down, z forward."""
    vertical_fov_deg: Annotated[float, Field(gt=1, lt=170)] = 50.0


class FrameState(Model):
    """What one frame shows."""

    camera: Camera
    time_s: NonNegativeFloat = 0.0
    poses: dict[str, Pose] = Field(default_factory=dict)
    """By label: objects that are elsewhere than at their first pose."""


class SpatialScene(Model):
    """Labelled shapes over a floor, and what each frame shows of them."""

    objects: tuple[SceneObject, ...]
    floor_z_m: float | None = 0.0
    """None: no floor. The floor's label is `floor`."""
    width_px: Annotated[PositiveInt, Field(le=2048)] = 640
    height_px: Annotated[PositiveInt, Field(le=2048)] = 480
    states: Annotated[tuple[FrameState, ...], Field(min_length=1)]

    @model_validator(mode="after")
    def _labels_are_known(self) -> Self:
        labels = [each.label for each in self.objects]
        if len(set(labels)) != len(labels):
            raise ValueError(f"labels must differ, got {sorted(labels)}")
        unknown = sorted({label for state in self.states for label in state.poses} - set(labels))
        if unknown:
            raise ValueError(f"states move {', '.join(unknown)}, which the scene does not have")
        return self
