"""Utilisation of motors, joints and welds in a nominal run, against their ratings."""

import numpy as np
from contracts.criteria import NEAR_STALL_SHARE, WINDOW_SHARE
from contracts.models.scene import LoadedJoint, Scene, Weld
from contracts.models.simulation import LoadUse, MotorUse

from sim_worker.judge.criteria import MotorLimits
from sim_worker.judge.face_limits import FaceLimits
from sim_worker.judge.hold_timer import HoldTimer
from sim_worker.judge.motor_heat import TimeWithin
from sim_worker.run.motor_power import MotorCurves
from sim_worker.run.moving_average import MovingAverage, window_steps
from sim_worker.run.readings import Readings
from sim_worker.units import Floats


def motor_uses(scene: Scene, readings: Readings) -> tuple[MotorUse, ...]:
    """Return the use of every motor, including those of the environment."""
    torque_n_m = np.abs(readings.drive_torque_n_m)
    power_w = MotorCurves(scene.drives).power_w(readings.drive_torque_n_m, readings.drive_speed_rad_s)
    continuous_n_m = np.array([drive.continuous_torque_n_m for drive in scene.drives])
    stall_n_m = np.array([drive.stall_torque_n_m for drive in scene.drives])
    thermal_s = np.array([drive.thermal_limit_s for drive in scene.drives])
    hot_s = HoldTimer(len(scene.drives)).held_s(torque_n_m > continuous_n_m, readings.time_s)
    overload_s, near_stall_s = (
        TimeWithin(WINDOW_SHARE * thermal_s, step_s(readings)).seconds(torque_n_m > limits_n_m).max(axis=0)
        for limits_n_m in (continuous_n_m, NEAR_STALL_SHARE * stall_n_m)
    )
    return tuple(
        MotorUse(
            label=drive.label,
            peak_torque_n_m=float(torque_n_m[:, column].max()),
            peak_torque_s=float(readings.time_s[torque_n_m[:, column].argmax()]),
            stall_torque_n_m=drive.stall_torque_n_m,
            continuous_torque_n_m=drive.continuous_torque_n_m,
            longest_overload_s=max(0.0, float(hot_s[:, column].max())),
            thermal_limit_s=drive.thermal_limit_s,
            overload_s=float(overload_s[column]),
            near_stall_s=float(near_stall_s[column]),
            peak_power_w=float(power_w[:, column].max()),
            peak_power_s=float(readings.time_s[power_w[:, column].argmax()]),
            mean_power_w=float(power_w[:, column].mean()),
        )
        for column, drive in enumerate(scene.drives)
    )


def load_uses(scene: Scene, readings: Readings) -> tuple[LoadUse, ...]:
    """Return the loads of every joint and of every weld with a limit, as averages over the judged window."""
    welds, joints = readings.layout.judged_welds, scene.joints
    of_welds = _loads(welds, readings.weld_force_n, readings.weld_moment_n_m, readings)
    faces = FaceLimits.of(list(enumerate(welds)))
    peaks = _windowed(faces.uses(readings), readings).max(axis=0) if faces.labels else np.zeros(0)
    uses = dict(zip(faces.labels, peaks, strict=True))
    of_welds = tuple(
        load.model_copy(update={"peak_use": float(uses[load.label])}) if load.label in uses else load
        for load in of_welds
    )
    return of_welds + _loads(joints, readings.joint_force_n, readings.joint_moment_n_m, readings)


def peak_supply_w(limits: MotorLimits, readings: Readings) -> float:
    """Return the peak power of all motors of the design together, as an average over the judged window."""
    torque_n_m = readings.drive_torque_n_m[:, limits.columns]
    drawn_w = limits.curves.power_w(torque_n_m, readings.drive_speed_rad_s[:, limits.columns])
    return float(_windowed(drawn_w.sum(axis=1, keepdims=True), readings).max())


def _loads(
    rated: tuple[Weld, ...] | tuple[LoadedJoint, ...], force_n: Floats, moment_n_m: Floats, readings: Readings
) -> tuple[LoadUse, ...]:
    forces, moments = _windowed(force_n, readings), _windowed(moment_n_m, readings)
    return tuple(
        LoadUse(
            label=each.label,
            peak_force_n=float(forces[:, column].max()),
            max_force_n=each.max_force_n,
            peak_moment_n_m=float(moments[:, column].max()),
            max_moment_n_m=each.max_moment_n_m,
        )
        for column, each in enumerate(rated)
    )


def _windowed(values: Floats, readings: Readings) -> Floats:
    if not values.shape[1]:
        return values
    return MovingAverage(values.shape[1], window_steps(step_s(readings))).means(values)


def step_s(readings: Readings) -> float:
    """Return the length of a step."""
    time_s = readings.time_s
    return float(time_s[1] - time_s[0]) if len(time_s) > 1 else 1.0
