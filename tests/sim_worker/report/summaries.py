"""Simulation results from synthetic readings, and the golden file of their summaries.

`python -m tests.sim_worker.report.summaries` writes `golden/summary.md` again.
"""

from pathlib import Path

import numpy as np
from contracts.models.scene import Scene
from contracts.models.simulation import ReplicaResult, SimulationResult
from sim_worker.judge.criteria import Criteria
from sim_worker.report.aggregation import aggregate
from sim_worker.run.readings import Readings
from sim_worker.run.trajectory import Trajectory

from tests.sim_worker.judge import synthetic_readings as synthetic
from tests.sim_worker.judge.synthetic_readings import judged, machine, new_judge, still

GOLDEN = Path(__file__).with_name("golden") / "summary.md"


def result_of(
    readings: Readings, scene: Scene | None = None, replicas: tuple[ReplicaResult, ...] = ()
) -> SimulationResult:
    """Return the result of judged readings."""
    scene = scene or machine()
    return _aggregate(judged(readings, scene), readings, scene, replicas)


def _aggregate(
    nominal: ReplicaResult, readings: Readings, scene: Scene, replicas: tuple[ReplicaResult, ...]
) -> SimulationResult:
    until = readings[: int(np.searchsorted(readings.time_s, nominal.time_s, side="right"))]
    return aggregate(Criteria.of(scene, until.layout), nominal, until, replicas, Trajectory.of(until, scene).digest)


def replica(ending: str, **changes: object) -> ReplicaResult:
    """Return a replica that ended after 1 s."""
    fields: dict[str, object] = {
        "ending": ending,
        "time_s": 1.0,
        "final_mm": (0, 0, 0),
        "max_speed_m_s": 1,
        "closest_goal_mm": 0,
        "cause": "" if ending == "reached_goal" else f"cause of {ending}",
    }
    return ReplicaResult.model_validate(fields | changes)


def endings() -> dict[str, Readings]:
    """Return readings of `machine()` for every ending, by title."""
    found = {title: still(4.1) for title in ("reached goal", "missed goal", "touched goal", "rest", "payload in zone")}
    found["reached goal"].rows[100:, synthetic.GOAL] = -0.001
    found["missed goal"].rows[30, synthetic.GOAL] = 0.0123
    found["touched goal"].rows[20:60, synthetic.GOAL] = -0.001
    found["rest"].rows[60:, 1] = found["rest"].rows[60, 1]
    found["payload in zone"].rows[30, synthetic.FORBID] = -2e-5
    for title, column, value in (
        ("left bounds", 0, 1.2),
        ("part out of bounds", synthetic.ARM_POSITION.start, 1.2),
        ("hot motor", synthetic.TORQUE, -0.6),
        ("weld", synthetic.WELD_FORCE, 150.0),
        ("joint", synthetic.HINGE_MOMENT, 3.1),
        ("spurious energy", synthetic.KINETIC, 9.0),
        ("diverged", 0, np.nan),
        ("penetrated", synthetic.CONTACT + 1, -5e-4),
    ):
        found[title] = still(4.1)
        found[title].rows[100:, column] = value
    found["supply"] = still(4.1)
    found["supply"].rows[100:110, [synthetic.TORQUE, synthetic.SPEED]] = (1.0, 10.0)
    found["part in zone"] = still(4.1)
    found["part in zone"].rows[100:, [synthetic.PART_FORBID, synthetic.PART_FORBID + 1]] = (1.0, -5e-4)
    return found


def golden_text() -> str:
    """Return the verdict of every ending, and the summaries of a busy and of a crowded run."""
    scene = machine(supply_limit_w=20.0)
    verdicts = [f"- {title}: {_verdict(result_of(readings, scene))}" for title, readings in endings().items()]
    stopped = new_judge(scene).simulator_stopped(still(1.0), ("mjWARN_CONTACTFULL",), is_diverged=False)
    verdicts.append(f"- simulator stopped: {_verdict(_aggregate(stopped, still(1.0), scene, ()))}")
    all_kinds = result_of(busy(), machine(supply_limit_w=60.0), outcomes()).summary_md
    rolls = still(4.1)
    rolls.rows[100:180, synthetic.GOAL] = -0.001
    rolls.rows[:, 0] = 0.88
    after = result_of(rolls, scene).summary_md.split("## Zones")[0]
    rules = [f"- {rule}: {_verdict(result_of(_rested(), machine(goal_rule=rule)))}" for rule in ("inside", "at_rest")]
    sections = (
        ("# Verdicts", "\n".join(verdicts)),
        ("# All kinds", all_kinds),
        ("# Too many", crowded().summary_md),
        ("# Rolls out again", after),
        ("# Goal rules", "\n".join(rules)),
    )
    return "\n\n".join(f"{title}\n\n{text.strip()}" for title, text in sections) + "\n"


def _verdict(result: SimulationResult) -> str:
    return result.summary_md.splitlines()[0]


def _rested() -> Readings:
    """Return readings of a payload in the middle of the goal zone."""
    readings = still(4.1)
    readings.rows[100:, synthetic.GOAL] = -0.02
    readings.rows[:, 0:3] = (0.945, 0.945, 0.045)
    return readings


def busy() -> Readings:
    """Return readings in which every kind of event happens."""
    readings = still(4.1)
    readings.rows[50:90, synthetic.TORQUE], readings.rows[50:90, synthetic.SPEED] = 1.0, 10.0
    readings.rows[100:150, synthetic.CONTACT] = 1.0
    readings.rows[100, synthetic.VELOCITY.start] = 0.7
    readings.rows[120:140, synthetic.GOAL] = -0.001
    readings.rows[160:200, synthetic.HINGE] = np.radians(44.8)
    readings.rows[220:240, synthetic.TORQUE] = -1.95
    readings.rows[250:, synthetic.HINGE_FORCE] = 60.0
    return readings


def outcomes() -> tuple[ReplicaResult, ...]:
    """Return replicas with various endings."""
    return (
        *(replica("reached_goal"),) * 16,
        *(replica("touched_forbid", culprit="arm", touched="lava"),) * 3,
        replica("overloaded", culprit="motor"),
        replica("numerical"),
        replica("no_room", culprit="frame"),
        replica("penetrated", culprit="arm"),
        replica("reached_goal", aftermath="left_goal", aftermath_cause="5.0 mm from the goal zone"),
        replica("reached_goal", aftermath="stayed", jitter_share=0.25),
        replica("diverged"),
    )


def crowded() -> SimulationResult:
    """Return a result with more events and failed replicas than a summary lists."""
    readings = still(4.1)
    for first in range(0, 400, 16):
        readings.rows[first : first + 8, [synthetic.CONTACT, synthetic.CONTACT + 2]] = 1.0
    replicas = tuple(replica("touched_forbid", culprit=f"part_{index}", touched="lava") for index in range(100))
    return result_of(readings, replicas=replicas)


if __name__ == "__main__":
    GOLDEN.write_text(golden_text(), "utf-8")
