"""Payloads of every shape."""

from contracts.models.benchmark import Payload, PayloadShape
from contracts.models.geometry import Vector

WEDGE: tuple[Vector, ...] = (
    (-20, -15, -12), (20, -15, -12), (-20, 15, -12), (20, 15, -12), (-20, 15, 12), (20, 15, 12),
)  # fmt: skip
"""Corners of a ramp of 40 x 30 x 24 mm around the origin, low at -y."""
MEASURES: dict[PayloadShape, dict[str, object]] = {
    "ball": {"size_mm": 40},
    "cube": {"size_mm": 40},
    "box": {"size_mm": 60, "edges_mm": (60, 40, 20)},
    "cylinder": {"size_mm": 40, "length_mm": 60},
    "capsule": {"size_mm": 40, "length_mm": 60},
    "solid": {"size_mm": 40, "edges_mm": (40, 30, 24), "hull_mm": WEDGE},
}


def payload(shape: PayloadShape, **changes: object) -> Payload:
    """Return a POM payload at the origin."""
    fields = {"shape": shape, "start_mm": (0, 0, 0), "density_kg_m3": 1410, "friction": 0.3}
    return Payload.model_validate(fields | MEASURES[shape] | changes)
