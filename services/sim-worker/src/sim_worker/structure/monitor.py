"""Detection of the first part that its loads break, buckle or bend too far, and the use of all parts."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from contracts.models.simulation import PartUse
from numpy.typing import NDArray

from sim_worker.run.moving_average import WINDOW_S
from sim_worker.run.readings import Readings
from sim_worker.structure.part_model import AppliedLoads, PartModel, applied_loads
from sim_worker.structure.window_means import RunMeans, WindowMeans, weighted
from sim_worker.units import Floats

SLOW_WINDOWS = 10
"""Windows over which loads are averaged for buckling and deflection: a part takes its time to bend."""
Failure = tuple[float, str, str]
"""Time, label of the part, and cause."""


@dataclass(frozen=True)
class _Rounds:
    """Means over the windows of several replicas, one after the other."""

    replicas: NDArray[np.intp]
    """(n,)"""
    time_s: Floats
    """(n,), at the end of each window."""
    loads: AppliedLoads


class PartMonitor:
    """Compares the parts of replicas with what they bear. Feed every chunk of a replica once, in order.

    Replicas are judged side by side, because each of the many small products of matrices costs more than its rows.
    """

    def __init__(self, parts: tuple[PartModel, ...], steps: int) -> None:
        self._parts, self._steps = parts, steps
        self._windows: dict[int, tuple[WindowMeans, WindowMeans]] = {}
        self._runs: dict[int, list[RunMeans]] = {}

    def first_failures(self, chunks: dict[int, Readings]) -> dict[int, Failure]:
        """Return the earliest failure in the next chunk of each replica, at the end of a window, if there is one."""
        sound = {replica: chunk for replica, chunk in chunks.items() if np.isfinite(chunk.rows).all()}
        if not self._parts or not sound:
            return {}
        means = {replica: self._means(replica, chunk) for replica, chunk in sound.items()}
        found: dict[int, Failure] = {}
        for index, failures in enumerate((_broken, _yielding)):
            complete = {replica: each[index] for replica, each in means.items() if len(each[index].time_s)}
            if not complete:
                continue
            rounds = self._rounds(complete)
            for replica, failure in (each for part in self._parts for each in failures(part, rounds)):
                found[replica] = min(failure, found.get(replica, failure))
        return found

    def _means(self, replica: int, chunk: Readings) -> tuple[Readings, Readings]:
        if replica not in self._windows:
            self._windows[replica] = WindowMeans(self._steps), WindowMeans(self._steps * SLOW_WINDOWS)
        fast, slow = self._windows[replica]
        readings = weighted(chunk)
        means = fast.means(readings), slow.means(readings)
        self._runs.setdefault(replica, []).append(RunMeans.kept(means[0], chunk))
        return means

    def run(self, replica: int) -> RunMeans | None:
        """Return what is kept of a replica's run so far; None if nothing can break in it."""
        chunks = self._runs.get(replica)
        return None if chunks is None else RunMeans.joined(chunks)

    def forget(self, replica: int) -> None:
        """Keep nothing of a replica."""
        self._runs.pop(replica, None)

    def _rounds(self, means: dict[int, Readings]) -> _Rounds:
        joined = Readings.joined(list(means.values()))
        replicas = np.repeat(list(means), [len(each.time_s) for each in means.values()])
        return _Rounds(replicas, joined.time_s, applied_loads(self._parts, joined))


def _broken(part: PartModel, rounds: _Rounds) -> list[tuple[int, Failure]]:
    stress_mpa, limit, material = part.stress_mpa(rounds.loads), part.limit_mpa, part.strength.material_id
    return _first(
        part,
        rounds,
        stress_mpa > limit,
        lambda row: (
            f"was stressed to {stress_mpa[row]:.3g} MPa ({_by(part)}, mean over {WINDOW_S * 1000:g} ms); "
            f"{material} as made bears {limit:.3g} MPa; make it thicker, or its lever shorter"
        ),
    )


