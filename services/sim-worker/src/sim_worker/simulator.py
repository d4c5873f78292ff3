"""Simulation of a scene: nominal run, jittered replicas, and the judged result. It blocks; call it in a thread."""

from dataclasses import dataclass

import numpy as np
from contracts.models.scene import Scene
from contracts.models.simulation import ReplicaResult, SimulationResult

from sim_worker.judge import failure_text
from sim_worker.judge.criteria import Criteria
from sim_worker.judge.energy import EnergyMonitor
from sim_worker.judge.goal import Goal
from sim_worker.judge.judge import Judge
from sim_worker.judge.overload import OverloadMonitor
from sim_worker.judge.penetration import Clearances, PenetrationMonitor
from sim_worker.judge.rest_detection import RestDetector, last_command_change_s
from sim_worker.model import World, compile_scene
from sim_worker.names import PAYLOAD
from sim_worker.report.aggregation import aggregate
from sim_worker.run.jitter import no_jitter, random_jitter
from sim_worker.run.penetration import reject_penetration
from sim_worker.run.readings import Readings
from sim_worker.run.replica_batch import Chunk, ReplicaBatch
from sim_worker.run.trajectory import Trajectory
from sim_worker.units import metres_each, vector_mm


@dataclass(frozen=True)
class SimulationSettings:
    """Number and seed of the replicas."""

    replicas: int
    """1: the nominal run alone. More: as many jittered replicas after it."""
    seed: int


@dataclass(frozen=True)
class SimulationRecord:
    """A simulated scene."""

    world: World
    trajectory: Trajectory
    result: SimulationResult


@dataclass(frozen=True)
class NominalRun:
    """The run without jitter, with all its readings."""

    result: ReplicaResult
    readings: Readings
    """From the start to the ending; without rows that are not finite."""


class Simulator:
    """Simulates scenes in a number of threads."""

    def __init__(self, threads: int) -> None:
        self._threads = threads

    def simulate(self, scene: Scene, settings: SimulationSettings) -> SimulationRecord:
        """Simulate and judge a scene; raise `SceneRejectedError` if it cannot be simulated."""
        world = compile_scene(scene)
        nominal = run_nominal(world)
        replicas: tuple[ReplicaResult, ...] = ()
        if settings.replicas > 1:
            replicas = run_replicas(world, settings.replicas, settings.seed, self._threads)
        trajectory = Trajectory.of(nominal.readings, scene)
        result = aggregate(scene, nominal.result, nominal.readings, replicas, trajectory.digest)
        return SimulationRecord(world, trajectory, result)


def run_nominal(world: World) -> NominalRun:
    """Run the world as designed; raise `SceneRejectedError` if any bodies overlap at the start."""
    reject_penetration(world)
    jitter = no_jitter(len(world.layout.moving), len(world.scene.drives))
    batch, (judge,) = ReplicaBatch(world, jitter, threads=1), _judges(world, 1)
    chunks: list[Readings] = []
    result: ReplicaResult | None = None
    while result is None:
        (chunk,) = batch.advance([0])
        result = _evaluate(judge, chunk)
        chunks.append(chunk.readings)
    return NominalRun(result, _finite(_until(Readings.joined(chunks), result.time_s)))


def run_replicas(world: World, replicas: int, seed: int, threads: int) -> tuple[ReplicaResult, ...]:
    """Run jittered replicas. The result does not depend on the number of threads."""
    jitter = random_jitter(replicas, seed, len(world.layout.moving), len(world.scene.drives))
    return run_batch(world, ReplicaBatch(world, jitter, threads))


def run_batch(world: World, batch: ReplicaBatch) -> tuple[ReplicaResult, ...]:
    """Simulate each replica of a batch until it has ended."""
    replicas = batch.jitter.replicas
    judges, results = _judges(world, replicas), _without_room(world, batch)
    while len(results) < replicas:
        for chunk in batch.advance([replica for replica in range(replicas) if replica not in results]):
            result = _evaluate(judges[chunk.replica], chunk)
            if result is not None:
                results[chunk.replica] = result
    shares = batch.start_shares
    return tuple(
        results[replica].model_copy(update={"jitter_share": float(shares[replica])}) for replica in range(replicas)
    )


def _without_room(world: World, batch: ReplicaBatch) -> dict[int, ReplicaResult]:
    """Return the results of replicas that cannot start, because a part of the design is where the payload would be."""
    scene, goal = world.scene, Goal.of(world.scene)
    start_m = np.array(metres_each(scene.payload.start_mm))
    results: dict[int, ReplicaResult] = {}
    for replica, obstruction in batch.obstructions.items():
        place_m = start_m + batch.start_shares[replica] * batch.jitter.start_m[replica]
        goal_mm, goal_center_mm = goal.distances_mm(place_m)
        results[replica] = ReplicaResult(
            ending="no_room",
            time_s=0.0,
            final_mm=vector_mm(place_m),
            max_speed_m_s=0.0,
            closest_goal_mm=max(0.0, goal_mm - scene.payload.size_mm / 2),
            culprit=obstruction.label,
            cause=failure_text.no_room(obstruction.label, obstruction.depth_m, vector_mm(place_m)),
            goal_distance_mm=goal_mm,
            goal_center_distance_mm=goal_center_mm,
        )
    return results


def _evaluate(judge: Judge, chunk: Chunk) -> ReplicaResult | None:
    result = judge.evaluate(chunk.readings)
    if result is None and chunk.warnings:
        return judge.simulator_stopped(chunk.readings, chunk.warnings, chunk.is_diverged)
    return result


def _judges(world: World, count: int) -> list[Judge]:
    criteria = Criteria.of(world.scene, world.layout)
    steps_s = np.arange(0.0, world.scene.duration_s, world.step_s)
    last_command_s = last_command_change_s(world.controls(steps_s), world.step_s)
    clearances = Clearances.of(world)
    moving_kg, is_payload_alone = _moving_kg(world), not (world.layout.moving or world.scene.drives)
    return [
        Judge(
            criteria,
            OverloadMonitor(criteria, world.step_s),
            EnergyMonitor(moving_kg, is_payload_alone),
            RestDetector(last_command_s),
            PenetrationMonitor(clearances),
        )
        for _ in range(count)
    ]


def _moving_kg(world: World) -> float:
    """Return the mass of everything that can move."""
    model = world.model
    is_fixed = model.body_weldid == 0
    return max(float(model.body_mass[~is_fixed].sum()), float(model.body(PAYLOAD).mass[0]))


def _finite(readings: Readings) -> Readings:
    """Return the readings before the first that is not finite, but at least one."""
    broken = np.flatnonzero(~np.isfinite(readings.rows).all(axis=1))
    return readings[: max(1, int(broken[0]))] if len(broken) else readings


def _until(readings: Readings, time_s: float) -> Readings:
    return readings[: int(np.searchsorted(readings.time_s, time_s, side="right"))]
