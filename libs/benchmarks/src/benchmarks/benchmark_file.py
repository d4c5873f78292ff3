"""The format of benchmark.yaml: the nominal world of a benchmark, and how seeds may vary it."""

from typing import Annotated, Literal, Self

from contracts.model import Model
from contracts.models.benchmark import GoalRule, Limits, Payload, PayloadShape
from contracts.models.geometry import Box, Vector, turned_by
from contracts.models.label import Label
from parts_catalog.materials import MATERIALS
from pydantic import ConfigDict, Field, NonNegativeFloat, PositiveFloat, StringConstraints, model_validator

NonEmptyText = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
Axis = Literal["x", "y"]


class _FileModel(Model):
    """Base class of the format: an unknown field is an error, since people write these files by hand.

    It must be the last base class: pydantic takes `model_config` from the last one.
    """

    model_config = ConfigDict(extra="forbid")


class FileBox(Box, _FileModel):
    """An axis-aligned box in millimetres."""


class FileZone(_FileModel):
    """A named axis-aligned box."""

    label: Label
    box: FileBox


class FilePayload(_FileModel):
    """What must be moved."""

    label: Label = "payload"
    shape: PayloadShape
    """A cylinder and a capsule lie along their own z axis. `solid`: `payload(variant)` in environment.py returns it."""
    size_mm: PositiveFloat | None = None
    """Diameter of a ball, cylinder or capsule; edge of a cube."""
    edges_mm: tuple[PositiveFloat, PositiveFloat, PositiveFloat] | None = None
    """Edges of a box, or of the box around a solid, along its own axes."""
    length_mm: PositiveFloat | None = None
    """Whole length of a cylinder or capsule."""
    start_mm: Vector
    """Centre at its release."""
    start_rotation_deg: Vector = (0.0, 0.0, 0.0)
    """How it is turned at its release: about its own x, then y, then z axis, as build123d's `Rotation`."""
    start_velocity_mm_s: Vector = (0.0, 0.0, 0.0)
    """Velocity at its release."""
    material_id: str | None = None
    """A material of the catalog, which gives density, friction and restitution."""
    density_kg_m3: PositiveFloat | None = None
    friction: PositiveFloat | None = None
    """Coefficient of sliding friction of all its contacts."""
    restitution: Annotated[float, Field(ge=0.0, le=0.9)] | None = None
    """Share of its speed that it keeps after hitting a hard surface."""

    @model_validator(mode="after")
    def _require_measures(self) -> Self:
        wanted = _MEASURES[self.shape]
        for field in ("size_mm", "edges_mm", "length_mm"):
            is_given = getattr(self, field) is not None
            if is_given != (field in wanted):
                fault = "has no meaning" if is_given else "is missing"
                raise ValueError(f"{field} {fault} for the shape {self.shape}: it needs {' and '.join(wanted)}")
        if self.shape == "capsule" and (self.length_mm or 0.0) < (self.size_mm or 0.0):
            raise ValueError("a capsule's length_mm includes its round ends and cannot be less than its size_mm")
        return self

    @model_validator(mode="after")
    def _require_material(self) -> Self:
        if self.material_id is None:
            missing = [field for field in ("density_kg_m3", "friction") if getattr(self, field) is None]
            if missing:
                raise ValueError(f"{' and '.join(missing)} missing; state both, or a material_id")
        elif self.material_id not in MATERIALS:
            raise ValueError(f"material_id {self.material_id!r} is unknown; take one of {', '.join(MATERIALS)}")
        elif self.density_kg_m3 is not None:
            raise ValueError("material_id and density_kg_m3 contradict each other; state one of them")
        return self

    def nominal(self) -> Payload:
        """Return the payload at its nominal start."""
        material = MATERIALS.get(self.material_id or "")
        return Payload(
            label=self.label,
            shape=self.shape,
            size_mm=self.size_mm or max(self.edges_mm or (0.0,)),
            edges_mm=self.edges_mm,
            length_mm=self.length_mm,
            start_mm=self.start_mm,
            start_quaternion=turned_by(self.start_rotation_deg),
            start_velocity_mm_s=self.start_velocity_mm_s,
            density_kg_m3=self.density_kg_m3 if material is None else material.density_kg_m3,  # pyright: ignore[reportArgumentType] - required above
            friction=material.friction if material and self.friction is None else self.friction,  # pyright: ignore[reportArgumentType] - required above
            restitution=material.restitution if material and self.restitution is None else self.restitution,
            material_id=self.material_id,
        )


_MEASURES: dict[PayloadShape, tuple[str, ...]] = {
    "ball": ("size_mm",),
    "cube": ("size_mm",),
    "box": ("edges_mm",),
    "cylinder": ("size_mm", "length_mm"),
    "capsule": ("size_mm", "length_mm"),
    "solid": ("edges_mm",),
}


class FileLimits(Limits, _FileModel):
    """The limits on the machine."""


class ScaleRange(_FileModel):
    """Range of the scale factor along one axis."""

    low: PositiveFloat = 1.0
    high: PositiveFloat = 1.0

    @model_validator(mode="after")
    def _require_range_up_to_twofold(self) -> Self:
        if not self.low <= self.high <= 2 * self.low:
            raise ValueError(f"low <= high <= 2 low must hold, but low is {self.low:g} and high {self.high:g}")
        return self


class Randomisation(_FileModel):
    """Ranges within which a seed varies the world. The defaults vary nothing."""

    scale_x: ScaleRange = ScaleRange()
    scale_y: ScaleRange = ScaleRange()
    scale_z: ScaleRange = ScaleRange()
    shrink_up_to: Annotated[float, Field(ge=0.0, le=0.4)] = 0.0
    """Share of its size that a goal or forbid zone may lose along each axis; it stays within its nominal box."""
    start_spread_mm: tuple[NonNegativeFloat, NonNegativeFloat, NonNegativeFloat] = (0.0, 0.0, 0.0)
    """Maximum distance of the payload's start from its nominal position along each axis, before scaling."""
    mirror: tuple[Axis, ...] = ()
    """Axes along which the world may be mirrored at the origin, with probability one half."""

    @property
    def scales(self) -> tuple[ScaleRange, ScaleRange, ScaleRange]:
        """The ranges along x, y and z."""
        return (self.scale_x, self.scale_y, self.scale_z)


class BenchmarkFile(_FileModel):
    """The content of benchmark.yaml. All boxes are nominal, before scaling.

    Whether its values fit each other is checked by `benchmarks.consistency`.
    """

    name: Label
    title: NonEmptyText
    description: NonEmptyText
    """The task in prose for the agent, as Markdown. Must be true for every seed."""
    units: Literal["mm"] = "mm"
    """Of all lengths. There is no other; a file that names it shows that its author thought of it."""
    level: Literal[1, 2, 3]
    bounds: FileBox
    build_zone: FileBox
    goal_zone: FileBox
    forbid_zones: tuple[FileZone, ...] = ()
    payload: FilePayload
    limits: FileLimits = FileLimits()
    hold_s: NonNegativeFloat = 1.0
    goal_rule: GoalRule = "touch"
    """What the payload must do for `hold_s`: touch the goal zone, be entirely inside it, or touch it at rest."""
    duration_s: PositiveFloat = 10.0
    supply_limit_w: PositiveFloat | None = None
    """Limit on the power of all motors of the machine together at any moment."""
    randomisation: Randomisation = Randomisation()
