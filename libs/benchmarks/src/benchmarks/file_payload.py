"""The payload in benchmark.yaml."""

from typing import Annotated, Literal, Self

from contracts.models.benchmark import Payload, PayloadShape
from contracts.models.geometry import Vector, turned_by
from contracts.models.label import Label
from parts_catalog.materials import MATERIALS
from pydantic import Field, PositiveFloat, model_validator

from benchmarks.file_model import FileModel

PRECISION = 3
"""Decimals of a measure in millimetres."""


class FilePayload(FileModel):
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
    """Its place at its release: of its centre, or of the lowest point below it."""
    start_at: Literal["centre", "bottom"] = "centre"
    """What `start_mm` is of: `bottom` for a payload that stands on something at any scale and size."""
    start_rotation_deg: Vector = (0.0, 0.0, 0.0)
    """How it is turned at its release: about its own x, then y, then z axis, as build123d's `Rotation`."""
    start_velocity_mm_s: Vector = (0.0, 0.0, 0.0)
    """Velocity at its release."""
    material_id: str | None = None
    """A material of the catalog, which gives density, friction and restitution."""
    density_kg_m3: PositiveFloat | None = None
    friction: PositiveFloat | None = None
    """Coefficient of sliding friction against a like surface."""
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

    def nominal(self, factor: float = 1.0) -> Payload:
        """Return the payload at its nominal start, its measures times a factor."""
        material = MATERIALS.get(self.material_id or "")

        def sized(measure_mm: float | None) -> float | None:
            return None if measure_mm is None else round(factor * measure_mm, PRECISION)

        return self.lifted(
            Payload.model_validate(
                {
                    "label": self.label,
                    "shape": self.shape,
                    "size_mm": sized(self.size_mm or max(self.edges_mm or (0.0,))),
                    "edges_mm": None if self.edges_mm is None else [sized(edge) for edge in self.edges_mm],
                    "length_mm": sized(self.length_mm),
                    "start_mm": self.start_mm,
                    "start_quaternion": turned_by(self.start_rotation_deg),
                    "start_velocity_mm_s": self.start_velocity_mm_s,
                    "density_kg_m3": self.density_kg_m3 if material is None else material.density_kg_m3,
                    "friction": material.friction if material and self.friction is None else self.friction,
                    "restitution": material.restitution if material and self.restitution is None else self.restitution,
                    "material_id": self.material_id,
                }
            )
        )

    def lifted(self, payload: Payload) -> Payload:
        """Return a payload of this file with its centre at its start, which the file may state of its lowest point."""
        if self.start_at == "centre":
            return payload
        (x, y, bottom), low = payload.start_mm, payload.box.min_mm[2]
        return payload.model_copy(update={"start_mm": (x, y, round(bottom + (bottom - low), PRECISION))})


_MEASURES: dict[PayloadShape, tuple[str, ...]] = {
    "ball": ("size_mm",),
    "cube": ("size_mm",),
    "box": ("edges_mm",),
    "cylinder": ("size_mm", "length_mm"),
    "capsule": ("size_mm", "length_mm"),
    "solid": ("edges_mm",),
}
