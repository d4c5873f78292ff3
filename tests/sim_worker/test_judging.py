"""When a run is decided, and as what."""

import numpy as np
import pytest
from contracts.benchmark import Zone
from contracts.simulation import ReplicaResult
from sim_worker.gauges import Gauges, Readings
from sim_worker.judging import Judge, Rules
from sim_worker.modelling import compile_scene
from sim_worker.running import run_nominal
from sim_worker.weighing import stability, success_rate

from tests.sim_worker import scenes

STEP_S = 0.01
GAUGES = Gauges(slice(0, 3), slice(3, 7), slice(7, 10), 10, (11,), ())
RULES = Rules(
    low_m=np.array([-1.0, -1.0, -1.0]),
    high_m=np.array([1.0, 1.0, 1.0]),
    forbid_labels=("lava",),
    hold_s=0.5,
    duration_s=2.0,
)


def still(seconds: float) -> Readings:
    """A payload that lies still, far from every zone."""
    steps = round(seconds / STEP_S)
    rows = np.zeros((steps, 12))
    rows[:, 3] = 1.0
    rows[:, 10:] = 0.2
    return Readings(np.arange(steps).astype(np.float64) * STEP_S, rows, GAUGES)


def decided(readings: Readings, piece: int = 7) -> ReplicaResult:
    """Show the readings to a judge in pieces."""
    judge = Judge(RULES)
    for first in range(0, len(readings.time_s), piece):
        result = judge.watch(readings[first : first + piece])
        if result is not None:
            return result
    raise AssertionError("undecided")


@pytest.mark.parametrize("piece", [1, 7, 50, 1000])
def test_the_payload_must_stay_in_the_goal_for_hold_s(piece: int) -> None:
    readings = still(2.1)
    readings.rows[20:60, 10] = -0.001  # 0.4 s: too short
    readings.rows[100:, 10] = 0.0
    result = decided(readings, piece)
    assert (result.ending, result.time_s) == ("reached_goal", pytest.approx(1.5))


def test_a_touch_shorter_than_hold_s_is_a_miss() -> None:
    readings = still(2.1)
    readings.rows[20:60, 10] = -0.001
    result = decided(readings)
    assert (result.ending, result.time_s) == ("missed_goal", pytest.approx(2.0))
    assert result.closest_goal_mm == 0.0


def test_a_forbid_touch_ends_the_run_even_in_the_goal() -> None:
    readings = still(2.1)
    readings.rows[10:, 10] = -0.001
    readings.rows[30, 11] = 0.0
    result = decided(readings)
    assert (result.ending, result.touched, result.time_s) == ("touched_forbid", "lava", pytest.approx(0.3))


def test_leaving_the_bounds_ends_the_run() -> None:
    readings = still(2.1)
    readings.rows[40:, 1] = 1.01
    result = decided(readings)
    assert (result.ending, result.final_mm[1]) == ("left_bounds", pytest.approx(1010.0))


def test_a_payload_faster_than_its_fall_allows_is_the_simulator_s_fault() -> None:
    readings = still(2.1)
    readings.rows[50:, 2] = -0.2  # 0.2 m below the start: at most 1.98 m/s
    readings.rows[60, 7] = 2.4
    assert decided(readings).ending == "missed_goal"
    readings.rows[70, 7] = 2.6
    assert decided(readings).ending == "numerical"


def test_what_is_no_number_is_the_simulator_s_fault() -> None:
    readings = still(2.1)
    readings.rows[30, 0] = np.nan
    assert decided(readings).ending == "numerical"


@pytest.mark.parametrize(("gap_mm", "ending"), [(0.2, "missed_goal"), (-0.2, "touched_forbid")])
def test_touching_a_forbid_box_even_slightly_fails_the_run(gap_mm: float, ending: str) -> None:
    beside = scenes.box((20 + gap_mm, -50, -300), (60, 50, -100))
    scene = scenes.empty_scene(scenes.ball((0, 0, 0)), forbid_zones=(Zone(label="lava", box=beside),), duration_s=0.4)
    assert run_nominal(compile_scene(scene)).result.ending == ending


def test_an_empty_design_misses() -> None:
    chute = scenes.chute_scene()
    empty = chute.model_copy(update={"bodies": tuple(body for body in chute.bodies if body.origin == "environment")})
    assert run_nominal(compile_scene(chute)).result.ending == "reached_goal"
    assert run_nominal(compile_scene(empty)).result.ending in {"missed_goal", "left_bounds"}


def replica(ending: str) -> ReplicaResult:
    return ReplicaResult.model_validate(
        {"ending": ending, "time_s": 1, "final_mm": (0, 0, 0), "max_speed_m_s": 1, "closest_goal_mm": 0}
    )


def test_runs_that_the_simulator_spoiled_do_not_count_unless_they_are_the_most() -> None:
    solved, spoiled, missed = replica("reached_goal"), replica("numerical"), replica("missed_goal")
    assert success_rate((solved,) * 9 + (missed,)) == 0.9
    assert success_rate((solved,) * 6 + (spoiled,) * 4) == 1.0
    assert success_rate((solved,) * 4 + (spoiled,) * 6) == 0.0


def test_stability_follows_the_rate() -> None:
    assert [stability(rate) for rate in (1.0, 0.9, 0.89, 0.31, 0.3, 0.0)] == [
        "stable",
        "stable",
        "flaky",
        "flaky",
        "failed",
        "failed",
    ]
