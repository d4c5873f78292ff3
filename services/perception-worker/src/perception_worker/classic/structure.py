"""Structure from motion: camera poses and points of a scene that does not move, up to scale."""

# pyright: basic, reportMissingTypeStubs=false, reportAttributeAccessIssue=false
# scipy and OpenCV have no full types, so strict checking would see unknowns. Every function is fully annotated.

from dataclasses import dataclass, replace

import cv2
import numpy as np
from scipy.spatial.transform import Rotation
from spatial.arrays import Floats

from perception_worker.classic.bundle_adjustment import SparseScene, adjust, deviations
from perception_worker.classic.features import Observations
from perception_worker.results import RefusedError

FOCAL_OF_EDGE = 0.9
"""Focal length over the longer edge that is assumed at first: 58 degrees across it."""
MIN_PARALLAX_PX = 4.0
"""Median shift between the first two frames that no rotation explains."""
MIN_SHARED = 40
MIN_PLACED = 15
"""Points by which a further camera is placed."""
MAX_ERROR_PX = 3.0
MIN_ANGLE_DEG = 1.0
"""Between the rays of a point."""
MIN_POINTS = 60
TRACK_PX = 0.3
"""Standard deviation of where a track is seen."""
MAX_FOCAL_DEVIATION = 0.05
MIN_RADIAL, SURE = 0.01, 3
"""Of a lens with distortion: shift of the corner, as a share of its distance; standard deviations."""


@dataclass(frozen=True)
class Structure:
    """A scene, what was seen of it, and which of its points are known."""

    scene: SparseScene
    seen: Observations
    """Of known points only"""
    error_px: float
    """Median reprojection error"""
    focal_deviation: float
    """Standard deviation of the focal length, a share of it"""


def find_structure(
    seen: Observations, frames: int, width: int, height: int, stated_focal_px: float | None = None
) -> Structure:
    """Return cameras of all frames and the points they have in common; raise `RefusedError` with what is missing.

    A focal length that photos state is where the search begins; what is found may differ, as for cropped photos.
    """
    focal = stated_focal_px or FOCAL_OF_EDGE * max(width, height)
    centre = np.array([width / 2 - 0.5, height / 2 - 0.5])
    try:
        return _Builder(seen, frames, focal, centre).build()
    except RefusedError as refused:
        try:
            return _Builder(seen, frames, focal, centre, has_lens=True).build()
        except RefusedError:
            raise refused from None


