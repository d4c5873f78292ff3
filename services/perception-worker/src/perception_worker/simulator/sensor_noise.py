"""Seeded errors of depth, poses and masks, for measuring how answers degrade."""

import numpy as np
from contracts.models.questions.frames import SceneState
from spatial.arrays import Bools, Bytes, Floats

from perception_worker.results import Depths


def noisy_depth(depth: Depths, source: SceneState) -> tuple[Depths, Bytes]:
    """Return the depth (h, w) with the errors of its source, and its confidence, 0 for lost pixels."""
    noise, random = source.noise, _random(source, "depth")
    measured = depth.astype(np.float64)
    if noise.depth_relative:
        measured *= 1 + noise.depth_relative * random.standard_normal(depth.shape)
    if noise.depth_step_m:
        measured = np.round(measured / noise.depth_step_m) * noise.depth_step_m
    if noise.dropout:
        measured[random.random(depth.shape) < noise.dropout] = 0.0
    measured[(depth <= 0) | (measured < 0)] = 0.0
    return measured.astype(np.float32), np.where(measured > 0, 255, 0).astype(np.uint8)


def noisy_pose(camera: Floats, source: SceneState) -> Floats:
    """Return a camera pose (4, 4) with the errors of its source."""
    noise = source.noise
    if not (noise.position_m or noise.rotation_deg):
        return camera
    random = _random(source, "pose")
    jittered = camera.copy()
    jittered[:3, 3] += noise.position_m * random.standard_normal(3)
    turn = np.radians(noise.rotation_deg) * random.standard_normal(3)
    jittered[:3, :3] = camera[:3, :3] @ _rotation(turn)
    return jittered


def noisy_masks(masks: Bools, source: SceneState) -> Bools:
    """Return masks (objects, h, w) without the pixels that its source loses."""
    if not source.noise.dropout:
        return masks
    return masks & (_random(source, "masks").random(masks.shape[1:]) >= source.noise.dropout)


def _random(source: SceneState, what: str) -> np.random.Generator:
    """Return the generator of one frame's errors: the same frame always has the same."""
    seeds = [source.noise.seed, source.state, int(source.scene.sha256[:8], 16), *what.encode()]
    return np.random.default_rng(seeds)


def _rotation(turn: Floats) -> Floats:
    """Return the matrix of a rotation vector (3,) in rad."""
    angle = float(np.linalg.norm(turn))
    if angle == 0:
        return np.eye(3)
    x, y, z = turn / angle
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + np.sin(angle) * cross + (1 - np.cos(angle)) * cross @ cross
