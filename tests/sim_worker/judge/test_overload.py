"""Loads of motors, welds, joints and the supply against their ratings, and their utilisation."""

import numpy as np
import pytest
from contracts.models.geometry import Vector
from contracts.models.scene import Weld
from sim_worker.judge.criteria import Criteria
from sim_worker.judge.hold_timer import HoldTimer
from sim_worker.judge.motor_heat import TimeWithin
from sim_worker.judge.utilisation import load_uses, motor_uses, peak_supply_w
from sim_worker.run.motor_power import MotorCurves
from sim_worker.run.moving_average import WINDOW_S, MovingAverage

from tests.sim_worker.judge import synthetic_readings as synthetic
from tests.sim_worker.judge.synthetic_readings import judged, machine, still
from tests.sim_worker.structure.beams import glued

FINE_S = 0.001


@pytest.mark.parametrize("chunk", [7, 50, 1000])
@pytest.mark.parametrize(("seconds", "ending"), [(0.99, "missed_goal"), (1.02, "overloaded")])
def test_motor_above_continuous_torque_overheats_after_thermal_limit(seconds: float, ending: str, chunk: int) -> None:
    readings = still(4.1)
    readings.rows[50 : 50 + round(seconds / synthetic.STEP_S), synthetic.TORQUE] = -0.6
    result = judged(readings, chunk=chunk)
    assert result.ending == ending
    if ending == "overloaded":
        assert (result.culprit, result.time_s) == ("motor", pytest.approx(1.51))
        assert "0.6 N m" in result.cause


@pytest.mark.parametrize("chunk", [7, 50, 1000])
def test_motor_does_not_cool_in_short_pauses(chunk: int) -> None:
    readings = still(4.1)
    for first in (50, 150):  # 0.99 s, a pause of 10 ms, 0.99 s
        readings.rows[first : first + 99, synthetic.TORQUE] = -0.6
    result = judged(readings, chunk=chunk)
    assert (result.ending, result.culprit, result.time_s) == ("overloaded", "motor", pytest.approx(1.52))
    assert "more than 1 s of the last 1.5 s" in result.cause


def test_motor_cools_within_four_thermal_limits() -> None:
    readings, scene = still(9.9), machine(duration_s=9.8)
    for first in (50, 500, 950):  # 0.9 s of every 4.5 s
        readings.rows[first : first + 90, synthetic.TORQUE] = 0.6
    assert judged(readings, scene, chunk=25).ending == "missed_goal"
    readings.rows[420:440, synthetic.TORQUE] = 0.6  # 0.2 s more, within 4 s of the first and of the second
    assert judged(readings, scene, chunk=25).ending == "overloaded"


def test_environment_motor_is_not_judged() -> None:
    scene = machine(
        bodies=(
            synthetic.part("ground", "environment", None),
            synthetic.part("frame"),
            synthetic.part("motor", "environment"),
        )
    )
    readings = still(4.1, scene)
    readings.rows[:, synthetic.TORQUE] = 0.6
    assert judged(readings, scene).ending == "missed_goal"


def test_weld_load_is_judged_as_windowed_mean() -> None:
    readings = still(4.1, step_s=FINE_S)
    readings.rows[500, synthetic.WELD_FORCE] = 900.0  # 0.9 N s
    assert judged(readings, chunk=250).ending == "missed_goal"
    readings.rows[500:502, synthetic.WELD_FORCE] = 900.0
    result = judged(readings, chunk=250)
    assert (result.ending, result.culprit, result.time_s) == ("overloaded", "screws", pytest.approx(0.501))
    assert "180 N" in result.cause


@pytest.mark.parametrize(
    ("column", "load", "culprit", "unit"),
    [
        (synthetic.WELD_MOMENT, 2.1, "screws", "N m"),
        (synthetic.HINGE_FORCE, 81.0, "hinge", "N"),
        (synthetic.HINGE_MOMENT, 3.1, "hinge", "N m"),
    ],
)
def test_each_rating_is_judged(column: int, load: float, culprit: str, unit: str) -> None:
    readings = still(4.1)
    readings.rows[100:, column] = load
    result = judged(readings)
    assert (result.ending, result.culprit) == ("overloaded", culprit)
    assert f" {load:.3g} {unit} " in result.cause


