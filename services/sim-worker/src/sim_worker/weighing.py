"""From single endings to a result: verdict, success rate and stability."""

from typing import Literal

from contracts.scene import Scene
from contracts.simulation import ReplicaResult, SimulationResult

from sim_worker.running import NominalRun
from sim_worker.summarising import summarise
from sim_worker.trajectory import Trajectory

STABLE_FROM = 0.9
FLAKY_ABOVE = 0.3
Stability = Literal["untested", "stable", "flaky", "failed"]


def weigh(
    scene: Scene, run: NominalRun, replicas: tuple[ReplicaResult, ...], trajectory: Trajectory
) -> SimulationResult:
    """Return the judged result of a nominal run and its replicas."""
    rate = success_rate(replicas or (run.result,))
    return SimulationResult(
        verdict="solved" if run.result.ending == "reached_goal" else "failed",
        stability=stability(rate) if replicas else "untested",
        nominal=run.result,
        replicas=replicas,
        success_rate=rate,
        trajectory_digest=trajectory.digest,
        summary_md=summarise(scene, run, replicas, rate),
    )


def success_rate(replicas: tuple[ReplicaResult, ...]) -> float:
    """Return the share that reached the goal among those that the simulator did not spoil; 0 if it spoiled most."""
    sound = [replica for replica in replicas if replica.ending != "numerical"]
    if len(sound) * 2 <= len(replicas):
        return 0.0
    return sum(replica.ending == "reached_goal" for replica in sound) / len(sound)


def stability(rate: float) -> Stability:
    """Return what a success rate over replicas means."""
    if rate >= STABLE_FROM:
        return "stable"
    return "flaky" if rate > FLAKY_ABOVE else "failed"
