"""What the payloads of one replica did: which of them arrived, which were lost, and how near each came.

Of several payloads either all must fulfil the goal rule at the same time, and the loss of one ends the run; or any one
must, and the run ends when all are lost.
"""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal

import numpy as np
from contracts.models.simulation import PayloadResult

from sim_worker.judge import failure_text
from sim_worker.judge.criteria import Criteria
from sim_worker.judge.hold_timer import TICK_S, Flags, HoldTimer
from sim_worker.judge.payloads.candidates import Candidate, Details, any_of, candidate
from sim_worker.model.sensors import MAX_DISTANCE_M
from sim_worker.names import payload_subject, the_payload
from sim_worker.run.readings import Readings
from sim_worker.units import Floats, millimetres, vector_mm


@dataclass(frozen=True)
class Loss:
    """A payload that touched a forbid zone or left the world."""

    payload: int
    ending: Literal["left_bounds", "touched_forbid"]
    candidate: Candidate


@dataclass(frozen=True)
class Lost:
    """A payload that was lost while another may still arrive."""

    ending: Literal["left_bounds", "touched_forbid"]
    time_s: float
    cause: str


class PayloadMonitor:
    """Watches the payloads of one replica. Feed every chunk once, in order."""

    def __init__(self, criteria: Criteria) -> None:
        self._criteria, self._scene = criteria, criteria.scene
        count = len(criteria.goals)
        self._needs_all = self._scene.must_arrive == "all"
        self._hold = HoldTimer(1 if self._needs_all else count)
        self._closest_m: Floats = np.full(count, MAX_DISTANCE_M)
        self._max_speed_m_s: Floats = np.zeros(count)
        self._lost: dict[int, Lost] = {}
        self.deciding: tuple[int, ...] = tuple(range(count)) if self._needs_all else ()
        """Payloads whose loss ends the run: all that must arrive, or those that arrived."""

    @property
    def lost(self) -> Collection[int]:
        """The payloads that cannot arrive any more, by index."""
        return self._lost.keys()

    def arrivals(self, readings: Readings) -> Flags:
        """Return (n, k) whether each condition of success holds: that all payloads are in the goal, or one each."""
        fulfils = self._fulfils(readings)
        return np.logical_and.reduce(fulfils, axis=1, keepdims=True) if self._needs_all else fulfils

    def held_in_goal(self, arrivals: Flags, readings: Readings) -> Candidate | None:
        """Return `reached_goal` if a condition has held for long enough without a break."""
        if not arrivals.any():
            self._hold.reset()
            return None
        held = self._hold.held_s(arrivals, readings.time_s) >= self._criteria.hold_s - TICK_S
        occurs = any_of(held)
        if not occurs.any():
            return None
        step = int(np.argmax(occurs))
        arrived = tuple(int(index) for index in np.flatnonzero(held[step]))
        return Candidate(step, "reached_goal", lambda _: Details(payload=arrived[0]))

    def decide_by(self, winner: int) -> None:
        """Watch after success what becomes of the payload that arrived."""
        if not self._needs_all:
            self.deciding = (winner,)

    def losses(self, readings: Readings) -> list[Loss]:
        """Return the first touch of a forbid zone and the first departure of each payload in a chunk."""
        found: list[Loss] = []
        for index in range(len(self._criteria.goals)):
            if (touch := self._touch(readings, index)) is not None:
                found.append(Loss(index, "touched_forbid", touch))
            if (departure := self._departure(readings, index)) is not None:
                found.append(Loss(index, "left_bounds", departure))
        return found

    def failures(self, losses: list[Loss], readings: Readings) -> list[Candidate]:
        """Return the losses that end the run, and remember the others."""
        if self.deciding:
            return [loss.candidate for loss in losses if loss.payload in self.deciding]
        found: list[Candidate] = []
        for loss in sorted(losses, key=lambda each: each.candidate.step):
            if loss.payload not in self._lost:
                step = loss.candidate.step
                details = loss.candidate.explain(readings[: step + 1])
                self._lost[loss.payload] = Lost(loss.ending, float(readings.time_s[step]), details.cause)
                if len(self._lost) == len(self._criteria.goals):
                    found.append(self._all_lost(loss.candidate, details))
        return found

    def missed_goal(self, readings: Readings, *, is_settled: bool) -> Details:
        """Return why the goal was missed: of all the farthest payload, of any the one that came nearest."""
        views, fulfils = readings.payloads, self._fulfils(readings)[-1]
        if self._needs_all:
            distance_m = np.array([view.goal_m[-1] for view in views])
            index = int(np.argmax(np.where(fulfils, -np.inf, distance_m)))
        else:
            going = np.array([index not in self._lost for index in range(len(views))])
            index = int(np.argmin(np.where(going, self._closest_m, np.inf)))
        point_mm, speed_m_s = vector_mm(views[index].position_m[-1]), float(views[index].speed_m_s[-1])
        closest_mm = self.closest_mm(index)
        cause = failure_text.missed_goal(point_mm, speed_m_s, closest_mm, self._criteria, is_settled)
        if len(views) > 1:
            count = f"{int(fulfils.sum())} of {len(views)} payloads were in the goal at the end, and "
            needed = "all must be at the same time" if self._needs_all else "one of them must stay"
            cause = f"{count}{needed}; {the_payload(self._scene, index)}: {cause}"
        return Details(cause=cause, payload=index)

    def left_goal(self, last: Readings) -> str:
        """Return which deciding payload does not touch the goal at the end of these readings; empty if all do."""
        for index in self.deciding:
            view = last.payloads[index]
            distance_mm = millimetres(float(view.goal_m[-1]))
            if distance_mm > 0.0:
                text = failure_text.left_goal(vector_mm(view.position_m[-1]), distance_mm)
                return f"{the_payload(self._scene, index)}: {text}" if self._scene.more_payloads else text
        return ""

    def update_extremes(self, readings: Readings) -> None:
        """Take the least distances and the greatest speeds of a chunk."""
        for index, whole in enumerate(readings.payloads):
            lost = self._lost.get(index)
            view = whole if lost is None else whole[: int(np.searchsorted(readings.time_s, lost.time_s + TICK_S))]
            if not len(view.time_s):
                continue
            self._closest_m[index] = min(self._closest_m[index], float(view.goal_m.min()))
            self._max_speed_m_s[index] = max(self._max_speed_m_s[index], float(view.speed_m_s.max()))

    def closest_mm(self, index: int) -> float:
        """Return how near a payload came to the goal zone."""
        return millimetres(max(float(self._closest_m[index]), 0.0))

    def max_speed_m_s(self, index: int) -> float:
        """Return how fast a payload was."""
        return float(self._max_speed_m_s[index])

    def results(self, readings: Readings) -> tuple[PayloadResult, ...]:
        """Return what became of each of several payloads up to the end of these readings; empty for one."""
        if not self._scene.more_payloads:
            return ()
        fulfils = self._fulfils(readings)[-1]
        return tuple(
            self._result(index, view, has_arrived=bool(fulfils[index])) for index, view in enumerate(readings.payloads)
        )

    def _result(self, index: int, view: Readings, *, has_arrived: bool) -> PayloadResult:
        place_m = np.nan_to_num(view.position_m[-1], posinf=0.0, neginf=0.0)
        lost = self._lost.get(index)
        if lost is not None and lost.time_s > float(view.time_s[-1]) + TICK_S:
            lost = None
        return PayloadResult(
            label=self._scene.payloads[index].label,
            has_arrived=has_arrived,
            final_mm=vector_mm(place_m),
            max_speed_m_s=self.max_speed_m_s(index),
            closest_goal_mm=self.closest_mm(index),
            goal_distance_mm=self._criteria.goals[index].distances_mm(place_m)[0],
            lost=None if lost is None else lost.ending,
            lost_s=None if lost is None else lost.time_s,
            lost_cause="" if lost is None else lost.cause,
        )

    def _fulfils(self, readings: Readings) -> Flags:
        """Return (n, payloads) whether each payload does what the goal rule asks for, and is not lost."""
        columns = [goal.is_fulfilled(view) for goal, view in zip(self._criteria.goals, readings.payloads, strict=True)]
        for index, lost in self._lost.items():
            columns[index] = columns[index] & (readings.time_s < lost.time_s - TICK_S)
        return np.stack(columns, axis=1)

    def _all_lost(self, last: Candidate, details: Details) -> Candidate:
        causes = "; ".join(lost.cause for lost in self._lost.values())
        cause = f"all {len(self._lost)} payloads are lost: {causes}"
        explained = Details(details.touched, details.culprit, cause, details.payload)
        return Candidate(last.step, last.ending, lambda _: explained)

    def _touch(self, readings: Readings, index: int) -> Candidate | None:
        if not self._criteria.forbid_labels:
            return None
        touches = readings.payloads[index].forbids_m <= 0.0

        def explain(chunk: Readings) -> Details:
            view = chunk.payloads[index]
            distances_m = view.forbids_m[-1]
            zone = self._criteria.forbid_labels[int(np.argmin(distances_m))]
            point_mm, name = vector_mm(view.position_m[-1]), the_payload(self._scene, index)
            cause = failure_text.touched_forbid(name, zone, -float(distances_m.min()), point_mm)
            return Details(zone, payload_subject(self._scene, index), cause, index)

        return candidate("touched_forbid", any_of(touches), explain) if touches.any() else None

    def _departure(self, readings: Readings, index: int) -> Candidate | None:
        found = self._criteria.bounds.lost_payload(readings.payloads[index], the_payload(self._scene, index))
        if found is None:
            return None
        step, cause = found
        details = Details(culprit=payload_subject(self._scene, index), cause=cause, payload=index)
        return Candidate(step, "left_bounds", lambda _: details)
