"""When a run is decided, as what, and why."""

import numpy as np
import pytest
from contracts.models.simulation import ReplicaResult
from sim_worker.judge.aggregation import confidence, stability, success_rate
from sim_worker.judge.energy import SLACK_HEIGHT_M
from sim_worker.units import GRAVITY_M_S2

from tests.sim_worker import told
from tests.sim_worker.told import decided, machine, still


@pytest.mark.parametrize("piece", [1, 7, 50, 1000])
def test_the_payload_must_stay_in_the_goal_for_hold_s(piece: int) -> None:
    readings = still(4.1)
    readings.rows[20:60, told.GOAL] = -0.001  # 0.4 s: too short
    readings.rows[100:, told.GOAL] = 0.0
    result = decided(readings, piece=piece)
    assert (result.ending, result.time_s, result.cause) == ("reached_goal", pytest.approx(1.5), "")


def test_a_touch_is_enough_where_nothing_need_be_held() -> None:
    readings = still(4.1)
    readings.rows[20, told.GOAL] = 0.0
    result = decided(readings, machine(hold_s=0.0))
    assert (result.ending, result.time_s) == ("reached_goal", pytest.approx(0.2))


def test_a_touch_shorter_than_hold_s_is_a_miss() -> None:
    readings = still(4.1)
    readings.rows[20:60, told.GOAL] = -0.001
    result = decided(readings)
    assert (result.ending, result.time_s) == ("missed_goal", pytest.approx(4.0))
    assert result.closest_goal_mm == 0.0
    assert "touched the goal zone, but not for 0.5 s without a break" in result.cause


def test_a_miss_says_how_near_it_came() -> None:
    readings = still(4.1)
    readings.rows[30, told.GOAL] = 0.0123
    assert "no nearer than 12.3 mm to the goal zone" in decided(readings).cause


def test_a_forbid_touch_ends_the_run_even_in_the_goal() -> None:
    readings = still(4.1)
    readings.rows[10:, told.GOAL] = -0.001
    readings.rows[30, told.FORBID] = -2e-5
    result = decided(readings)
    assert (result.ending, result.touched, result.time_s) == ("touched_forbid", "lava", pytest.approx(0.3))
    assert (result.culprit, result.cause[:42]) == ("payload", "the payload touched the forbid zone lava, ")
    assert "0.02 mm deep" in result.cause


def test_a_moving_part_in_a_forbid_zone_ends_the_run_and_is_named() -> None:
    readings = still(4.1)
    readings.rows[50:, told.PART_FORBID] = 1.0  # found, and 0 deep
    readings.rows[50:, told.ARM_PLACE] = (0.11, 0.12, 0.03)
    result = decided(readings)
    assert (result.ending, result.touched, result.culprit) == ("touched_forbid", "lava", "arm")
    assert "at (110, 120, 30) mm" in result.cause


def test_leaving_the_bounds_ends_the_run() -> None:
    readings = still(4.1)
    readings.rows[40:, 1] = 1.01
    result = decided(readings)
    assert (result.ending, result.final_mm[1]) == ("left_bounds", pytest.approx(1010.0))
    assert result.cause == "the payload's centre came to y = 1010.0 mm; the bounds end at 1000.0 mm"


def test_a_lone_payload_faster_than_its_fall_allows_is_the_simulator_s_fault() -> None:
    readings = still(4.1)
    readings.rows[50:, 2] = -0.2  # 0.2 m below the start: at most 1.98 m/s, and a fifth more
    readings.rows[60, told.VELOCITY.start] = 2.4
    assert decided(readings, is_payload_alone=True).ending == "missed_goal"
    readings.rows[70, told.VELOCITY.start] = 2.6
    assert decided(readings, is_payload_alone=True).ending == "numerical"


def test_a_payload_that_a_motor_has_thrown_is_no_fault_of_the_simulator() -> None:
    readings = still(4.1)
    readings.rows[20:60, told.TORQUE], readings.rows[20:60, told.SPEED] = 0.4, 10.0  # 4 W for 0.4 s
    readings.rows[60:, told.VELOCITY.start] = 5.0
    readings.rows[60:, told.KINETIC] = 1.5
    assert decided(readings).ending == "missed_goal"


@pytest.mark.parametrize(("share", "ending"), [(0.9, "missed_goal"), (1.1, "numerical")])
def test_energy_that_no_motor_gave_is_the_simulator_s_fault(share: float, ending: str) -> None:
    readings = still(4.1)
    readings.rows[60:, told.KINETIC] = share * told.MOVING_KG * GRAVITY_M_S2 * SLACK_HEIGHT_M
    assert decided(readings).ending == ending


