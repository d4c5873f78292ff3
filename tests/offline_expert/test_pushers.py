"""Machines that push on one floor: under beams, askew, and cheaply."""

from dataclasses import replace

import pytest
from offline_expert.boxes import Bounds
from offline_expert.drives.axis import MotionAxis, NoMachineError
from offline_expert.drives.machine import GAP_MM, DriveProportions
from offline_expert.drives.pen import pen
from offline_expert.drives.selection import choose_machine, choose_sweeper
from offline_expert.routing.problem import RoutingProblem

FLOOR = Bounds((-400.0, -200.0, -20.0), (400.0, 200.0, 0.0))
CUBE = RoutingProblem(
    build=Bounds((-390.0, -190.0, 0.0), (390.0, 190.0, 290.0)),
    goal=Bounds((70.0, -60.0, 0.0), (180.0, 60.0, 40.0)),
    forbids=(),
    solids=(FLOOR,),
    is_ball=False,
    size_mm=30.0,
    start=(-60.0, 0.0, 15.0),
)


def test_trolley_has_a_nose_where_its_motor_does_not_fit_under_a_beam() -> None:
    beam = Bounds((0.0, -130.0, 36.0), (60.0, 130.0, 60.0))
    plain, nosed = (
        choose_machine(replace(CUBE, solids=solids), DriveProportions()) for solids in ((FLOOR,), (FLOOR, beam))
    )
    assert nosed.slide.stroke_mm == plain.slide.stroke_mm
    assert nosed.motor_at[0] + nosed.slide.stroke_mm < 0.0 < plain.motor_at[0] + plain.slide.stroke_mm


def test_small_cube_is_pushed_askew_and_a_large_one_is_not() -> None:
    aside = replace(CUBE, goal=Bounds((60.0, 50.0, 0.0), (140.0, 110.0, 40.0)))
    assert choose_machine(aside, DriveProportions()).yaw_deg == pytest.approx(26.6, abs=0.1)
    with pytest.raises(NoMachineError, match="not straight ahead"):
        choose_machine(replace(aside, size_mm=50.0, start=(-60.0, 0.0, 25.0)), DriveProportions())


def test_cheap_machine_is_a_servo_whose_blade_ends_at_the_goal() -> None:
    near = replace(CUBE, size_mm=20.0, start=(0.0, 0.0, 10.0), goal=Bounds((35.0, -60.0, 0.0), (85.0, 60.0, 30.0)))
    assert choose_sweeper(near, 0) is None
    tried = [choose_sweeper(near, number, is_cheap=True) for number in range(4)]
    assert (len(set(tried)), tried[3]) == (4, None)
    first = tried[0]
    assert first is not None
    assert 35.0 < first.arm_boxes(first.sweep_deg)[1].center[0] + 10.0 < 85.0


def test_pen_is_around_the_goal_and_open_to_the_edge() -> None:
    axis = MotionAxis((-60.0, 0.0, 165.0), 0.0, (40.0, 40.0))
    fallen = replace(CUBE, goal=Bounds((0.0, -60.0, 0.0), (120.0, 60.0, 40.0)))
    panels = {panel.label: panel.box.bounds for panel in pen(fallen, axis)}
    assert panels["pen-back"].high[0] == 117.0
    assert (panels["pen-left"].high[1], panels["pen-right"].low[1]) == (57.0, -57.0)
    assert {box.low[0] for box in panels.values()} == {3.0, 113.0}, "no panel at the side of the edge"
    assert all(0.0 < box.low[2] < 2 * GAP_MM and box.high[2] > 40.0 for box in panels.values())
    post = Bounds((100.0, -10.0, 0.0), (130.0, 10.0, 100.0))
    assert pen(replace(fallen, solids=(FLOOR, post)), axis) == ()
    assert pen(replace(fallen, goal=Bounds((0.0, -60.0, 60.0), (120.0, 60.0, 100.0))), axis) == ()
