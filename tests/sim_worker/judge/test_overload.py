"""Loads of motors, welds, joints and the supply against their ratings, and their utilisation."""

import numpy as np
import pytest
from contracts.models.geometry import Vector
from contracts.models.scene import Weld
from sim_worker.judge.criteria import Criteria
from sim_worker.judge.moving_average import WINDOW_S, MovingAverage
from sim_worker.judge.utilisation import load_uses, motor_uses, peak_supply_w
from sim_worker.run.motor_power import MotorCurves

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


def test_time_near_stall_is_measured_not_the_peak() -> None:
    readings = still(3.0)
    readings.rows[50:60, synthetic.TORQUE] = 2.0  # a start at full voltage
    (motor,) = motor_uses(machine(), readings)
    assert (motor.peak_torque_n_m, motor.near_stall_s) == (2.0, pytest.approx(0.1))
    readings.rows[100:180, synthetic.TORQUE] = 0.9  # below half of the stall torque
    (motor,) = motor_uses(machine(), readings)
    assert (motor.overload_s, motor.near_stall_s) == (pytest.approx(0.9), pytest.approx(0.1))
    assert motor.thermal_limit_s == 1.0


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
