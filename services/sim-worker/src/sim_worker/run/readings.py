"""What the sensors said, step by step, by the names of what they measured."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sim_worker.run.sensor_layout import NOWHERE, Columns, Gauges
from sim_worker.units import Floats

NEAR_M = 0.001
"""Said of parts and zones that do not touch: of them it does not matter how far they are apart."""
CARRIED = {
    "revolute": ((1, 1, 1), (1, 1, 0)),
    "linear": ((1, 1, 0), (1, 1, 1)),
    "cylindrical": ((1, 1, 0), (1, 1, 0)),
    "ball": ((1, 1, 1), (0, 0, 0)),
}
"""Which forces and which moments a bearing carries, in a frame whose z is the joint's axis."""


@dataclass(frozen=True)
class Readings:
    """What the sensors said in `n` consecutive steps of one replica. SI."""

    time_s: Floats
    """(n,)"""
    rows: Floats
    """(n, columns)"""
    gauges: Gauges

    @property
    def position_m(self) -> Floats:
        """(n, 3), centre of the payload."""
        return self.rows[:, self.gauges.position]

    @property
    def quaternion(self) -> Floats:
        """(n, 4), w first."""
        return self.rows[:, self.gauges.quaternion]

    @cached_property
    def speed_m_s(self) -> Floats:
        """(n,)"""
        return _lengths(self.rows[:, self.gauges.velocity])

    @property
    def goal_m(self) -> Floats:
        """(n,), distance between payload and goal zone; not above zero where they touch."""
        return self.rows[:, self.gauges.goal]

    @property
    def forbids_m(self) -> Floats:
        """(n, zones), distance between payload and each forbid zone."""
        return self._scalars(self.gauges.forbids)

    @property
    def part_forbids_m(self) -> Floats:
        """(n, pairs), not above zero where a part's collision geometry stands in a zone, and how deep; `NEAR_M` where
        it does not. In the order of `gauges.part_forbid_pairs`."""
        found_and_distance = self._vectors(self.gauges.part_forbids, 2)
        depths: Floats = np.minimum(found_and_distance[:, :, 1], 0.0)
        return np.where(found_and_distance[:, :, 0] > 0, depths, NEAR_M)

    @property
    def touching(self) -> Floats:
        """(n, bodies), above zero where the payload touches the body."""
        return self._scalars(self.gauges.contacts)

    @property
    def depth_m(self) -> Floats:
        """(n, bodies), how deep the payload stands in the body; zero where it does not."""
        return -self._scalars(tuple(column + 1 for column in self.gauges.contacts))

    @property
    def moving_place_m(self) -> Floats:
        """(n, moving, 3), centre of mass of each body in `gauges.moving`."""
        return self._vectors(self.gauges.moving_places, 3)

    @property
    def moving_quaternion(self) -> Floats:
        """(n, moving, 4), w first; how each body has turned since the initial pose, which is (1, 0, 0, 0)."""
        return self._vectors(self.gauges.moving_quaternions, 4)

    @property
    def joint_position(self) -> Floats:
        """(n, joints), rad or m from the initial pose. Ball: how far it has turned; cylindrical: its angle."""
        columns = self._scalars(self.gauges.joint_positions).copy()
        for place, joint in enumerate(self.gauges.joints):
            if joint.kind == "ball":
                w_to_z = self._vectors(self.gauges.joint_positions[place : place + 1], 4)[:, 0]
                columns[:, place] = 2 * np.arctan2(_lengths(w_to_z[:, 1:]), np.abs(w_to_z[:, 0]))
        return columns

    @property
    def cylinder_travel_m(self) -> Floats:
        """(n, joints), how far a cylindrical joint has slid besides turning; 0 for all other kinds."""
        return self._scalars(self.gauges.joint_travels)

    @property
    def joint_velocity(self) -> Floats:
        """(n, joints), rad/s or m/s. Ball: its rate of turn about any axis; cylindrical: of its angle."""
        columns = self._scalars(self.gauges.joint_velocities).copy()
        for place, joint in enumerate(self.gauges.joints):
            if joint.kind == "ball":
                columns[:, place] = _lengths(self._vectors(self.gauges.joint_velocities[place : place + 1], 3)[:, 0])
        return columns

    @property
    def joint_force_n(self) -> Floats:
        """(n, joints), what the bearing carries: all but the force along an axis that slides."""
        return self._carried(self.gauges.joint_forces, 0)

    @property
    def joint_moment_n_m(self) -> Floats:
        """(n, joints), what the bearing carries about its anchor: all but the moment about an axis that turns."""
        return self._carried(self.gauges.joint_moments, 1)

    @property
    def weld_force_n(self) -> Floats:
        """(n, judged welds)"""
        return _lengths(self._weld_loads[:, :, :3])

    @property
    def weld_moment_n_m(self) -> Floats:
        """(n, judged welds), about the weld's anchor."""
        return _lengths(self._weld_loads[:, :, 3:])

    @cached_property
    def _weld_loads(self) -> Floats:
        """(n, judged welds, 6): force and moment."""
        gauges = self.gauges
        measured = np.concatenate(
            [self._vectors(each, 3) for each in (gauges.weld_forces, gauges.weld_moments)], axis=2
        )
        if gauges.weld_shares is None:
            return measured
        loads = measured.reshape(len(measured), -1) @ gauges.weld_shares.T
        if gauges.weld_reactions is not None:
            loads = loads + self.drive_torque_n_m @ gauges.weld_reactions.T
        return loads.reshape(len(measured), -1, 6)

    @property
    def drive_torque_n_m(self) -> Floats:
        """(n, drives), at the output shaft."""
        return self._scalars(self.gauges.drive_torques)

    @property
    def drive_speed_rad_s(self) -> Floats:
        """(n, drives), of the output shaft."""
        return self._scalars(self.gauges.drive_speeds)

    @cached_property
    def drive_control(self) -> Floats:
        """(n, drives): V, or rad of the output shaft for a servo."""
        return self.gauges.program.controls(self.time_s)

    @property
    def energy_j(self) -> Floats:
        """(n,), kinetic and potential, of everything that moves; zero is nowhere in particular."""
        total: Floats = self._scalars(self.gauges.energies).sum(axis=1)
        return total

    def __getitem__(self, steps: slice) -> "Readings":
        return Readings(self.time_s[steps], self.rows[steps], self.gauges)

    @classmethod
    def joined(cls, pieces: "list[Readings]") -> "Readings":
        """Return consecutive readings as one."""
        time_s: Floats = np.concatenate([piece.time_s for piece in pieces])
        return cls(time_s, np.concatenate([piece.rows for piece in pieces]), pieces[0].gauges)

    def _scalars(self, columns: Columns) -> Floats:
        """(n, columns); zeros for those that are nowhere."""
        return self._vectors(columns, 1)[:, :, 0]

    def _vectors(self, columns: Columns, size: int) -> Floats:
        """(n, columns, size)"""
        first: NDArray[np.intp] = np.array(columns, dtype=np.intp).reshape(-1)
        values: Floats = self.rows[:, np.maximum(first, 0)[:, None] + np.arange(size)]
        values[:, first == NOWHERE] = 0.0
        return values

    def _carried(self, columns: Columns, of: int) -> Floats:
        ways = np.array([CARRIED[joint.kind][of] for joint in self.gauges.joints], dtype=np.float64).reshape(-1, 3)
        return _lengths(self._vectors(columns, 3) * ways)


def _lengths(vectors: Floats) -> Floats:
    """(..., k) -> (...)"""
    lengths: Floats = np.linalg.norm(vectors, axis=-1)
    return lengths
