"""What motors gave and joints bore in a nominal run, beside what they may."""

import numpy as np
from contracts.models.scene import LoadedJoint, Scene, Weld
from contracts.models.simulation import LoadUse, MotorUse

from sim_worker.judge.hold_timer import Lasting
from sim_worker.judge.moving_average import MovingMean, window_steps
from sim_worker.judge.power import PowerLines
from sim_worker.judge.rules import MotorLimits
from sim_worker.run.readings import Readings
from sim_worker.units import Floats


def motors_used(scene: Scene, readings: Readings) -> tuple[MotorUse, ...]:
    """Return what every motor was asked for, the environment's too."""
    torque_n_m = np.abs(readings.drive_torque_n_m)
    power_w = PowerLines(scene.drives).power_w(readings.drive_torque_n_m, readings.drive_speed_rad_s)
    continuous_n_m = np.array([drive.continuous_torque_n_m for drive in scene.drives])
    hot_s = Lasting(len(scene.drives)).held_s(torque_n_m > continuous_n_m, readings.time_s)
    return tuple(
        MotorUse(
            label=drive.label,
            peak_torque_n_m=float(torque_n_m[:, place].max()),
            stall_torque_n_m=drive.stall_torque_n_m,
            continuous_torque_n_m=drive.continuous_torque_n_m,
            longest_overload_s=max(0.0, float(hot_s[:, place].max())),
            peak_power_w=float(power_w[:, place].max()),
            mean_power_w=float(power_w[:, place].mean()),
        )
        for place, drive in enumerate(scene.drives)
    )


def loads_borne(scene: Scene, readings: Readings) -> tuple[LoadUse, ...]:
    """Return what every joint bore and every weld that has a limit, as means over the window that is judged."""
    welds, joints = readings.gauges.judged_welds, scene.joints
    of_welds = _loads(welds, readings.weld_force_n, readings.weld_moment_n_m, readings)
    return of_welds + _loads(joints, readings.joint_force_n, readings.joint_moment_n_m, readings)


def peak_supply_w(limits: MotorLimits, readings: Readings) -> float:
    """Return the most that all motors of the design drew together, as the mean over the window that is judged."""
    torque_n_m = readings.drive_torque_n_m[:, limits.columns]
    drawn_w = limits.lines.power_w(torque_n_m, readings.drive_speed_rad_s[:, limits.columns])
    return float(_windowed(drawn_w.sum(axis=1, keepdims=True), readings).max())


def _loads(
    rated: tuple[Weld, ...] | tuple[LoadedJoint, ...], force_n: Floats, moment_n_m: Floats, readings: Readings
) -> tuple[LoadUse, ...]:
    forces, moments = _windowed(force_n, readings), _windowed(moment_n_m, readings)
    return tuple(
        LoadUse(
            label=one.label,
            peak_force_n=float(forces[:, place].max()),
            max_force_n=one.max_force_n,
            peak_moment_n_m=float(moments[:, place].max()),
            max_moment_n_m=one.max_moment_n_m,
        )
        for place, one in enumerate(rated)
    )


def _windowed(values: Floats, readings: Readings) -> Floats:
    if not values.shape[1]:
        return values
    time_s = readings.time_s
    step_s = float(time_s[1] - time_s[0]) if len(time_s) > 1 else 1.0
    return MovingMean(values.shape[1], window_steps(step_s)).means(values)
