"""Bundle adjustment: cameras, points, focal length and lens distortion that agree best with all observations."""

# pyright: basic, reportMissingTypeStubs=false, reportAttributeAccessIssue=false
# scipy and OpenCV have no full types, so strict checking would see unknowns. Every function is fully annotated.

from dataclasses import dataclass, replace

import numpy as np
from scipy.sparse import csr_array
from scipy.spatial.transform import Rotation
from spatial.arrays import Floats

from perception_worker.classic.features import Integers, Observations

HUBER_PX = 1.0
"""Beyond it an error counts linearly."""
FOCAL_PRIOR = 0.5
"""Standard deviation of the logarithm of the focal length that is assumed before anything is seen."""
RADIAL_PRIOR = 0.3
"""Standard deviation of the distortion that is assumed."""
SCALE_IS_FREE = 1e-8
"""Added to a normal matrix that says nothing of the scene's scale."""


@dataclass(frozen=True)
class SparseScene:
    """Cameras and points in a world of its own unit."""

    cameras: Floats
    """(n, 4, 4), world to camera"""
    points: Floats
    """(k, 3), by the number of their track"""
    focal_px: float
    centre_px: Floats
    """(2,), the principal point: the middle of the image"""
    radial: float = 0.0
    """A pixel at d from the middle shows what would be at d / (1 + radial * |d|² / |corner|²) without distortion."""

    def bends(self, pixels: Floats) -> Floats:
        """Return how much nearer to the middle each pixel (k, 2) is than without distortion, (k, 1)."""
        return 1 + self.radial * self.outwards(pixels)

    def outwards(self, pixels: Floats) -> Floats:
        """Return the square of the distances of pixels (k, 2) from the middle, of which the corner's is 1, (k, 1)."""
        return (((pixels - self.centre_px) ** 2).sum(axis=1) / (self.centre_px**2).sum())[:, None]

    def straight(self, pixels: Floats) -> Floats:
        """Return where pixels (k, 2) would be without distortion."""
        return (pixels - self.centre_px) / self.bends(pixels) + self.centre_px

    def in_cameras(self, seen: Observations) -> Floats:
        """Return observed points (k, 3) in the frames of their cameras."""
        poses = self.cameras[seen.frames]
        return np.einsum("kij,kj->ki", poses[:, :3, :3], self.points[seen.tracks]) + poses[:, :3, 3]

    def errors(self, seen: Observations) -> Floats:
        """Return reprojection errors (k, 2) in px; infinite behind a camera."""
        at = self.in_cameras(seen)
        depth = np.where(at[:, 2] > 1e-9, at[:, 2], np.nan)[:, None]
        bent = self.focal_px * at[:, :2] / depth * self.bends(seen.pixels)
        return np.nan_to_num(bent + self.centre_px - seen.pixels, nan=np.inf)


def adjust(  # noqa: PLR0913 - what is known, and what is not
    scene: SparseScene, seen: Observations, fixed: int, prior_px: float, iterations: int = 12, *, has_lens: bool = False
) -> SparseScene:
    """Return the scene after Levenberg-Marquardt; the camera `fixed` stays, the focal length is near its prior.

    `has_lens`: the distortion is an unknown, too.
    """
    damping, cost = 1e-3, _cost(scene, seen, prior_px)
    for _ in range(iterations):
        step = _step(scene, seen, fixed, prior_px, damping, has_lens=has_lens)
        new_cost = _cost(step, seen, prior_px)
        if new_cost < cost:
            is_done = cost - new_cost < 1e-5 * cost
            scene, cost, damping = step, new_cost, damping / 5
            if is_done:
                break
        else:
            damping *= 10
    return scene


def deviations(scene: SparseScene, seen: Observations, fixed: int, *, has_lens: bool) -> tuple[float, float]:
    """Return the standard deviations of the focal length's logarithm and the distortion, for observations of 1 px.

    No prior is part of them; they are infinite where observations say nothing.
    """
    moving, structure, _ = _derivatives(scene, seen, fixed, has_lens=has_lens)
    blocks, inverse = _inverse_blocks(structure, seen.tracks, len(scene.points), 0.0)
    coupling = moving.T @ blocks
    reduced = (moving.T @ moving - coupling @ inverse @ coupling.T).toarray()
    sizes = np.sqrt(np.maximum(np.diag(reduced), 1e-12))
    scaled = reduced / np.outer(sizes, sizes) + SCALE_IS_FREE * np.eye(len(sizes))
    variances = np.diag(np.linalg.inv(scaled))[-2:]  # where nothing holds them, rounding makes some negative
    focal, radial = np.sqrt(np.where(variances > 0, variances, np.inf)) / sizes[-2:]
    return float(focal), float(radial)


def _cost(scene: SparseScene, seen: Observations, prior_px: float) -> float:
    size = np.linalg.norm(scene.errors(seen), axis=1)
    huber = np.where(size <= HUBER_PX, size**2, 2 * HUBER_PX * size - HUBER_PX**2)
    priors = (np.log(scene.focal_px / prior_px) / FOCAL_PRIOR) ** 2 + (scene.radial / RADIAL_PRIOR) ** 2
    return float(huber.sum() + priors)


