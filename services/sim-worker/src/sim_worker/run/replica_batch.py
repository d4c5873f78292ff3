"""Replicas of one world, simulated side by side in chunks."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from sim_worker import names
from sim_worker.model import World
from sim_worker.mujoco_api import Batch, batch, mujoco
from sim_worker.run.cancellation import Cancellation
from sim_worker.run.jitter import Jitter
from sim_worker.run.joint_friction import JointFriction
from sim_worker.run.penetration import CONTACT_DEPTH_M, tolerances_m
from sim_worker.run.readings import Readings
from sim_worker.units import Floats, metres_each

MIN_CHUNK_S, MAX_CHUNK_S = 0.25, 1.0
"""Simulated between two evaluations by the judge."""
CHUNK_SHARE = 0.125
"""Of the elapsed time: an evaluation costs as much as some hundred steps, and steps after the end are wasted."""
MAX_RECORDED_NUMBERS = 10_000_000
"""Recorded at once: 80 MB, or one replica. Further replicas follow afterwards; each runs as if it were alone."""
MAX_PIECE_WORK = 400_000
"""Degrees of freedom times steps times replicas, between two looks for a cancellation: half a second of a processor."""
HALVINGS = 6
LOCKED = 1e5
"""Friction in N or N m that holds every joint."""
BAD_STATE = frozenset({"mjWARN_BADQPOS", "mjWARN_BADQVEL", "mjWARN_BADQACC"})
RESISTANCE = 0
"""Index of the resistance among the gain parameters of a dcmotor: its stall torque is inverse to it, and its no-load
speed does not depend on it."""


@dataclass(frozen=True)
class Obstruction:
    """A part of the design in which a displaced payload would start."""

    label: str
    depth_m: float
    payload: int = 0
    """Index of the payload."""


@dataclass(frozen=True)
class Chunk:
    """The next readings of one replica."""

    replica: int
    readings: Readings
    """Up to the step at which the simulator stopped, if it did."""
    warnings: tuple[str, ...]
    """Names of MuJoCo's warnings; it stops at the first."""

    @property
    def is_diverged(self) -> bool:
        """Whether it stopped because the state was not finite, or nearly so."""
        return not BAD_STATE.isdisjoint(self.warnings)


