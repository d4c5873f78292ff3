"""`tools.Geometry`: vectors, cameras and the ground plane."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from spatial.arrays import Bools, Floats


class GeometryTool:
    """Vectors and cameras. Points are (3,) or (k, 3) in m, camera poses (4, 4) camera to world, pixels (u, v).

    euclidean_distance(a, b) | angle_between_vectors(a, b) degrees | project_point_to_camera(p, c2w, fx, fy, cx, cy) |
    unproject_pixel(u, v, depth, c2w, fx, fy, cx, cy) | transform_points(points, matrix) |
    rotation_matrix_from_vectors(a, b) | fit_floor_plane(points) | normalized_to_pixel(x, y, width, height)
    """

    @staticmethod
    def euclidean_distance(first: ArrayLike, second: ArrayLike) -> float:
        """Return the distance between two points."""
        return float(np.linalg.norm(np.asarray(first, np.float64) - np.asarray(second, np.float64)))

    @staticmethod
    def angle_between_vectors(first: ArrayLike, second: ArrayLike) -> float:
        """Return the angle in degrees, 0 to 180; raise `ValueError` for a vector of length 0."""
        a, b = _unit(first), _unit(second)
        return float(np.degrees(np.arctan2(np.linalg.norm(np.cross(a, b)), a @ b)))

    @staticmethod
    def project_point_to_camera(  # noqa: PLR0913, PLR0917 - a camera has five numbers
        point: ArrayLike, camera_to_world: ArrayLike, fx: float, fy: float, cx: float, cy: float
    ) -> tuple[float, float] | None:
        """Return the pixel (u, v) of a world point, perhaps outside the image; None behind the camera."""
        pose = np.asarray(camera_to_world, np.float64)
        x, y, z = pose[:3, :3].T @ (np.asarray(point, np.float64) - pose[:3, 3])
        return None if z <= 0 else (float(fx * x / z + cx), float(fy * y / z + cy))

    @staticmethod
    def unproject_pixel(  # noqa: PLR0913, PLR0917 - a camera has five numbers
        u: float, v: float, depth: float, camera_to_world: ArrayLike, fx: float, fy: float, cx: float, cy: float
    ) -> Floats:
        """Return the world point (3,) of a pixel at a depth along the camera's z axis."""
        pose = np.asarray(camera_to_world, np.float64)
        in_camera = np.array([(u - cx) / fx * depth, (v - cy) / fy * depth, depth])
        return pose[:3, :3] @ in_camera + pose[:3, 3]

    @staticmethod
    def rotation_matrix_from_vectors(first: ArrayLike, second: ArrayLike) -> Floats:
        """Return the smallest rotation (3, 3) that turns the first direction into the second."""
        a, b = _unit(first), _unit(second)
        axis, cosine = np.cross(a, b), float(a @ b)
        if cosine < -1 + 1e-12:  # opposite: half a turn about any normal
            normal = _unit(np.cross(a, np.eye(3)[int(np.argmin(np.abs(a)))]))
            return 2 * np.outer(normal, normal) - np.eye(3)
        cross = np.array([[0, -axis[2], axis[1]], [axis[2], 0, -axis[0]], [-axis[1], axis[0], 0]])
        return np.eye(3) + cross + cross @ cross / (1 + cosine)

    @staticmethod
    def transform_points(points: ArrayLike, matrix: ArrayLike) -> Floats:
        """Return points (3,) or (k, 3) transformed by a matrix (4, 4)."""
        transform = np.asarray(matrix, np.float64)
        return np.asarray(points, np.float64) @ transform[:3, :3].T + transform[:3, 3]

    @staticmethod
    def fit_floor_plane(  # noqa: PLR0913 - the method's own parameters
        points: ArrayLike,
        confidence: ArrayLike | None = None,
        *,
        min_confidence: float = 0.3,
        iterations: int = 1000,
        tolerance_m: float = 0.05,
        seed: int = 42,
    ) -> tuple[Floats, Bools]:
        """Return the unit normal (3,) of the plane with the most points within the tolerance, and which these are.

        Points are (..., 3); those with a smaller confidence are not used. Raises `ValueError` for fewer than 3 points.
        """
        flat = np.asarray(points, np.float64).reshape(-1, 3)
        usable = np.isfinite(flat).all(axis=1)
        if confidence is not None:
            usable &= np.asarray(confidence, np.float64).reshape(-1) >= min_confidence
        numbers = np.flatnonzero(usable)
        if len(numbers) < 3:
            raise ValueError(f"a plane needs 3 points, {len(numbers)} have the confidence {min_confidence}")
        normal, offset = _best_plane(flat[numbers], iterations, tolerance_m, np.random.default_rng(seed))
        inside = usable & (np.abs(flat @ normal - offset) <= tolerance_m)
        return normal, inside.reshape(np.asarray(points).shape[:-1])

    @staticmethod
    def normalized_to_pixel(x: float, y: float, width: int, height: int) -> tuple[float, float]:
        """Return the pixel (u, v) of coordinates from 0 to 1000."""
        return x / 1000 * (width - 1), y / 1000 * (height - 1)

    def __repr__(self) -> str:
        """Teach how to use it."""
        return self.__doc__ or ""


def _unit(vector: ArrayLike) -> Floats:
    given: Floats = np.asarray(vector, np.float64)
    length = float(np.linalg.norm(given))
    if not np.isfinite(length) or length == 0:
        raise ValueError(f"a direction needs a finite length above 0, got {given.tolist()}")
    return given / length


def _best_plane(
    points: Floats, iterations: int, tolerance_m: float, random: np.random.Generator
) -> tuple[Floats, float]:
    """Return normal and offset of the plane through three points that most points are close to, fitted to these."""
    sample: Any = points if len(points) <= 4000 else points[random.choice(len(points), 4000, replace=False)]
    best = np.zeros(len(sample), np.bool_)
    for _ in range(iterations):
        a, b, c = sample[random.choice(len(sample), 3, replace=False)]
        normal = np.cross(b - a, c - a)
        length = np.linalg.norm(normal)
        if length < 1e-12:
            continue
        close = np.abs((sample - a) @ (normal / length)) <= tolerance_m
        if close.sum() > best.sum():
            best = close
    if best.sum() < 3:
        raise ValueError("all points are on one line: no plane fits them")
    center = sample[best].mean(axis=0)
    normal = np.linalg.svd(sample[best] - center, full_matrices=False)[2][2]
    return normal, float(normal @ center)
