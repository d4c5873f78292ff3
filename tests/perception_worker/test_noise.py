"""Noise is seeded, and what is asked for is what is added."""

import numpy as np
import pytest
from contracts.models.questions.frames import Noise
from perception_worker.simulator.backend import SimulatorBackend
from spatial.reconstruction import Reconstruction

from tests.support.questions.perception import namespace_of, question_about, table_scene


def reconstruction(backend: SimulatorBackend, noise: Noise) -> Reconstruction:
    return namespace_of(backend, question_about(backend, table_scene(), noise))["tools"].Reconstruct(align="sim")


def test_same_seed_has_the_same_errors_and_another_has_others(backend: SimulatorBackend):
    noise = Noise(depth_relative=0.02, position_m=0.05, rotation_deg=1.0, dropout=0.1, seed=3)
    first, again = reconstruction(backend, noise), reconstruction(backend, noise)
    other = reconstruction(backend, noise.model_copy(update={"seed": 4}))
    assert (first.depth[0] == again.depth[0]).all()
    assert (first.extrinsics[0] == again.extrinsics[0]).all()
    assert (first.depth[0] != other.depth[0]).any()
    assert (first.extrinsics[0] != other.extrinsics[0]).any()


def test_depth_errors_have_the_requested_size(backend: SimulatorBackend):
    exact = reconstruction(backend, Noise()).depth[0]
    noisy = reconstruction(backend, Noise(depth_relative=0.02, seed=1)).depth[0]
    seen = exact > 0
    assert np.std(noisy[seen] / exact[seen] - 1) == pytest.approx(0.02, rel=0.05)


def test_dropped_pixels_have_neither_depth_nor_confidence(backend: SimulatorBackend):
    rec = reconstruction(backend, Noise(dropout=0.25, seed=1))
    exact = reconstruction(backend, Noise()).depth[0] > 0
    lost = exact & (rec.depth[0] == 0)
    assert lost.sum() / exact.sum() == pytest.approx(0.25, abs=0.02)
    assert (rec.points.confidence[0][lost] == 0).all()


def test_rounded_depths_are_multiples_of_the_step(backend: SimulatorBackend):
    steps = reconstruction(backend, Noise(depth_step_m=0.05)).depth[0] / 0.05
    assert np.abs(steps - np.round(steps)).max() < 1e-3


def test_jittered_camera_is_still_a_pose(backend: SimulatorBackend):
    pose = reconstruction(backend, Noise(position_m=0.1, rotation_deg=3.0, seed=2)).extrinsics[0]
    assert pose[:3, :3] @ pose[:3, :3].T == pytest.approx(np.eye(3), abs=1e-9)
