"""What moved, thinned out to what people look at and digests are made of."""

from dataclasses import dataclass
from hashlib import sha256
from io import BytesIO

import numpy as np
from contracts.models.mechanism import Joint
from contracts.models.scene import Scene

from sim_worker.judge.power import PowerLines
from sim_worker.run.readings import Readings
from sim_worker.units import Floats, degrees_each, millimetres_each

SAMPLES_PER_S = 60


@dataclass(frozen=True)
class Trajectory:
    """Where everything was that moves, about 60 times a second and at the very end. SI."""

    time_s: Floats
    """(n,)"""
    place_m: Floats
    """(n, 3), centre of the payload."""
    quaternion: Floats
    """(n, 4) of the payload, w first."""
    bodies: tuple[str, ...]
    """Labels of what moves besides the payload."""
    body_m: Floats
    """(n, bodies, 3), centres of mass."""
    body_quaternion: Floats
    """(n, bodies, 4), w first; how each has turned since the start."""
    joints: tuple[Joint, ...]
    joint_position: Floats
    """(n, joints), rad or m from the initial pose."""
    motors: tuple[str, ...]
    """Labels."""
    motor_torque_n_m: Floats
    """(n, motors)"""
    motor_power_w: Floats
    """(n, motors), electrical."""

    @classmethod
    def of(cls, readings: Readings, scene: Scene) -> "Trajectory":
        """Return the samples of a run; the same run gives the same samples."""
        taken = Readings(*_samples(readings), readings.gauges)
        torque_n_m = taken.drive_torque_n_m
        return cls(
            time_s=taken.time_s,
            place_m=taken.position_m,
            quaternion=taken.quaternion,
            bodies=taken.gauges.moving,
            body_m=taken.moving_place_m,
            body_quaternion=taken.moving_quaternion,
            joints=scene.joints,
            joint_position=taken.joint_position,
            motors=tuple(drive.label for drive in scene.drives),
            motor_torque_n_m=torque_n_m,
            motor_power_w=PowerLines(scene.drives).power_w(torque_n_m, taken.drive_speed_rad_s),
        )

    @property
    def digest(self) -> str:
        """Return the sha256 of all numbers, bit for bit."""
        columns = np.column_stack([numbers.reshape(len(self.time_s), -1) for numbers in self._numbers()])
        return sha256(columns.astype("<f8").tobytes()).hexdigest()

    def as_npz(self) -> bytes:
        """Return the file that `contracts.events.simulation.Media.trajectory` describes; no clock goes in."""
        file = BytesIO()
        np.savez(
            file,
            time_s=self.time_s,
            payload_mm=millimetres_each(self.place_m),
            payload_quaternion=self.quaternion,
            bodies=np.array(self.bodies, dtype=np.str_),
            body_mm=millimetres_each(self.body_m),
            body_quaternion=self.body_quaternion,
            joints=np.array([joint.label for joint in self.joints], dtype=np.str_),
            joint_position=self._joint_position_in_words(),
            motors=np.array(self.motors, dtype=np.str_),
            motor_torque_n_m=self.motor_torque_n_m,
            motor_power_w=self.motor_power_w,
        )
        return file.getvalue()

    def at(self, time_s: float) -> int:
        """Return the index of the last sample not after `time_s`."""
        return max(0, int(np.searchsorted(self.time_s, time_s + 1e-9)) - 1)

    def _numbers(self) -> tuple[Floats, ...]:
        payload = (self.time_s, self.place_m, self.quaternion)
        machine = (self.body_m, self.body_quaternion, self.joint_position)
        return (*payload, *machine, self.motor_torque_n_m, self.motor_power_w)

    def _joint_position_in_words(self) -> Floats:
        """(n, joints), degrees of what turns, millimetres of what slides."""
        slides = np.array([joint.kind == "linear" for joint in self.joints], dtype=np.bool_)
        return np.where(slides, millimetres_each(self.joint_position), degrees_each(self.joint_position))


def _samples(readings: Readings) -> tuple[Floats, Floats]:
    """Return times and rows of what is kept."""
    last = len(readings.time_s) - 1
    step_s = readings.time_s[1] - readings.time_s[0] if last else 1.0
    stride = max(1, round(1 / (SAMPLES_PER_S * step_s)))
    kept = np.unique(np.append(np.arange(0, last + 1, stride), last))
    return readings.time_s[kept], readings.rows[kept]