def test_free_axis_of_a_joint_is_not_judged() -> None:
    readings = still(4.1)
    readings.rows[100:, synthetic.HINGE_MOMENT + 2] = 9.0
    assert judged(readings).ending == "missed_goal"


@pytest.mark.parametrize(("second", "ending"), [("ground", "overloaded"), ("wall", "overloaded")])
def test_weld_between_design_and_environment_is_judged(second: str, ending: str) -> None:
    readings = still(4.1)
    readings.rows[100:, synthetic.WELD_FORCE] = 150.0
    assert judged(readings, machine(welds=(_weld("frame", second),))).ending == ending


def test_weld_within_environment_is_not_judged() -> None:
    readings = still(4.1)
    readings.rows[100:, synthetic.WELD_FORCE] = 150.0
    assert judged(readings, machine(welds=(_weld("ground", "wall"),))).ending == "missed_goal"


def _weld(first: str, second: str) -> Weld:
    return synthetic.machine().welds[0].model_copy(update={"first": first, "second": second})


def test_supply_above_its_limit_is_overloaded() -> None:
    readings = still(4.1)
    readings.rows[100:110, synthetic.TORQUE], readings.rows[100:110, synthetic.SPEED] = 1.0, 10.0
    assert judged(readings, machine(supply_limit_w=31.3)).ending == "missed_goal"
    result = judged(readings, machine(supply_limit_w=31.0))
    assert (result.ending, result.culprit) == ("overloaded", "supply")
    assert "31.2 W" in result.cause


def power_w(torque_n_m: float, speed_rad_s: float) -> float:
    lines = MotorCurves((synthetic.drive(),))
    return float(lines.power_w(np.array([[torque_n_m]]), np.array([[speed_rad_s]]))[0, 0])


def test_motor_power_follows_data_sheet_lines() -> None:
    assert power_w(2.0, 0.0) == pytest.approx(12.0 * 5.0)  # stalled
    assert power_w(0.0, 20.0) == pytest.approx(12.0 * 0.2)  # running free
    assert power_w(1.0, 10.0) == pytest.approx(12.0 * 2.6)  # half of either
    assert power_w(0.5, 5.0) == pytest.approx(6.0 * 1.4)  # a servo at half its voltage
    assert power_w(-0.5, -5.0) == pytest.approx(6.0 * 1.4)  # backwards
    assert power_w(0.0, 0.0) == 0.0
    assert power_w(-0.5, 20.0) == 0.0  # braking


def test_utilisation_of_motors_loads_and_supply() -> None:
    readings = still(2.0)
    readings.rows[50:100, synthetic.TORQUE], readings.rows[50:100, synthetic.SPEED] = 1.0, 10.0
    readings.rows[100:, synthetic.WELD_FORCE] = 60.0
    (motor,), (screws, hinge) = motor_uses(machine(), readings), load_uses(machine(), readings)
    assert (motor.peak_torque_n_m, motor.longest_overload_s) == (1.0, pytest.approx(0.49))
    assert (motor.peak_power_w, motor.mean_power_w) == (pytest.approx(31.2), pytest.approx(31.2 / 4))
    assert (screws.label, screws.peak_force_n, screws.max_force_n) == ("screws", 60.0, 100.0)
    assert (hinge.label, hinge.peak_force_n, hinge.max_moment_n_m) == ("hinge", 0.0, 3.0)
    limits = Criteria.of(machine(), readings.layout).motors
    assert peak_supply_w(limits, readings) == pytest.approx(31.2)


@pytest.mark.parametrize("chunk", [1, 3, 10, 64])
def test_moving_average_does_not_depend_on_chunks(chunk: int) -> None:
    steps = round(WINDOW_S / FINE_S)
    values = np.random.default_rng(3).uniform(0.0, 1.0, (64, 2))
    mean = MovingAverage(2, steps)
    means = np.concatenate([mean.means(values[first : first + chunk]) for first in range(0, 64, chunk)])
    padded = np.concatenate([np.zeros((steps - 1, 2)), values])
    expected = [padded[step : step + steps].mean(axis=0) for step in range(64)]
    np.testing.assert_allclose(means, expected, atol=1e-12)


GLUE = glued("glue", "frame", "ground", (0, 0, 0), (40, 20, 0))
"""It holds 2400 N, or 8 N m about x, 16 about y and 17.9 about z."""