class _Builder:
    """Begins with two frames, and adds the frame that sees most of the known points, until all are placed."""

    def __init__(
        self, seen: Observations, frames: int, focal_px: float, centre_px: Floats, *, has_lens: bool = False
    ) -> None:
        self._seen, self._prior_px = seen, focal_px
        tracks = int(seen.tracks.max(initial=-1)) + 1
        self._scene = SparseScene(np.tile(np.eye(4), (frames, 1, 1)), np.zeros((tracks, 3)), focal_px, centre_px)
        self._is_placed = np.zeros(frames, np.bool_)
        self._is_known = np.zeros(tracks, np.bool_)
        self._first, self._has_lens = 0, has_lens

    def build(self) -> Structure:
        """Place all cameras."""
        self._place_pair(*self._best_pair())
        count = int(self._is_placed.sum())
        while not self._is_placed.all():
            self._place_next()
            self._triangulate()
            if self._is_placed.sum() >= min(1.3 * count, count + 4) or self._is_placed.all():
                self._adjust(8)
                count = int(self._is_placed.sum())
        self._refine()
        self._find_lens()
        if self._is_known.sum() < MIN_POINTS:
            raise RefusedError("too_little_texture", f"only {self._is_known.sum()} points have a place in space")
        return self._checked(self._used())

    def _refine(self) -> None:
        for _ in range(2):
            self._triangulate()
            self._adjust(50)

    def _find_lens(self) -> None:
        """Let the lens have distortion, and keep it if the frames are sure of it."""
        before, was_needed = (self._scene, self._is_known), self._has_lens
        self._has_lens = True
        self._refine()
        deviation = TRACK_PX * deviations(self._scene, self._used(), self._first, has_lens=True)[1]
        if abs(self._scene.radial) < max(MIN_RADIAL, SURE * deviation):
            if was_needed:
                raise RefusedError("no_parallax", "without distortion of the lens the frames do not fit, nor with it")
            self._has_lens, (self._scene, self._is_known) = False, before

    def _checked(self, used: Observations) -> Structure:
        """Return the structure if the frames, and not what was assumed, say what the focal length is."""
        deviation = TRACK_PX * deviations(self._scene, used, self._first, has_lens=self._has_lens)[0]
        if deviation > MAX_FOCAL_DEVIATION:
            raise RefusedError(
                "no_parallax",
                f"the camera moves too little: its focal length is known to {deviation:.0%} only, and so are the "
                "shapes of things; take frames from places that are farther apart",
            )
        error_px = float(np.median(np.linalg.norm(self._scene.errors(used), axis=1)))
        return Structure(self._scene, used, error_px, deviation)

    def _best_pair(self) -> tuple[int, int]:
        """Return the two frames with most points in common that are seen from different places."""
        best, chosen, largest_px = 0.0, (0, 0), 0.0
        frames = len(self._is_placed)
        for first in range(frames):
            for second in range(first + 1, frames):
                shared, one, other = self._seen.common(first, second)
                if len(shared) < MIN_SHARED:
                    continue
                parallax_px = self._parallax(one, other)
                largest_px = max(largest_px, parallax_px)
                score = len(shared) * min(parallax_px, 30.0)
                if parallax_px >= MIN_PARALLAX_PX and score > best:
                    best, chosen = score, (first, second)
        if best:
            return chosen
        if largest_px:
            raise RefusedError(
                "no_parallax",
                f"the camera does not change its place (a rotation explains all but {largest_px:.1f} px): frames from "
                "one place have no depth; measure in pixels, or take frames from different places",
            )
        raise RefusedError(
            "too_little_texture",
            f"no two frames have {MIN_SHARED} points in common: plain surfaces, blur, or views that are too different; "
            "take frames that are closer to each other, or measure in pixels",
        )

    def _parallax(self, first: Floats, second: Floats) -> float:
        """Return the median shift (px) that the best rotation leaves, whatever the focal length is."""
        return min(
            _left_by_rotation(first - self._scene.centre_px, second - self._scene.centre_px, focal_px)
            for focal_px in np.geomspace(0.5, 2.0, 15) * self._prior_px
        )

    def _rays(self, pixels: Floats) -> Floats:
        straight = self._scene.straight(pixels) - self._scene.centre_px
        rays = np.column_stack([straight / self._scene.focal_px, np.ones(len(pixels))])
        return rays / np.linalg.norm(rays, axis=1, keepdims=True)

    def _matrix(self) -> Floats:
        (u, v), focal = self._scene.centre_px, self._scene.focal_px
        return np.array([[focal, 0, u], [0, focal, v], [0, 0, 1.0]])

    def _place_pair(self, first: int, second: int) -> None:
        _, one, other = self._seen.common(first, second)
        matrix = self._matrix()
        essential, inside = cv2.findEssentialMat(one, other, matrix, cv2.RANSAC, 0.999, 1.0)
        if essential is None or essential.shape != (3, 3):
            raise RefusedError("too_little_texture", "no motion of the camera explains what the frames have in common")
        _, rotation, shift, _ = cv2.recoverPose(essential, one, other, matrix, mask=inside)
        pose = np.eye(4)
        pose[:3, :3], pose[:3, 3] = rotation, shift.ravel()
        self._set_camera(second, pose)
        self._is_placed[[first, second]] = True
        self._first = first
        self._triangulate()
        self._adjust(15)

    def _set_camera(self, frame: int, pose: Floats) -> None:
        cameras = self._scene.cameras.copy()
        cameras[frame] = pose
        self._scene = replace(self._scene, cameras=cameras)

    def _place_next(self) -> None:
        counts = np.bincount(self._seen.frames[self._is_known[self._seen.tracks]], minlength=len(self._is_placed))
        frame = int(np.argmax(np.where(self._is_placed, -1, counts)))
        tracks, pixels = self._seen.of_frame(frame)
        known = self._is_known[tracks]
        pose = None
        if known.sum() >= MIN_PLACED:
            pose = self._pose(self._scene.points[tracks[known]], pixels[known])
        if pose is None:
            missing = ", ".join(map(str, np.flatnonzero(~self._is_placed)))
            raise RefusedError(
                "too_little_texture",
                f"the frames at the positions {missing} have too little in common with the others: leave them out, or "
                "take frames between",
            )
        self._set_camera(frame, pose)
        self._is_placed[frame] = True

    def _pose(self, points: Floats, pixels: Floats) -> Floats | None:
        found, turn, shift, inside = cv2.solvePnPRansac(
            points,
            self._scene.straight(pixels),
            self._matrix(),
            None,
            iterationsCount=500,
            reprojectionError=2 * MAX_ERROR_PX,
        )
        if not found or inside is None or len(inside) < MIN_PLACED:
            return None
        pose = np.eye(4)
        pose[:3, :3], pose[:3, 3] = cv2.Rodrigues(turn)[0], shift.ravel()
        return pose

    def _used(self) -> Observations:
        """Return what placed cameras see of known points, without what does not fit."""
        seen = self._seen.only(self._is_placed[self._seen.frames] & self._is_known[self._seen.tracks])
        return seen.only(np.linalg.norm(self._scene.errors(seen), axis=1) < MAX_ERROR_PX)

    def _adjust(self, iterations: int) -> None:
        has_lens = self._has_lens and self._is_placed.sum() > 2
        used = self._used()
        self._scene = adjust(self._scene, used, self._first, self._prior_px, iterations, has_lens=has_lens)

    def _triangulate(self) -> None:
        """Find the points that placed cameras see, each by least squares over its rays, and keep those that fit."""
        seen = self._seen.only(self._is_placed[self._seen.frames])
        for _ in range(2):
            points = _nearest_points(self._scene, seen, self._rays(seen.pixels), len(self._is_known))
            self._scene = replace(self._scene, points=points)
            fits = np.linalg.norm(self._scene.errors(seen), axis=1) < MAX_ERROR_PX
            seen = seen.only(fits)
        views = np.bincount(seen.tracks, minlength=len(self._is_known))
        self._is_known = (views >= 2) & (ray_angles(self._scene, seen) > np.radians(MIN_ANGLE_DEG))


