"""When a replica has come to rest: for how long, how still, and after which command."""

import numpy as np
import pytest
from sim_worker.judge.rest_detection import RestDetector, last_command_change_s
from sim_worker.run.readings import Readings

from tests.sim_worker.judge import synthetic_readings as synthetic
from tests.sim_worker.judge.synthetic_readings import judged, machine, still

STEP_S = 0.125
"""Exact in binary numbers, as are all times here."""


def resting(seconds: float, step_s: float = STEP_S) -> Readings:
    readings = still(seconds, step_s=step_s)
    readings.rows[:, 1] = 0.0
    return readings


def settled(readings: Readings, chunks: list[int], last_command_s: float = 0.0) -> list[bool]:
    """Return what a detector finds after each of the chunks, which end before these rows."""
    detector = RestDetector(last_command_s)
    return [detector.is_settled(readings[begin:end]) for begin, end in zip([0, *chunks[:-1]], chunks, strict=True)]


def test_rest_lasts_one_second_from_the_start_of_a_chunk() -> None:
    assert settled(resting(2.0), [8]) == [False]
    assert settled(resting(2.0), [9]) == [True]


def test_motion_before_the_last_second_does_not_count() -> None:
    readings = resting(4.0)
    readings.rows[:8, 0] = np.linspace(0.3, 0.0, 8)
    assert settled(readings, [8, 16, 17]) == [False, False, True], "the second chunk began at 1 s"
    assert settled(readings, [7, 15, 23, 24]) == [False, False, True, True], "still from 0.875 s on"


@pytest.mark.parametrize(("last_command_s", "rests"), [(0.0, True), (1.0, True), (1.125, False)])
def test_rest_begins_after_the_last_command(last_command_s: float, rests: bool) -> None:
    assert settled(resting(4.0), [8, 17], last_command_s)[-1] is rests


@pytest.mark.parametrize(
    ("column", "change", "rests"),
    [(1, 4e-5, True), (1, 6e-5, False), (4, 9e-4, True), (4, 1.2e-3, False), (17, 9e-4, True), (13, 6e-5, False)],
)
def test_rest_tolerates_hundredths_of_a_millimetre_and_of_a_degree(column: int, change: float, rests: bool) -> None:
    """Of the payload's place and rotation, and of the arm's."""
    readings = resting(2.0)
    readings.rows[10:, column] += change
    assert settled(readings, [16]) == [rests]


@pytest.mark.parametrize("first", [0, 7, 36, 89])
def test_jerk_of_ten_steps_is_not_rest(first: int) -> None:
    readings = resting(2.0, step_s=0.01)
    readings.rows[100 + first : 110 + first, 2] = 1e-3
    assert settled(readings, [200]) == [False]


def test_last_command_change_is_the_first_step_of_the_last_value() -> None:
    commands = np.array([[0.0, 1.0], [0.0, 1.0], [0.5, 1.0], [0.5, 2.0], [0.5, 2.0]])
    assert last_command_change_s(commands, 0.25) == 0.75
    assert last_command_change_s(commands[:3], 0.25) == 0.5
    assert last_command_change_s(commands[3:], 0.25) == 0.0


@pytest.mark.parametrize(("rows", "time_s"), [((1, 199), 1.99), ((199, 200), 2.24), ((198, 199), 1.99)])
def test_payload_in_the_goal_at_the_end_of_a_chunk_has_the_time_to_stay(rows: tuple[int, int], time_s: float) -> None:
    """At rest from 0.6 s on: the run would end at 1.99 s, with the chunk of 25 steps."""
    readings = still(4.1)
    readings.rows[60:, 1] = readings.rows[60, 1]
    readings.rows[slice(*rows), synthetic.GOAL] = 0.0
    scene = machine(hold_s=3.0)
    assert judged(readings, scene, chunk=25).time_s == pytest.approx(time_s)


def test_hot_motor_at_the_end_of_a_chunk_is_not_at_rest() -> None:
    readings = still(4.1)
    readings.rows[60:, 1] = readings.rows[60, 1]
    readings.rows[199, synthetic.TORQUE] = -0.51
    assert judged(readings, chunk=25).time_s == pytest.approx(2.24)
    readings.rows[199, synthetic.TORQUE] = -0.5
    readings.rows[198, synthetic.TORQUE] = -0.51
    assert judged(readings, chunk=25).time_s == pytest.approx(1.99)
