"""The classic backend: camera poses and sparse depths of pictures, measured without a model and without a server."""

from collections.abc import Mapping
from io import BytesIO

import numpy as np
from contracts.events.perception import MIN_CLASSIC_FRAMES, FrameIntrinsics, Reconstruct, SegmentImage, SegmentVideo
from contracts.models.artifact import Sha256
from PIL import Image
from spatial.aligned_world import GRAVITY, world_transform
from spatial.arrays import Floats
from spatial.tools.geometry import GeometryTool

from perception_worker.classic.bundle_adjustment import SparseScene
from perception_worker.classic.features import Integers, find_tracks
from perception_worker.classic.structure import Structure, find_structure, ray_angles
from perception_worker.results import Found, ReconstructedFrames, RefusedError

NO_MASKS = (
    "no server segments these pictures: masks of words, points and boxes need one; segment by colour or edges in "
    "InputImages[0].pixels with numpy and scipy"
)
ROUNDED_PX = 0.6
"""Standard deviation of a track that is rounded to a pixel: twice of it holds 93 to 96 % of the depths of films."""
WORST_DEPTH = 0.1
"""Relative standard deviation of a depth whose confidence is 0."""
PLANE_SHARE, PLANE_TOLERANCE, MAX_TILT = 0.2, 0.02, 0.87
"""Of points that make a plane the floor; of the median depth; cosine of 30 degrees to the cameras' mean upright."""


def answer(operation: Reconstruct | SegmentImage | SegmentVideo, pictures: Mapping[Sha256, bytes]) -> Found:
    """Answer one operation about pictures, by digest; raise `RefusedError` with what is missing."""
    if not isinstance(operation, Reconstruct):
        raise RefusedError("backend_unavailable", NO_MASKS)
    if operation.align != "ground":
        raise RefusedError("invalid_prompt", f'align="{operation.align}" needs a simulated scene; leave it out')
    frames = operation.frames
    sizes = {(frame.width_px, frame.height_px) for frame in frames}
    if len(frames) < MIN_CLASSIC_FRAMES or len(sizes) > 1:
        raise RefusedError(
            "no_parallax",
            f"without a server depth needs {MIN_CLASSIC_FRAMES} or more frames of one size, not {len(frames)} of "
            f"{len(sizes)} sizes",
        )
    pixels = [np.asarray(Image.open(BytesIO(pictures[frame.picture.sha256])).convert("RGB")) for frame in frames]
    ((width, height),) = sizes
    structure = find_structure(find_tracks(pixels), len(frames), width, height)
    return _reconstructed(operation, structure, width, height)


def _reconstructed(operation: Reconstruct, structure: Structure, width: int, height: int) -> ReconstructedFrames:
    """Return the structure in the aligned world; its unit is the median distance of points from their cameras."""
    scene, seen = structure.scene, structure.seen
    unit = float(np.median(scene.in_cameras(seen)[:, 2]))
    poses = np.linalg.inv(scene.cameras).astype(np.float64)
    up, floor, has_floor = _floor(scene, np.unique(seen.tracks), poses, PLANE_TOLERANCE * unit)
    upright = np.eye(4)
    upright[:3, :3] = GeometryTool.rotation_matrix_from_vectors(up, (0, 0, 1))
    poses = upright @ poses
    poses = world_transform(poses[0], floor, "ground") @ poses
    poses[:, :3, 3] /= unit
    depth = np.zeros((len(poses), height, width), np.float32)
    confidence = np.zeros(depth.shape, np.uint8)
    u, v = np.clip(seen.pixels.round().astype(int), 0, (width - 1, height - 1)).T
    depth[seen.frames, v, u] = scene.in_cameras(seen)[:, 2] / unit
    deviation = max(structure.error_px, ROUNDED_PX) / scene.focal_px / ray_angles(scene, seen)[seen.tracks]
    confidence[seen.frames, v, u] = np.clip(255 * (1 - deviation / WORST_DEPTH), 1, 255)
    camera = FrameIntrinsics(fx=scene.focal_px, fy=scene.focal_px, cx=width / 2 - 0.5, cy=height / 2 - 0.5)
    return ReconstructedFrames(
        frame_indices=tuple(frame.frame_index for frame in operation.frames),
        depth=depth,
        confidence=confidence,
        extrinsics=poses,
        intrinsics=(camera,) * len(poses),
        gravity_direction=GRAVITY["ground"],
        metric_scale=1.0,
        align=operation.align,
        is_metric=False,
        notes=_notes(structure, has_floor=has_floor),
    )


def _notes(structure: Structure, *, has_floor: bool) -> tuple[str, ...]:
    points = len(np.unique(structure.seen.tracks))
    floor = (
        "the floor is the plane of most points"
        if has_floor
        else "no plane of points is the floor: up is the cameras' mean upright, and y = 0 lies under nearly all points"
    )
    return (
        "up to scale: lengths have no unit until rec.with_known_length(length_m, point_a, point_b)",
        f"sparse: {points} points that did not move have a depth (confidence > 0), other pixels have none",
        f"focal length {structure.scene.focal_px:.0f} px found, standard deviation {structure.focal_deviation:.1%}; "
        f"reprojection error {structure.error_px:.2f} px",
        floor,
    )


def _floor(scene: SparseScene, tracks: Integers, poses: Floats, tolerance: float) -> tuple[Floats, float, bool]:
    """Return the direction up, how high the floor is along it, and whether that is a plane that was found."""
    points = scene.points[tracks]
    upright = -poses[:, :3, 1].mean(axis=0)
    upright /= np.linalg.norm(upright)
    normal, inside = GeometryTool.fit_floor_plane(points, tolerance_m=tolerance)
    normal = normal * np.sign(normal @ upright)
    height = float(np.median(points[inside] @ normal))
    are_above = bool((poses[:, :3, 3] @ normal > height).all())
    if inside.mean() >= PLANE_SHARE and normal @ upright >= MAX_TILT and are_above:
        return normal, height, True
    return upright, float(np.quantile(points @ upright, 0.02)), False
