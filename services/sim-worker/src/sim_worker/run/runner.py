"""Running a world: the nominal run and its jittered replicas, each until it is decided."""

from dataclasses import dataclass

import numpy as np
from contracts.models.simulation import ReplicaResult

from sim_worker.judge.energy import EnergyWatch
from sim_worker.judge.judge import Judge
from sim_worker.judge.overload import OverloadWatch
from sim_worker.judge.rest_detection import RestWatch, quiet_from_s
from sim_worker.judge.rules import Rules
from sim_worker.model import World
from sim_worker.names import PAYLOAD
from sim_worker.run.jitter import jittered, nominal
from sim_worker.run.penetration import refuse_penetration
from sim_worker.run.readings import Readings
from sim_worker.run.replica_batch import Chunk, ReplicaBatch


@dataclass(frozen=True)
class NominalRun:
    """The run without jitter, with all its sensors said."""

    result: ReplicaResult
    readings: Readings
    """From the start to the moment of decision; without what is not finite."""


def run_nominal(world: World) -> NominalRun:
    """Run the world as designed; raise `SceneRejectedError` if anything starts inside something else."""
    refuse_penetration(world)
    jitter = nominal(len(world.gauges.moving), len(world.scene.drives))
    field, (judge,) = ReplicaBatch(world, jitter, threads=1), _judges(world, 1)
    kept: list[Readings] = []
    result: ReplicaResult | None = None
    while result is None:
        (piece,) = field.advance([0])
        result = _verdict(judge, piece)
        kept.append(piece.readings if result is None else _until(piece.readings, result.time_s))
    return NominalRun(result, _finite(Readings.joined(kept)))


def run_replicas(world: World, replicas: int, seed: int, threads: int) -> tuple[ReplicaResult, ...]:
    """Run as many jittered copies. The result does not depend on the number of threads."""
    jitter = jittered(replicas, seed, len(world.gauges.moving), len(world.scene.drives))
    return played(world, ReplicaBatch(world, jitter, threads))


def played(world: World, field: ReplicaBatch) -> tuple[ReplicaResult, ...]:
    """Simulate the replicas of a field until all are decided; the decided ones stop, the others go on."""
    replicas = field.jitter.replicas
    judges, results = _judges(world, replicas), dict[int, ReplicaResult]()
    while len(results) < replicas:
        for piece in field.advance([replica for replica in range(replicas) if replica not in results]):
            result = _verdict(judges[piece.replica], piece)
            if result is not None:
                results[piece.replica] = result
    return tuple(results[replica] for replica in range(replicas))


def _verdict(judge: Judge, piece: Chunk) -> ReplicaResult | None:
    result = judge.watch(piece.readings)
    if result is None and piece.complaints:
        return judge.give_up(piece.readings, piece.complaints, piece.is_diverged)
    return result


def _judges(world: World, count: int) -> list[Judge]:
    rules = Rules.of(world.scene, world.gauges)
    steps_s = np.arange(0.0, world.scene.duration_s, world.step_s)
    quiet_s = quiet_from_s(world.controls(steps_s), world.step_s)
    moving_kg, is_payload_alone = _moving_kg(world), not (world.gauges.moving or world.scene.drives)
    return [
        Judge(
            rules,
            OverloadWatch(rules, world.step_s),
            EnergyWatch(moving_kg, is_payload_alone),
            RestWatch(quiet_s),
        )
        for _ in range(count)
    ]


def _moving_kg(world: World) -> float:
    """Return the mass of all that moves."""
    model = world.model
    is_fixed = model.body_weldid == 0
    return max(float(model.body_mass[~is_fixed].sum()), float(model.body(PAYLOAD).mass[0]))


def _finite(readings: Readings) -> Readings:
    """Return the readings before the state was lost, at least one; of a sound run, all."""
    lost = np.flatnonzero(~np.isfinite(readings.rows).all(axis=1))
    return readings[: max(1, int(lost[0]))] if len(lost) else readings


def _until(readings: Readings, time_s: float) -> Readings:
    return readings[: int(np.searchsorted(readings.time_s, time_s, side="right"))]
