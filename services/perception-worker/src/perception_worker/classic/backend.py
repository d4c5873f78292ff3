"""The classic backend: cameras, sparse depths, tracks and some masks of pictures, without a model or a server."""

from collections.abc import Mapping, Sequence
from io import BytesIO

import numpy as np
from contracts.events.perception import (
    MIN_CLASSIC_FRAMES,
    FrameIntrinsics,
    KernelOperation,
    Reconstruct,
    SegmentImage,
    TrackPoints,
)
from contracts.models.artifact import Sha256
from contracts.models.questions.frames import FrameRef
from PIL import Image
from spatial.aligned_world import GRAVITY, world_transform
from spatial.arrays import Bytes, Floats
from spatial.tools.geometry import GeometryTool

from perception_worker.classic.bundle_adjustment import SparseScene
from perception_worker.classic.features import Integers, find_tracks
from perception_worker.classic.optical_flow import follow
from perception_worker.classic.segments import segment
from perception_worker.classic.structure import Structure, find_structure, ray_angles
from perception_worker.results import (
    UP_TO_SCALE,
    Found,
    ReconstructedFrames,
    RefusedError,
    TrackedPoints,
    prompted_position,
)

FLOW_NOTE = (
    "by optical flow from frame to frame: on plain surfaces, in blur, and where a point moves more than about a tenth "
    "of the picture between two frames it can be wrong; what comes back to another place is lost"
)
ROUNDED_PX = 0.6
"""Standard deviation of a track that is rounded to a pixel: twice of it holds 93 to 96 % of the depths of films."""
WORST_DEPTH = 0.1
"""Relative standard deviation of a depth whose confidence is 0."""
PLANE_SHARE, PLANE_TOLERANCE, MAX_TILT = 0.2, 0.02, 0.87
"""Of points that make a plane the floor; of the median depth; cosine of 30 degrees to the cameras' mean upright."""


def answer(operation: KernelOperation, pictures: Mapping[Sha256, bytes]) -> Found:
    """Answer one operation about pictures, by digest; raise `RefusedError` with what is missing."""
    match operation:
        case Reconstruct():
            return _reconstruct(operation, pictures)
        case TrackPoints():
            return _track(operation, pictures)
        case SegmentImage():
            return segment(operation, _pixels((operation.frame,), pictures))
        case _:
            return segment(operation, _pixels(operation.frames, pictures))


def _pixels(frames: Sequence[FrameRef], pictures: Mapping[Sha256, bytes]) -> list[Bytes]:
    """Return pictures (h, w, 3); raise `RefusedError` unless they have one size."""
    sizes = sorted({(frame.width_px, frame.height_px) for frame in frames})
    if len(sizes) > 1:
        raise RefusedError("invalid_prompt", f"the frames have several sizes, {sizes}; pass those of one size")
    return [np.asarray(Image.open(BytesIO(pictures[frame.picture.sha256])).convert("RGB")) for frame in frames]


def _track(operation: TrackPoints, pictures: Mapping[Sha256, bytes]) -> TrackedPoints:
    points = np.array(operation.points, np.float64)
    pixels, sure = follow(_pixels(operation.frames, pictures), points, prompted_position(operation))
    return TrackedPoints(
        tuple(frame.frame_index for frame in operation.frames),
        pixels.astype(np.float32),
        np.ceil(255 * sure).astype(np.uint8),
        (FLOW_NOTE,),
    )


def _reconstruct(operation: Reconstruct, pictures: Mapping[Sha256, bytes]) -> ReconstructedFrames:
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
    ((width, height),) = sizes
    stated = [frame.focal_px for frame in frames if frame.focal_px is not None]
    stated_px = float(np.median(stated)) if stated else None
    structure = find_structure(find_tracks(_pixels(frames, pictures)), len(frames), width, height, stated_px)
    return _reconstructed(operation, structure, width, height, _focal_note(structure, stated_px))


def _reconstructed(
    operation: Reconstruct, structure: Structure, width: int, height: int, focal: str
) -> ReconstructedFrames:
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
    u, v = scene.centre_px
    radial = scene.radial * scene.focal_px**2 / float(scene.centre_px @ scene.centre_px)
    camera = FrameIntrinsics(fx=scene.focal_px, fy=scene.focal_px, cx=float(u), cy=float(v), radial=radial)
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
        notes=_notes(structure, focal, has_floor=has_floor),
    )


def _focal_note(structure: Structure, stated_px: float | None) -> str:
    begun = "" if stated_px is None else f" from {stated_px:.0f} px that the photos' EXIF data state"
    return (
        f"focal length {structure.scene.focal_px:.0f} px found{begun}, standard deviation "
        f"{structure.focal_deviation:.1%}; reprojection error {structure.error_px:.2f} px"
    )


def _lens_note(radial: float) -> str:
    if not radial:
        return "no lens distortion was found"
    return (
        f"lens distortion: at the corners {-radial:.0%} of the distance from the middle (rec.intrinsics[i].radial); "
        "rec.points and point_at have it, the pinhole functions of tools.Geometry do not"
    )


def _notes(structure: Structure, focal: str, *, has_floor: bool) -> tuple[str, ...]:
    points = len(np.unique(structure.seen.tracks))
    floor = (
        "the floor is the plane of most points"
        if has_floor
        else "no plane of points is the floor: up is the cameras' mean upright, and y = 0 lies under nearly all points"
    )
    return (
        UP_TO_SCALE,
        f"sparse: {points} points that did not move have a depth (confidence > 0), other pixels have none",
        focal,
        _lens_note(structure.scene.radial),
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
