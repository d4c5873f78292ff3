"""Which object each pixel of a camera shows, by casting rays at exact shapes: independent of any renderer."""

from functools import lru_cache

import numpy as np
from contracts.models.geometry import Quaternion
from contracts.models.questions.spatial_scene import BoxShape, CylinderShape, SpatialScene, SphereShape
from numpy.typing import NDArray
from spatial.arrays import Floats

from questions.generator.rotation_matrices import rotation_of

WIDTH, HEIGHT = 320, 240
NOTHING = -1


def visible_pixels(scene: SpatialScene, state: int) -> dict[str, int]:
    """Return for each label how many of 320 x 240 rays hit it first."""
    seen = cast_rays(scene, state)
    return {thing.label: int((seen == number).sum()) for number, thing in enumerate(scene.objects)}


def cast_rays(scene: SpatialScene, state: int) -> NDArray[np.int64]:
    """Return the number of the object (h, w) that each ray hits first; -1 for floor and sky."""
    shown = scene.states[state]
    eye = shown.camera.pose
    directions, lengths = _rays(eye.quaternion, shown.camera.vertical_fov_deg)
    origin = np.array(eye.position_m)
    nearest, hit = np.full(len(directions), np.inf), np.full(len(directions), NOTHING)
    for number, thing in enumerate(scene.objects):
        pose = shown.poses.get(thing.label, thing.pose)
        body = rotation_of(pose.quaternion)
        for shape in thing.shapes:
            own = body @ rotation_of(shape.pose.quaternion)
            place = np.array(pose.position_m) + body @ np.array(shape.pose.position_m)
            near = _near(place - origin, _reach_m(shape), directions, lengths)
            depth = _depth(shape, (origin - place) @ own, directions[near] @ own)
            closer = near[depth < nearest[near]]
            nearest[closer], hit[closer] = depth[depth < nearest[near]], number
    return hit.reshape(HEIGHT, WIDTH)


@lru_cache(maxsize=8)
def _rays(quaternion: Quaternion, vertical_fov_deg: float) -> tuple[Floats, Floats]:
    """Return directions (n, 3) of a camera's rays and their lengths; most frames of a video have the same."""
    focal = 0.5 * HEIGHT / np.tan(np.radians(vertical_fov_deg) / 2)
    u, v = np.meshgrid(np.arange(WIDTH) - WIDTH / 2 + 0.5, np.arange(HEIGHT) - HEIGHT / 2 + 0.5)
    turn = rotation_of(quaternion)
    directions = np.stack([u / focal, v / focal, np.ones_like(u)], axis=-1).reshape(-1, 3) @ turn.T
    return directions, np.linalg.norm(directions, axis=1)


def _near(to_center: Floats, reach_m: float, directions: Floats, lengths: Floats) -> NDArray[np.intp]:
    """Return the numbers of the rays that pass within `reach_m` of a point: only they can hit a shape around it."""
    along = directions @ to_center
    return np.flatnonzero(along >= lengths * np.sqrt(max(float(to_center @ to_center) - reach_m**2, 0.0)))


def _reach_m(shape: object) -> float:
    """Return the radius of a ball around a shape."""
    match shape:
        case SphereShape():
            return shape.radius_m
        case CylinderShape():
            return float(np.hypot(shape.radius_m, shape.length_m / 2))
        case BoxShape():
            return float(np.linalg.norm(shape.size_m)) / 2
        case _:
            raise TypeError(f"rays are cast at boxes, spheres and cylinders, not at {type(shape).__name__}")


def _depth(shape: object, origin: Floats, directions: Floats) -> Floats:
    """Return where rays meet a shape, in multiples of their direction; infinity for misses."""
    match shape:
        case SphereShape():
            return _round(origin, directions, shape.radius_m)
        case CylinderShape():
            half = shape.length_m / 2
            side = _round(origin[:2], directions[:, :2], shape.radius_m)
            side[~(np.abs(origin[2] + side * directions[:, 2]) <= half)] = np.inf
            return np.minimum(side, _caps(shape.radius_m, half, origin, directions))
        case BoxShape():
            return _slabs(np.array(shape.size_m) / 2, origin, directions)
        case _:
            raise TypeError(f"rays are cast at boxes, spheres and cylinders, not at {type(shape).__name__}")


def _round(origin: Floats, directions: Floats, radius: float) -> Floats:
    a, b, c = (directions**2).sum(axis=1), directions @ origin, float(origin @ origin) - radius**2
    with np.errstate(invalid="ignore", divide="ignore"):
        depth = (-b - np.sqrt(b * b - a * c)) / a
    return np.where(np.isfinite(depth) & (depth > 0), depth, np.inf)


def _caps(radius: float, half: float, origin: Floats, directions: Floats) -> Floats:
    nearest = np.full(len(directions), np.inf)
    for z in (-half, half):
        with np.errstate(divide="ignore", invalid="ignore"):
            depth = (z - origin[2]) / directions[:, 2]
            across = origin[:2] + depth[:, None] * directions[:, :2]
            inside = (depth > 0) & ((across**2).sum(axis=1) <= radius**2)
        nearest = np.where(inside & (depth < nearest), depth, nearest)
    return nearest


def _slabs(half: Floats, origin: Floats, directions: Floats) -> Floats:
    with np.errstate(divide="ignore", invalid="ignore"):
        first, second = (-half - origin) / directions, (half - origin) / directions
    enter, leave = np.minimum(first, second).max(axis=1), np.maximum(first, second).min(axis=1)
    return np.where((enter <= leave) & (enter > 0), enter, np.inf)
