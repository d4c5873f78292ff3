"""How sure bundle adjustment is of focal length and lens: by a formula, and where observations say nothing."""

import numpy as np
import pytest
from perception_worker.classic import bundle_adjustment
from perception_worker.classic.bundle_adjustment import SparseScene, adjust, deviations
from perception_worker.classic.features import Observations
from perception_worker.classic.structure import MAX_FOCAL_DEVIATION, TRACK_PX
from spatial.arrays import Floats

FOCAL, CENTRE, FRAMES, POINTS = 300.0, np.array([199.5, 149.5]), 6, 80


def scene_of(shift: float, radial: float = 0.0) -> tuple[SparseScene, Observations]:
    """Return cameras on an arc before random points, as a lens shows them, without error."""
    random = np.random.default_rng(3)
    points = random.uniform((-1.5, -1.0, 3.0), (1.5, 1.0, 6.0), (POINTS, 3))
    cameras = np.tile(np.eye(4), (FRAMES, 1, 1))
    for number, turn in enumerate(np.linspace(0, shift, FRAMES)):
        cosine, sine = np.cos(turn), np.sin(turn)
        cameras[number, :3, :3] = [[cosine, 0, -sine], [0, 1, 0], [sine, 0, cosine]]
        cameras[number, :3, 3] = -cameras[number, :3, :3] @ [-4 * sine, 0.3 * turn, 4 - 4 * cosine]
    frames, tracks = np.repeat(np.arange(FRAMES), POINTS), np.tile(np.arange(POINTS), FRAMES)
    scene = SparseScene(cameras, points, FOCAL, CENTRE, radial)
    at = scene.in_cameras(Observations(frames, tracks, np.zeros((len(frames), 2))))
    straight = FOCAL * at[:, :2] / at[:, 2:]
    return scene, Observations(frames, tracks, bent(straight, radial) + CENTRE)


def bent(straight: Floats, radial: float) -> Floats:
    """Solve d = s (1 + radial |d|² / |c|²), of which `SparseScene.straight` is the inverse."""
    size = np.linalg.norm(straight, axis=1, keepdims=True)
    share = radial / (CENTRE @ CENTRE)
    return straight if radial == 0 else straight * 2 / (1 + np.sqrt(1 - 4 * share * size**2))


def test_pixels_of_a_bent_lens_are_straightened():
    pixels = np.random.default_rng(0).uniform((0, 0), (399, 299), (50, 2))
    scene = SparseScene(np.eye(4)[None], np.zeros((1, 3)), FOCAL, CENTRE, -0.2)
    assert bent(scene.straight(pixels) - CENTRE, -0.2) + CENTRE == pytest.approx(pixels)
    corner = scene.straight(np.array([[399.0, 299.0]]))[0] - CENTRE
    assert corner == pytest.approx(CENTRE / 0.8)


def test_true_scene_has_no_error():
    scene, seen = scene_of(0.8, -0.2)
    assert np.abs(scene.errors(seen)).max() < 1e-9


@pytest.mark.parametrize("radial", [-0.25, 0.1])
def test_lens_is_found_from_without(radial: float):
    scene, seen = scene_of(0.8, radial)
    begun = SparseScene(scene.cameras, scene.points, 1.1 * FOCAL, CENTRE)
    found = adjust(begun, seen, 0, FOCAL, 100, has_lens=True)
    assert found.radial == pytest.approx(radial, abs=0.01)
    assert found.focal_px == pytest.approx(FOCAL, rel=0.02)
    kept = adjust(begun, seen, 0, FOCAL, 100)
    assert kept.radial == 0


def test_cameras_that_stay_say_nothing_of_their_lens():
    scene, seen = scene_of(0.0)
    focal, radial = deviations(scene, seen, 0, has_lens=True)
    assert TRACK_PX * focal > MAX_FOCAL_DEVIATION
    assert radial > focal


def test_variance_that_rounding_makes_negative_is_not_a_sure_one(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(bundle_adjustment, "SCALE_IS_FREE", -99.0)
    assert deviations(*scene_of(0.8), 0, has_lens=True) == (np.inf, np.inf)


def test_wider_arcs_are_surer_of_lens_and_focal_length():
    narrow, wide = (deviations(*scene_of(shift), 0, has_lens=True) for shift in (0.2, 0.8))
    assert wide[0] < narrow[0]
    assert wide[1] < narrow[1]
    assert 0 < wide[1] < 0.1
