"""`Reconstruction`: depth, points, intrinsics and camera poses of frames in one world.

Camera poses are camera to world, x right, y down, z forward (OpenCV). Pixel (0, 0) is the centre of the first one, so
that the principal point of a camera that looks straight is (w / 2 - 0.5, h / 2 - 0.5).
"""

from collections.abc import Sequence
from copy import copy

import numpy as np
from contracts.events.perception import FrameIntrinsics, Reconstructed
from numpy.typing import NDArray

from spatial.arrays import Bytes, Floats, MalformedArraysError, unpack_arrays
from spatial.errors import NothingFoundError
from spatial.per_frame import PerFrame

Depths = NDArray[np.float32]


class DepthMaps(PerFrame[Depths]):
    """Metric depth along each camera's z axis."""

    variable = "rec.depth"
    content = "(h, w) float32, m along the camera's z axis; 0 where there is none"


class Intrinsics(PerFrame[FrameIntrinsics]):
    """Pinhole models."""

    variable = "rec.intrinsics"
    content = "fx, fy, cx, cy in pixels; radial, the lens's distortion"


class Extrinsics(PerFrame[Floats]):
    """Camera poses."""

    variable = "rec.extrinsics"
    content = "(4, 4) camera to world; columns: right, DOWN, forward, position"

    def position(self, frame_index: int) -> Floats:
        """Return where a camera is, (3,)."""
        return self[frame_index][:3, 3]

    def forward(self, frame_index: int) -> Floats:
        """Return the unit vector that a camera looks along, (3,)."""
        return self[frame_index][:3, 2]

    def right(self, frame_index: int) -> Floats:
        """Return the unit vector to the right of a camera's image, (3,)."""
        return self[frame_index][:3, 0]


class PointMap(PerFrame[Depths]):
    """World points of pixels, computed when a frame is first read."""

    variable = "rec.points"
    content = "(h, w, 3) float32, world points in m; confidence 0 where there is none"

    def __init__(
        self, depth: DepthMaps, intrinsics: Intrinsics, extrinsics: Extrinsics, confidence: Sequence[Bytes]
    ) -> None:
        """Compute nothing yet."""
        super().__init__(depth.frame_indices, [np.zeros((0, 0, 3), np.float32)] * len(depth))
        self._depth, self._intrinsics, self._extrinsics = depth, intrinsics, extrinsics
        self.confidence = Confidence(depth.frame_indices, list(confidence))

    def __getitem__(self, frame_index: int) -> Depths:
        """Return the points of a frame, (h, w, 3)."""
        points = super().__getitem__(frame_index)
        if not points.size:
            points = unproject(self._depth[frame_index], self._intrinsics[frame_index], self._extrinsics[frame_index])
            self._by_frame[int(frame_index)] = points
        return points


class Confidence(PerFrame[Bytes]):
    """How far depths can be trusted."""

    variable = "rec.points.confidence"
    content = "(h, w) uint8, 255 where the depth is certain, 0 where there is none"


