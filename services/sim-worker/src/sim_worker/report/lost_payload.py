"""Where a lost payload left the machine: what it touched last, and what it then passed over, how high and how fast."""

from dataclasses import dataclass, replace

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
PASSED_SIZES = 3.0
"""A part farther below a payload than so many times its size is not what it missed."""
SPAN_S = 0.02
"""Over which the velocity is measured."""
_PARALLEL = 1e-12
_Triangles = Floats
"""(n, 3, 3)"""


@dataclass(frozen=True)
class LostPayload:
    """The last moment at which a payload that was lost touched a part of the design, or passed over one."""

    time_s: float
    label: str
    """Of the part."""
    gap_mm: float | None
    """Between the part and the payload's lowest point. None: it touched the part, and nothing was below it later."""
    place_mm: Vector
    velocity_m_s: Vector
    name: str = "the payload"
    contact: str = ""
    """When and where it last touched the design, if it passed over another part later."""

    def __str__(self) -> str:
        """Return the moment in one sentence."""
        x, y, z = self.place_mm
        speeds = ", ".join(f"{each + 0.0:.2f}" for each in self.velocity_m_s)
        how = f"{self.contact}passed over `{self.label}` by {self.gap_mm or 0.0:.0f} mm"
        if self.gap_mm is None:
            how = f"left `{self.label}`"
        elif self.gap_mm < TOUCHING_MM:
            how = f"{self.contact}rolled over the edge of `{self.label}`"
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
    left, touched = _last_contact(scene, readings)
    for step in range(len(readings.time_s) - 1, left, -stride):
        position_m = readings.position_m[step]
        heights = [(_height_above_m(position_m, part, readings, step), part.label) for part in design]
        height_m, label = min(heights, default=(np.inf, ""))
        if np.isfinite(height_m):
            if millimetres(position_m[2] - readings.position_m[-1][2]) < MIN_FALL_MM:
                return None
            below_m, _ = payload.reach_m(readings.quaternion[step : step + 1])
            gap_mm = max(0.0, millimetres(height_m + float(below_m[0, 2])))
            if touched and gap_mm > PASSED_SIZES * max(scene.payloads[index].extents_mm):
                break
            contact = ""
            if touched and touched != label:
                x, y, z = vector_mm(readings.position_m[left])
                left_s = float(readings.time_s[left])
                contact = f"left `{touched}` after {left_s:.2f} s at ({x:.0f}, {y:.0f}, {z:.0f}) mm, then "
            return replace(_lost_at(readings, step, label, gap_mm, name), contact=contact)
    if not touched or millimetres(readings.position_m[left][2] - readings.position_m[-1][2]) < MIN_FALL_MM:
        return None
    return _lost_at(readings, left, touched, None, name)


def _lost_at(readings: Readings, step: int, label: str, gap_mm: float | None, name: str) -> LostPayload:
    place_mm, velocity = vector_mm(readings.position_m[step]), _velocity_m_s(readings, step)
    return LostPayload(float(readings.time_s[step]), label, gap_mm, place_mm, velocity, name)


def _last_contact(scene: Scene, readings: Readings) -> tuple[int, str]:
    """Return the step at which the payload last touched a part of the design, and the part; -1 without any."""
    last, label = -1, ""
    for body, touching in zip(scene.bodies, readings.touching.T, strict=True):
        steps = np.flatnonzero(touching > 0.0)
        if body.origin == "design" and len(steps) and int(steps[-1]) > last:
            last, label = int(steps[-1]), body.label
    return last, label


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
