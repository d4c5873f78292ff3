"""The sampled motion of a nominal run: input of the digest, of pictures and of the stored trajectory file."""

from dataclasses import dataclass
from hashlib import sha256
from io import BytesIO

import numpy as np
from contracts.models.mechanism import Joint
from contracts.models.scene import Scene
from numpy.typing import NDArray

from sim_worker.run.contact_loads import ContactLoads
from sim_worker.run.motor_power import MotorCurves
from sim_worker.run.readings import Readings
from sim_worker.units import Floats, degrees_each, millimetres_each

SAMPLES_PER_S = 60


@dataclass(frozen=True)
class Trajectory:
    """Poses and motor data about 60 times a second and at the very end, in SI."""

    time_s: Floats
    """(n,)"""
    position_m: Floats
    """(n, 3), centre of the payload."""
    quaternion: Floats
    """(n, 4) of the payload, w first."""
    bodies: tuple[str, ...]
    """Labels of the moving bodies, without the first payload, and with the others."""
    more_payloads: tuple[str, ...]
    """The payloads among the bodies."""
    body_m: Floats
    """(n, bodies, 3), centres of mass."""
    body_quaternion: Floats
    """(n, bodies, 4), w first; rotation of each since the start."""
    joints: tuple[Joint, ...]
    joint_position: Floats
    """(n, joints), rad or m from the initial pose."""
    motors: tuple[str, ...]
    """Labels."""
    motor_torque_n_m: Floats
    """(n, motors)"""
    motor_power_w: Floats
    """(n, motors), electrical."""
    contacts: ContactLoads
    """For pictures only: no part of the digest."""

    @classmethod
    def of(cls, readings: Readings, scene: Scene) -> "Trajectory":
        """Return the samples of a run; the same run gives the same samples."""
        steps = _sampled_steps(readings.time_s)
        sampled = Readings(readings.time_s[steps], readings.rows[steps], readings.layout)
        more = tuple(payload.label for payload in scene.more_payloads)
        torque_n_m, others = sampled.drive_torque_n_m, sampled.payloads[1:]
        return cls(
            time_s=sampled.time_s,
            position_m=sampled.position_m,
            quaternion=sampled.quaternion,
            bodies=(*sampled.layout.moving, *more),
            more_payloads=more,
            body_m=_with(sampled.moving_position_m, [each.position_m for each in others]),
            body_quaternion=_with(sampled.moving_quaternion, [each.quaternion for each in others]),
            joints=scene.joints,
            joint_position=sampled.joint_position,
            motors=tuple(drive.label for drive in scene.drives),
            motor_torque_n_m=torque_n_m,
            motor_power_w=MotorCurves(scene.drives).power_w(torque_n_m, sampled.drive_speed_rad_s),
            contacts=ContactLoads.of(readings, steps),
        )

    @property
    def digest(self) -> str:
        """The sha256 of all numbers, bit for bit."""
        columns = np.column_stack([numbers.reshape(len(self.time_s), -1) for numbers in self._numbers()])
        return sha256(columns.astype("<f8").tobytes()).hexdigest()

    def as_npz(self) -> bytes:
        """Return the file that `Media.trajectory` describes; it holds no timestamps."""
        file = BytesIO()
        np.savez(
            file,
            time_s=self.time_s,
            payload_mm=millimetres_each(self.position_m),
            payload_quaternion=self.quaternion,
            bodies=np.array(self.bodies, dtype=np.str_),
            body_mm=millimetres_each(self.body_m),
            body_quaternion=self.body_quaternion,
            joints=np.array([joint.label for joint in self.joints], dtype=np.str_),
            joint_position=self._joint_position_deg_or_mm(),
            motors=np.array(self.motors, dtype=np.str_),
            motor_torque_n_m=self.motor_torque_n_m,
            motor_power_w=self.motor_power_w,
            contact_bodies=np.array(self.contacts.bodies, dtype=np.str_),
            contact_force_n=self.contacts.force_n.astype(np.float32),
            contact_mm=millimetres_each(self.contacts.place_m).astype(np.float32),
        )
        return file.getvalue()

    def _numbers(self) -> tuple[Floats, ...]:
        payload = (self.time_s, self.position_m, self.quaternion)
        machine = (self.body_m, self.body_quaternion, self.joint_position)
        return (*payload, *machine, self.motor_torque_n_m, self.motor_power_w)

    def _joint_position_deg_or_mm(self) -> Floats:
        """(n, joints), degrees for rotation, millimetres for sliding."""
        slides = np.array([joint.kind == "linear" for joint in self.joints], dtype=np.bool_)
        return np.where(slides, millimetres_each(self.joint_position), degrees_each(self.joint_position))


def _with(bodies: Floats, payloads: list[Floats]) -> Floats:
    """Return (n, bodies, k) with the columns (n, k) of each payload appended."""
    return np.concatenate([bodies, *(each[:, None] for each in payloads)], axis=1)


def _sampled_steps(time_s: Floats) -> NDArray[np.intp]:
    """Return the indices of the sampled steps."""
    last = len(time_s) - 1
    step_s = time_s[1] - time_s[0] if last else 1.0
    stride = max(1, round(1 / (SAMPLES_PER_S * step_s)))
    return np.unique(np.append(np.arange(0, last + 1, stride), last))
