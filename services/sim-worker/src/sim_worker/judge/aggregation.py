"""From single endings to a result: verdict, success rate and stability."""

from typing import Literal

from contracts.confidence import wilson_interval
from contracts.models.scene import Scene
from contracts.models.simulation import ReplicaResult, SimulationResult

from sim_worker.judge.rules import Rules
from sim_worker.judge.utilisation import loads_borne, motors_used, peak_supply_w
from sim_worker.report.physical_events import happenings
from sim_worker.report.report_data import ReportData
from sim_worker.report.summary import summarise
from sim_worker.run.runner import NominalRun
from sim_worker.run.trajectory import Trajectory

STABLE_FROM = 0.9
FLAKY_ABOVE = 0.3
Stability = Literal["untested", "stable", "flaky", "failed"]


def weigh(
    scene: Scene, run: NominalRun, replicas: tuple[ReplicaResult, ...], trajectory: Trajectory
) -> SimulationResult:
    """Return the judged result of a nominal run and its replicas."""
    account = _account(scene, run, replicas)
    return SimulationResult(
        verdict="solved" if run.result.ending == "reached_goal" else "failed",
        stability=stability(account.success_rate) if replicas else "untested",
        nominal=run.result,
        replicas=replicas,
        success_rate=account.success_rate,
        confidence=account.confidence,
        trajectory_digest=trajectory.digest,
        events=account.events,
        motors=account.motors,
        loads=account.loads,
        peak_supply_w=account.peak_supply_w,
        summary_md=summarise(account),
    )


def success_rate(replicas: tuple[ReplicaResult, ...]) -> float:
    """Return the share that reached the goal among those that the simulator did not spoil; 0 if it spoiled most."""
    reached, sound = _counted(replicas)
    return reached / sound if sound else 0.0


def confidence(replicas: tuple[ReplicaResult, ...]) -> tuple[float, float]:
    """Return between which the true success rate lies, with 95 % confidence; one run without jitter tells nothing."""
    return wilson_interval(*_counted(replicas))


def stability(rate: float) -> Stability:
    """Return what a success rate over replicas means."""
    if rate >= STABLE_FROM:
        return "stable"
    return "flaky" if rate > FLAKY_ABOVE else "failed"


def _counted(replicas: tuple[ReplicaResult, ...]) -> tuple[int, int]:
    """Return how many reached the goal of how many that count."""
    sound = [replica for replica in replicas if replica.ending != "numerical"]
    if len(sound) * 2 <= len(replicas):
        return 0, 0
    return sum(replica.ending == "reached_goal" for replica in sound), len(sound)


def _account(scene: Scene, run: NominalRun, replicas: tuple[ReplicaResult, ...]) -> ReportData:
    readings = run.readings
    return ReportData(
        scene=scene,
        nominal=run.result,
        readings=readings,
        events=happenings(scene, run),
        motors=motors_used(scene, readings),
        loads=loads_borne(scene, readings),
        peak_supply_w=peak_supply_w(Rules.of(scene, readings.gauges).motors, readings),
        replicas=replicas,
        success_rate=success_rate(replicas or (run.result,)),
        confidence=confidence(replicas),
    )
