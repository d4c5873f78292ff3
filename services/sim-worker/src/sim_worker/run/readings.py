"""Sensor readings of one replica, step by step, by quantity."""

from dataclasses import dataclass
from functools import cache, cached_property
from itertools import chain

import numpy as np
from contracts.models.scene import LoadedJoint
from numpy.typing import NDArray

from sim_worker.model.sensor_layout import NOT_MEASURED, Columns, SensorLayout
from sim_worker.units import Floats, metres, radians

APART_M = 0.001
"""Reported for parts and zones that do not touch: their actual distance does not matter."""
CARRIED = {
    "revolute": ((1, 1, 1), (1, 1, 0)),
    "linear": ((1, 1, 0), (1, 1, 1)),
    "cylindrical": ((1, 1, 0), (1, 1, 0)),
    "ball": ((1, 1, 1), (0, 0, 0)),
}
"""Components of force and of moment that a bearing carries, in a frame whose z is the joint's axis."""


@dataclass(frozen=True)
class Readings:
    """Sensor data of `n` consecutive steps of one replica, in SI."""

    time_s: Floats
    """(n,)"""
    rows: Floats
    """(n, columns)"""
    layout: SensorLayout

    @cached_property
    def payloads(self) -> "tuple[Readings, ...]":
        """The same readings for each payload: what they tell of the payload is of that one."""
        return (self, *(Readings(self.time_s, self.rows, layout) for layout in self.layout.others))

    @property
    def payloads_touching(self) -> Floats:
        """(n, pairs), above zero where two payloads touch, in the order of `layout.payload_pairs`."""
        return self._scalars(self.layout.payload_contacts)

    @property
    def payload_depth_m(self) -> Floats:
        """(n, pairs), depth of two payloads in each other, in the order of `layout.payload_pairs`."""
        return -self._scalars(tuple(column + 1 for column in self.layout.payload_contacts))

    @property
    def position_m(self) -> Floats:
        """(n, 3), centre of the payload."""
        return self.rows[:, self.layout.position]

    @property
    def quaternion(self) -> Floats:
        """(n, 4), w first."""
        return self.rows[:, self.layout.quaternion]

    @property
    def velocity_m_s(self) -> Floats:
        """(n, 3)"""
        return self.rows[:, self.layout.velocity]

    @cached_property
    def speed_m_s(self) -> Floats:
        """(n,)"""
        return _lengths(self.velocity_m_s)

    @property
    def goal_m(self) -> Floats:
        """(n,), distance between payload and goal zone; not above zero where they touch."""
        return self.rows[:, self.layout.goal]

    @property
    def forbids_m(self) -> Floats:
        """(n, zones), distance between payload and each forbid zone."""
        return self._scalars(self.layout.forbids)

    @property
    def part_forbids_m(self) -> Floats:
        """(n, pairs), in the order of `layout.part_forbid_pairs`: not above zero, the depth, where a part's collision
        geometry overlaps with a zone; `APART_M` where it does not."""
        found_and_distance = self._vectors(self.layout.part_forbids, 2)
        depths: Floats = np.minimum(found_and_distance[:, :, 1], 0.0)
        return np.where(found_and_distance[:, :, 0] > 0, depths, APART_M)

    @property
    def touching(self) -> Floats:
        """(n, bodies), above zero where the payload touches the body."""
        return self._scalars(self.layout.contacts)

    @property
    def depth_m(self) -> Floats:
        """(n, bodies), depth of the payload in the body; zero where they do not overlap."""
        return -self._scalars(tuple(column + 1 for column in self.layout.contacts))

    @property
    def moving_position_m(self) -> Floats:
        """(n, moving, 3), centre of mass of each body in `layout.moving`."""
        return self._vectors(self.layout.moving_positions, 3)

    @property
    def moving_quaternion(self) -> Floats:
        """(n, moving, 4), w first; rotation of each body since the initial pose, which is (1, 0, 0, 0)."""
        return self._vectors(self.layout.moving_quaternions, 4)

    @property
    def joint_position(self) -> Floats:
        """(n, joints), rad or m from the initial pose. Ball: its angle about any axis; cylindrical: its angle."""
        columns = self._scalars(self.layout.joint_positions).copy()
        for index, joint in enumerate(self.layout.joints):
            if joint.kind == "ball":
                quaternion = self._vectors(self.layout.joint_positions[index : index + 1], 4)[:, 0]
                columns[:, index] = 2 * np.arctan2(_lengths(quaternion[:, 1:]), np.abs(quaternion[:, 0]))
        return columns

    @property
    def _middles(self) -> Floats:
        """(joints,), rad or m, the middle of each range."""
        return np.array([_middle(joint) for joint in self.layout.joints])

    @property
    def cylinder_travel_m(self) -> Floats:
        """(n, joints), travel of a cylindrical joint along its axis; 0 for all other kinds."""
        return self._scalars(self.layout.joint_travels)

    @property
    def joint_velocity(self) -> Floats:
        """(n, joints), rad/s or m/s. Ball: its rate of rotation about any axis; cylindrical: of its angle."""
        columns = self._scalars(self.layout.joint_velocities).copy()
        for index, joint in enumerate(self.layout.joints):
            if joint.kind == "ball":
                columns[:, index] = _lengths(self._vectors(self.layout.joint_velocities[index : index + 1], 3)[:, 0])
        return columns

    @property
    def joint_force_n(self) -> Floats:
        """(n, joints), force on the bearing, without the component along a sliding axis."""
        return self._carried(0)

    @property
    def joint_moment_n_m(self) -> Floats:
        """(n, joints), moment on the bearing about its anchor, without the component about a rotating axis."""
        return self._carried(1)

    @property
    def joint_stop_loads(self) -> Floats:
        """(n, 2 x joints), N or N m on the low end of the range of each joint, then on the high end of each."""
        loads, is_low = self._scalars(self.layout.joint_stops), self.joint_position < self._middles
        return np.concatenate([np.where(is_low, loads, 0.0), np.where(is_low, 0.0, loads)], axis=1)

    @property
    def weld_force_n(self) -> Floats:
        """(n, judged welds)"""
        return _lengths(self.weld_loads[:, :, :3])

    @property
    def weld_moment_n_m(self) -> Floats:
        """(n, judged welds), about the weld's anchor."""
        return _lengths(self.weld_loads[:, :, 3:])

    @cached_property
    def weld_loads(self) -> Floats:
        """(n, judged welds, 6): force and moment that the weld's second body exerts on its first, about the anchor, in
        axes that rotate with the bodies and were the world's at the start."""
        layout = self.layout
        measured = self._loads(layout.weld_forces, layout.weld_moments)
        if layout.weld_shares is None:
            return measured
        loads = measured.reshape(len(measured), -1) @ layout.weld_shares.T
        if layout.weld_reactions is not None:
            loads = loads + self.drive_torque_n_m @ layout.weld_reactions.T
        return loads.reshape(len(measured), -1, 6)

    @property
    def joint_loads(self) -> Floats:
        """(n, joints, 6): force and moment on the bearing in the frame of the joint's site, whose z is the axis, about
        its anchor; without the moment of the teeth on a rack."""
        loads = self._loads(self.layout.joint_forces, self.layout.joint_moments)
        if self.layout.rack_couples is not None:
            couples = self.passed_torque_n_m @ self.layout.rack_couples.T
            loads[:, :, 3:] -= couples.reshape(len(loads), -1, 3)
        return loads

    def contact_load(self, label: str) -> Floats:
        """(n, 9): force and moment that a body with a strength exerts on all that it touches, and their centre, m."""
        first = self.layout.contact_loads[label]
        return self.rows[:, first : first + 9]

    @property
    def drive_torque_n_m(self) -> Floats:
        """(n, drives), at the output shaft."""
        return self._scalars(self.layout.drive_torques)

    @cached_property
    def passed_torque_n_m(self) -> Floats:
        """(n, drives), what each motor passes on to teeth and shaft: without what its own rotor takes to accelerate.

        The integrator is implicit: over a step, a motor gives the torque of its speed at the end. Steps of several
        replicas may follow each other; time falls where the next one begins.
        """
        torque_n_m, step_s = self.drive_torque_n_m, np.diff(self.time_s)
        if len(step_s) == 0:
            return torque_n_m
        rates = np.diff(self.drive_speed_rad_s, axis=0) / np.where(step_s > 0, step_s, np.inf)[:, None]
        passed = torque_n_m[1:] - rates * np.array(self.layout.drive_armatures_kg_m2)
        passed = np.vstack([passed, passed[-1:]])
        ends = np.flatnonzero(step_s <= 0)
        passed[ends] = passed[ends - 1]
        return passed

    @property
    def drive_speed_rad_s(self) -> Floats:
        """(n, drives), of the output shaft."""
        return self._scalars(self.layout.drive_speeds)

    @property
    def energy_j(self) -> Floats:
        """(n,), kinetic and potential energy of everything that moves; its zero is arbitrary."""
        total: Floats = self._scalars(self.layout.energies).sum(axis=1)
        return total

    def __getitem__(self, steps: slice) -> "Readings":
        return Readings(self.time_s[steps], self.rows[steps], self.layout)

    @classmethod
    def joined(cls, chunks: "list[Readings]") -> "Readings":
        """Return consecutive readings as one."""
        time_s: Floats = np.concatenate([chunk.time_s for chunk in chunks])
        return cls(time_s, np.concatenate([chunk.rows for chunk in chunks]), chunks[0].layout)

    def _scalars(self, columns: Columns) -> Floats:
        """(n, columns); zeros for those that are not measured."""
        return self._vectors(columns, 1)[:, :, 0]

    def _vectors(self, columns: Columns, size: int) -> Floats:
        """(n, columns, size)"""
        indices, is_measured = _indices(columns, size)
        values: Floats = self.rows.take(indices, axis=1)
        if not is_measured.all():
            values[:, ~is_measured] = 0.0
        return values

    def _loads(self, forces: Columns, moments: Columns) -> Floats:
        """(n, columns, 6): force and moment"""
        both = tuple(chain.from_iterable(zip(forces, moments, strict=True)))
        return self._vectors(both, 3).reshape(len(self.rows), len(forces), 6)

    def _carried(self, load: int) -> Floats:
        """(n, joints) magnitudes of the carried components; `load` is 0 for force, 1 for moment."""
        components = np.array([CARRIED[joint.kind][load] for joint in self.layout.joints], dtype=np.float64)
        return _lengths(self.joint_loads[:, :, 3 * load : 3 * load + 3] * components.reshape(-1, 3))


def _middle(joint: LoadedJoint) -> float:
    if joint.kind == "linear":
        return metres(sum(joint.travel_range_mm or (0.0, 0.0)) / 2)
    return radians(sum(joint.angle_range_deg or (0.0, 0.0)) / 2)


@cache
def _indices(columns: Columns, size: int) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
    """Return the indices (columns, size) of vectors by their first columns, and which of them are measured."""
    first: NDArray[np.intp] = np.array(columns, dtype=np.intp).reshape(-1)
    return np.maximum(first, 0)[:, None] + np.arange(size), first != NOT_MEASURED


def _lengths(vectors: Floats) -> Floats:
    """(..., k) -> (...); `np.linalg.norm` takes several times as long for so short vectors."""
    squares = vectors * vectors
    lengths: Floats = np.sqrt(sum(squares[..., index] for index in range(squares.shape[-1])))
    return lengths
