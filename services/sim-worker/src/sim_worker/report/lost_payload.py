"""Where a lost payload left the machine: the last part of the design below it, how high above it, and how fast."""

from dataclasses import dataclass

import numpy as np
from contracts.models.geometry import Vector
from contracts.models.scene import Body, Scene
from contracts.models.simulation import ReplicaResult

from sim_worker.display_meshes import body_mesh
from sim_worker.names import payload_index, payload_subject, the_payload
from sim_worker.payload_shape import PayloadOutline
from sim_worker.rotations import rotation_matrix
from sim_worker.run.readings import Readings
from sim_worker.units import Floats, millimetres, vector_mm

SAMPLES_PER_S = 240
"""At 1 m/s a payload moves by 4 mm between two, so that no wall is missed."""
TOUCHING_MM = 1.0
"""Nearer to the part, the payload rolled over its edge instead of flying past it."""
MIN_FALL_MM = 15.0
"""A payload that ends less far below that point is not lost: it lies on the machine, or beside it."""
SPAN_S = 0.02
"""Over which the velocity is measured."""
_PARALLEL = 1e-12
_Triangles = Floats
"""(n, 3, 3)"""


@dataclass(frozen=True)
class LostPayload:
    """The last moment at which a part of the design was below the centre of a payload that was lost."""

    time_s: float
    label: str
    """Of the part."""
    gap_mm: float
    """Between the part and the payload's lowest point."""
    place_mm: Vector
    velocity_m_s: Vector
    name: str = "the payload"

    def __str__(self) -> str:
        """Return the moment in one sentence."""
        x, y, z = self.place_mm
        speeds = ", ".join(f"{each + 0.0:.2f}" for each in self.velocity_m_s)
        how = f"passed over `{self.label}` by {self.gap_mm:.0f} mm"
        if self.gap_mm < TOUCHING_MM:
            how = f"rolled over the edge of `{self.label}`"
        return f"{self.name} {how} after {self.time_s:.2f} s at ({x:.0f}, {y:.0f}, {z:.0f}) mm, moving ({speeds}) m/s"


def find_lost_payload(scene: Scene, nominal: ReplicaResult, readings: Readings) -> LostPayload | None:
    """Return where the payload left the design; None if it reached the goal, stayed on it or was never above it."""
    index = payload_index(scene, nominal.payload)
    is_lost = nominal.culprit in {"", payload_subject(scene, index)}
    if nominal.ending not in {"left_bounds", "missed_goal", "touched_forbid"} or not is_lost:
        return None
    readings, name = readings.payloads[index], the_payload(scene, index)
    stride = max(1, round(1 / (SAMPLES_PER_S * _step_s(readings))))
    design = [_Part.of(body) for body in scene.bodies if body.origin == "design"]
    payload = PayloadOutline.of(scene.payloads[index])
    for step in range(len(readings.time_s) - 1, -1, -stride):
        position_m = readings.position_m[step]
        heights = [(_height_above_m(position_m, part, readings, step), part.label) for part in design]
        height_m, label = min(heights, default=(np.inf, ""))
        if np.isfinite(height_m):
            if millimetres(position_m[2] - readings.position_m[-1][2]) < MIN_FALL_MM:
                return None
            below_m, _ = payload.reach_m(readings.quaternion[step : step + 1])
            gap_mm = max(0.0, millimetres(height_m + float(below_m[0, 2])))
            velocity = _velocity_m_s(readings, step)
            return LostPayload(float(readings.time_s[step]), label, gap_mm, vector_mm(position_m), velocity, name)
    return None


def _step_s(readings: Readings) -> float:
    return float(readings.time_s[1] - readings.time_s[0]) if len(readings.time_s) > 1 else 1.0


@dataclass(frozen=True, eq=False)
class _Part:
    label: str
    triangles: _Triangles
    low_m: Floats
    high_m: Floats
    """Corners of its bounding box at the start, (3,)."""

    @classmethod
    def of(cls, body: Body) -> "_Part":
        mesh = body_mesh(body)
        return cls(body.label, mesh.vertices[mesh.triangles], mesh.vertices.min(axis=0), mesh.vertices.max(axis=0))

    def is_beside(self, point_m: Floats) -> bool:
        """Tell whether a point is neither above nor below the bounding box."""
        (x, y, _), (x0, y0, _), (x1, y1, _) = point_m, self.low_m, self.high_m
        return not (x0 <= x <= x1 and y0 <= y <= y1)


def _height_above_m(point_m: Floats, part: _Part, readings: Readings, step: int) -> float:
    """Return the distance of a point from the part straight below it; infinite if the part is not below it."""
    down = np.array([0.0, 0.0, -1.0])
    if part.label in readings.layout.moving:
        column = readings.layout.moving.index(part.label)
        turned = rotation_matrix(readings.moving_quaternion[step, column]).T
        start_m, now_m = readings.moving_position_m[0, column], readings.moving_position_m[step, column]
        point_m, down = turned @ (point_m - now_m) + start_m, turned @ down
    elif part.is_beside(point_m):
        return float("inf")
    return _distance_along_m(point_m, down, part.triangles)


def _distance_along_m(point_m: Floats, direction: Floats, triangles: _Triangles) -> float:
    """Return where a ray first meets triangles (Moeller and Trumbore, 1997); infinite if it misses them."""
    first = triangles[:, 0]
    edge, other = triangles[:, 1] - first, triangles[:, 2] - first
    normal = np.cross(np.broadcast_to(direction, other.shape), other)
    determinant = np.einsum("ij,ij->i", edge, normal)
    scale = 1 / np.where(np.abs(determinant) < _PARALLEL, np.inf, determinant)
    to_point = point_m - first
    u = np.einsum("ij,ij->i", to_point, normal) * scale
    across = np.cross(to_point, edge)
    v = across @ direction * scale
    distance_m = np.einsum("ij,ij->i", other, across) * scale
    hits = (scale != 0.0) & (u >= 0) & (v >= 0) & (u + v <= 1) & (distance_m >= 0)
    return float(distance_m[hits].min()) if hits.any() else float("inf")


def _velocity_m_s(readings: Readings, step: int) -> Vector:
    before = max(0, step - round(SPAN_S / _step_s(readings)))
    elapsed_s = float(readings.time_s[step] - readings.time_s[before])
    if not elapsed_s:
        return (0.0, 0.0, 0.0)
    x, y, z = (readings.position_m[step] - readings.position_m[before]) / elapsed_s
    return (float(x), float(y), float(z))
