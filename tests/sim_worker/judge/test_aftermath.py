"""The two seconds after success: until when they are watched, and what is reported of them."""

import numpy as np
import pytest
from sim_worker.judge.judge import Judge
from sim_worker.model.sensors import MAX_DISTANCE_M

from tests.sim_worker.judge import synthetic_readings as synthetic
from tests.sim_worker.judge.synthetic_readings import judged, machine, new_judge, still


def solved(seconds: float) -> synthetic.Readings:
    """Return readings with success at 1.5 s, so that the aftermath ends at 3.5 s, at row 350."""
    readings = still(seconds)
    readings.rows[100:, synthetic.GOAL] = -0.001
    return readings


@pytest.mark.parametrize("chunk", [1, 7, 351, 1000])
@pytest.mark.parametrize(("row", "aftermath"), [(349, "touched_forbid"), (350, "touched_forbid"), (351, "stayed")])
def test_failure_counts_until_the_last_step_of_the_aftermath(chunk: int, row: int, aftermath: str) -> None:
    readings = solved(4.1)
    readings.rows[row:, synthetic.FORBID] = -np.arange(1, 411 - row) / 1000
    result = judged(readings, chunk=chunk)
    assert (result.aftermath, result.time_s) == (aftermath, pytest.approx(1.5))
    assert ("1.00 mm deep" in result.aftermath_cause) is (aftermath != "stayed")


@pytest.mark.parametrize("chunk", [1, 7, 351, 1000])
@pytest.mark.parametrize(("rows", "aftermath"), [((351, 400), "stayed"), ((340, 350), "stayed"), ((350, 351), "left")])
def test_place_at_the_end_of_the_aftermath_decides(chunk: int, rows: tuple[int, int], aftermath: str) -> None:
    readings = solved(4.1)
    readings.rows[slice(*rows), synthetic.GOAL] = 1e-6
    assert judged(readings, chunk=chunk).aftermath.startswith(aftermath)


@pytest.mark.parametrize("chunk", [1, 7, 351])
def test_aftermath_ends_with_its_time(chunk: int) -> None:
    assert judged(solved(3.51), chunk=chunk).aftermath == "stayed"


def test_aftermath_ends_when_everything_rests() -> None:
    readings = solved(3.0)
    readings.rows[160:, 1] = readings.rows[160, 1]
    readings.rows[200:, synthetic.GOAL] = 0.02
    result = judged(readings, chunk=20)
    assert (result.ending, result.aftermath) == ("reached_goal", "left_goal")
    assert result.aftermath_cause.startswith("20.0 mm from the goal zone 2 s later")


def test_failure_in_the_chunk_of_success_counts_if_it_comes_later() -> None:
    readings = solved(4.1)
    readings.rows[150, 2] = -1.5
    assert judged(readings, chunk=1000).ending == "left_bounds", "at the same step the failure comes first"
    readings = solved(4.1)
    readings.rows[151, 2] = -1.5
    result = judged(readings, chunk=1000)
    assert (result.ending, result.aftermath) == ("reached_goal", "left_bounds")


def after_success(is_watched: bool = True) -> Judge:
    judge = new_judge(machine())
    judge.has_aftermath = is_watched
    return judge


@pytest.mark.parametrize(("is_diverged", "aftermath"), [(True, "diverged"), (False, "numerical")])
def test_simulator_that_stops_after_success_changes_no_verdict(is_diverged: bool, aftermath: str) -> None:
    judge, readings = after_success(), solved(4.1)
    assert judge.evaluate(readings[:200]) is None
    result = judge.simulator_stopped(readings[200:220], ("mjWARN_CONTACTFULL",), is_diverged=is_diverged)
    assert (result.ending, result.aftermath, result.time_s) == ("reached_goal", aftermath, pytest.approx(1.5))
    assert result.aftermath_cause


def test_replica_without_aftermath_ends_with_success() -> None:
    result = after_success(is_watched=False).evaluate(solved(4.1)[:200])
    assert result is not None
    assert (result.ending, result.aftermath, result.time_s) == ("reached_goal", "unknown", pytest.approx(1.5))


def test_simulator_that_stops_ends_the_run_at_its_last_step() -> None:
    readings = still(1.0)
    readings.rows[:, synthetic.VELOCITY.start] = 0.3
    readings.rows[50:, synthetic.GOAL] = 0.05
    readings.rows[99] = np.nan
    result = after_success().simulator_stopped(readings, ("mjWARN_BADQACC",), is_diverged=True)
    assert (result.ending, result.time_s, result.final_mm) == ("diverged", pytest.approx(0.99), (0.0, 0.0, 0.0))
    assert (result.closest_goal_mm, result.max_speed_m_s) == pytest.approx((50.0, 0.3))
    readings.rows[99] = readings.rows[98]
    readings.rows[99, synthetic.GOAL] = 0.02
    stopped = after_success().simulator_stopped(readings, ("mjWARN_CONTACTFULL",), is_diverged=False)
    assert (stopped.time_s, stopped.closest_goal_mm) == pytest.approx((0.99, 20.0))


@pytest.mark.parametrize("value", [np.inf, -np.inf, np.nan])
def test_place_that_is_not_finite_is_reported_as_zero(value: float) -> None:
    readings = still(4.1)
    readings.rows[0, synthetic.POSITION] = value
    result = judged(readings)
    assert (result.ending, result.final_mm, result.time_s) == ("diverged", (0.0, 0.0, 0.0), 0.0)
    assert (result.max_speed_m_s, result.closest_goal_mm) == (0.0, 1000 * MAX_DISTANCE_M), "there was no sound step"