def _tired(part: PartModel, rounds: _Rounds) -> list[tuple[int, Failure]]:
    """Return where a part that moves bears more than it does in every cycle; a short jerk seldom comes."""
    stress_mpa, limit = part.stress_mpa(rounds.loads), part.cyclic_mpa
    return _first(
        part,
        rounds,
        stress_mpa > limit,
        lambda row: (
            f"was stressed to {stress_mpa[row]:.3g} MPa ({_by(part)}, mean over {WINDOW_S * SLOW_WINDOWS:g} s), "
            f"and it moves; {part.strength.material_id} as made bears {limit:.3g} MPa in every cycle (fatigue); make "
            "it thicker, or its lever shorter"
        ),
    )


def _by(part: PartModel) -> str:
    solid = part.strength.solid
    if solid is None or solid.place_mm is None:
        return "bending and axial"
    return "finite elements, at ({:.1f}, {:.1f}, {:.1f}) mm".format(*solid.place_mm)


def _yielding(part: PartModel, rounds: _Rounds) -> list[tuple[int, Failure]]:
    state, stiffer = part.yields(rounds.loads), f"or of a stiffer material than {part.strength.material_id}"
    buckled = _first(
        part,
        rounds,
        state.buckling > 1.0,
        lambda row: (
            f"was compressed to {state.buckling[row]:.0%} of what it bears before it buckles, with a factor of safety "
            f"of 2; make it thicker or shorter, {stiffer}"
        ),
    )
    return (
        _tired(part, rounds)
        + buckled
        + _first(
            part,
            rounds,
            state.deflection_mm > state.max_deflection_mm,
            lambda row: (
                f"would bend by {state.deflection_mm[row]:.3g} mm, it was simulated as rigid, which holds up to "
                f"{state.max_deflection_mm[row]:.3g} mm (2 % of its length); make it thicker or shorter, {stiffer}"
            ),
        )
    )


def _first(
    part: PartModel, rounds: _Rounds, is_over: NDArray[np.bool_], explain: Callable[[int], str]
) -> list[tuple[int, Failure]]:
    """Return the first window of each replica at which a part is over its limit."""
    over = np.flatnonzero(is_over)
    if not len(over):
        return []
    replicas, first = np.unique(rounds.replicas[over], return_index=True)
    return [
        (int(replica), (float(rounds.time_s[row]), part.label, explain(int(row))))
        for replica, row in zip(replicas, over[first], strict=True)
    ]


def part_uses(parts: tuple[PartModel, ...], readings: Readings, steps: int) -> tuple[PartUse, ...]:
    """Return the use of every part in a run, with the same windows as the judge; a shorter run is one window."""
    if not parts:
        return ()
    fast, slow = (
        applied_loads(parts, WindowMeans(min(window, len(readings.time_s))).means(weighted(readings)))
        for window in (steps, steps * SLOW_WINDOWS)
    )
    return tuple(_part_use(part, fast, slow) for part in parts)


def _part_use(part: PartModel, fast: AppliedLoads, slow_loads: AppliedLoads) -> PartUse:
    stress_mpa, slow_mpa, slow = part.stress_mpa(fast), part.stress_mpa(slow_loads), part.yields(slow_loads)
    lasting_mpa = float(slow_mpa.min())
    worst, solid = int(np.argmax(slow.deflection_mm / slow.max_deflection_mm)), part.strength.solid
    place_mm = None if solid is None else solid.place_mm
    return PartUse(
        label=part.label,
        material_id=part.strength.material_id,
        peak_stress_mpa=float(stress_mpa.max()),
        max_stress_mpa=part.strength.max_stress_mpa,
        is_by_solid=place_mm is not None,
        peak_stress_at_mm=place_mm,
        solid_problem="" if solid is None else solid.problem,
        peak_fatigue=float(slow_mpa.max()) / part.cyclic_mpa,
        creeps_at_mpa=lasting_mpa if lasting_mpa > part.creep_mpa else 0.0,
        peak_buckling=float(slow.buckling.max()),
        peak_deflection_mm=float(slow.deflection_mm[worst]),
        max_deflection_mm=float(slow.max_deflection_mm[worst]),
    )
