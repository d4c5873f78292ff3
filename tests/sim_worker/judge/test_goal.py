"""What counts as reaching the goal zone, and how far the payload is from it."""

import numpy as np
import pytest
from contracts.models.benchmark import GoalRule
from sim_worker.judge.goal import Goal
from sim_worker.run.readings import Readings

from tests.sim_worker import scenes
from tests.sim_worker.judge import synthetic_readings as synthetic
from tests.sim_worker.judge.synthetic_readings import judged, machine, still

GOAL = scenes.box((900, 900, 0), (990, 990, 90))
"""Of all scenes here; the ball has a radius of 20 mm."""


def goal(rule: GoalRule) -> Goal:
    scene = machine(goal_rule=rule)
    return Goal.of(scene, scene.payload)


def readings_at(position_mm: tuple[float, float, float], goal_m: float = -0.001, speed_m_s: float = 0.0) -> Readings:
    readings = still(0.02)
    readings.rows[:, synthetic.POSITION] = np.array(position_mm) / 1000
    readings.rows[:, synthetic.GOAL] = goal_m
    readings.rows[:, synthetic.VELOCITY.start] = speed_m_s
    return readings


def fulfils(rule: GoalRule, readings: Readings) -> bool:
    return bool(goal(rule).is_fulfilled(readings)[-1])


@pytest.mark.parametrize("axis", [0, 1, 2])
@pytest.mark.parametrize("side", [-1, 1])
@pytest.mark.parametrize(("beyond_mm", "is_inside"), [(-0.05, True), (0.08, True), (0.12, False), (0.18, False)])
def test_ball_is_inside_up_to_a_tenth_of_a_millimetre(axis: int, side: int, beyond_mm: float, is_inside: bool) -> None:
    place = [945.0, 945.0, 45.0]
    place[axis] += side * (25.0 + beyond_mm)  # from there, the ball touches the side of the zone
    assert fulfils("inside", readings_at((place[0], place[1], place[2]))) is is_inside


@pytest.mark.parametrize(("goal_m", "touches"), [(0.0, True), (1e-6, False)])
@pytest.mark.parametrize("rule", ["touch", "inside", "at_rest"])
def test_payload_that_does_not_touch_the_zone_is_not_in_it(rule: GoalRule, goal_m: float, touches: bool) -> None:
    assert fulfils(rule, readings_at((945, 945, 45), goal_m)) is touches


@pytest.mark.parametrize(("speed_m_s", "is_at_rest"), [(0.0099, True), (0.01, False), (0.015, False)])
def test_payload_at_rest_is_slower_than_its_limit(speed_m_s: float, is_at_rest: bool) -> None:
    assert fulfils("at_rest", readings_at((945, 945, 45), speed_m_s=speed_m_s)) is is_at_rest
    assert fulfils("touch", readings_at((945, 945, 45), speed_m_s=speed_m_s))


@pytest.mark.parametrize(
    ("point_mm", "from_zone_mm", "from_centre_mm"),
    [
        ((945, 945, 45), 0.0, 0.0),
        ((975, 945, 85), 0.0, 50.0),
        ((897, 896, 45), 5.0, np.hypot(48, 49)),
        ((993, 994, 45), 5.0, np.hypot(48, 49)),
        ((945, 945, -7), 7.0, 52.0),
        ((945, 945, 102), 12.0, 57.0),
    ],
)
def test_distances_from_the_zone_and_from_its_centre(
    point_mm: tuple[float, float, float], from_zone_mm: float, from_centre_mm: float
) -> None:
    found = goal("touch").distances_mm(np.array(point_mm) / 1000)
    assert found == pytest.approx((from_zone_mm, from_centre_mm), abs=1e-9)


def test_result_has_the_distances_of_the_last_step() -> None:
    readings = still(4.1)
    readings.rows[:, synthetic.POSITION] = (0.945, 0.845, 0.045)
    result = judged(readings)
    assert (result.goal_distance_mm, result.goal_center_distance_mm) == pytest.approx((55.0, 100.0))
    assert result.final_mm == pytest.approx((945.0, 845.0, 45.0))