class ReplicaBatch:
    """Replicas side by side; each call advances the requested ones by one chunk."""

    def __init__(self, world: World, jitter: Jitter, threads: int, cancellation: Cancellation | None = None) -> None:
        """`cancellation` is checked several times a second."""
        self._cancellation = cancellation or Cancellation()
        self.world = world
        self.jitter = jitter
        self.steps_done = 0
        self._batch: Batch = batch.Batch(world.model, jitter.replicas, threads)
        self._sensors: Floats = self._batch.bind("sensordata")
        self._friction = JointFriction.of(world)
        """Of joints that rub under load."""
        self._apply_jitter()
        self.start_shares: Floats = np.ones(jitter.replicas)
        """(n,) share of its displacement at which each payload starts."""
        self.obstructions: dict[int, Obstruction] = {}
        """By replica: what is in the way of its start."""
        self._set_starts()
        if self._friction is not None:
            self._rub_at_rest(self._friction)

    def advance(self, replicas: list[int]) -> Iterator[list[Chunk]]:
        """Simulate the next chunk of each replica, as many at once as are recorded at once.

        A sensor row of MuJoCo describes the state before its step, so time begins at 0.
        """
        world, steps = self.world, self._next_steps()
        time_s = np.arange(self.steps_done, self.steps_done + steps).astype(np.float64) * world.step_s
        controls = world.controls(time_s)
        self.steps_done += steps
        at_once = max(1, MAX_RECORDED_NUMBERS // (steps * int(world.model.nsensordata)))
        for first in range(0, len(replicas), at_once):
            yield self._roll_out(replicas[first : first + at_once], time_s, controls)

    def _roll_out(self, replicas: list[int], time_s: Floats, controls: Floats) -> list[Chunk]:
        before = self._batch.warning[replicas, :, 1].copy()
        pieces: list[Floats] = []
        going = np.arange(len(replicas))
        block = self._block_steps
        steps = block * max(1, MAX_PIECE_WORK // (int(self.world.model.nv) * len(replicas) * block))
        for first in range(0, len(time_s), steps):
            self._cancellation.check()
            commands = controls[first : first + steps]
            if len(going) == len(replicas):
                pieces.append(self._sensor_rows(replicas, commands))
            else:
                # a replica that has stopped repeats its last row
                pieces.append(np.repeat(pieces[-1][:, -1:], len(commands), axis=1))
                if len(going):
                    pieces[-1][going] = self._sensor_rows([replicas[index] for index in going], commands)
            going = np.flatnonzero((self._batch.warning[replicas, :, 1] == before).all(axis=1))
        rows: Floats = pieces[0] if len(pieces) == 1 else np.concatenate(pieces, axis=1)
        has_risen = self._batch.warning[replicas, :, 1] > before
        return [
            _chunk(replica, Readings(time_s, rows[index], self.world.layout), has_risen[index])
            for index, replica in enumerate(replicas)
        ]

    def _sensor_rows(self, replicas: list[int], controls: Floats) -> Floats:
        """Simulate one step for each row of controls; return (replicas, steps, sensors)."""
        friction = self._friction
        if friction is None:
            return self._simulated(replicas, controls)
        blocks: list[Floats] = []
        for first in range(0, len(controls), friction.block_steps):
            blocks.append(self._simulated(replicas, controls[first : first + friction.block_steps]))
            self._rub(friction, replicas, blocks[-1])
        return np.concatenate(blocks, axis=1)

    def _rub_at_rest(self, friction: JointFriction) -> None:
        """Set the friction of joints that start from rest: that of what they carry when nothing moves."""
        self._batch.expand("dof_frictionloss")[:, friction.dofs] = LOCKED
        self._batch.forward()
        self._rub(friction, list(range(self.jitter.replicas)), self._sensors[:, None])

    def _rub(self, friction: JointFriction, replicas: list[int], rows: Floats) -> None:
        """Set the friction of joints after a block of steps, of which these are the sensors (replicas, steps, n)."""
        losses: Floats = self._batch.expand("dof_frictionloss")
        steps = int(rows.shape[1])
        time_s = np.tile(np.arange(steps).astype(np.float64) * self.world.step_s, len(replicas))
        joined = Readings(time_s, rows.reshape(-1, rows.shape[2]), self.world.layout)
        losses[np.array(replicas)[:, None], friction.dofs] = friction.losses(joined, len(replicas))

    def _simulated(self, replicas: list[int], controls: Floats) -> Floats:
        repeated = np.repeat(controls[None], len(replicas), axis=0) if controls.shape[1] else None
        return self._batch.rollout(len(controls), control=repeated, record=["sensordata"], ids=replicas)["sensordata"]

    def _next_steps(self) -> int:
        """Return the length of the next chunk; it depends on nothing but the elapsed time."""
        elapsed_s = self.steps_done * self.world.step_s
        steps = round(min(max(MIN_CHUNK_S, CHUNK_SHARE * elapsed_s), MAX_CHUNK_S) / self.world.step_s)
        return steps // self._block_steps * self._block_steps

    @property
    def _block_steps(self) -> int:
        """Steps between two changes of the joints' friction; all simulated pieces are whole blocks."""
        return 1 if self._friction is None else self._friction.block_steps

    def _apply_jitter(self) -> None:
        model, jitter = self.world.model, self.jitter
        friction = jitter.friction_factor[:, None, None]
        self._batch.expand("geom_friction")[:, :, :1] *= friction
        if model.npair:
            self._batch.expand("pair_friction")[:, :, :2] *= friction
        for index, payload in enumerate(jitter.payloads):
            self._scale_mass(names.payload_name(index), payload.mass_factor)
        origins = {body.label: body.origin for body in self.world.scene.bodies}
        for index, label in enumerate(self.world.layout.moving):
            self._scale_mass(names.body_name(origins[label], label), jitter.part_mass_factor[:, index])
        for index, drive in enumerate(self.world.scene.drives):
            self._scale_stall_torque(names.drive_name(drive.label), jitter.motor_factor[:, index])
        self._move_surfaces()
        self._batch.set_const()
        self._batch.reset(stage=mujoco.mjtStage.mjSTAGE_NONE.value)

    def _move_surfaces(self) -> None:
        """Move the surfaces of parts: a margin is a distance at which contacts act already, or, below 0, not yet.

        Those of two parts add up. The meshes of convex shapes cannot differ: all replicas share them.
        """
        model, bodies, moved_m = self.world.model, self.world.scene.bodies, self.jitter.surface_m
        margins = self._batch.expand("geom_margin")
        for column in np.flatnonzero(moved_m.any(axis=0)):
            part = model.body(names.body_name(bodies[column].origin, bodies[column].label)).id
            margins[:, model.geom_bodyid == part] += moved_m[:, column, None]

    def _scale_mass(self, name: str, factor: Floats) -> None:
        body = self.world.model.body(name).id
        self._batch.expand("body_mass")[:, body] *= factor
        self._batch.expand("body_inertia")[:, body] *= factor[:, None]

    def _scale_stall_torque(self, name: str, factor: Floats) -> None:
        """Scale a motor's stall torque, and with it its saturation; not its no-load speed."""
        model = self.world.model
        motor = model.actuator(name).id
        if model.actuator_gaintype[motor] != mujoco.mjtGain.mjGAIN_DCMOTOR:
            raise TypeError(f"{name} is not a dcmotor: its stall torque cannot vary")
        self._batch.expand("actuator_gainprm")[:, motor, RESISTANCE] /= factor
        self._batch.expand("actuator_forcerange")[:, motor] *= factor[:, None]

    def _set_starts(self) -> None:
        """Set the start of each payload; find the replicas in which the design is in its way.

        A displacement into a solid of the benchmark, or into another payload, is halved until it fits: no design can do
        anything about it.
        """
        bodies, shares = self.world.scene.bodies, self.start_shares
        is_design = np.array([body.origin == "design" for body in bodies], dtype=np.bool_)
        start = self._starts()
        for halving in range(HALVINGS):
            overlaps = (self._start_excess_m(start)[:, :, ~is_design] > 0.0).any(axis=(0, 2))
            overlaps |= (start.payload_depth_m > CONTACT_DEPTH_M).any(axis=1)
            if not overlaps.any():
                break
            shares[overlaps] = shares[overlaps] / 2 if halving < HALVINGS - 1 else 0.0
            start = self._starts()
        in_design_m = np.where(is_design, self._start_excess_m(start), 0.0)
        for replica in np.flatnonzero((in_design_m > 0.0).any(axis=(0, 2))):
            payload, column = np.unravel_index(int(np.argmax(in_design_m[:, replica])), in_design_m[:, replica].shape)
            depth_m = float(in_design_m[payload, replica, column] + self._start_tolerances_m[column])
            self.obstructions[int(replica)] = Obstruction(bodies[int(column)].label, depth_m, int(payload))

    @cached_property
    def _start_tolerances_m(self) -> Floats:
        return tolerances_m(self.world.scene.bodies)

    def _starts(self) -> Readings:
        """Set the payloads at the shares of their displacements; return (n,) readings, one of each replica."""
        for index in range(len(self.jitter.payloads)):
            self._place_payload(index, self.start_shares)
        self._batch.forward()
        return Readings(np.zeros(self.jitter.replicas), self._sensors.copy(), self.world.layout)

    def _start_excess_m(self, start: Readings) -> Floats:
        """Return (payloads, n, bodies) how much deeper than allowed each payload starts in each body."""
        return np.stack([each.depth_m for each in start.payloads]) - self._start_tolerances_m

    def _place_payload(self, index: int, share: Floats) -> None:
        """Place a payload at this share (n,) of its deviation in each replica."""
        model, jitter = self.world.model, self.jitter.payloads[index]
        joint = model.joint(names.payload_name(index))
        first, moving = int(joint.qposadr[0]), int(joint.dofadr[0])
        nominal_m, (w, x, y, z) = model.qpos0[first : first + 3], model.qpos0[first + 3 : first + 7]
        half_yaw_rad = share * jitter.yaw_rad / 2
        c, s = np.cos(half_yaw_rad), np.sin(half_yaw_rad)
        states = self._batch.bind("qpos")
        states[:, first : first + 3] = nominal_m + share[:, None] * jitter.start_m
        states[:, first + 3 : first + 7] = np.stack(
            [c * w - s * z, c * x - s * y, c * y + s * x, c * z + s * w], axis=1
        )
        velocity_m_s = metres_each(self.world.scene.payloads[index].start_velocity_mm_s)
        self._batch.bind("qvel")[:, moving : moving + 3] = velocity_m_s


def _chunk(replica: int, readings: Readings, has_risen: np.ndarray) -> Chunk:
    """Return a chunk without the copies of the last row that MuJoCo appends after the simulator stopped."""
    warnings = tuple(mujoco.mjtWarning(int(kind)).name for kind in np.flatnonzero(has_risen))
    if warnings:
        changes = np.flatnonzero((np.diff(readings.rows, axis=0) != 0.0).any(axis=1))
        readings = readings[: int(changes[-1]) + 2 if len(changes) else 1]
    return Chunk(replica, readings, warnings)
