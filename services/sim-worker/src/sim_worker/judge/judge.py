"""The judge of one replica: from its sensor readings to its ending."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from contracts.models.simulation import Ending, ReplicaResult

from sim_worker.judge import failure_text
from sim_worker.judge.criteria import Criteria
from sim_worker.judge.energy import EnergyMonitor
from sim_worker.judge.hold_timer import TICK_S, Flags, HoldTimer
from sim_worker.judge.overload import Overload, OverloadMonitor
from sim_worker.judge.rest_detection import RestDetector
from sim_worker.model.sensors import MAX_DISTANCE_M
from sim_worker.names import PAYLOAD
from sim_worker.run.readings import Readings
from sim_worker.units import millimetres, vector_mm


@dataclass(frozen=True)
class _Details:
    """Fields of a `ReplicaResult` that explain its ending."""

    touched: str = ""
    culprit: str = ""
    cause: str = ""


@dataclass(frozen=True)
class _Candidate:
    """A possible ending, and the first step of a chunk at which it occurs."""

    step: int
    ending: Ending
    explain: Callable[[Readings], _Details]
    """From the chunk up to that step."""


@dataclass
class Judge:
    """Judges one replica, chunk by chunk, until it has ended. At one instant the first named ending wins."""

    criteria: Criteria
    overloads: OverloadMonitor
    energy: EnergyMonitor
    rest: RestDetector

    def __post_init__(self) -> None:
        self._goal = HoldTimer(1)
        self._closest_m = MAX_DISTANCE_M
        self._max_speed_m_s = 0.0

    def evaluate(self, readings: Readings) -> ReplicaResult | None:
        """Evaluate the next chunk; return the result once the replica has ended."""
        possible = [
            _not_finite(readings),
            _candidate("numerical", self.energy.is_spurious(readings), _spurious_energy),
            self._payload_in_forbid_zone(readings),
            self._part_in_forbid_zone(readings),
            self._out_of_bounds(readings),
            _overloaded(self.overloads.first(readings)),
            self._held_in_goal(readings),
            _candidate("missed_goal", readings.time_s >= self.criteria.duration_s - TICK_S, self._time_is_up),
        ]
        candidates = [candidate for candidate in possible if candidate is not None]
        if candidates:
            return self._result(min(candidates, key=_step), readings)
        if self.rest.is_settled(readings) and readings.goal_m[-1] > 0.0 and not self.overloads.is_hot(readings):
            return self._result(_Candidate(len(readings.time_s) - 1, "missed_goal", self._settled), readings)
        self._update_extremes(readings)
        return None

    def simulator_stopped(self, readings: Readings, warnings: tuple[str, ...], is_diverged: bool) -> ReplicaResult:
        """Return the result of a replica that the simulator itself stopped after these readings."""
        cause = failure_text.diverged() if is_diverged else failure_text.simulator_stopped(warnings)
        ending: Ending = "diverged" if is_diverged else "numerical"
        return self._result(_Candidate(len(readings.time_s) - 1, ending, lambda _: _Details(cause=cause)), readings)

    def _result(self, candidate: _Candidate, chunk: Readings) -> ReplicaResult:
        readings = chunk[: candidate.step + 1]
        finite = readings[: candidate.step] if candidate.ending == "diverged" else readings
        if len(finite.time_s):
            self._update_extremes(finite)
        details = candidate.explain(readings)
        return ReplicaResult(
            ending=candidate.ending,
            time_s=float(readings.time_s[-1]),
            final_mm=vector_mm(np.nan_to_num(readings.position_m[-1], posinf=0.0, neginf=0.0)),
            max_speed_m_s=self._max_speed_m_s,
            closest_goal_mm=self._closest_mm,
            touched=details.touched,
            culprit=details.culprit,
            cause=details.cause,
        )

    def _update_extremes(self, readings: Readings) -> None:
        self._closest_m = min(self._closest_m, float(readings.goal_m.min()))
        self._max_speed_m_s = max(self._max_speed_m_s, float(readings.speed_m_s.max()))

    @property
    def _closest_mm(self) -> float:
        return millimetres(max(self._closest_m, 0.0))

    def _out_of_bounds(self, readings: Readings) -> _Candidate | None:
        position = readings.position_m
        outside = (position < self.criteria.low_m) | (position > self.criteria.high_m)
        return _candidate("left_bounds", _any(outside), self._left_bounds) if outside.any() else None

    def _held_in_goal(self, readings: Readings) -> _Candidate | None:
        """Return `reached_goal` if the payload touched the goal for long enough without a break."""
        touches = readings.goal_m <= 0.0
        if not touches.any():
            self._goal.reset()
            return None
        held_s = self._goal.held_s(touches[:, None], readings.time_s)
        return _candidate("reached_goal", held_s[:, 0] >= self.criteria.hold_s - TICK_S, _reached_goal)

    def _payload_in_forbid_zone(self, readings: Readings) -> _Candidate | None:
        if not self.criteria.forbid_labels:
            return None
        touches = readings.forbids_m <= 0.0
        return _candidate("touched_forbid", _any(touches), self._payload_touched) if touches.any() else None

    def _part_in_forbid_zone(self, readings: Readings) -> _Candidate | None:
        if not self.criteria.part_forbids:
            return None
        touches = readings.part_forbids_m <= 0.0
        return _candidate("touched_forbid", _any(touches), self._part_touched) if touches.any() else None

    def _payload_touched(self, readings: Readings) -> _Details:
        distances_m = readings.forbids_m[-1]
        zone = self.criteria.forbid_labels[int(np.argmin(distances_m))]
        point_mm = vector_mm(readings.position_m[-1])
        cause = failure_text.touched_forbid("the payload", zone, -float(distances_m.min()), point_mm)
        return _Details(zone, PAYLOAD, cause)

    def _part_touched(self, readings: Readings) -> _Details:
        distances_m = readings.part_forbids_m[-1]
        part, zone = self.criteria.part_forbids[int(np.argmin(distances_m))]
        point_mm = vector_mm(readings.moving_position_m[-1, readings.layout.moving.index(part)])
        return _Details(zone, part, failure_text.touched_forbid(part, zone, -float(distances_m.min()), point_mm))

    def _left_bounds(self, readings: Readings) -> _Details:
        return _Details(culprit=PAYLOAD, cause=failure_text.left_bounds(readings.position_m[-1], self.criteria))

    def _time_is_up(self, readings: Readings) -> _Details:
        return self._missed_goal(readings, is_settled=False)

    def _settled(self, readings: Readings) -> _Details:
        return self._missed_goal(readings, is_settled=True)

    def _missed_goal(self, readings: Readings, is_settled: bool) -> _Details:
        point_mm, speed_m_s = vector_mm(readings.position_m[-1]), float(readings.speed_m_s[-1])
        hold_s = self.criteria.hold_s
        return _Details(cause=failure_text.missed_goal(point_mm, speed_m_s, self._closest_mm, hold_s, is_settled))


def _not_finite(readings: Readings) -> _Candidate | None:
    is_finite = np.isfinite(readings.rows)
    return None if is_finite.all() else _candidate("diverged", _any(~is_finite), _diverged)


def _diverged(_: Readings) -> _Details:
    return _Details(cause=failure_text.diverged())


def _spurious_energy(readings: Readings) -> _Details:
    return _Details(cause=failure_text.spurious_energy(float(readings.speed_m_s[-1])))


def _reached_goal(_: Readings) -> _Details:
    return _Details()


def _candidate(ending: Ending, occurs: Flags, explain: Callable[[Readings], _Details]) -> _Candidate | None:
    return _Candidate(int(np.argmax(occurs)), ending, explain) if occurs.any() else None


def _overloaded(overload: Overload | None) -> _Candidate | None:
    if overload is None:
        return None
    details = _Details(culprit=overload.culprit, cause=f"{overload.culprit}: {overload.cause}")
    return _Candidate(overload.step, "overloaded", lambda _: details)


def _step(candidate: _Candidate) -> int:
    return candidate.step


def _any(flags: Flags) -> Flags:
    """(n, k) -> (n,)"""
    rows: Flags = np.logical_or.reduce(flags, axis=1)
    return rows
