"""Stops of joints, shafts and teeth at their ratings, in simulated machines."""

import pytest
from contracts.models.mechanism import Constant
from contracts.models.scene import Scene
from contracts.models.simulation import ReplicaResult
from sim_worker.model import compile_scene
from sim_worker.simulator import run_nominal

from tests.sim_worker import scenes

G, KG, ARM_MM = 9.81, 0.008, 40.0
HELD_N_M = KG * G * ARM_MM / 1000


def result_of(scene: Scene) -> ReplicaResult:
    return run_nominal(compile_scene(scene)).result


def held(high: float | None) -> Scene:
    """Return a block beside a hinge that only the high end of its range holds level."""
    post = scenes.block("post", (0, 100, 0), (20, 20, 20), "environment")
    block = scenes.solid("block", (ARM_MM, 0, 0), (20, 20, 20))
    hinge = scenes.joint(
        "hinge", "revolute", "post", "block", (0, 0, 0), angle_range_deg=(-30, 0.01), max_stops=(0.001, high)
    )
    return scenes.machine_scene(post, block, joints=(hinge,), duration_s=1.0)


@pytest.mark.parametrize(("share", "ending"), [(0.95, "overloaded"), (1.1, "missed_goal")])
def test_stop_in_a_bearing_breaks_beyond_its_rating(share: float, ending: str) -> None:
    result = result_of(held(share * HELD_N_M))
    assert result.ending == ending
    if ending == "overloaded":
        assert result.culprit == "hinge"
        assert "at the end of its range, where no parts meet" in result.cause


def test_end_where_parts_meet_has_no_rating() -> None:
    assert result_of(held(None)).ending == "missed_goal"


def pressing(max_torque_n_m: float | None) -> Scene:
    """Return a motor that presses an arm against the end of its range with 0.4 N m."""
    post = scenes.solid("post", (0, 100, 0), (20, 20, 20))
    floor = scenes.block("floor", (0, 100, -15), (40, 40, 10), "environment")
    block = scenes.solid("block", (0, 0, 0), (60, 20, 20))
    hinge = scenes.joint("hinge", "revolute", "post", "block", (0, 0, 0), angle_range_deg=(-1, 5))
    drive = scenes.drive(
        "post", "hinge", control=Constant(share=0.2), max_torque_n_m=max_torque_n_m, weakest="the teeth"
    )
    foot = scenes.weld("foot", "floor", "post", (0, 100, -10))
    return scenes.machine_scene(floor, post, block, joints=(hinge,), drives=(drive,), welds=(foot,), duration_s=0.8)


@pytest.mark.parametrize(("limit", "ending"), [(0.38, "overloaded"), (1.0, "missed_goal"), (None, "missed_goal")])
def test_torque_breaks_teeth_beyond_their_rating(limit: float | None, ending: str) -> None:
    result = result_of(pressing(limit))
    assert result.ending == ending
    if ending == "overloaded":
        assert (result.culprit, "more than the teeth bear: 0.38 N m" in result.cause) == ("post", True)