def test_height_lost_pays_for_speed_and_braking_gives_nothing_back() -> None:
    readings = still(4.1)
    readings.rows[60:, told.KINETIC], readings.rows[60:, told.POTENTIAL] = 1.0, -1.0
    readings.rows[20:60, told.TORQUE], readings.rows[20:60, told.SPEED] = -0.4, 10.0
    assert decided(readings).ending == "missed_goal"
    readings.rows[100:, told.KINETIC] = 2.0
    assert decided(readings).ending == "numerical"


def test_a_state_that_is_not_finite_is_a_failure() -> None:
    readings = still(4.1)
    readings.rows[30, 0] = np.nan
    result = decided(readings)
    assert (result.ending, result.time_s, result.final_mm[0]) == ("diverged", pytest.approx(0.3), 0.0)
    assert "finite" in result.cause


def at_rest(seconds: float) -> told.Readings:
    readings = still(seconds)
    readings.rows[60:, 1] = readings.rows[60, 1]
    return readings


def test_when_all_has_come_to_rest_the_run_is_over() -> None:
    result = decided(at_rest(4.1), piece=25)
    assert (result.ending, result.time_s) == ("missed_goal", pytest.approx(1.99))  # rest since 0.6 s, seen in pieces
    assert "everything came to rest" in result.cause


def test_nothing_is_over_while_something_moves_or_will() -> None:
    tilting = at_rest(4.1)
    tilting.rows[:, told.ARM_QUATERNION.start + 2] = np.linspace(0.0, 0.3, len(tilting.rows))
    hot = at_rest(4.1)
    hot.rows[:, told.TORQUE] = 0.6
    patient = machine(drives=(told.drive(thermal_limit_s=9.0),))
    assert decided(tilting, piece=25).time_s == pytest.approx(4.0)
    assert decided(hot, patient, piece=25).time_s == pytest.approx(4.0)
    assert decided(at_rest(4.1), piece=25, quiet_s=2.2).time_s == pytest.approx(3.49)


def test_a_payload_that_rests_in_the_goal_is_waited_for() -> None:
    readings = at_rest(4.1)
    readings.rows[60:, told.GOAL] = -0.001
    result = decided(readings, machine(hold_s=3.0), piece=25)
    assert (result.ending, result.time_s) == ("reached_goal", pytest.approx(3.6))


def test_what_the_simulator_gave_up_is_told_apart() -> None:
    readings = still(1.0)
    judge = told.judge(machine())
    lost = judge.give_up(readings, ("mjWARN_BADQACC",), is_diverged=True)
    full = judge.give_up(readings, ("mjWARN_CONTACTFULL",), is_diverged=False)
    assert (lost.ending, full.ending) == ("diverged", "numerical")
    assert "mjWARN_CONTACTFULL" in full.cause


def replica(ending: str) -> ReplicaResult:
    return ReplicaResult.model_validate(
        {"ending": ending, "time_s": 1, "final_mm": (0, 0, 0), "max_speed_m_s": 1, "closest_goal_mm": 0}
    )


def test_runs_that_the_simulator_spoiled_do_not_count_unless_they_are_the_most() -> None:
    solved, spoiled, missed = replica("reached_goal"), replica("numerical"), replica("missed_goal")
    assert success_rate((solved,) * 9 + (missed,)) == 0.9
    assert success_rate((solved,) * 6 + (spoiled,) * 4) == 1.0
    assert success_rate((solved,) * 4 + (spoiled,) * 6) == 0.0
    assert success_rate((solved,) * 4 + (replica("diverged"),) * 6) == 0.4


def test_the_confidence_interval_is_wilson_s() -> None:
    solved, missed, spoiled = replica("reached_goal"), replica("missed_goal"), replica("numerical")
    assert confidence((solved,) * 9 + (missed,)) == pytest.approx((0.59585, 0.98213), abs=1e-5)
    assert confidence((solved,) * 29) == pytest.approx((0.88303, 1.0), abs=1e-5)
    assert confidence((missed,) * 10) == pytest.approx((0.0, 0.27753), abs=1e-5)
    assert confidence((solved,) * 9 + (missed,) + (spoiled,) * 3) == confidence((solved,) * 9 + (missed,))
    assert confidence(()) == confidence((spoiled,) * 3) == (0.0, 1.0)


def test_stability_follows_the_rate() -> None:
    rates = (1.0, 0.9, 0.89, 0.31, 0.3, 0.0)
    stabilities = ["stable", "stable", "flaky", "flaky", "failed", "failed"]
    assert [stability(rate) for rate in rates] == stabilities


def test_infinities_that_cancel_are_found() -> None:
    readings = still(4.1)
    readings.rows[30, 0], readings.rows[31, 0] = np.inf, -np.inf
    assert (decided(readings).ending, decided(readings).time_s) == ("diverged", pytest.approx(0.3))
