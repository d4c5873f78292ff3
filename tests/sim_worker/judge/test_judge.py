"""Endings of a replica: which, when and why; and their statistics."""

import numpy as np
import pytest
from contracts.models.simulation import ReplicaResult
from sim_worker.report.aggregation import confidence, stability, success_rate

from tests.sim_worker import machines
from tests.sim_worker.judge import synthetic_readings as synthetic
from tests.sim_worker.judge.synthetic_readings import judged, machine, still


@pytest.mark.parametrize("chunk", [1, 7, 50, 1000])
def test_goal_must_be_held_for_hold_s(chunk: int) -> None:
    readings = still(4.1)
    readings.rows[20:60, synthetic.GOAL] = -0.001  # 0.4 s: too short
    readings.rows[100:, synthetic.GOAL] = 0.0
    result = judged(readings, chunk=chunk)
    assert (result.ending, result.time_s, result.cause) == ("reached_goal", pytest.approx(1.5), "")


def test_goal_touch_suffices_without_hold_s() -> None:
    readings = still(4.1)
    readings.rows[20, synthetic.GOAL] = 0.0
    result = judged(readings, machine(hold_s=0.0))
    assert (result.ending, result.time_s) == ("reached_goal", pytest.approx(0.2))


def test_goal_touch_shorter_than_hold_s_misses() -> None:
    readings = still(4.1)
    readings.rows[20:60, synthetic.GOAL] = -0.001
    result = judged(readings)
    assert (result.ending, result.time_s) == ("missed_goal", pytest.approx(4.0))
    assert result.closest_goal_mm == 0.0
    assert "0.5 s" in result.cause


@pytest.mark.parametrize(("rule", "ending"), [("touch", "reached_goal"), ("inside", "missed_goal")])
def test_grazing_the_goal_is_not_enough_inside(rule: str, ending: str) -> None:
    readings = still(4.1)
    readings.rows[100:, 0] = 0.881  # the goal begins at 0.9, the ball has a radius of 0.02
    readings.rows[100:, 1:3] = (0.94, 0.04)
    readings.rows[100:, synthetic.GOAL] = -0.001
    result = judged(readings, machine(goal_rule=rule))
    assert result.ending == ending
    assert result.goal_distance_mm == pytest.approx(19.0)
    if ending == "missed_goal":
        assert "was not entirely inside it for 0.5 s" in result.cause
    readings.rows[150:, 0] = 0.92
    assert (judged(readings, machine(goal_rule="inside")).ending) == "reached_goal"


def test_turned_cube_is_inside_only_with_all_corners() -> None:
    readings = still(4.1)
    readings.rows[:, 0:3] = (0.925, 0.94, 0.04)  # 25 mm from the side of the goal; half the edge is 20, the diagonal 28
    readings.rows[:, synthetic.GOAL] = -0.02
    cube = machine(goal_rule="inside").model_copy(update={"payload": machines.cube((0, 0, 0))})
    assert judged(readings, cube).ending == "reached_goal"
    readings.rows[:, synthetic.QUATERNION] = (np.cos(np.pi / 8), 0.0, 0.0, np.sin(np.pi / 8))
    assert judged(readings, cube).ending == "missed_goal"


def solved_until(seconds: float) -> synthetic.Readings:
    """Return readings with success after 1.5 s that go on for some time."""
    readings = still(seconds)
    readings.rows[100:, synthetic.GOAL] = -0.001
    return readings


@pytest.mark.parametrize("chunk", [7, 50, 1000])
def test_aftermath_of_success_is_reported_without_a_change_of_verdict(chunk: int) -> None:
    stays, rolls, burns, falls, late = (solved_until(4.1) for _ in range(5))
    rolls.rows[200:, synthetic.GOAL] = 0.05
    rolls.rows[200:, 0] = 0.3
    burns.rows[200:, synthetic.FORBID] = -1e-3
    falls.rows[220:, 2] = -1.5
    late.rows[360:, synthetic.FORBID] = -1e-3  # success is 1.5 s, so this is 2.1 s later
    found = [judged(each, chunk=chunk) for each in (stays, rolls, burns, falls, late)]
    assert [(each.ending, each.cause) for each in found] == [("reached_goal", "")] * 5
    assert [each.time_s for each in found] == pytest.approx([1.5] * 5)
    assert [each.aftermath for each in found] == ["stayed", "left_goal", "touched_forbid", "left_bounds", "stayed"]
    assert found[0].aftermath_cause == ""
    assert "50.0 mm from the goal zone" in found[1].aftermath_cause
    assert "z = -1500.0 mm" in found[3].aftermath_cause


def test_motor_that_burns_after_success_is_reported() -> None:
    readings = solved_until(4.1)
    readings.rows[100:, synthetic.TORQUE] = 0.6
    result = judged(readings)
    assert (result.ending, result.aftermath) == ("reached_goal", "overloaded")
    assert "0.6 N m" in result.aftermath_cause


def test_failure_has_no_aftermath() -> None:
    assert judged(still(4.1)).aftermath == "unknown"


def test_missed_goal_cause_has_closest_distance() -> None:
    readings = still(4.1)
    readings.rows[30, synthetic.GOAL] = 0.0123
    assert "12.3 mm" in judged(readings).cause


def test_payload_in_forbid_zone_ends_even_in_goal() -> None:
    readings = still(4.1)
    readings.rows[10:, synthetic.GOAL] = -0.001
    readings.rows[30, synthetic.FORBID] = -2e-5
    result = judged(readings)
    assert (result.ending, result.touched, result.time_s) == ("touched_forbid", "lava", pytest.approx(0.3))
    assert result.culprit == "payload"
    assert "0.02 mm" in result.cause


