"""The smallest gap between a payload on its path and a solid: bounding boxes say where to measure exactly."""

import numpy as np
from contracts.models.benchmark import Payload
from contracts.models.geometry import Vector
from design_rules.bodies.distances import payload_gap_mm
from design_rules.bodies.solid_bodies import SolidBody
from kernel.api.time_series import Floats

MAX_MEASURED = 60
"""Poses that are measured exactly, the nearest by the bounding boxes first; each takes about a millisecond."""


def smallest_gap(payload: Payload, places_mm: Floats, quaternions: Floats, body: SolidBody) -> tuple[float, int]:
    """Return the smallest gap in mm of a payload at poses (n, 3) and (n, 4) from a body, and at which pose.

    0 where they touch. Of a path along a body, the nearest `MAX_MEASURED` poses by bounding box are measured.
    """
    low, high = np.array(body.bounds.min_mm), np.array(body.bounds.max_mm)
    outside = np.maximum(np.maximum(low - places_mm, places_mm - high), 0.0)
    reach_mm = float(np.linalg.norm(payload.corners_mm, axis=1).max()) + payload.rounding_mm
    least_mm: Floats = np.linalg.norm(outside, axis=1) - reach_mm
    nearest, at = float("inf"), 0
    for sample in np.argsort(least_mm, kind="stable")[:MAX_MEASURED]:
        if least_mm[sample] >= nearest or nearest <= 0.0:
            break
        gap = max(0.0, _gap(payload, places_mm[sample], quaternions[sample], body))
        if gap < nearest:
            nearest, at = gap, int(sample)
    return nearest, at


def _gap(payload: Payload, place_mm: Floats, quaternion: Floats, body: SolidBody) -> float:
    place: Vector = (float(place_mm[0]), float(place_mm[1]), float(place_mm[2]))
    w, x, y, z = (float(each) for each in quaternion / np.linalg.norm(quaternion))
    return payload_gap_mm(payload.model_copy(update={"start_mm": place, "start_quaternion": (w, x, y, z)}), body)
