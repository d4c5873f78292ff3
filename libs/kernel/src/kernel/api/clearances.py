"""Clearances: the smallest gap between the payload on its path and parts, which may move as well."""

from operator import itemgetter

import numpy as np

from kernel.api.host_tools import host_tools
from kernel.api.mechanism_api import geometry
from kernel.api.simulation_run import Recording, SimulationRun
from kernel.api.time_series import Floats


def clearance(run: SimulationRun, *things: object) -> dict[str, float]:
    """Print and return the smallest gap in mm between the payload's path and each thing, with time and place.

    Things are parts and assemblies as they were simulated, `environment`, and zones: `benchmark.goal_zone`. A part that
    moved is measured where it was at each moment. 0 is a contact. Slices work: `clearance(run[0.5:1.2], wall)`.
    """
    payloads, path = host_tools("clearance").payloads, run.path
    found: dict[str, float] = {}
    for label, thing in (pair for each in things for pair in geometry().pieces(each)):
        gaps: list[tuple[float, str]] = []
        for payload in payloads:
            places_mm, quaternions = _poses(path, payload.label)
            gap_mm, sample = geometry().clearance(payload, *_seen_from(path, label, places_mm, quaternions), thing)
            name = f"the payload {payload.label}" if len(payloads) > 1 else "the payload"
            gaps.append((gap_mm, _line(label, gap_mm, float(path.time_s[sample]), name, places_mm[sample])))
        found[label], line = min(gaps, key=itemgetter(0))
        print(line)  # noqa: T201 - the agent reads it
    return found


def _poses(path: Recording, payload: str) -> tuple[Floats, Floats]:
    """Return the poses (n, 3), (n, 4) of a payload; those besides the first are recorded among the bodies."""
    if payload not in path.bodies:
        return path.payload_mm, path.payload_quaternion
    body = path.bodies.index(payload)
    return path.body_mm[:, body], path.body_quaternion[:, body]


def _seen_from(path: Recording, label: str, places_mm: Floats, quaternions: Floats) -> tuple[Floats, Floats]:
    """Return poses (n, 3), (n, 4) of a payload in the frame of a part, which is the world's at the start.

    So one still shape is measured, however it moves.
    """
    if label not in path.bodies:
        return places_mm, quaternions
    body = path.bodies.index(label)
    back = path.body_quaternion[:, body] * np.array([1.0, -1.0, -1.0, -1.0])
    seen_mm = _turned(back, places_mm - path.body_mm[:, body]) + path.body_start_mm[body]
    return seen_mm, _product(back, quaternions)


def _turned(quaternions: Floats, vectors: Floats) -> Floats:
    """Return vectors (n, 3), each turned by a unit quaternion (n, 4)."""
    w, axis = quaternions[:, :1], quaternions[:, 1:]
    twice = 2 * np.cross(axis, vectors)
    return vectors + w * twice + np.cross(axis, twice)


def _product(first: Floats, second: Floats) -> Floats:
    """Return the rotations (n, 4) of `second` followed by `first`."""
    w, axis, other_w, other = first[:, :1], first[:, 1:], second[:, :1], second[:, 1:]
    real = w * other_w - (axis * other).sum(axis=1, keepdims=True)
    return np.hstack([real, w * other + other_w * axis + np.cross(axis, other)])


def _line(label: str, gap_mm: float, time_s: float, payload: str, place_mm: Floats) -> str:
    x, y, z = place_mm
    return f"{label}: {gap_mm:.1f} mm at {time_s:.2f} s, {payload} at ({x:.0f}, {y:.0f}, {z:.0f}) mm"
