"""Detection of the first load above its rating: of motors, welds, joints, parts and the supply."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from contracts.criteria import WINDOW_SHARE

from sim_worker.judge.criteria import Criteria, LoadLimits, MotorLimits
from sim_worker.judge.face_limits import FaceLimits
from sim_worker.judge.hold_timer import TICK_S
from sim_worker.judge.motor_heat import TimeWithin
from sim_worker.run.moving_average import WINDOW_S, MovingAverage, window_steps
from sim_worker.run.readings import Readings
from sim_worker.structure.monitor import Failure
from sim_worker.units import Floats

STOP_WINDOWS = 10
"""Windows over which the loads of stops are averaged."""
SUPPLY = "supply"
"""The culprit if all motors together draw too much."""


@dataclass(frozen=True)
class Overload:
    """The first load above its rating in a chunk."""

    step: int
    culprit: str
    cause: str


class OverloadMonitor:
    """Compares the loads of one replica with their ratings. Feed every chunk once, in order.

    What happens to parts is found by `PartMonitor`.
    """

    def __init__(self, criteria: Criteria, step_s: float) -> None:
        steps = window_steps(step_s)
        self._motors = _MotorMonitor(criteria.motors, step_s)
        monitored = (
            (criteria.weld_forces, _weld_force),
            (criteria.weld_moments, _weld_moment),
            (criteria.joint_forces, _joint_force),
            (criteria.joint_moments, _joint_moment),
        )
        self._faces = _FaceMonitor(criteria.faces, steps)
        self._loads = [_LoadMonitor(limits, read, steps) for limits, read in monitored if limits.labels]
        stops = [limits for limits in criteria.joint_stops if limits.labels]
        if criteria.drive_torques.labels:
            weakest = {drive.label: drive.weakest for drive in criteria.scene.drives}
            self._loads.append(_DriveMonitor(criteria.drive_torques, _drive_torque, steps, weakest))
        self._loads += [_StopMonitor(limits, _joint_stop, STOP_WINDOWS * steps) for limits in stops]

    def first(self, readings: Readings, of_parts: Failure | None = None) -> Overload | None:
        """Return the earliest overload of a chunk; `of_parts` is what `PartMonitor` finds in it."""
        overloads = self._motors.overloads(readings) + self._faces.overloads(readings)
        if of_parts is not None:
            time_s, label, cause = of_parts
            overloads.append(Overload(int(np.searchsorted(readings.time_s, time_s - TICK_S)), label, cause))
        for monitor in self._loads:
            overloads += monitor.overloads(readings)
        return min(overloads, key=_step, default=None)

    def is_hot(self, readings: Readings) -> bool:
        """Return whether a motor exceeds its continuous torque at the end of a chunk."""
        return self._motors.is_hot(readings)


class _LoadMonitor:
    def __init__(self, limits: LoadLimits, read: Callable[[Readings], Floats], steps: int) -> None:
        self._limits, self._read = limits, read
        self._average = MovingAverage(len(limits.labels), steps)

    def overloads(self, readings: Readings) -> list[Overload]:
        """Return at most one overload."""
        limits = self._limits
        values = self._read(readings)[:, limits.columns]
        if not self._average.may_exceed(values, limits.limits):
            return []
        means = self._average.means(values)
        found = _first(means > limits.limits)
        if found is None:
            return []
        step, column = found
        cause = self._cause(column, float(means[step, column]), float(limits.limits[column]))
        return [Overload(step, limits.labels[column], cause)]

    def _cause(self, _: int, mean: float, limit: float, /) -> str:
        unit = self._limits.unit
        return f"bore {mean:.3g} {unit} (mean over {WINDOW_S * 1000:g} ms); it holds {limit:.3g} {unit}"


class _StopMonitor(_LoadMonitor):
    """Of the stops that bearings have inside, over a longer time: their plastic gives way under a blow."""

    def _cause(self, _: int, mean: float, limit: float, /) -> str:
        unit = self._limits.unit
        return (
            f"bore {mean:.3g} {unit} (mean over {STOP_WINDOWS * WINDOW_S * 1000:g} ms) at the end of its range, where "
            f"no parts meet; the stop in its bearing holds {limit:.3g} {unit}: let a part stop it, or widen the range"
        )


class _DriveMonitor(_LoadMonitor):
    """Of what passes on the torque of motors."""

    def __init__(
        self, limits: LoadLimits, read: Callable[[Readings], Floats], steps: int, weakest: dict[str, str]
    ) -> None:
        super().__init__(limits, read, steps)
        self._weakest = weakest

    def _cause(self, column: int, mean: float, limit: float, /) -> str:
        gave = f"gave {mean:.3g} N m (mean over {WINDOW_S * 1000:g} ms)"
        return f"{gave}, more than {self._weakest[self._limits.labels[column]]} bear: {limit:.3g} N m"


class _FaceMonitor:
    def __init__(self, limits: FaceLimits, steps: int) -> None:
        self._limits, self._steps = limits, steps
        self._average = MovingAverage(len(limits.labels), steps)
        self._most = np.ones(len(limits.labels))
        self._before: list[Readings] = []
        """The end of the chunks so far, as long as a window."""

    def overloads(self, readings: Readings) -> list[Overload]:
        """Return at most one overload."""
        limits = self._limits
        if not limits.labels:
            return []
        before = self._before
        self._before = [Readings.joined([*before, readings[-self._steps :]])[-self._steps :]]
        uses = limits.uses(readings)
        if not self._average.may_exceed(uses, self._most):
            return []
        means = self._average.means(uses)
        found = _first(means > self._most)
        if found is None:
            return []
        step, column = found
        window = Readings.joined([*before, readings[: step + 1]])[-self._steps :]
        force, moment = (
            values[:, limits.columns[column]].sum() / self._steps
            for values in (window.weld_force_n, window.weld_moment_n_m)
        )
        bore = f"bore {force:.3g} N and {moment:.3g} N m (mean over {WINDOW_S * 1000:g} ms)"
        holds = f"together {means[step, column]:.0%} of what its glued face bears: {limits.describe(column)}"
        return [Overload(step, limits.labels[column], f"{bore}, {holds}")]


class _MotorMonitor:
    def __init__(self, limits: MotorLimits, step_s: float) -> None:
        self._limits = limits
        self._hot = TimeWithin(WINDOW_SHARE * limits.thermal_s, step_s)
        self._power = MovingAverage(1, window_steps(step_s))

    def overloads(self, readings: Readings) -> list[Overload]:
        """Return at most one overheated motor and one overloaded supply."""
        if not self._limits.labels:
            return []
        torque_n_m = readings.drive_torque_n_m[:, self._limits.columns]
        return self._overheated(torque_n_m, readings.time_s) + self._overdrawn(torque_n_m, readings)

    def is_hot(self, readings: Readings) -> bool:
        limits = self._limits
        last_n_m = readings.drive_torque_n_m[-1, limits.columns] if limits.labels else np.zeros(0)
        return bool((np.abs(last_n_m) > limits.continuous_n_m).any())

    def _overheated(self, torque_n_m: Floats, time_s: Floats) -> list[Overload]:
        limits = self._limits
        hot_s = self._hot.seconds(np.abs(torque_n_m) > limits.continuous_n_m)
        found = _first(hot_s > limits.thermal_s + TICK_S)
        if found is None:
            return []
        step, column = found
        window_s = min(float(time_s[step]), WINDOW_SHARE * limits.thermal_s[column])
        cause = (
            f"gave {abs(torque_n_m[step, column]):.3g} N m and was above its continuous "
            f"{limits.continuous_n_m[column]:.3g} N m for more than {limits.thermal_s[column]:g} s of the last "
            f"{window_s:.1f} s; its windings tolerate no more within {WINDOW_SHARE * limits.thermal_s[column]:g} s, "
            "and short pauses do not cool them"
        )
        return [Overload(step, limits.labels[column], cause)]

    def _overdrawn(self, torque_n_m: Floats, readings: Readings) -> list[Overload]:
        limits = self._limits
        if not np.isfinite(limits.supply_w):
            return []
        speed_rad_s = readings.drive_speed_rad_s[:, limits.columns]
        drawn_w = limits.curves.power_w(torque_n_m, speed_rad_s).sum(axis=1, keepdims=True)
        means = self._power.means(drawn_w)
        found = _first(means > limits.supply_w)
        if found is None:
            return []
        step, _ = found
        drew = f"all motors drew {means[step, 0]:.3g} W (mean over {WINDOW_S * 1000:g} ms)"
        return [Overload(step, SUPPLY, f"{drew}; the supply gives {limits.supply_w:.3g} W")]


def _weld_force(readings: Readings) -> Floats:
    return readings.weld_force_n


def _weld_moment(readings: Readings) -> Floats:
    return readings.weld_moment_n_m


def _joint_force(readings: Readings) -> Floats:
    return readings.joint_force_n


def _joint_moment(readings: Readings) -> Floats:
    return readings.joint_moment_n_m


def _drive_torque(readings: Readings) -> Floats:
    return np.abs(readings.passed_torque_n_m)


def _joint_stop(readings: Readings) -> Floats:
    return readings.joint_stop_loads


def _first(flags: np.ndarray) -> tuple[int, int] | None:
    """Return step and column of the earliest flag of (n, k)."""
    steps = np.flatnonzero(flags.any(axis=1))
    return (int(steps[0]), int(np.argmax(flags[steps[0]]))) if len(steps) else None


def _step(overload: Overload) -> int:
    return overload.step