def _left_by_rotation(first: Floats, second: Floats, focal_px: float) -> float:
    one, other = (
        each / np.linalg.norm(each, axis=1, keepdims=True)
        for each in (np.column_stack([pixels, np.full(len(pixels), focal_px)]) for pixels in (first, second))
    )
    rotation = Rotation.align_vectors(other, one)[0]
    turned = rotation.apply(one)
    away = focal_px * (turned[:, :2] / turned[:, 2:] - other[:, :2] / other[:, 2:])
    return float(np.median(np.linalg.norm(away, axis=1)))


def _nearest_points(scene: SparseScene, seen: Observations, rays: Floats, count: int) -> Floats:
    """Return for each track the point (count, 3) nearest to its rays; their origins are the cameras."""
    rotations = scene.cameras[seen.frames, :3, :3]
    origins = -np.einsum("kji,kj->ki", rotations, scene.cameras[seen.frames, :3, 3])
    ways = np.einsum("kji,kj->ki", rotations, rays)
    across = np.eye(3) - ways[:, :, None] * ways[:, None, :]
    matrix, right = np.zeros((count, 3, 3)), np.zeros((count, 3))
    np.add.at(matrix, seen.tracks, across)
    np.add.at(right, seen.tracks, np.einsum("kij,kj->ki", across, origins))
    return np.linalg.solve(matrix + 1e-10 * np.eye(3), right[..., None])[..., 0].astype(np.float64)


def ray_angles(scene: SparseScene, seen: Observations) -> Floats:
    """Return for each track an angle (rad) between its rays: twice the largest one to their mean."""
    rotations = scene.cameras[seen.frames, :3, :3]
    ways = np.einsum("kji,kj->ki", rotations, scene.in_cameras(seen))
    ways /= np.linalg.norm(ways, axis=1, keepdims=True) + 1e-12
    mean = np.zeros((len(scene.points), 3))
    np.add.at(mean, seen.tracks, ways)
    mean /= np.linalg.norm(mean, axis=1, keepdims=True) + 1e-12
    sines = np.linalg.norm(np.cross(ways, mean[seen.tracks]), axis=1)
    widest = np.zeros(len(scene.points))
    np.maximum.at(widest, seen.tracks, np.arcsin(np.clip(sines, 0, 1)))
    return 2 * widest
