"""The judge of one replica: from its sensor readings to its ending."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from contracts.models.simulation import Ending, ReplicaResult

from sim_worker.judge import failure_text
from sim_worker.judge.bounds import Departure
from sim_worker.judge.criteria import Criteria
from sim_worker.judge.energy import EnergyMonitor
from sim_worker.judge.failure_text import AFTERMATH_S
from sim_worker.judge.hold_timer import TICK_S, Flags, HoldTimer
from sim_worker.judge.overload import Overload, OverloadMonitor
from sim_worker.judge.penetration import Penetration, PenetrationMonitor
from sim_worker.judge.rest_detection import RestDetector
from sim_worker.model.sensors import MAX_DISTANCE_M
from sim_worker.names import PAYLOAD
from sim_worker.run.readings import Readings
from sim_worker.structure.monitor import Failure
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
    """Judges one replica, chunk by chunk, until it has ended. At one instant the first named ending wins.

    After success it may watch for `AFTERMATH_S` more what becomes of the payload, without any change of the verdict.
    """

    criteria: Criteria
    overloads: OverloadMonitor
    energy: EnergyMonitor
    rest: RestDetector
    penetrations: PenetrationMonitor
    has_aftermath: bool = True

    def __post_init__(self) -> None:
        self._hold = HoldTimer(1)
        self._closest_m = MAX_DISTANCE_M
        self._max_speed_m_s = 0.0
        self._success: ReplicaResult | None = None

    def evaluate(self, readings: Readings, of_parts: Failure | None = None) -> ReplicaResult | None:
        """Evaluate the next chunk; return the result once the replica has ended.

        `of_parts`: the first failure of a part in it; `PartMonitor` finds those of all replicas together.
        """
        fulfils = self.criteria.goal.is_fulfilled(readings)
        failures = self._failures(readings, of_parts)
        is_settled = self.rest.is_settled(readings) and not self.overloads.is_hot(readings)
        if self._success is not None:
            return self._aftermath(self._success, readings, failures, is_settled)
        time_is_up = readings.time_s >= self.criteria.duration_s - TICK_S
        ends = [self._held_in_goal(fulfils, readings), _candidate("missed_goal", time_is_up, self._time_is_up)]
        first = min((each for each in (*failures, *ends) if each is not None), key=_step, default=None)
        if first is None and is_settled and not fulfils[-1]:
            first = _Candidate(len(readings.time_s) - 1, "missed_goal", self._settled)
        if first is None:
            self._update_extremes(readings)
            return None
        result = self._result(first, readings)
        if first.ending != "reached_goal" or not self.has_aftermath:
            return result
        self._success = result
        return self._aftermath(result, readings, [each for each in failures if each.step > first.step], is_settled)

    def _failures(self, readings: Readings, of_parts: Failure | None) -> list[_Candidate]:
        """Return the first step of each kind of failure in a chunk, in the order of their precedence."""
        broken = _not_finite(readings)
        sound = readings if broken is None else readings[: max(1, broken.step)]
        possible = [
            broken,
            _candidate("numerical", self.energy.is_spurious(readings), _spurious_energy),
            self._payload_in_forbid_zone(readings),
            self._part_in_forbid_zone(readings),
            _culprit("left_bounds", self.criteria.bounds.first(readings)),
            _culprit("penetrated", self.penetrations.first(sound)),
            _culprit("overloaded", self.overloads.first(readings, of_parts)),
        ]
        return [candidate for candidate in possible if candidate is not None]

    def _aftermath(
        self, success: ReplicaResult, readings: Readings, failures: list[_Candidate], is_settled: bool
    ) -> ReplicaResult | None:
        """Return the result once it is known what became of the payload: it fails now, stays, or is gone."""
        until_s = success.time_s + AFTERMATH_S
        first = min(failures, key=_step, default=None)
        if first is not None and readings.time_s[first.step] <= until_s + TICK_S:
            cause = first.explain(readings[: first.step + 1]).cause
            found: dict[str, object] = {"aftermath": first.ending, "aftermath_cause": cause}
            return success.model_copy(update=found)
        is_over = readings.time_s[-1] >= until_s - TICK_S
        if not (is_over or is_settled):
            return None
        last = readings[: int(np.searchsorted(readings.time_s, until_s + TICK_S, side="right"))]
        distance_mm = millimetres(float(last.goal_m[-1]))
        if distance_mm <= 0.0:
            return success.model_copy(update={"aftermath": "stayed"})
        cause = failure_text.left_goal(vector_mm(last.position_m[-1]), distance_mm)
        return success.model_copy(update={"aftermath": "left_goal", "aftermath_cause": cause})

    def simulator_stopped(self, readings: Readings, warnings: tuple[str, ...], is_diverged: bool) -> ReplicaResult:
        """Return the result of a replica that the simulator itself stopped after these readings."""
        cause = failure_text.diverged() if is_diverged else failure_text.simulator_stopped(warnings)
        ending: Ending = "diverged" if is_diverged else "numerical"
        if self._success is not None:
            return self._success.model_copy(update={"aftermath": ending, "aftermath_cause": cause})
        return self._result(_Candidate(len(readings.time_s) - 1, ending, lambda _: _Details(cause=cause)), readings)

    def _result(self, candidate: _Candidate, chunk: Readings) -> ReplicaResult:
        readings = chunk[: candidate.step + 1]
        finite = readings[: candidate.step] if candidate.ending == "diverged" else readings
        if len(finite.time_s):
            self._update_extremes(finite)
        details = candidate.explain(readings)
        position_m = np.nan_to_num(readings.position_m[-1], posinf=0.0, neginf=0.0)
        goal_mm, goal_center_mm = self.criteria.goal.distances_mm(position_m)
        return ReplicaResult(
            ending=candidate.ending,
            time_s=float(readings.time_s[-1]),
            final_mm=vector_mm(position_m),
            max_speed_m_s=self._max_speed_m_s,
            closest_goal_mm=self._closest_mm,
            touched=details.touched,
            culprit=details.culprit,
            cause=details.cause,
            goal_distance_mm=goal_mm,
            goal_center_distance_mm=goal_center_mm,
        )

    def _update_extremes(self, readings: Readings) -> None:
        self._closest_m = min(self._closest_m, float(readings.goal_m.min()))
        self._max_speed_m_s = max(self._max_speed_m_s, float(readings.speed_m_s.max()))

    @property
    def _closest_mm(self) -> float:
        return millimetres(max(self._closest_m, 0.0))

    def _held_in_goal(self, fulfils: Flags, readings: Readings) -> _Candidate | None:
        """Return `reached_goal` if the payload fulfilled the goal rule for long enough without a break."""
        if not fulfils.any():
            self._hold.reset()
            return None
        held_s = self._hold.held_s(fulfils[:, None], readings.time_s)
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

    def _time_is_up(self, readings: Readings) -> _Details:
        return self._missed_goal(readings, is_settled=False)

    def _settled(self, readings: Readings) -> _Details:
        return self._missed_goal(readings, is_settled=True)

    def _missed_goal(self, readings: Readings, is_settled: bool) -> _Details:
        point_mm, speed_m_s = vector_mm(readings.position_m[-1]), float(readings.speed_m_s[-1])
        criteria = self.criteria
        return _Details(cause=failure_text.missed_goal(point_mm, speed_m_s, self._closest_mm, criteria, is_settled))


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


def _culprit(ending: Ending, found: Departure | Penetration | Overload | None) -> _Candidate | None:
    if found is None:
        return None
    cause = f"{found.culprit}: {found.cause}" if isinstance(found, Overload) else found.cause
    details = _Details(culprit=found.culprit, cause=cause)
    return _Candidate(found.step, ending, lambda _: details)


def _step(candidate: _Candidate) -> int:
    return candidate.step


def _any(flags: Flags) -> Flags:
    """(n, k) -> (n,)"""
    rows: Flags = np.logical_or.reduce(flags, axis=1)
    return rows
