"""Motors, welds, joints and the supply against their ratings."""

import numpy as np
import pytest
from contracts.models.scene import Weld
from sim_worker.judge.moving_average import WINDOW_S, MovingMean
from sim_worker.judge.power import PowerLines
from sim_worker.judge.rules import Rules
from sim_worker.judge.utilisation import loads_borne, motors_used, peak_supply_w

from tests.sim_worker import told
from tests.sim_worker.told import decided, machine, still

FINE_S = 0.001


@pytest.mark.parametrize(("seconds", "ending"), [(0.99, "missed_goal"), (1.02, "overloaded")])
def test_a_motor_stands_more_than_its_continuous_torque_only_for_a_while(seconds: float, ending: str) -> None:
    readings = still(4.1)
    steps = round(seconds / told.STEP_S)
    for first in (50, 50 + steps + 1):  # a break of one step in between
        readings.rows[first : first + steps, told.TORQUE] = -0.6
    result = decided(readings)
    assert result.ending == ending
    if ending == "overloaded":
        assert (result.culprit, result.time_s) == ("motor", pytest.approx(1.51))
        assert "0.6 N m after more than 1 s" in result.cause
        assert "continuous 0.5 N m" in result.cause


def test_motors_of_the_environment_are_not_judged() -> None:
    readings = still(4.1)
    readings.rows[:, told.TORQUE] = 0.6
    scene = machine(
        bodies=(told.part("ground", "environment", None), told.part("frame"), told.part("motor", "environment"))
    )
    assert decided(readings, scene).ending == "missed_goal"


def test_a_fastener_feels_the_mean_over_a_window_not_the_spike_of_one_step() -> None:
    readings = still(4.1, step_s=FINE_S)
    readings.rows[500, told.WELD_FORCE] = 900.0  # 0.9 N s
    assert decided(readings, piece=250).ending == "missed_goal"
    readings.rows[500:502, told.WELD_FORCE] = 900.0
    result = decided(readings, piece=250)
    assert (result.ending, result.culprit, result.time_s) == ("overloaded", "screws", pytest.approx(0.501))
    assert "bore 180 N (mean over 10 ms); it holds 100 N" in result.cause


@pytest.mark.parametrize(
    ("column", "load", "culprit", "unit"),
    [
        (told.WELD_MOMENT, 2.1, "screws", "N m"),
        (told.HINGE_FORCE, 81.0, "hinge", "N"),
        (told.HINGE_MOMENT, 3.1, "hinge", "N m"),
    ],
)
def test_every_rating_is_judged(column: int, load: float, culprit: str, unit: str) -> None:
    readings = still(4.1)
    readings.rows[100:, column] = load
    result = decided(readings)
    assert (result.ending, result.culprit) == ("overloaded", culprit)
    assert f"bore {load:.3g} {unit} (mean" in result.cause


def test_what_a_free_axis_does_is_not_borne_by_the_bearing() -> None:
    readings = still(4.1)
    readings.rows[100:, told.HINGE_MOMENT + 2] = 9.0
    assert decided(readings).ending == "missed_goal"


@pytest.mark.parametrize(("second", "ending"), [("ground", "overloaded"), ("wall", "overloaded")])
def test_a_weld_between_design_and_environment_counts_for_the_design(second: str, ending: str) -> None:
    readings = still(4.1)
    readings.rows[100:, told.WELD_FORCE] = 150.0
    assert decided(readings, machine(welds=(_weld("frame", second),))).ending == ending


def test_a_weld_of_the_environment_is_not_judged() -> None:
    readings = still(4.1)
    readings.rows[100:, told.WELD_FORCE] = 150.0
    assert decided(readings, machine(welds=(_weld("ground", "wall"),))).ending == "missed_goal"


def _weld(first: str, second: str) -> Weld:
    return told.machine().welds[0].model_copy(update={"first": first, "second": second})


def test_the_supply_s_limit_is_hard() -> None:
    readings = still(4.1)
    readings.rows[100:110, told.TORQUE], readings.rows[100:110, told.SPEED] = 1.0, 10.0
    assert decided(readings, machine(supply_limit_w=31.3)).ending == "missed_goal"
    result = decided(readings, machine(supply_limit_w=31.0))
    assert (result.ending, result.culprit) == ("overloaded", "supply")
    assert "all motors drew 31.2 W (mean over 10 ms); the supply gives 31 W" in result.cause


def power_w(torque_n_m: float, speed_rad_s: float) -> float:
    lines = PowerLines((told.drive(),))
    return float(lines.power_w(np.array([[torque_n_m]]), np.array([[speed_rad_s]]))[0, 0])


def test_power_follows_the_lines_of_the_data_sheet() -> None:
    assert power_w(2.0, 0.0) == pytest.approx(12.0 * 5.0)  # stalled
    assert power_w(0.0, 20.0) == pytest.approx(12.0 * 0.2)  # running free
    assert power_w(1.0, 10.0) == pytest.approx(12.0 * 2.6)  # half of either
    assert power_w(0.5, 5.0) == pytest.approx(6.0 * 1.4)  # a servo at half its voltage
    assert power_w(-0.5, -5.0) == pytest.approx(6.0 * 1.4)  # backwards
    assert power_w(0.0, 0.0) == 0.0
    assert power_w(-0.5, 20.0) == 0.0  # turned against its will


def test_uses_are_measured_against_limits() -> None:
    readings = still(2.0)
    readings.rows[50:100, told.TORQUE], readings.rows[50:100, told.SPEED] = 1.0, 10.0
    readings.rows[100:, told.WELD_FORCE] = 60.0
    (motor,), (screws, hinge) = motors_used(machine(), readings), loads_borne(machine(), readings)
    assert (motor.peak_torque_n_m, motor.longest_overload_s) == (1.0, pytest.approx(0.49))
    assert (motor.peak_power_w, motor.mean_power_w) == (pytest.approx(31.2), pytest.approx(31.2 / 4))
    assert (screws.label, screws.peak_force_n, screws.max_force_n) == ("screws", 60.0, 100.0)
    assert (hinge.label, hinge.peak_force_n, hinge.max_moment_n_m) == ("hinge", 0.0, 3.0)
    limits = Rules.of(machine(), readings.gauges).motors
    assert peak_supply_w(limits, readings) == pytest.approx(31.2)


@pytest.mark.parametrize("piece", [1, 3, 10, 64])
def test_a_moving_mean_does_not_see_the_ends_of_pieces(piece: int) -> None:
    steps = round(WINDOW_S / FINE_S)
    values = np.random.default_rng(3).uniform(0.0, 1.0, (64, 2))
    mean = MovingMean(2, steps)
    means = np.concatenate([mean.means(values[first : first + piece]) for first in range(0, 64, piece)])
    padded = np.concatenate([np.zeros((steps - 1, 2)), values])
    expected = [padded[step : step + steps].mean(axis=0) for step in range(64)]
    np.testing.assert_allclose(means, expected, atol=1e-12)
