"""The ground below cameras: which way is up, and the world that perception-worker expects."""

import numpy as np
from spatial.aligned_world import world_transform
from spatial.arrays import Floats
from spatial.tools.geometry import GeometryTool

from perception_server.models.interface import Cameras

SAMPLED_POINTS = 6000
DRAWS = 400
MAX_TILT = 70.0
"""Between the ground's up and that of the pictures, in degrees: a camera looks down by less than this."""
TOLERANCE = 0.015
"""Distance to a plane up to which points are on it, as a share of their median depth."""
LARGE = 0.12
"""Share of all points that a surface needs to be the ground."""
BELOW = 0.03
"""Share of all points that may be below the ground: floors reflect, and depths err."""
FITS = 5
FEWEST_FITTED = 10
FEWEST_POINTS = 100


def aligned(cameras: Cameras) -> Floats:
    """Return the extrinsics with y up, ground at y = 0, the first camera above the origin and looking to -z."""
    up, height = floor_of(cameras)
    upright = np.eye(4)
    upright[:3, :3] = GeometryTool.rotation_matrix_from_vectors(up, (0, 0, 1))
    poses = upright @ cameras.extrinsics
    return world_transform(poses[0], poses[0, 2, 3] - height, "ground") @ poses


def floor_of(cameras: Cameras) -> tuple[Floats, float]:
    """Return the direction up, and the height of the first camera over the ground.

    The ground is the largest surface that cameras see from above and that has next to nothing below it. Without one,
    up is that of the pictures on average, and the ground is below nearly all points.
    """
    points = _points(cameras)
    pictured = _unit(-cameras.extrinsics[:, :3, 1].mean(axis=0))
    origin = cameras.extrinsics[0, :3, 3]
    if len(points) < FEWEST_POINTS:
        return pictured, 0.0
    tolerance = TOLERANCE * float(np.median(np.linalg.norm(points - origin, axis=1)))
    plane = _lowest_plane(points, origin, pictured, tolerance)
    if plane is None:
        return pictured, float(origin @ pictured - np.quantile(points @ pictured, 0.01))
    up, offset = plane
    return up, float(origin @ up - offset)


def _lowest_plane(points: Floats, origin: Floats, pictured: Floats, tolerance: float) -> tuple[Floats, float] | None:
    """Return unit normal n and offset d of the ground, n · x = d; None without one."""
    generator = np.random.default_rng(0)
    triples = points[generator.integers(len(points), size=(DRAWS, 3))]
    normals = np.cross(triples[:, 1] - triples[:, 0], triples[:, 2] - triples[:, 0])
    lengths = np.linalg.norm(normals, axis=1)
    found = lengths > 0
    normals, anchors = normals[found] / lengths[found, None], triples[found, 0]
    normals *= np.where(np.sum(normals * (origin - anchors), axis=1) < 0, -1.0, 1.0)[:, None]
    upright = normals @ pictured > np.cos(np.deg2rad(MAX_TILT))
    normals, anchors = normals[upright], anchors[upright]
    heights = points @ normals.T - np.sum(normals * anchors, axis=1)
    support = np.mean(np.abs(heights) <= tolerance, axis=0)
    support[np.mean(heights < -2 * tolerance, axis=0) > BELOW] = 0.0
    if not len(support) or support.max() < LARGE:
        return None
    best = int(support.argmax())
    return _fitted(points[np.abs(heights[:, best]) <= tolerance], normals[best])


def _fitted(points: Floats, normal: Floats) -> tuple[Floats, float]:
    """Return the plane of least squares, on the side of a normal; points that are far off for its scatter drop out."""
    for _ in range(FITS):
        middle = points.mean(axis=0)
        _, _, axes = np.linalg.svd(points - middle, full_matrices=False)
        normal = axes[2] * np.sign(axes[2] @ normal)
        distances = np.abs((points - middle) @ normal)
        near = points[distances <= 3 * np.median(distances)]
        if len(near) < FEWEST_FITTED:
            break
        points = near
    return normal, float(normal @ points.mean(axis=0))


def _points(cameras: Cameras) -> Floats:
    """Return points of the world (m, 3) that all frames see, where there is depth; at most `SAMPLED_POINTS`."""
    seen = np.argwhere((cameras.depth > 0) & np.isfinite(cameras.depth) & (cameras.confidence > 0))
    if len(seen) > SAMPLED_POINTS:
        seen = seen[np.random.default_rng(0).choice(len(seen), SAMPLED_POINTS, replace=False)]
    frame, row, column = seen.T
    fx, fy, cx, cy = cameras.intrinsics[frame].T
    z = cameras.depth[frame, row, column].astype(np.float64)
    local = np.stack([(column - cx) / fx * z, (row - cy) / fy * z, z], axis=1)
    poses = cameras.extrinsics[frame]
    return np.einsum("nij,nj->ni", poses[:, :3, :3], local) + poses[:, :3, 3]


def _unit(vector: Floats) -> Floats:
    return vector / np.linalg.norm(vector)