@pytest.mark.parametrize(
    ("force_n", "moment_n_m", "use"),
    [
        ((0.0, 0.0, 1200.0), (0.0, 0.0, 0.0), 0.5),
        ((-720.0, 0.0, 960.0), (0.0, 0.0, 0.0), 0.5),
        ((0.0, 0.0, 0.0), (-4.0, 0.0, 0.0), 0.5),
        ((0.0, 0.0, 0.0), (0.0, 4.0, 0.0), 0.25),
        ((0.0, 0.0, 0.0), (0.0, 0.0, -17.8), 0.995),
        ((0.0, 600.0, 0.0), (2.0, -4.0, 0.0), 0.75),
        ((0.0, 1200.0, 0.0), (2.0, 4.08, 0.0), 1.005),
    ],
)
def test_force_and_moments_on_a_glued_face_add_up(force_n: Vector, moment_n_m: Vector, use: float) -> None:
    scene = machine(welds=(GLUE,))
    readings = still(4.1, scene)
    readings.rows[100:, synthetic.WELD_FORCE : synthetic.WELD_FORCE + 3] = force_n
    readings.rows[100:, synthetic.WELD_MOMENT : synthetic.WELD_MOMENT + 3] = moment_n_m
    assert load_uses(scene, readings)[0].peak_use == pytest.approx(use, abs=1e-4)
    result = judged(readings, scene)
    assert (result.ending, result.culprit) == (("overloaded", "glue") if use > 1 else ("missed_goal", ""))


def test_glued_face_is_judged_by_the_mean_over_ten_milliseconds() -> None:
    scene = machine(welds=(GLUE,))
    readings = still(4.1, scene, step_s=FINE_S)
    readings.rows[500:505, synthetic.WELD_FORCE] = 4700.0
    assert judged(readings, scene, chunk=250).ending == "missed_goal"
    assert load_uses(scene, readings)[0].peak_use == pytest.approx(4700 * 0.5 / 2400)
    readings.rows[500:506, synthetic.WELD_FORCE] = 4700.0
    readings.rows[500:506, synthetic.WELD_MOMENT] = 0.1
    result = judged(readings, scene, chunk=3)
    assert (result.ending, result.culprit, result.time_s) == ("overloaded", "glue", pytest.approx(0.505))
    assert "bore 2.82e+03 N and 0.06 N m (mean over 10 ms), together 118% of what its glued face bears" in result.cause
    assert "it holds 2.4e+03 N, or 8, 16 or 17.9 N m about its axes" in result.cause


def test_run_of_a_single_step_has_its_utilisation() -> None:
    readings = still(0.01)
    readings.rows[:, synthetic.TORQUE], readings.rows[:, synthetic.SPEED] = -1.0, -10.0
    readings.rows[:, synthetic.WELD_FORCE] = 60.0
    (motor,), (screws, _) = motor_uses(machine(), readings), load_uses(machine(), readings)
    assert (motor.peak_torque_n_m, motor.overload_s, motor.longest_overload_s) == (1.0, 0.0, 0.0)
    assert (motor.peak_power_w, motor.mean_power_w) == pytest.approx((31.2, 31.2))
    assert screws.peak_force_n == 60.0


@pytest.mark.parametrize(
    ("torque_n_m", "overload_s", "near_stall_s"), [(0.5, 0, 0), (0.51, 0.8, 0), (1.0, 0.8, 0), (1.01, 0.8, 0.8)]
)
@pytest.mark.parametrize("sign", [1, -1])
def test_overload_begins_above_continuous_torque_and_near_stall_above_half(
    torque_n_m: float, overload_s: float, near_stall_s: float, sign: int
) -> None:
    readings = still(9.0)
    for first in (50, 250, 600):  # 0.4 s each; the first two lie within four thermal limits, the third does not
        readings.rows[first : first + 40, synthetic.TORQUE] = sign * torque_n_m
    (motor,) = motor_uses(machine(), readings)
    assert motor.peak_torque_n_m == torque_n_m
    assert (motor.overload_s, motor.near_stall_s) == pytest.approx((overload_s, near_stall_s), abs=1e-6)


