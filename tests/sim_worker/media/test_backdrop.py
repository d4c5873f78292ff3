"""Tests of films over a softly lit picture of what never moves."""

import numpy as np
from sim_worker.media.camera import SceneExtents
from sim_worker.media.display_model import build_display_model, without_moving
from sim_worker.media.drawings.backdrop import Backdrop, mean_of
from sim_worker.media.motion import Motion
from sim_worker.simulator import SimulationSettings, Simulator

from tests.sim_worker import scenes

PLAIN = np.full((4, 6, 3), 90, np.uint8)
SOFT = np.full((4, 6, 3), 40, np.uint8)


def test_what_moves_is_drawn_over_the_soft_picture() -> None:
    picture = PLAIN.copy()
    picture[1, 2] = picture[3, 5] = (200, 90, 90)
    lit = Backdrop(PLAIN, SOFT).under(picture)
    assert (lit[1, 2] == (200, 90, 90)).all()
    assert (lit[3, 5] == (200, 90, 90)).all()
    assert (lit == 40).all(axis=2).sum() == 22


def test_picture_without_anything_that_moves_is_the_soft_one() -> None:
    assert (Backdrop(PLAIN, SOFT).under(PLAIN) == SOFT).all()


def test_mean_of_pictures_is_rounded() -> None:
    assert (mean_of(iter([PLAIN, SOFT, SOFT])) == round((90 + 40 + 40) / 3)).all()


def test_what_moves_is_hidden_for_a_while() -> None:
    scene = scenes.chute_scene()
    motion = Motion.of(Simulator(threads=1).simulate(scene, SimulationSettings(replicas=1, seed=0)).trajectory)
    model = build_display_model(scene, motion, SceneExtents(scene, motion).lowest_m, 64, 48)
    before = model.geom_rgba.copy()
    with without_moving(model):
        hidden = model.geom_rgba[:, 3] == 0
    assert hidden.sum() == 1, "the payload alone"
    assert (model.geom_rgba == before).all()
    last = len(motion.time_s) - 1
    assert motion.is_still_between(last, last)
    assert not motion.is_still_between(0, last)
