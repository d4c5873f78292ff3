"""Meshes as files in MuJoCo's own format: MSH, float32 and int32, little-endian."""

from struct import pack

import numpy as np
from contracts.models.scene import HullGeom, Surface
from numpy.typing import NDArray

from sim_worker.units import Floats, metres_of

FOLDER = "meshes"


def hull_file(geom: HullGeom, origin_mm: Floats) -> bytes:
    """Return the points of a hull in metres from an origin; MuJoCo finds their hull."""
    points_m = metres_of(np.array(geom.vertices_mm) - origin_mm)
    return _msh(points_m, np.zeros((0, 3), dtype="<i4"))


def surface_file(surface: Surface, origin_mm: Floats) -> bytes:
    """Return a surface in metres from an origin."""
    vertices_mm = np.frombuffer(surface.vertices_mm, dtype="<f4").reshape(-1, 3).astype(np.float64)
    triangles = np.frombuffer(surface.triangles, dtype="<i4").reshape(-1, 3)
    return _msh(metres_of(vertices_mm - origin_mm), triangles)


def _msh(points_m: Floats, triangles: NDArray[np.int32]) -> bytes:
    normals = texture_points = 0
    header = pack("<4i", len(points_m), normals, texture_points, len(triangles))
    return header + points_m.astype("<f4").tobytes() + triangles.astype("<i4").tobytes()