def test_moving_part_in_forbid_zone_is_the_culprit() -> None:
    readings = still(4.1)
    readings.rows[50:, synthetic.PART_FORBID] = 1.0  # found, and 0 deep
    readings.rows[50:, synthetic.ARM_POSITION] = (0.11, 0.12, 0.03)
    result = judged(readings)
    assert (result.ending, result.touched, result.culprit) == ("touched_forbid", "lava", "arm")
    assert "at (110, 120, 30) mm" in result.cause


@pytest.mark.parametrize(("depth_mm", "seconds", "ending"), [(0.2, 2.0, 0), (0.3, 0.01, 0), (0.3, 0.03, 1)])
def test_payload_pressed_into_a_body_penetrates_it(depth_mm: float, seconds: float, ending: int) -> None:
    readings = still(4.1)
    readings.rows[50 : 51 + round(seconds / synthetic.STEP_S), synthetic.CONTACT + 1] = -depth_mm / 1000
    result = judged(readings)
    assert result.ending == ("penetrated" if ending else "missed_goal")
    if ending:
        assert result.culprit == "ground"
        assert "the payload was 0.30 mm inside ground for more than 10 ms" in result.cause


def test_energy_bound_counts_height_but_not_braking() -> None:
    readings = still(4.1)
    readings.rows[60:, synthetic.KINETIC], readings.rows[60:, synthetic.POTENTIAL] = 1.0, -1.0
    readings.rows[20:60, synthetic.TORQUE], readings.rows[20:60, synthetic.SPEED] = -0.4, 10.0
    assert judged(readings).ending == "missed_goal"
    readings.rows[100:, synthetic.KINETIC] = 2.0
    assert judged(readings).ending == "numerical"


def at_rest(seconds: float) -> synthetic.Readings:
    readings = still(seconds)
    readings.rows[60:, 1] = readings.rows[60, 1]
    return readings


def test_run_goes_on_while_something_moves_or_will() -> None:
    tilting = at_rest(4.1)
    tilting.rows[:, synthetic.ARM_QUATERNION.start + 2] = np.linspace(0.0, 0.3, len(tilting.rows))
    hot = at_rest(4.1)
    hot.rows[:, synthetic.TORQUE] = 0.6
    tolerant = machine(drives=(synthetic.drive(thermal_limit_s=9.0),))
    assert judged(tilting, chunk=25).time_s == pytest.approx(4.0)
    assert judged(hot, tolerant, chunk=25).time_s == pytest.approx(4.0)
    assert judged(at_rest(4.1), chunk=25, last_command_s=2.2).time_s == pytest.approx(3.49)


def test_payload_resting_in_goal_completes_hold_s() -> None:
    readings = at_rest(4.1)
    readings.rows[60:, synthetic.GOAL] = -0.001
    result = judged(readings, machine(hold_s=3.0), chunk=25)
    assert (result.ending, result.time_s) == ("reached_goal", pytest.approx(3.6))


def test_simulator_stop_is_diverged_or_numerical() -> None:
    readings = still(1.0)
    judge = synthetic.new_judge(machine())
    lost = judge.simulator_stopped(readings, ("mjWARN_BADQACC",), is_diverged=True)
    full = judge.simulator_stopped(readings, ("mjWARN_CONTACTFULL",), is_diverged=False)
    assert (lost.ending, full.ending) == ("diverged", "numerical")
    assert "mjWARN_CONTACTFULL" in full.cause


def replica(ending: str) -> ReplicaResult:
    return ReplicaResult.model_validate(
        {"ending": ending, "time_s": 1, "final_mm": (0, 0, 0), "max_speed_m_s": 1, "closest_goal_mm": 0}
    )


def test_success_rate_counts_every_replica() -> None:
    solved, numerical, missed = replica("reached_goal"), replica("numerical"), replica("missed_goal")
    assert success_rate((solved,) * 9 + (missed,)) == 0.9
    assert success_rate((solved,) * 5 + (numerical,) * 5) == 0.5
    assert success_rate((solved,) * 6 + (replica("no_room"),) * 4) == 0.6
    assert success_rate((solved,) * 4 + (replica("diverged"),) * 6) == 0.4


def test_confidence_is_wilson_interval() -> None:
    solved, missed, numerical = replica("reached_goal"), replica("missed_goal"), replica("numerical")
    assert confidence((solved,) * 9 + (missed,)) == pytest.approx((0.59585, 0.98213), abs=1e-5)
    assert confidence((solved,) * 29) == pytest.approx((0.88303, 1.0), abs=1e-5)
    assert confidence((missed,) * 10) == pytest.approx((0.0, 0.27753), abs=1e-5)
    assert confidence((solved,) * 9 + (numerical,)) == confidence((solved,) * 9 + (missed,))
    assert confidence(()) == (0.0, 1.0)


def test_stability_follows_the_success_rate() -> None:
    rates = (1.0, 0.9, 0.8999, 0.31, 0.3, 0.0)
    stabilities = ["stable", "stable", "flaky", "flaky", "failed", "failed"]
    assert [stability(rate) for rate in rates] == stabilities


def test_state_with_cancelling_infinities_is_diverged() -> None:
    readings = still(4.1)
    readings.rows[30, 0], readings.rows[31, 0] = np.inf, -np.inf
    assert (judged(readings).ending, judged(readings).time_s) == ("diverged", pytest.approx(0.3))


def test_cause_of_a_missed_goal_names_what_ended_the_run() -> None:
    moving = still(4.1)
    moving.rows[:, synthetic.VELOCITY.start] = 0.2
    assert "time was up with it moving at 0.20 m/s" in judged(moving).cause
