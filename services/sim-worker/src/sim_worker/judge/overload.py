"""Who is loaded above his rating first: motors, welds, joints, and the supply."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from sim_worker.judge.hold_timer import TICK_S, Lasting
from sim_worker.judge.moving_average import WINDOW_S, MovingMean, window_steps
from sim_worker.judge.rules import LoadLimits, MotorLimits, Rules
from sim_worker.run.readings import Readings
from sim_worker.units import Floats

SUPPLY = "supply"
"""Stands where a label stands, when all motors together draw too much."""


@dataclass(frozen=True)
class Overload:
    """The first load above its rating in a piece."""

    step: int
    culprit: str
    cause: str


class OverloadWatch:
    """Watches one replica; show it every piece once, in order."""

    def __init__(self, rules: Rules, step_s: float) -> None:
        steps = window_steps(step_s)
        self._motors = _MotorWatch(rules.motors, steps)
        watched = (
            (rules.weld_forces, _weld_force),
            (rules.weld_moments, _weld_moment),
            (rules.joint_forces, _joint_force),
            (rules.joint_moments, _joint_moment),
        )
        self._loads = [_LoadWatch(rated, read, steps) for rated, read in watched if rated.labels]

    def first(self, readings: Readings) -> Overload | None:
        """Return the earliest overload of a piece."""
        found = self._motors.found(readings)
        for watch in self._loads:
            found += watch.found(readings)
        return min(found, key=_step, default=None)

    def is_hot(self, readings: Readings) -> bool:
        """Return whether a motor gives more than its continuous torque at the end of a piece."""
        return self._motors.is_hot(readings)


class _LoadWatch:
    def __init__(self, rated: LoadLimits, read: Callable[[Readings], Floats], steps: int) -> None:
        self._rated, self._read = rated, read
        self._mean = MovingMean(len(rated.labels), steps)

    def found(self, readings: Readings) -> list[Overload]:
        """Return at most one overload."""
        rated = self._rated
        values = self._read(readings)[:, rated.columns]
        if not self._mean.may_exceed(values, rated.limits):
            return []
        means = self._mean.means(values)
        step, place = _first(means > rated.limits)
        if step < 0:
            return []
        bore = f"bore {means[step, place]:.3g} {rated.unit} (mean over {WINDOW_S * 1000:g} ms)"
        return [Overload(step, rated.labels[place], f"{bore}; it holds {rated.limits[place]:.3g} {rated.unit}")]


class _MotorWatch:
    def __init__(self, limits: MotorLimits, steps: int) -> None:
        self._limits = limits
        self._hot = Lasting(len(limits.labels))
        self._drawn = MovingMean(1, steps)

    def found(self, readings: Readings) -> list[Overload]:
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
        is_hot = np.abs(torque_n_m) > limits.continuous_n_m
        if not is_hot.any():
            self._hot.forget()
            return []
        hot_s = self._hot.held_s(is_hot, time_s)
        step, place = _first(hot_s > limits.thermal_s + TICK_S)
        if step < 0:
            return []
        gave = (
            f"gave {abs(torque_n_m[step, place]):.3g} N m after more than {limits.thermal_s[place]:g} s without a break"
        )
        return [
            Overload(
                step,
                limits.labels[place],
                f"{gave} above its continuous {limits.continuous_n_m[place]:.3g} N m; its windings stand no more",
            )
        ]

    def _overdrawn(self, torque_n_m: Floats, readings: Readings) -> list[Overload]:
        limits = self._limits
        if not np.isfinite(limits.supply_w):
            return []
        speed_rad_s = readings.drive_speed_rad_s[:, limits.columns]
        drawn_w = limits.lines.power_w(torque_n_m, speed_rad_s).sum(axis=1, keepdims=True)
        means = self._drawn.means(drawn_w)
        step, _ = _first(means > limits.supply_w)
        if step < 0:
            return []
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


def _first(flags: np.ndarray) -> tuple[int, int]:
    """Return step and column of the earliest flag of (n, k), or (-1, -1)."""
    steps = np.flatnonzero(flags.any(axis=1))
    return (int(steps[0]), int(np.argmax(flags[steps[0]]))) if len(steps) else (-1, -1)


def _step(overload: Overload) -> int:
    return overload.step
