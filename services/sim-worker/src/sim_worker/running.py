"""Running a world: the nominal run and its jittered replicas, each until it is decided."""

from dataclasses import dataclass

import numpy as np
from contracts.simulation import ReplicaResult

from sim_worker import gauges
from sim_worker.engine import Batch, batch, mujoco
from sim_worker.gauges import Readings
from sim_worker.jitter import Jitter, jittered, nominal
from sim_worker.judging import Judge, Rules
from sim_worker.modelling import World
from sim_worker.rejection import SceneRejectedError
from sim_worker.units import Floats, millimetres

PIECE_S = 0.25
"""How much is simulated between two looks of the judge."""
PENETRATION_M = 1e-4
"""Deeper than this at the start is inside, not in touch."""
HALVINGS = 6


@dataclass(frozen=True)
class NominalRun:
    """The run without jitter, with all its sensors said."""

    result: ReplicaResult
    readings: Readings
    """From the start to the moment of decision."""


def run_nominal(world: World) -> NominalRun:
    """Run the world as designed; raise `SceneRejectedError` if the payload starts inside something."""
    field = _Field(world, nominal(), threads=1)
    _refuse_penetration(world, field.start_readings(0))
    (judged,) = field.play(keep_readings=True)
    return NominalRun(judged.result, Readings.joined(judged.pieces))


def run_replicas(world: World, replicas: int, seed: int, threads: int) -> tuple[ReplicaResult, ...]:
    """Run as many jittered copies. The result does not depend on the number of threads."""
    field = _Field(world, jittered(replicas, seed), threads)
    return tuple(judged.result for judged in field.play(keep_readings=False))


def _refuse_penetration(world: World, start: Readings) -> None:
    for body, depth_m in zip(world.scene.bodies, start.depth_m[0], strict=True):
        if depth_m > PENETRATION_M:
            raise SceneRejectedError(
                "initial_penetration",
                f"the payload starts {millimetres(depth_m):.2f} mm inside {body.label} ({body.origin}); "
                "leave it free space where it is released",
            )


@dataclass(frozen=True)
class _Judged:
    result: ReplicaResult
    pieces: list[Readings]


class _Field:
    """Replicas side by side; the decided ones stop, the others go on."""

    def __init__(self, world: World, jitter: Jitter, threads: int) -> None:
        self.world = world
        self.jitter = jitter
        self.batch: Batch = batch.Batch(world.model, jitter.replicas, threads)
        self.sensors: Floats = self.batch.bind("sensordata")
        self.steps_done = 0
        self._make_differ()
        self._release()

    def _make_differ(self) -> None:
        model = self.world.model
        body, geom = model.body(gauges.PAYLOAD).id, model.geom(gauges.PAYLOAD).id
        self.batch.expand("geom_friction")[:, geom, 0] *= self.jitter.friction_factor
        self.batch.expand("body_mass")[:, body] *= self.jitter.mass_factor
        self.batch.expand("body_inertia")[:, body] *= self.jitter.mass_factor[:, None]
        self.batch.set_const()
        self.batch.reset(stage=mujoco.mjtStage.mjSTAGE_NONE.value)

    def _release(self) -> None:
        """Put each payload at its start. A deviation that ends inside a wall is halved until it does not."""
        share = np.ones(self.jitter.replicas)
        for halving in range(HALVINGS + 1):
            self._place(share)
            self.batch.forward()
            deepest_m = [self.start_readings(replica).depth_m.max(initial=0.0) for replica in range(len(share))]
            inside = np.array(deepest_m) > PENETRATION_M
            if not inside.any():
                return
            share[inside] = share[inside] / 2 if halving < HALVINGS - 1 else 0.0

    def _place(self, share: Floats) -> None:
        at_rest = self.world.model.qpos0
        half_yaw_rad = share * self.jitter.yaw_rad / 2
        places = self.batch.bind("qpos")
        places[:, :3] = at_rest[:3] + share[:, None] * self.jitter.start_m
        places[:, 3:7] = np.stack([np.cos(half_yaw_rad), *np.zeros((2, len(share))), np.sin(half_yaw_rad)], axis=1)

    def start_readings(self, replica: int) -> Readings:
        """Return what the sensors of a replica say before its first step."""
        return Readings(np.zeros(1), self.sensors[replica : replica + 1].copy(), self.world.gauges)

    def play(self, keep_readings: bool) -> list[_Judged]:
        """Simulate until every replica is decided."""
        rules = Rules.of(self.world.scene)
        judges = [Judge(rules) for _ in range(self.jitter.replicas)]
        kept: list[list[Readings]] = [[] for _ in judges]
        results: dict[int, ReplicaResult] = {}
        while len(results) < len(judges):
            undecided = [replica for replica in range(len(judges)) if replica not in results]
            for replica, readings, is_broken in self._advance(undecided):
                judge = judges[replica]
                result = judge.give_up(readings) if is_broken else judge.watch(readings)
                if result is not None:
                    results[replica] = result
                if keep_readings:
                    kept[replica].append(readings if result is None else _until(readings, result.time_s))
        return [_Judged(results[replica], kept[replica]) for replica in range(len(judges))]

    def _advance(self, replicas: list[int]) -> list[tuple[int, Readings, bool]]:
        """Simulate the next piece. A sensor row of MuJoCo describes the state before its step, so time begins at 0."""
        steps = round(PIECE_S / self.world.step_s)
        warnings_before = self.batch.warning[replicas, :, 1].sum(axis=1)
        rows = self.batch.rollout(steps, record=["sensordata"], ids=replicas)["sensordata"]
        is_broken = self.batch.warning[replicas, :, 1].sum(axis=1) > warnings_before
        time_s = np.arange(self.steps_done, self.steps_done + steps).astype(np.float64) * self.world.step_s
        self.steps_done += steps
        return [
            (replica, Readings(time_s, rows[place], self.world.gauges), bool(is_broken[place]))
            for place, replica in enumerate(replicas)
        ]


def _until(readings: Readings, time_s: float) -> Readings:
    return readings[: int(np.searchsorted(readings.time_s, time_s, side="right"))]