def _step(  # noqa: PLR0913 - what is known, and what is not
    scene: SparseScene, seen: Observations, fixed: int, prior_px: float, damping: float, *, has_lens: bool
) -> SparseScene:
    """Return the scene after one damped step; points are eliminated first (Schur complement)."""
    moving, structure, errors = _derivatives(scene, seen, fixed, has_lens=has_lens)
    normal = (moving.T @ moving).toarray()
    gradient = moving.T @ errors
    normal[[-2, -1], [-2, -1]] += FOCAL_PRIOR**-2, RADIAL_PRIOR**-2
    gradient[-2] += np.log(scene.focal_px / prior_px) * FOCAL_PRIOR**-2
    gradient[-1] += scene.radial * RADIAL_PRIOR**-2 if has_lens else 0
    normal[np.diag_indices_from(normal)] *= 1 + damping
    normal[np.diag_indices_from(normal)] += 1e-9
    blocks, inverse = _inverse_blocks(structure, seen.tracks, len(scene.points), damping)
    coupling = moving.T @ blocks
    point_gradient = blocks.T @ errors
    reduced = normal - (coupling @ inverse @ coupling.T).toarray()
    moved = np.linalg.solve(reduced, -(gradient - coupling @ (inverse @ point_gradient)))
    shifted = -(inverse @ (point_gradient + coupling.T @ moved))
    cameras = scene.cameras.copy()
    for camera, (turn, shift) in enumerate(moved[:-2].reshape(-1, 2, 3)):
        change = np.eye(4)
        change[:3, :3], change[:3, 3] = Rotation.from_rotvec(turn).as_matrix(), shift
        cameras[camera] = change @ cameras[camera]
    focal = scene.focal_px * float(np.exp(np.clip(moved[-2], -0.3, 0.3)))
    radial = scene.radial + float(np.clip(moved[-1], -0.2, 0.2))
    return replace(scene, cameras=cameras, points=scene.points + shifted.reshape(-1, 3), focal_px=focal, radial=radial)


def _derivatives(
    scene: SparseScene, seen: Observations, fixed: int, *, has_lens: bool
) -> tuple[csr_array, Floats, Floats]:
    """Return derivatives by cameras, focal length, lens (2 k, 6 n + 2) and by points (k, 2, 3), and errors (2 k,)."""
    at, errors = scene.in_cameras(seen), scene.errors(seen)
    weights = np.sqrt(np.minimum(1, HUBER_PX / np.maximum(np.linalg.norm(errors, axis=1), 1e-9)))[:, None]
    x, y, z = at.T
    zero, scale = np.zeros_like(z), scene.focal_px / z * scene.bends(seen.pixels)[:, 0]
    projection = np.stack([np.stack([scale, zero, -scale * x / z], 1), np.stack([zero, scale, -scale * y / z], 1)], 1)
    cross = np.stack([np.stack([zero, z, -y], 1), np.stack([-z, zero, x], 1), np.stack([y, -x, zero], 1)], 1)
    by_camera = np.concatenate([projection @ cross, projection], axis=2) * weights[..., None]
    by_camera[seen.frames == fixed] = 0
    by_focal = scale[:, None] * at[:, :2] * weights
    by_lens = has_lens * scene.outwards(seen.pixels) / scene.bends(seen.pixels) * by_focal
    count, width = len(seen.frames), 6 * len(scene.cameras) + 2
    shared = np.tile([width - 2, width - 1], (count, 1))
    columns = np.concatenate([6 * seen.frames[:, None] + np.arange(6), shared], axis=1)
    values = np.concatenate([by_camera, by_focal[..., None], by_lens[..., None]], axis=2)
    rows = np.repeat(np.arange(2 * count), 8)
    moving = csr_array((values.ravel(), (rows, np.repeat(columns, 2, axis=0).ravel())), shape=(2 * count, width))
    by_point = projection @ scene.cameras[seen.frames, :3, :3] * weights[..., None]
    return moving, by_point, (errors * weights).ravel()


def _inverse_blocks(by_point: Floats, tracks: Integers, count: int, damping: float) -> tuple[csr_array, csr_array]:
    """Return derivatives by points as a sparse matrix, and the inverse of their damped normal matrix."""
    rows = np.repeat(np.arange(2 * len(tracks)), 3)
    columns = np.repeat(3 * tracks[:, None] + np.arange(3), 2, axis=0)
    structure = csr_array((by_point.ravel(), (rows, columns.ravel())), shape=(2 * len(tracks), 3 * count))
    normal = np.zeros((count, 3, 3))
    np.add.at(normal, tracks, np.einsum("kij,kil->kjl", by_point, by_point))
    normal[:, range(3), range(3)] = normal[:, range(3), range(3)] * (1 + damping) + 1e-9
    block = np.repeat(np.arange(3 * count), 3)
    inside = np.repeat(3 * np.arange(count)[:, None] + np.arange(3), 3, axis=0)
    inverse = csr_array((np.linalg.inv(normal).ravel(), (block, inside.ravel())), shape=(3 * count, 3 * count))
    return structure, inverse
