"""Aggregation of replica results into a simulation result: verdict, success rate and stability."""

from collections.abc import Mapping
from typing import Literal

from contracts.confidence import wilson_interval
from contracts.models.assessment import STABLE_FROM
from contracts.models.simulation import ReplicaResult, SimulationResult

from sim_worker.judge.criteria import Criteria
from sim_worker.judge.utilisation import load_uses, motor_uses, peak_supply_w, step_s
from sim_worker.report.physical_events import physical_events
from sim_worker.report.summary import ReportData, write_summary
from sim_worker.run.moving_average import window_steps
from sim_worker.run.readings import Readings
from sim_worker.structure.monitor import part_uses
from sim_worker.structure.peak_stress import PeakStress, with_peaks

FLAKY_ABOVE = 0.3
Stability = Literal["untested", "stable", "flaky", "failed"]


def aggregate(  # noqa: PLR0913 - all of a run that counts
    criteria: Criteria,
    nominal: ReplicaResult,
    readings: Readings,
    replicas: tuple[ReplicaResult, ...],
    digest: str,
    *,
    peaks: Mapping[str, PeakStress] | None = None,
) -> SimulationResult:
    """Return the result of a nominal run, with its readings and trajectory digest, and of its replicas.

    `peaks`: stresses at cuts, in plates and under blows, by part.
    """
    scene = criteria.scene
    data = ReportData(
        scene=scene,
        nominal=nominal,
        readings=readings,
        events=physical_events(scene, nominal, readings),
        motors=motor_uses(scene, readings),
        loads=load_uses(scene, readings),
        parts=with_peaks(part_uses(criteria.parts, readings, window_steps(step_s(readings))), peaks or {}),
        peak_supply_w=peak_supply_w(criteria.motors, readings),
        replicas=replicas,
        success_rate=success_rate(replicas or (nominal,)),
        confidence=confidence(replicas),
    )
    return SimulationResult(
        verdict="solved" if nominal.ending == "reached_goal" else "failed",
        stability=stability(data.success_rate) if replicas else "untested",
        nominal=nominal,
        replicas=replicas,
        success_rate=data.success_rate,
        confidence=data.confidence,
        trajectory_digest=digest,
        events=data.events,
        motors=data.motors,
        loads=data.loads,
        parts=data.parts,
        peak_supply_w=data.peak_supply_w,
        is_station_test=scene.is_station_test,
        summary_md=write_summary(data),
    )


def success_rate(replicas: tuple[ReplicaResult, ...]) -> float:
    """Return the share of all replicas that reached the goal: one that could not be judged did not."""
    return _reached(replicas) / len(replicas)


def confidence(replicas: tuple[ReplicaResult, ...]) -> tuple[float, float]:
    """Return the 95 % confidence interval of the success rate; (0, 1) without replicas."""
    return wilson_interval(_reached(replicas), len(replicas))


def stability(rate: float) -> Stability:
    """Return the stability for a success rate over replicas."""
    if rate >= STABLE_FROM:
        return "stable"
    return "flaky" if rate > FLAKY_ABOVE else "failed"


def _reached(replicas: tuple[ReplicaResult, ...]) -> int:
    return sum(replica.ending == "reached_goal" for replica in replicas)
