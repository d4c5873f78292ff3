"""Cuts, plates and blows in replicas that reached their goal: the first part that breaks there ends them."""

from collections.abc import Container, Mapping
from dataclasses import dataclass

import numpy as np
from contracts.models.simulation import ReplicaResult

from sim_worker.judge.criteria import Criteria
from sim_worker.structure.peak_stress import PeakSearch, PeakStress, first_failure
from sim_worker.structure.window_means import RunMeans
from sim_worker.units import Floats, millimetres, vector_mm

Peaks = Mapping[int, Mapping[str, PeakStress]]
"""The highest stress of parts, by replica and part."""


@dataclass(frozen=True)
class RanReplicas:
    """Replicas as the other judges ended them."""

    results: tuple[ReplicaResult, ...]
    runs: Mapping[int, RunMeans]
    """Of those that reached the goal, up to then."""
    payload_factors: Floats
    """(replicas, payloads): mass over that of the run without jitter."""

    def peaks(self, search: PeakSearch, labels: Container[str] | None = None) -> dict[int, dict[str, PeakStress]]:
        """Return what the parts bear that may break in the replicas; or these."""
        found: dict[int, dict[str, PeakStress]] = {}
        for replica, run in self.runs.items():
            factors = [float(each) for each in self.payload_factors[replica]]
            chosen = search.doubtful(run, factors) if labels is None else labels
            found[replica] = search.found(run, factors, chosen) if chosen else {}
        return found

    def judged(self, criteria: Criteria, peaks: Peaks) -> tuple[ReplicaResult, ...]:
        """Return the results, with the part that breaks first in each of the replicas."""
        return tuple(
            self._judged(criteria, replica, peaks[replica]) if replica in peaks else result
            for replica, result in enumerate(self.results)
        )

    def _judged(self, criteria: Criteria, replica: int, peaks: Mapping[str, PeakStress]) -> ReplicaResult:
        result, failure = self.results[replica], first_failure(peaks)
        if failure is None:
            return result
        time_s, label, cause = failure
        until = self.runs[replica].until(time_s)
        names = [payload.label for payload in criteria.scene.payloads]
        index = names.index(result.payload) if result.payload else 0
        position_m, gaps_m = until.positions_m[-1, index], until.windows.payloads[index].goal_m
        goal_mm, goal_center_mm = criteria.goals[index].distances_mm(position_m)
        changes: dict[str, object] = {
            "ending": "overloaded",
            "time_s": time_s,
            "final_mm": vector_mm(position_m),
            "max_speed_m_s": float(np.linalg.norm(until.velocities_m_s[:, index], axis=1).max()),
            "closest_goal_mm": max(0.0, millimetres(float(gaps_m.min()))),
            "goal_distance_mm": goal_mm,
            "goal_center_distance_mm": goal_center_mm,
            "culprit": label,
            "cause": f"{label}: it {cause}",
            "aftermath": "unknown",
            "aftermath_cause": "",
            "payloads": (),
        }
        return result.model_copy(update=changes)


def worst(peaks: Peaks) -> dict[str, PeakStress]:
    """Return the greatest share of its limit that each part reaches in any replica, of those that break."""
    found: dict[str, PeakStress] = {}
    for each in peaks.values():
        for label, peak in each.items():
            if peak.share > 1.0 and (label not in found or peak.share > found[label].share):
                found[label] = peak
    return found
