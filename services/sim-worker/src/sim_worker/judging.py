"""The verdict on one replica, from what its sensors said."""

from dataclasses import dataclass
from typing import Self

import numpy as np
from contracts.scene import Scene
from contracts.simulation import Ending, ReplicaResult
from numpy.typing import NDArray

from sim_worker.gauges import Readings
from sim_worker.units import GRAVITY_M_S2, Floats, metres_each, millimetres, place_mm

ENERGY_FACTOR = 1.2
ENERGY_SLACK_M_S = 0.1
"""A payload faster than its fall can have made it, by more than this, was accelerated by the simulator."""
TICK_S = 1e-9
"""Less than any step: times are sums of steps and carry rounding."""


Flags = NDArray[np.bool_]


@dataclass(frozen=True)
class Rules:
    """What decides, in SI."""

    low_m: Floats
    high_m: Floats
    forbid_labels: tuple[str, ...]
    hold_s: float
    duration_s: float

    @classmethod
    def of(cls, scene: Scene) -> Self:
        """Return the rules of a scene."""
        return cls(
            low_m=np.array(metres_each(scene.bounds.min_mm)),
            high_m=np.array(metres_each(scene.bounds.max_mm)),
            forbid_labels=tuple(zone.label for zone in scene.forbid_zones),
            hold_s=scene.hold_s,
            duration_s=scene.duration_s,
        )


@dataclass
class Judge:
    """Watches one replica, piece by piece, until it is decided."""

    rules: Rules
    start_height_m: float | None = None
    lowest_m: float = np.inf
    closest_m: float = np.inf
    max_speed_m_s: float = 0.0
    touched_at_s: float | None = None
    """Since when the payload has touched the goal without a break."""

    def watch(self, readings: Readings) -> ReplicaResult | None:
        """Look at the next piece of the run; return how it ended once it has."""
        if self.start_height_m is None:
            self.start_height_m = float(readings.position_m[0, 2])
        endings: tuple[tuple[Ending, Flags], ...] = (
            ("numerical", self._gained_energy(readings)),
            ("touched_forbid", _in_any_column(readings.forbids_m <= 0.0)),
            ("left_bounds", self._is_outside(readings)),
            ("reached_goal", self._has_stayed(readings)),
            ("missed_goal", readings.time_s >= self.rules.duration_s - TICK_S),
        )
        happened: list[tuple[int, Ending]] = [
            (int(np.argmax(signs)), ending) for ending, signs in endings if signs.any()
        ]
        if not happened:
            self._remember(readings)
            return None
        step, ending = min(happened, key=_step)  # at one instant the first named wins
        return self._decide(ending, readings[: step + 1])

    def give_up(self, readings: Readings) -> ReplicaResult:
        """Return the result of a replica that the simulator itself has abandoned."""
        return self._decide("numerical", readings)

    def _decide(self, ending: Ending, readings: Readings) -> ReplicaResult:
        self._remember(readings)
        finite = np.nan_to_num(readings.position_m[-1])
        return ReplicaResult(
            ending=ending,
            time_s=float(readings.time_s[-1]),
            final_mm=place_mm(finite),
            max_speed_m_s=self.max_speed_m_s,
            closest_goal_mm=millimetres(max(self.closest_m, 0.0)),
            touched=self._touched(readings) if ending == "touched_forbid" else "",
        )

    def _touched(self, readings: Readings) -> str:
        return self.rules.forbid_labels[int(np.argmin(readings.forbids_m[-1]))]

    def _remember(self, readings: Readings) -> None:
        """Carry over what the next piece builds on. NaN never wins here: it ends the run as numerical."""
        self.closest_m = float(np.fmin(self.closest_m, np.fmin.reduce(readings.goal_m)))
        self.max_speed_m_s = float(np.fmax(self.max_speed_m_s, np.fmax.reduce(readings.speed_m_s)))
        self.lowest_m = float(np.fmin(self.lowest_m, np.fmin.reduce(readings.position_m[:, 2])))
        self.touched_at_s = self._touched_since_s(readings)[-1] if readings.goal_m[-1] <= 0.0 else None

    def _gained_energy(self, readings: Readings) -> Flags:
        """(n,) bool: faster than free fall from the start to the lowest place so far."""
        lowest_m = np.fmin.accumulate(np.fmin(readings.position_m[:, 2], self.lowest_m))
        fallen_m = np.maximum((self.start_height_m or 0.0) - lowest_m, 0.0)
        bound_m_s = ENERGY_FACTOR * np.sqrt(2.0 * GRAVITY_M_S2 * fallen_m) + ENERGY_SLACK_M_S
        return _in_any_column(~np.isfinite(readings.rows)) | (readings.speed_m_s > bound_m_s)

    def _is_outside(self, readings: Readings) -> Flags:
        """(n,) bool: the payload's centre has left the bounds."""
        place = readings.position_m
        return _in_any_column((place < self.rules.low_m) | (place > self.rules.high_m))

    def _has_stayed(self, readings: Readings) -> Flags:
        """(n,) bool: in touch with the goal, without a break, for long enough."""
        held_s = readings.time_s - self._touched_since_s(readings)
        return (readings.goal_m <= 0.0) & (held_s >= self.rules.hold_s - TICK_S)

    def _touched_since_s(self, readings: Readings) -> Floats:
        """(n,) when the touch began that lasts at that step; of no meaning where there is none."""
        touching = readings.goal_m <= 0.0
        before = np.concatenate([[self.touched_at_s is not None], touching[:-1]])
        began_s = np.where(touching & ~before, readings.time_s, -np.inf)
        carried_s = -np.inf if self.touched_at_s is None else self.touched_at_s
        since_s: Floats = np.maximum.accumulate(np.maximum(began_s, carried_s))
        return since_s


def _step(happened: tuple[int, Ending]) -> int:
    return happened[0]


def _in_any_column(flags: Flags) -> Flags:
    """(n, k) -> (n,)"""
    rows: Flags = np.logical_or.reduce(flags, axis=1)
    return rows
