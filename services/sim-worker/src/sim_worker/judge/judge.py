"""The judge of one replica: from its sensor readings to its ending."""

from dataclasses import dataclass
from functools import partial

import numpy as np
from contracts.models.simulation import Ending, ReplicaResult

from sim_worker.judge import failure_text
from sim_worker.judge.blows import last_blow
from sim_worker.judge.bounds import Departure
from sim_worker.judge.criteria import Criteria
from sim_worker.judge.energy import EnergyMonitor
from sim_worker.judge.failure_text import AFTERMATH_S
from sim_worker.judge.hold_timer import TICK_S
from sim_worker.judge.overload import Overload, OverloadMonitor
from sim_worker.judge.payloads.candidates import Candidate, Details, any_of, candidate, step_of
from sim_worker.judge.payloads.monitor import PayloadMonitor
from sim_worker.judge.penetration import Penetration, PenetrationMonitor
from sim_worker.judge.rest_detection import RestDetector
from sim_worker.run.readings import Readings
from sim_worker.structure.monitor import Failure
from sim_worker.units import vector_mm


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
        self._payloads = PayloadMonitor(self.criteria)
        self._success: ReplicaResult | None = None

    def evaluate(self, readings: Readings, of_parts: Failure | None = None) -> ReplicaResult | None:
        """Evaluate the next chunk; return the result once the replica has ended.

        `of_parts`: the first failure of a part in it; `PartMonitor` finds those of all replicas together.
        """
        losses = self._payloads.losses(readings)
        failures = self._failures(readings, of_parts, self._payloads.failures(losses, readings))
        arrivals = self._payloads.arrivals(readings)
        is_settled = self.rest.is_settled(readings, self._payloads.lost) and not self.overloads.is_hot(readings)
        if self._success is not None:
            return self._aftermath(self._success, readings, failures, is_settled)
        time_is_up = readings.time_s >= self.criteria.duration_s - TICK_S
        ends = [
            self._payloads.held_in_goal(arrivals, readings),
            candidate("missed_goal", time_is_up, partial(self._payloads.missed_goal, is_settled=False)),
        ]
        first = min((each for each in (*failures, *ends) if each is not None), key=step_of, default=None)
        if first is None and is_settled and not arrivals[-1].any():
            settled = partial(self._payloads.missed_goal, is_settled=True)
            first = Candidate(len(readings.time_s) - 1, "missed_goal", settled)
        if first is None:
            self._payloads.update_extremes(readings)
            return None
        result = self._result(first, readings)
        if first.ending != "reached_goal" or not self.has_aftermath:
            return result
        self._success = result
        failures += self._payloads.failures(losses, readings)
        return self._aftermath(result, readings, [each for each in failures if each.step > first.step], is_settled)

    def _failures(self, readings: Readings, of_parts: Failure | None, of_payloads: list[Candidate]) -> list[Candidate]:
        """Return the first step of each kind of failure in a chunk, in the order of their precedence."""
        broken = _not_finite(readings)
        sound = readings if broken is None else readings[: max(1, broken.step)]
        possible = [
            broken,
            candidate("numerical", self.energy.is_spurious(readings), _spurious_energy),
            *(each for each in of_payloads if each.ending == "touched_forbid"),
            self._part_in_forbid_zone(readings),
            *(each for each in of_payloads if each.ending == "left_bounds"),
            _culprit("left_bounds", self.criteria.bounds.first_part(readings)),
            _culprit("penetrated", self.penetrations.first(sound)),
            self._overloaded(self.overloads.first(readings, of_parts)),
        ]
        return [each for each in possible if each is not None]

    def _overloaded(self, found: Overload | None) -> Candidate | None:
        """Return an overload, with what of the environment hit the design just before."""
        if found is None:
            return None

        def explain(readings: Readings) -> Details:
            blow = last_blow(self.criteria.scene, readings)
            cause = f"{found.culprit}: {found.cause}"
            return Details(culprit=found.culprit, cause=cause if blow is None else f"{cause}; {blow}")

        return Candidate(found.step, "overloaded", explain)

    def _aftermath(
        self, success: ReplicaResult, readings: Readings, failures: list[Candidate], is_settled: bool
    ) -> ReplicaResult | None:
        """Return the result once it is known what became of the payload: it fails now, stays, or is gone."""
        until_s = success.time_s + AFTERMATH_S
        first = min(failures, key=step_of, default=None)
        if first is not None and readings.time_s[first.step] <= until_s + TICK_S:
            cause = first.explain(readings[: first.step + 1]).cause
            found: dict[str, object] = {"aftermath": first.ending, "aftermath_cause": cause}
            return success.model_copy(update=found)
        is_over = readings.time_s[-1] >= until_s - TICK_S
        if not (is_over or is_settled):
            return None
        last = readings[: int(np.searchsorted(readings.time_s, until_s + TICK_S, side="right"))]
        cause = self._payloads.left_goal(last)
        if not cause:
            return success.model_copy(update={"aftermath": "stayed"})
        return success.model_copy(update={"aftermath": "left_goal", "aftermath_cause": cause})

    def simulator_stopped(self, readings: Readings, warnings: tuple[str, ...], is_diverged: bool) -> ReplicaResult:
        """Return the result of a replica that the simulator itself stopped after these readings."""
        cause = failure_text.diverged() if is_diverged else failure_text.simulator_stopped(warnings)
        ending: Ending = "diverged" if is_diverged else "numerical"
        if self._success is not None:
            return self._success.model_copy(update={"aftermath": ending, "aftermath_cause": cause})
        return self._result(Candidate(len(readings.time_s) - 1, ending, lambda _: Details(cause=cause)), readings)

    def _result(self, found: Candidate, chunk: Readings) -> ReplicaResult:
        readings = chunk[: found.step + 1]
        self._payloads.update_extremes(readings[: found.step] if found.ending == "diverged" else readings)
        details = found.explain(readings)
        if found.ending == "reached_goal":
            self._payloads.decide_by(details.payload)
        of_payload, index = readings.payloads[details.payload], details.payload
        position_m = np.nan_to_num(of_payload.position_m[-1], posinf=0.0, neginf=0.0)
        goal_mm, goal_center_mm = self.criteria.goals[index].distances_mm(position_m)
        return ReplicaResult(
            ending=found.ending,
            time_s=float(readings.time_s[-1]),
            final_mm=vector_mm(position_m),
            max_speed_m_s=self._payloads.max_speed_m_s(index),
            closest_goal_mm=self._payloads.closest_mm(index),
            touched=details.touched,
            culprit=details.culprit,
            cause=details.cause,
            goal_distance_mm=goal_mm,
            goal_center_distance_mm=goal_center_mm,
            payload=self.criteria.scene.payloads[index].label if self.criteria.scene.more_payloads else "",
            payloads=self._payloads.results(readings),
        )

    def _part_in_forbid_zone(self, readings: Readings) -> Candidate | None:
        if not self.criteria.part_forbids:
            return None
        touches = readings.part_forbids_m <= 0.0
        return candidate("touched_forbid", any_of(touches), self._part_touched) if touches.any() else None

    def _part_touched(self, readings: Readings) -> Details:
        distances_m = readings.part_forbids_m[-1]
        part, zone = self.criteria.part_forbids[int(np.argmin(distances_m))]
        point_mm = vector_mm(readings.moving_position_m[-1, readings.layout.moving.index(part)])
        return Details(zone, part, failure_text.touched_forbid(part, zone, -float(distances_m.min()), point_mm))


def _not_finite(readings: Readings) -> Candidate | None:
    is_finite = np.isfinite(readings.rows)
    return None if is_finite.all() else candidate("diverged", any_of(~is_finite), _diverged)


def _diverged(_: Readings) -> Details:
    return Details(cause=failure_text.diverged())


def _spurious_energy(readings: Readings) -> Details:
    return Details(cause=failure_text.spurious_energy(float(readings.speed_m_s[-1])))


def _culprit(ending: Ending, found: Departure | Penetration | None) -> Candidate | None:
    if found is None:
        return None
    details = Details(culprit=found.culprit, cause=found.cause)
    return Candidate(found.step, ending, lambda _: details)
