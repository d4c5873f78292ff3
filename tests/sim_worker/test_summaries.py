"""A summary says the verdict first, then what happened, measured; and it stays short."""

import numpy as np
import pytest
from contracts.models.scene import Scene
from contracts.models.simulation import ReplicaResult, SimulationResult
from sim_worker.judge.aggregation import weigh
from sim_worker.run.readings import Readings
from sim_worker.run.runner import NominalRun
from sim_worker.run.trajectory import Trajectory

from tests.sim_worker import told
from tests.sim_worker.told import decided, machine, still


def result_of(
    readings: Readings, scene: Scene | None = None, replicas: tuple[ReplicaResult, ...] = ()
) -> SimulationResult:
    tried = scene or machine()
    result = decided(readings, tried)
    taken = readings[: int(np.searchsorted(readings.time_s, result.time_s, side="right"))]
    return weigh(tried, NominalRun(result, taken), replicas, Trajectory.of(taken, tried))


def test_the_first_line_is_the_verdict() -> None:
    solved = still(4.1)
    solved.rows[100:, told.GOAL] = -0.001
    lost = still(4.1)
    lost.rows[100:, 0] = 1.2
    kicked = still(4.1)
    kicked.rows[100:, told.KINETIC] = 9.0
    lines = [result_of(readings).summary_md.splitlines()[0] for readings in (solved, lost, kicked)]
    assert lines[0] == "**SOLVED**: the payload reached the goal zone after 1.00 s and stayed 0.5 s."
    assert lines[1] == (
        "**FAILED**: the payload left the bounds after 1.00 s at (1200, 1, 0) mm: "
        "the payload's centre came to x = 1200.0 mm; the bounds end at 1000.0 mm."
    )
    assert lines[2].startswith("**NOT JUDGED**: after 1.00 s there was more energy than height and motors can give")


def test_an_overload_is_the_verdict_with_value_and_limit() -> None:
    readings = still(4.1)
    readings.rows[100:, told.WELD_FORCE] = 150.0
    line = result_of(readings).summary_md.splitlines()[0]
    assert line.startswith("**FAILED**: `screws` was loaded above its rating after 1.00 s: screws: bore 150 N")


def test_motors_and_loads_stand_beside_their_limits() -> None:
    readings = still(4.1)
    readings.rows[50:90, told.TORQUE], readings.rows[50:90, told.SPEED] = 1.0, 10.0
    readings.rows[100:, told.HINGE_FORCE] = 60.0
    summary = result_of(readings, machine(supply_limit_w=40.0)).summary_md
    assert "- `motor`: peak 1 N m, 50% of its stall torque 2 N m; above its continuous 0.5 N m" in summary
    assert "at most 0.39 s of 1 s; peak 31.2 W" in summary
    assert "together drew at most 31.2 W of 40 W" in summary
    lines = summary.splitlines()
    first_load = lines[lines.index("## Loads against ratings") + 1]
    assert first_load == "- `hinge`: 60 N of 80 N (75%), 0 N m of 3 N m (0%)"


def replica(ending: str, **changes: object) -> ReplicaResult:
    fields: dict[str, object] = {
        "ending": ending,
        "time_s": 1.0,
        "final_mm": (0, 0, 0),
        "max_speed_m_s": 1,
        "closest_goal_mm": 0,
        "cause": "" if ending == "reached_goal" else f"because of {ending}",
    }
    return ReplicaResult.model_validate(fields | changes)


def test_the_failures_of_replicas_are_counted_and_explained() -> None:
    replicas = (
        *(replica("reached_goal"),) * 16,
        *(replica("touched_forbid", culprit="arm", touched="lava"),) * 3,
        replica("overloaded", culprit="motor"),
    )
    result = result_of(still(4.1), replicas=replicas)
    assert (result.stability, result.success_rate) == ("flaky", 0.8)
    assert result.confidence == pytest.approx((0.58398, 0.91934), abs=1e-5)
    summary = result.summary_md
    assert "Success rate 80%; the true one lies between 58% and 92% (95 %)." in summary
    assert "- 3: touched a forbid zone" in summary
    assert "- `arm` touched a forbid zone `lava` 3 times" in summary
    assert "- replica 19 after 1.00 s: because of overloaded" in summary


def test_a_summary_stays_short_whatever_happens() -> None:
    readings = still(4.1)
    for first in range(0, 400, 16):
        readings.rows[first : first + 8, told.CONTACT] = readings.rows[first : first + 8, told.CONTACT + 2] = 1.0
    replicas = tuple(replica("touched_forbid", culprit=f"part_{place}", touched="lava") for place in range(100))
    summary = result_of(readings, replicas=replicas).summary_md
    assert len(summary.splitlines()) < 90
    assert len(summary) < 9000
    assert "more, in `events`" in summary
    assert "- and 88 more" in summary
