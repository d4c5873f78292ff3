"""Blows: contacts of what moves in the environment with parts of the design, found from forces and poses."""

from dataclasses import dataclass

import numpy as np
from contracts.models.geometry import Vector
from contracts.models.scene import Body, Scene

from sim_worker.display_meshes import body_mesh
from sim_worker.judge.failure_text import format_point
from sim_worker.rotations import rotation_matrix
from sim_worker.run.readings import Readings
from sim_worker.units import Floats, metres_of, vector_mm

WINDOW_S = 0.05
"""A blow this long before an overload caused it."""
LEAST_N = 1.0
NEAR_M = 0.003
"""A contact this near to the surface of a body is one with it."""


@dataclass(frozen=True)
class Blow:
    """The largest force that something of the environment exerted on a part."""

    body: str
    """Of the environment."""
    part: str
    time_s: float
    force_n: float
    place_mm: Vector

    def __str__(self) -> str:
        """Return cause, place and time as the end of a sentence."""
        return (
            f"the cause is `{self.body}` of the environment, which hit `{self.part}` with {self.force_n:.3g} N after "
            f"{self.time_s:.2f} s at {format_point(self.place_mm)}: keep the design out of its path"
        )


def last_blow(scene: Scene, readings: Readings) -> Blow | None:
    """Return the hardest blow of the last `WINDOW_S` by a moving body of the environment; None if there is none."""
    movers = [body for body in scene.bodies if body.origin == "environment" and body.label in readings.layout.moving]
    design = {body.label for body in scene.bodies if body.origin == "design"}
    parts = [label for label in readings.layout.contact_loads if label in design]
    if not movers:
        return None
    first = int(np.searchsorted(readings.time_s, float(readings.time_s[-1]) - WINDOW_S))
    blows: list[Blow] = []
    for part in parts:
        load = readings.contact_load(part)[first:]
        force_n: Floats = np.linalg.norm(load[:, :3], axis=1)
        step = int(np.argmax(force_n))
        if force_n[step] < LEAST_N:
            continue
        place_m = load[step, 6:9]
        for mover in movers:
            if _distance_m(mover, readings, first + step, place_m) <= NEAR_M:
                time_s = float(readings.time_s[first + step])
                blows.append(Blow(mover.label, part, time_s, float(force_n[step]), vector_mm(place_m)))
    return max(blows, key=lambda blow: blow.force_n, default=None)


def _distance_m(body: Body, readings: Readings, step: int, point_m: Floats) -> float:
    """Return how far a point is from the surface of a moving body."""
    column = readings.layout.moving.index(body.label)
    turned = rotation_matrix(readings.moving_quaternion[step, column]).T
    assert body.mass is not None
    start_m, now_m = metres_of(np.array(body.mass.center_mm)), readings.moving_position_m[step, column]
    at_rest_m = turned @ (point_m - now_m) + start_m
    mesh = body_mesh(body)
    return _to_triangles_m(at_rest_m, mesh.vertices[mesh.triangles])


def _to_triangles_m(point_m: Floats, triangles: Floats) -> float:
    """Return the distance of a point (3,) from triangles (n, 3, 3)."""
    corners = triangles - point_m
    edges = np.roll(corners, -1, axis=1) - corners
    along = np.clip(-_dot(corners, edges) / np.maximum(_dot(edges, edges), 1e-18), 0.0, 1.0)
    to_edges = np.linalg.norm(corners + along[..., None] * edges, axis=2).min(axis=1)
    normal: Floats = np.cross(edges[:, 0], edges[:, 1])
    normal /= np.maximum(np.linalg.norm(normal, axis=1, keepdims=True), 1e-18)
    height = _dot(corners[:, 0], normal)
    foot = height[:, None] * normal
    sides: Floats = np.cross(edges, foot[:, None] - corners)
    is_above = (_dot(sides, normal[:, None]) >= 0.0).all(axis=1)
    return float(np.where(is_above, np.abs(height), to_edges).min())


def _dot(first: Floats, second: Floats) -> Floats:
    products: Floats = (first * second).sum(axis=-1)
    return products
