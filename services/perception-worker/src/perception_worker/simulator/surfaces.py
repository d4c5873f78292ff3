"""Exact depth of curved surfaces, in place of that of their drawn facets."""

import numpy as np
from spatial.arrays import Floats

from perception_worker.simulator.scene_model import CurvedGeom


def ray_depths(curved: CurvedGeom, origin: Floats, directions: Floats) -> Floats:
    """Return how many `directions` (k, 3) each ray goes from `origin` (3,) to the surface; NaN where it misses.

    Both are in the frame of the shape: a sphere about the origin, or a cylinder along z.
    """
    if curved.half_length_m is None:
        return _first_root(*_quadratic(origin, directions, curved.radius_m))
    side = _first_root(*_quadratic(origin[:2], directions[:, :2], curved.radius_m))
    side[np.abs(origin[2] + side * directions[:, 2]) > curved.half_length_m] = np.nan
    caps = [_cap_depths(curved, origin, directions, z_m) for z_m in (-curved.half_length_m, curved.half_length_m)]
    return np.fmin(side, np.fmin(*caps))


def _quadratic(origin: Floats, directions: Floats, radius_m: float) -> tuple[Floats, Floats, float]:
    """Return a (k,), b (k,) and c of a t² + 2 b t + c = 0, the ray's distances to the surface."""
    return (directions**2).sum(axis=1), directions @ origin, float(origin @ origin) - radius_m**2


def _first_root(a: Floats, b: Floats, c: float) -> Floats:
    with np.errstate(invalid="ignore", divide="ignore"):
        root = np.sqrt(b * b - a * c)
        near = (-b - root) / a
        return np.where(near > 0, near, np.nan)


def _cap_depths(curved: CurvedGeom, origin: Floats, directions: Floats, z_m: float) -> Floats:
    with np.errstate(invalid="ignore", divide="ignore"):
        depth = (z_m - origin[2]) / directions[:, 2]
        across = origin[:2] + depth[:, None] * directions[:, :2]
        return np.where((depth > 0) & ((across**2).sum(axis=1) <= curved.radius_m**2), depth, np.nan)
