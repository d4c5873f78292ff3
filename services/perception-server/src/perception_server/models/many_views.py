"""Geometry of models that see many views of a scene: our conventions, and metres for what has no unit."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from spatial.arrays import Floats

from perception_server.models.interface import Cameras, Depths, Meter, Reconstructor, Views

MAX_MEASURED = 4
"""Pictures of a scene by which its scale is found, evenly spread."""
FEWEST_MEASURED = 100
"""Pixels that have a depth by both models."""


def cameras_of(
    depth: Depths, confidence: Depths, world_to_camera: Floats, matrices: Floats, size: tuple[int, int]
) -> Cameras:
    """Return views at the size (h, w) of the pictures, up to scale.

    A model saw them at the size of depth and confidence (n, rows, columns), and gives world to camera (n, 3, 4) and
    camera matrices (n, 3, 3) in its own pixels, whose (0, 0) is the corner of the first one.
    """
    nearest = nearest_of(depth.shape[1:], size)
    scale = np.array(size[::-1]) / depth.shape[:0:-1]
    focal = matrices[:, [0, 1], [0, 1]] * scale
    centre = matrices[:, :2, 2] * scale - 0.5
    poses = np.tile(np.eye(4), (len(depth), 1, 1))
    rotations = world_to_camera[:, :, :3].astype(np.float64).transpose(0, 2, 1)
    poses[:, :3, :3] = rotations
    poses[:, :3, 3] = -np.einsum("nij,nj->ni", rotations, world_to_camera[:, :, 3])
    return Cameras(
        depth[:, *nearest], confidence[:, *nearest], np.concatenate([focal, centre], axis=1), poses, is_metric=False
    )


def nearest_of(seen: Sequence[int], size: tuple[int, int]) -> tuple[np.ndarray, np.ndarray]:
    """Return the rows and columns of a map of the size `seen` that are at the pixels of a picture, without mixing."""
    rows, columns = (
        ((np.arange(wanted) + 0.5) * have / wanted).astype(int) for have, wanted in zip(seen, size, strict=True)
    )
    return rows[:, None], columns


def scale_of(own: Depths, confidence: Depths, measured: Depths) -> tuple[float, float] | None:
    """Return metres per unit, and by how much half of the pixels differ from it at most, as a share of it.

    It is the median over the more confident half of what has a depth in both; None if that is too little.
    """
    is_known = (own > 0) & (measured > 0) & np.isfinite(own) & np.isfinite(measured)
    if is_known.sum() < FEWEST_MEASURED:
        return None
    is_known &= confidence >= np.median(confidence[is_known])
    ratios = measured[is_known].astype(np.float64) / own[is_known]
    scale = float(np.median(ratios))
    return scale, float(np.median(np.abs(ratios - scale))) / scale


class MeasuredScale:
    """Scenes of a model without a unit, in metres by another model that measures single pictures."""

    def __init__(self, reconstructor: Reconstructor, meter: Meter, name: str) -> None:
        self._reconstructor, self._meter, self._name = reconstructor, meter, name
        self.max_views = reconstructor.max_views

    def reconstruct(self, scenes: Sequence[Views]) -> list[Cameras]:
        """Return the cameras of each scene; raise `OutOfMemoryError`."""
        found = self._reconstructor.reconstruct(scenes)
        return [self._in_metres(*each) for each in zip(scenes, found, strict=True)]

    def _in_metres(self, views: Views, cameras: Cameras) -> Cameras:
        if cameras.is_metric:
            return cameras
        count = len(views.pictures)
        chosen: list[int] = np.linspace(0, count - 1, min(MAX_MEASURED, count)).round().astype(int).tolist()
        focal_px = cameras.intrinsics[chosen, :2].mean(axis=1).tolist()
        measured = self._meter.depths([views.pictures[each] for each in chosen], focal_px)
        found = scale_of(cameras.depth[chosen], cameras.confidence[chosen], measured)
        if found is None:
            return replace(cameras, notes=(*cameras.notes, f"{self._name} measures too little of these pictures"))
        scale, spread = found
        poses = cameras.extrinsics.copy()
        poses[:, :3, 3] *= scale
        by = f"metres by {self._name} from {len(chosen)} picture(s): half of the pixels agree within {spread:.0%}"
        depth = (scale * cameras.depth).astype(np.float32)
        return replace(cameras, depth=depth, extrinsics=poses, is_metric=True, notes=(by, *cameras.notes))