class Reconstruction:
    """Depth, points and cameras of several frames in one world."""

    def __init__(self, result: Reconstructed, arrays_npz: bytes) -> None:
        """Read a result; raise `MalformedArraysError` if its arrays do not fit."""
        depth, confidence, extrinsics = unpack_arrays(arrays_npz, "depth", "confidence", "extrinsics")
        count = len(result.frame_indices)
        if depth.ndim != 3 or depth.shape != confidence.shape or extrinsics.shape != (count, 4, 4):
            raise MalformedArraysError(
                f"{count} frames need depth (n, h, w), confidence alike and extrinsics (n, 4, 4); got "
                f"{depth.shape}, {confidence.shape} and {extrinsics.shape}"
            )
        indices = result.frame_indices
        self.frame_indices = indices
        self.depth = DepthMaps(indices, [plane.astype(np.float32, copy=False) for plane in depth])
        self.intrinsics = Intrinsics(indices, result.intrinsics)
        self.extrinsics = Extrinsics(indices, [pose.astype(np.float64) for pose in extrinsics])
        self.points = PointMap(self.depth, self.intrinsics, self.extrinsics, list(confidence.astype(np.uint8)))
        self.is_metric = result.is_metric
        self.metric_scale = result.metric_scale if result.is_metric else np.nan
        self.notes = result.notes
        self.gravity_direction: Floats = np.array(result.gravity_direction)
        self.up: Floats = -self.gravity_direction

    def point_at(self, frame_index: int, u: float, v: float, within_px: float = 40.0) -> Floats:
        """Return the world point (3,) of a pixel: on the plane of most of the 12 nearest depths.

        Raises `NothingFoundError` if they are farther away, or are not in a plane.
        """
        confidence, points = self.points.confidence[frame_index], self.points[frame_index].astype(np.float64)
        rows, columns = np.nonzero(confidence)
        away = np.hypot(columns - u, rows - v)
        nearest = np.argsort(away)[:12]
        if len(nearest) < 4 or away[nearest[-1]] > within_px:
            raise NothingFoundError(
                f"fewer than 12 depths within {within_px:g} px", ["raise within_px", "another frame"]
            )
        centre, normal, spread = _plane_through(points[rows[nearest], columns[nearest]])
        camera, pose = self.intrinsics[frame_index], self.extrinsics[frame_index]
        ray = pose[:3, :3] @ np.stack(_ray(camera, np.float64(u), np.float64(v)))
        depth = float((centre - pose[:3, 3]) @ normal / (ray @ normal))
        if not depth > 0 or spread > 0.02 * depth:
            raise NothingFoundError(
                f"the depths at ({u:g}, {v:g}) are not in one plane", ["another frame", "another pixel"]
            )
        return pose[:3, 3] + depth * ray

    def with_known_length(self, length_m: float, first: Floats, second: Floats) -> "Reconstruction":
        """Return it in metres: two of its points are that far apart, such as the corners of a tile of 0.3 m."""
        apart = float(np.linalg.norm(np.asarray(first, np.float64) - np.asarray(second, np.float64)))
        if not (length_m > 0 and np.isfinite(apart) and apart > 0):
            raise ValueError(f"a known length is above 0 and between two points, not {length_m} and {apart}")
        factor, scaled = length_m / apart, copy(self)
        scaled.depth = DepthMaps(
            self.frame_indices, [(factor * self.depth[i]).astype(np.float32) for i in self.frame_indices]
        )
        poses = [self.extrinsics[i].copy() for i in self.frame_indices]
        for pose in poses:
            pose[:3, 3] *= factor
        scaled.extrinsics = Extrinsics(self.frame_indices, poses)
        confidence = [self.points.confidence[i] for i in self.frame_indices]
        scaled.points = PointMap(scaled.depth, self.intrinsics, scaled.extrinsics, confidence)
        scaled.is_metric, scaled.metric_scale = True, 1.0
        scaled.notes = (f"metres by the known length of {length_m:g} m", *self.notes[1:])
        return scaled

    def __len__(self) -> int:
        """Return the number of frames."""
        return len(self.frame_indices)

    def __repr__(self) -> str:
        """Teach how to use it."""
        first = self.frame_indices[0]
        height, width = self.depth[first].shape
        return (
            f"Reconstruction({len(self)} frames of {width} x {height} px, metric_scale={self.metric_scale:g})\n"
            f"  rec.depth[{first}] (h, w) m | rec.points[{first}] (h, w, 3) world m, y UP | rec.points.confidence\n"
            f"  rec.intrinsics[{first}].fx fy cx cy | rec.extrinsics[{first}] (4, 4) camera to world: right, DOWN, "
            "forward, position\n"
            "  masks.points(rec, label) for an object's points; index by ABSOLUTE frame index"
            + "".join(f"\n  NOTE {note}" for note in self.notes)
        )


def _ray(camera: FrameIntrinsics, u: Floats | np.float64, v: Floats | np.float64) -> tuple[Floats, Floats, Floats]:
    """Return the direction that pixels show, with z = 1."""
    x, y = np.asarray((u - camera.cx) / camera.fx), np.asarray((v - camera.cy) / camera.fy)
    bend = 1 + camera.radial * (x * x + y * y)
    return x / bend, y / bend, np.ones_like(x)


def unproject(depth: NDArray[np.floating], intrinsics: FrameIntrinsics, camera_to_world: Floats) -> Depths:
    """Return the world point (h, w, 3) of each pixel's centre at a depth (h, w) along the camera's z axis."""
    height, width = depth.shape
    u, v = np.meshgrid(np.arange(width, dtype=np.float64), np.arange(height, dtype=np.float64))
    z = depth.astype(np.float64)
    in_camera = z[..., None] * np.stack(_ray(intrinsics, u, v), axis=-1)
    return (in_camera @ camera_to_world[:3, :3].T + camera_to_world[:3, 3]).astype(np.float32)


def _plane_through(points: Floats) -> tuple[Floats, Floats, float]:
    """Return a point (3,) and the normal (3,) of the plane of most points (k, 3), and all points' median distance."""
    centre, normal = _plane_of(points)
    for _ in range(2):
        away = np.abs((points - centre) @ normal)
        centre, normal = _plane_of(points[away <= np.partition(away, -4)[-4]])
    return centre, normal, float(np.median(np.abs((points - centre) @ normal)))


def _plane_of(points: Floats) -> tuple[Floats, Floats]:
    centre = points.mean(axis=0)
    return centre, np.linalg.svd(points - centre)[2][2]