def test_load_below_its_rating_adds_to_what_came_before_the_chunk() -> None:
    """A blow at the end of a chunk, then 90 N: together above 100 N, though no step of the chunk is."""
    readings = still(4.1, step_s=FINE_S)
    readings.rows[499, synthetic.WELD_FORCE], readings.rows[500:, synthetic.WELD_FORCE] = 900.0, 90.0
    result = judged(readings, chunk=250)
    assert (result.ending, result.culprit, result.time_s) == ("overloaded", "screws", pytest.approx(0.501))
    readings.rows[500:, synthetic.WELD_FORCE] = 10.0
    assert judged(readings, chunk=250).ending == "missed_goal"


def test_overload_at_the_first_step_of_a_chunk_is_found() -> None:
    readings = still(4.1)
    readings.rows[50:152, synthetic.TORQUE] = 0.6
    assert judged(readings, chunk=151).time_s == pytest.approx(1.51)
    readings.rows[:, synthetic.TORQUE] = 0.0
    readings.rows[151:, synthetic.WELD_MOMENT] = 2.1
    assert judged(readings, chunk=151).time_s == pytest.approx(1.51)
    readings.rows[:, synthetic.WELD_MOMENT] = 0.0
    readings.rows[151:, synthetic.TORQUE], readings.rows[151:, synthetic.SPEED] = 0.4, 10.0
    assert judged(readings, machine(supply_limit_w=1.0), chunk=151).time_s == pytest.approx(1.51)
    scene = machine(welds=(GLUE,))
    glue = still(4.1, scene)
    glue.rows[151:, synthetic.WELD_FORCE] = 2500.0
    assert judged(glue, scene, chunk=151).time_s == pytest.approx(1.51)


@pytest.mark.parametrize(("force_row", "moment_row", "part_row"), [(60, 50, 70), (50, 60, 70), (60, 70, 50)])
def test_earliest_of_several_overloads_is_named(force_row: int, moment_row: int, part_row: int) -> None:
    readings = still(4.1)
    readings.rows[force_row:, synthetic.WELD_FORCE] = 200.0
    readings.rows[moment_row:, synthetic.HINGE_MOMENT] = 5.0
    judge = synthetic.new_judge(machine())
    result = judge.evaluate(readings[:100], (part_row * synthetic.STEP_S, "strip", "was bent"))
    assert result is not None
    assert (result.ending, result.time_s) == ("overloaded", pytest.approx(0.5))
    assert result.culprit == {force_row: "screws", moment_row: "hinge", part_row: "strip"}[50]
    assert (result.cause == "strip: was bent") is (part_row == 50)


def test_supply_counts_motors_of_the_design_only() -> None:
    bodies = (synthetic.part("ground", "environment", None), synthetic.part("motor", "environment"))
    scene = machine(bodies=bodies, supply_limit_w=1.0)
    readings = still(4.1, scene)
    readings.rows[100:110, synthetic.TORQUE], readings.rows[100:110, synthetic.SPEED] = 1.0, 10.0
    assert judged(readings, scene).ending == "missed_goal"


def test_condition_that_pauses_for_a_chunk_begins_again() -> None:
    timer, time_s = HoldTimer(2), np.array([0.0, 0.5, 1.0, 1.5])
    flags = np.array([[True, False], [True, True], [True, True], [False, True]])
    np.testing.assert_array_equal(timer.held_s(flags, time_s), [[0, -1], [0.5, 0], [1, 0.5], [-1, 1]])
    np.testing.assert_array_equal(timer.held_s(flags, time_s + 2), [[0, -1], [0.5, 0], [1, 0.5], [-1, 1]])
    timer.reset()
    np.testing.assert_array_equal(timer.held_s(flags[2:], time_s[:2] + 6), [[0, 0], [-1, 0.5]])
    np.testing.assert_array_equal(timer.held_s(flags[1:2], time_s[:1] + 7), [[0, 1]])


@pytest.mark.parametrize("chunk", [1, 3, 40])
def test_time_within_a_window_is_that_of_its_steps(chunk: int) -> None:
    """A condition that holds at a step holds until the next; windows of 0.5 s, of 1 s, and of less than a step."""
    holds = np.random.default_rng(5).random((40, 3)) < 0.4
    holds[20:35] = False
    within = TimeWithin(np.array([0.5, 1.0, 0.01]), 0.125)
    found = np.concatenate([within.seconds(holds[first : first + chunk]) for first in range(0, 40, chunk)])
    for row in range(40):
        for column, steps in enumerate((4, 8, 1)):
            assert found[row, column] == holds[max(0, row - steps) : row, column].sum() * 0.125
