"""Replicas of one world side by side, stepped in pieces."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from sim_worker import names
from sim_worker.model import World
from sim_worker.mujoco_api import Batch, batch, mujoco
from sim_worker.run.jitter import Jitter
from sim_worker.run.penetration import tolerances_m
from sim_worker.run.readings import Readings
from sim_worker.units import Floats

PIECE_S, LONGEST_PIECE_S = 0.25, 1.0
"""How much is simulated between two looks of the judge, at least and at most."""
PIECE_SHARE = 0.125
"""Of the time gone by: a look costs as much as some hundred steps, and what is simulated after the end is wasted."""
MOST_NUMBERS = 10_000_000
"""Recorded at once: 80 MB, or one replica. More replicas than that take turns; each runs as if it were alone."""
HALVINGS = 6
BAD_STATE = frozenset({"mjWARN_BADQPOS", "mjWARN_BADQVEL", "mjWARN_BADQACC"})
RESISTANCE = 0
"""Place of a motor's resistance among the parameters of a dcmotor's gain: its stall torque is inverse to it, and its
no-load speed does not depend on it."""


@dataclass(frozen=True)
class Chunk:
    """What one replica did next."""

    replica: int
    readings: Readings
    """Up to where the simulator gave up, if it did."""
    complaints: tuple[str, ...]
    """Names of MuJoCo's warnings; it stops at the first."""

    @property
    def is_diverged(self) -> bool:
        """Whether it gave up because the state was not finite, or as good as that."""
        return not BAD_STATE.isdisjoint(self.complaints)


class ReplicaBatch:
    """Replicas side by side; each piece advances those that are asked for."""

    def __init__(self, world: World, jitter: Jitter, threads: int) -> None:
        self.world = world
        self.jitter = jitter
        self.steps_done = 0
        self._batch: Batch = batch.Batch(world.model, jitter.replicas, threads)
        self._sensors: Floats = self._batch.bind("sensordata")
        self._make_differ()
        self._release()

    def advance(self, replicas: list[int]) -> Iterator[Chunk]:
        """Simulate the next piece. A sensor row of MuJoCo describes the state before its step, so time begins at 0."""
        world, steps = self.world, self._next_steps()
        time_s = np.arange(self.steps_done, self.steps_done + steps).astype(np.float64) * world.step_s
        control = world.controls(time_s)
        self.steps_done += steps
        at_once = max(1, MOST_NUMBERS // (steps * int(world.model.nsensordata)))
        for first in range(0, len(replicas), at_once):
            yield from self._roll(replicas[first : first + at_once], time_s, control)

    def _roll(self, replicas: list[int], time_s: Floats, control: Floats) -> Iterator[Chunk]:
        before = self._batch.warning[replicas, :, 1].copy()
        told = np.repeat(control[None], len(replicas), axis=0) if control.shape[1] else None
        rows = self._batch.rollout(len(time_s), control=told, record=["sensordata"], ids=replicas)["sensordata"]
        has_risen = self._batch.warning[replicas, :, 1] > before
        for place, replica in enumerate(replicas):
            yield _piece(replica, Readings(time_s, rows[place], self.world.gauges), has_risen[place])

    def _next_steps(self) -> int:
        """Return the length of the next piece; it depends on nothing but the time."""
        elapsed_s = self.steps_done * self.world.step_s
        return round(min(max(PIECE_S, PIECE_SHARE * elapsed_s), LONGEST_PIECE_S) / self.world.step_s)

    def _make_differ(self) -> None:
        model, jitter = self.world.model, self.jitter
        friction = jitter.friction_factor[:, None, None]
        self._batch.expand("geom_friction")[:, :, :1] *= friction
        if model.npair:
            self._batch.expand("pair_friction")[:, :, :2] *= friction
        self._weigh(names.PAYLOAD, jitter.mass_factor)
        origins = {body.label: body.origin for body in self.world.scene.bodies}
        for place, label in enumerate(self.world.gauges.moving):
            self._weigh(names.body_name(origins[label], label), jitter.part_mass_factor[:, place])
        for place, drive in enumerate(self.world.scene.drives):
            self._strengthen(names.drive_name(drive.label), jitter.motor_factor[:, place])
        self._batch.set_const()
        self._batch.reset(stage=mujoco.mjtStage.mjSTAGE_NONE.value)

    def _weigh(self, name: str, factor: Floats) -> None:
        body = self.world.model.body(name).id
        self._batch.expand("body_mass")[:, body] *= factor
        self._batch.expand("body_inertia")[:, body] *= factor[:, None]

    def _strengthen(self, name: str, factor: Floats) -> None:
        """Change a motor's stall torque, and with it what it is saturated at; not its no-load speed."""
        model = self.world.model
        motor = model.actuator(name).id
        if model.actuator_gaintype[motor] != mujoco.mjtGain.mjGAIN_DCMOTOR:
            raise TypeError(f"{name} is no dcmotor: its strength cannot vary")
        self._batch.expand("actuator_gainprm")[:, motor, RESISTANCE] /= factor
        self._batch.expand("actuator_forcerange")[:, motor] *= factor[:, None]

    def _release(self) -> None:
        """Put each payload at its start. A deviation that ends inside a wall is halved until it does not."""
        share, allowed_m = np.ones(self.jitter.replicas), tolerances_m(self.world.scene.bodies)
        for halving in range(HALVINGS + 1):
            self._place(share)
            self._batch.forward()
            start = Readings(np.zeros(len(share)), self._sensors.copy(), self.world.gauges)
            inside = (start.depth_m > allowed_m).any(axis=1)
            if not inside.any():
                return
            share[inside] = share[inside] / 2 if halving < HALVINGS - 1 else 0.0

    def _place(self, share: Floats) -> None:
        model = self.world.model
        first = int(model.joint(names.PAYLOAD).qposadr[0])
        at_rest = model.qpos0[first : first + 3]
        half_yaw_rad = share * self.jitter.yaw_rad / 2
        places = self._batch.bind("qpos")
        turned = np.stack([np.cos(half_yaw_rad), *np.zeros((2, len(share))), np.sin(half_yaw_rad)], axis=1)
        places[:, first : first + 3] = at_rest + share[:, None] * self.jitter.start_m
        places[:, first + 3 : first + 7] = turned


def _piece(replica: int, readings: Readings, has_risen: np.ndarray) -> Chunk:
    """Return a piece; after the simulator gave up, MuJoCo repeats the last row: those are left out."""
    complaints = tuple(mujoco.mjtWarning(int(kind)).name for kind in np.flatnonzero(has_risen))
    if complaints:
        changes = np.flatnonzero((np.diff(readings.rows, axis=0) != 0.0).any(axis=1))
        readings = readings[: int(changes[-1]) + 2 if len(changes) else 1]
    return Chunk(replica, readings, complaints)
