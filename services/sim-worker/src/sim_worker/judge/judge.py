"""The verdict on one replica, from what its sensors said."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from contracts.models.simulation import Ending, ReplicaResult

from sim_worker.judge.energy import EnergyWatch
from sim_worker.judge.hold_timer import TICK_S, Flags, Lasting
from sim_worker.judge.overload import Overload, OverloadWatch
from sim_worker.judge.rest_detection import RestWatch
from sim_worker.judge.rules import Rules
from sim_worker.names import PAYLOAD
from sim_worker.report import failure_text
from sim_worker.run.readings import Readings
from sim_worker.run.sensors import FAR_M
from sim_worker.units import millimetres, place_mm


@dataclass(frozen=True)
class _Told:
    """What a verdict says besides how it ended."""

    touched: str = ""
    culprit: str = ""
    cause: str = ""


@dataclass(frozen=True)
class _Sign:
    """A way to end, and where in a piece it shows first."""

    step: int
    ending: Ending
    tell: Callable[[Readings], _Told]
    """Reads the piece up to that step."""


@dataclass
class Judge:
    """Watches one replica, piece by piece, until it is decided. At one instant the first named ending wins."""

    rules: Rules
    overloads: OverloadWatch
    energy: EnergyWatch
    rest: RestWatch

    def __post_init__(self) -> None:
        self._goal = Lasting(1)
        self._closest_m = FAR_M
        self._max_speed_m_s = 0.0

    def watch(self, readings: Readings) -> ReplicaResult | None:
        """Look at the next piece of the run; return how it ended once it has."""
        signs = [
            _lost(readings),
            _sign("numerical", self.energy.gained(readings), _numerical),
            self._payload_touches(readings),
            self._part_touches(readings),
            self._is_outside(readings),
            _overloaded(self.overloads.first(readings)),
            self._has_stayed(readings),
            _sign("missed_goal", readings.time_s >= self.rules.duration_s - TICK_S, self._time_was_up),
        ]
        happened = [sign for sign in signs if sign is not None]
        if happened:
            return self._decide(min(happened, key=_step), readings)
        if self.rest.is_settled(readings) and readings.goal_m[-1] > 0.0 and not self.overloads.is_hot(readings):
            return self._decide(_Sign(len(readings.time_s) - 1, "missed_goal", self._settled), readings)
        self._remember(readings)
        return None

    def give_up(self, readings: Readings, complaints: tuple[str, ...], is_diverged: bool) -> ReplicaResult:
        """Return the result of a replica that the simulator itself has abandoned after these readings."""
        cause = failure_text.not_finite() if is_diverged else failure_text.exhausted(complaints)
        sign = _Sign(len(readings.time_s) - 1, "diverged" if is_diverged else "numerical", lambda _: _Told(cause=cause))
        return self._decide(sign, readings)

    def _decide(self, sign: _Sign, piece: Readings) -> ReplicaResult:
        readings = piece[: sign.step + 1]
        sound = readings[: sign.step] if sign.ending == "diverged" else readings
        if len(sound.time_s):
            self._remember(sound)
        told = sign.tell(readings)
        return ReplicaResult(
            ending=sign.ending,
            time_s=float(readings.time_s[-1]),
            final_mm=place_mm(np.nan_to_num(readings.position_m[-1], posinf=0.0, neginf=0.0)),
            max_speed_m_s=self._max_speed_m_s,
            closest_goal_mm=self._closest_mm,
            touched=told.touched,
            culprit=told.culprit,
            cause=told.cause,
        )

    def _remember(self, readings: Readings) -> None:
        """Carry over what the next piece builds on."""
        self._closest_m = min(self._closest_m, float(readings.goal_m.min()))
        self._max_speed_m_s = max(self._max_speed_m_s, float(readings.speed_m_s.max()))

    @property
    def _closest_mm(self) -> float:
        return millimetres(max(self._closest_m, 0.0))

    def _is_outside(self, readings: Readings) -> _Sign | None:
        place = readings.position_m
        outside = (place < self.rules.low_m) | (place > self.rules.high_m)
        return _sign("left_bounds", _any(outside), self._left) if outside.any() else None

    def _has_stayed(self, readings: Readings) -> _Sign | None:
        """Look whether it was in touch with the goal, without a break, for long enough."""
        touches = readings.goal_m <= 0.0
        if not touches.any():
            self._goal.forget()
            return None
        held_s = self._goal.held_s(touches[:, None], readings.time_s)
        return _sign("reached_goal", held_s[:, 0] >= self.rules.hold_s - TICK_S, _reached)

    def _payload_touches(self, readings: Readings) -> _Sign | None:
        if not self.rules.forbid_labels:
            return None
        touches = readings.forbids_m <= 0.0
        return _sign("touched_forbid", _any(touches), self._payload_touched) if touches.any() else None

    def _part_touches(self, readings: Readings) -> _Sign | None:
        if not self.rules.part_forbids:
            return None
        touches = readings.part_forbids_m <= 0.0
        return _sign("touched_forbid", _any(touches), self._part_touched) if touches.any() else None

    def _payload_touched(self, readings: Readings) -> _Told:
        distances_m = readings.forbids_m[-1]
        zone = self.rules.forbid_labels[int(np.argmin(distances_m))]
        place = place_mm(readings.position_m[-1])
        return _Told(zone, PAYLOAD, failure_text.touched_forbid("the payload", zone, -float(distances_m.min()), place))

    def _part_touched(self, readings: Readings) -> _Told:
        distances_m = readings.part_forbids_m[-1]
        part, zone = self.rules.part_forbids[int(np.argmin(distances_m))]
        place = place_mm(readings.moving_place_m[-1, readings.gauges.moving.index(part)])
        return _Told(zone, part, failure_text.touched_forbid(part, zone, -float(distances_m.min()), place))

    def _left(self, readings: Readings) -> _Told:
        return _Told(culprit=PAYLOAD, cause=failure_text.left_bounds(readings.position_m[-1], self.rules))

    def _time_was_up(self, readings: Readings) -> _Told:
        return self._missed(readings, is_settled=False)

    def _settled(self, readings: Readings) -> _Told:
        return self._missed(readings, is_settled=True)

    def _missed(self, readings: Readings, is_settled: bool) -> _Told:
        place, speed_m_s = place_mm(readings.position_m[-1]), float(readings.speed_m_s[-1])
        return _Told(cause=failure_text.missed(place, speed_m_s, self._closest_mm, self.rules.hold_s, is_settled))


def _lost(readings: Readings) -> _Sign | None:
    is_finite = np.isfinite(readings.rows)
    return None if is_finite.all() else _sign("diverged", _any(~is_finite), _diverged)


def _diverged(_: Readings) -> _Told:
    return _Told(cause=failure_text.not_finite())


def _numerical(readings: Readings) -> _Told:
    return _Told(cause=failure_text.gained_energy(float(readings.speed_m_s[-1])))


def _reached(_: Readings) -> _Told:
    return _Told()


def _sign(ending: Ending, shows: Flags, tell: Callable[[Readings], _Told]) -> _Sign | None:
    return _Sign(int(np.argmax(shows)), ending, tell) if shows.any() else None


def _overloaded(overload: Overload | None) -> _Sign | None:
    if overload is None:
        return None
    told = _Told(culprit=overload.culprit, cause=f"{overload.culprit}: {overload.cause}")
    return _Sign(overload.step, "overloaded", lambda _: told)


def _step(sign: _Sign) -> int:
    return sign.step


def _any(flags: Flags) -> Flags:
    """(n, k) -> (n,)"""
    rows: Flags = np.logical_or.reduce(flags, axis=1)
    return rows
