"""Control signals of motors at each step: volts for a plain motor, radians of the shaft for a servo."""

from dataclasses import dataclass
from functools import singledispatch
from math import pi

import numpy as np
from contracts.models.mechanism import Constant, Oscillation, Positions, Steps
from contracts.models.scene import Drive, Scene

from sim_worker.rejection import SceneRejectedError
from sim_worker.units import Floats, radians, radians_each, shaft_radians_each


@dataclass(frozen=True)
class MotorProgram:
    """The controls of all drives of a scene, in the scene's order, which is that of the model's actuators."""

    drives: tuple[Drive, ...]

    @classmethod
    def of(cls, scene: Scene) -> "MotorProgram":
        """Return the program of a scene; raise `SceneRejectedError` if a motor has the wrong kind of control."""
        for drive in scene.drives:
            _reject_wrong_control(drive)
        return cls(scene.drives)

    def controls(self, time_s: Floats) -> Floats:
        """Return (n, drives) volts, or radians of the output shaft, at the times (n,)."""
        columns = [_column(drive, time_s) for drive in self.drives]
        return np.stack(columns, axis=1) if columns else np.zeros((len(time_s), 0))


def _column(drive: Drive, time_s: Floats) -> Floats:
    values = control_values(drive.control, time_s)
    if drive.mode == "voltage":
        return values * drive.nominal_voltage_v
    if drive.pinion_radius_mm is not None:
        return shaft_radians_each(values, drive.pinion_radius_mm)
    return radians_each(values)


def _reject_wrong_control(drive: Drive) -> None:
    sets_voltage = isinstance(drive.control, Constant | Steps)
    if sets_voltage != (drive.mode == "voltage"):
        allowed = "constant or steps" if drive.mode == "voltage" else "oscillation or positions"
        raise SceneRejectedError(
            "scene_invalid",
            f"motor {drive.label} is driven by {drive.mode}: its control must be {allowed}, not {drive.control.kind}",
        )


@singledispatch
def control_values(control: object, time_s: Floats) -> Floats:
    """Return (n,) values of a control at the times (n,), in its own unit: shares, degrees or millimetres."""
    raise TypeError(f"not a control: {control!r} at {time_s[:1]}")


@control_values.register
def _(control: Constant, time_s: Floats) -> Floats:
    return np.full(len(time_s), control.share)


@control_values.register
def _(control: Steps, time_s: Floats) -> Floats:
    shares = np.array([0.0, *control.shares])
    values: Floats = shares[np.searchsorted(np.array(control.times_s), time_s, side="right")]
    return values


@control_values.register
def _(control: Oscillation, time_s: Floats) -> Floats:
    angle = 2 * pi * control.frequency_hz * time_s + radians(control.phase_deg)
    swing: Floats = control.mean + control.amplitude * np.sin(angle)
    return swing


@control_values.register
def _(control: Positions, time_s: Floats) -> Floats:
    """Interpolate linearly; before the first time, from 0 at 0 s."""
    times_s, targets = list(control.times_s), list(control.targets)
    if times_s[0] > 0.0:
        times_s, targets = [0.0, *times_s], [0.0, *targets]
    return np.interp(time_s, times_s, targets)
