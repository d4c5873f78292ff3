"""Detection of the first part that its loads break, buckle or bend too far, and the use of all parts."""

from collections.abc import Callable

import numpy as np
from contracts.models.simulation import PartUse
from numpy.typing import NDArray

from sim_worker.judge.moving_average import WINDOW_S
from sim_worker.run.readings import Readings
from sim_worker.structure.part_model import PartModel, Yield
from sim_worker.structure.window_means import WindowMeans
from sim_worker.units import Floats

SLOW_WINDOWS = 10
"""Windows over which loads are averaged for buckling and deflection: a part takes its time to bend."""
Failure = tuple[float, str, str]
"""Time, label of the part, and cause."""


class PartMonitor:
    """Compares the parts of one replica with what they bear. Feed every chunk once, in order."""

    def __init__(self, parts: tuple[PartModel, ...], steps: int) -> None:
        self._parts = parts
        self._fast, self._slow = WindowMeans(steps), WindowMeans(steps * SLOW_WINDOWS)

    def first_failure(self, readings: Readings) -> Failure | None:
        """Return the earliest failure of a chunk, at the end of a window."""
        if not self._parts or not np.isfinite(readings.rows).all():
            return None
        found: list[Failure] = []
        for windows, failures in ((self._fast, _broken), (self._slow, _yielding)):
            means = windows.means(readings)
            if len(means.time_s):
                found += [each for part in self._parts for each in failures(part, means)]
        return min(found, default=None)


def _broken(part: PartModel, means: Readings) -> list[Failure]:
    stress_mpa, limit, material = part.stress_mpa(means), part.strength.max_stress_mpa, part.strength.material_id
    return _first(
        part,
        means,
        stress_mpa > limit,
        lambda step: (
            f"was stressed to {stress_mpa[step]:.3g} MPa (bending and axial, mean over {WINDOW_S * 1000:g} ms); "
            f"{material} as made bears {limit:.3g} MPa; make it thicker, or its lever shorter"
        ),
    )


def _yielding(part: PartModel, means: Readings) -> list[Failure]:
    state, stiffer = part.yields(means), f"or of a stiffer material than {part.strength.material_id}"
    buckled = _first(
        part,
        means,
        state.buckling > 1.0,
        lambda step: (
            f"was compressed to {state.buckling[step]:.0%} of what it bears before it buckles, with a factor of safety "
            f"of 2; make it thicker or shorter, {stiffer}"
        ),
    )
    return buckled + _first(
        part,
        means,
        state.deflection_mm > state.max_deflection_mm,
        lambda step: (
            f"would bend by {state.deflection_mm[step]:.3g} mm, it was simulated as rigid, which holds up to "
            f"{state.max_deflection_mm[step]:.3g} mm (2 % of its length); make it thicker or shorter, {stiffer}"
        ),
    )


def _first(
    part: PartModel, means: Readings, is_over: NDArray[np.bool_], explain: Callable[[int], str]
) -> list[Failure]:
    over = np.flatnonzero(is_over)
    return [(float(means.time_s[over[0]]), part.label, explain(int(over[0])))] if len(over) else []


def part_uses(parts: tuple[PartModel, ...], readings: Readings, steps: int) -> tuple[PartUse, ...]:
    """Return the use of every part in a run, with the same windows as the judge; a shorter run is one window."""
    if not parts:
        return ()
    fast, slow = (
        WindowMeans(min(window, len(readings.time_s))).means(readings) for window in (steps, steps * SLOW_WINDOWS)
    )
    return tuple(_part_use(part, part.stress_mpa(fast), part.yields(slow)) for part in parts)


def _part_use(part: PartModel, stress_mpa: Floats, slow: Yield) -> PartUse:
    worst = int(np.argmax(slow.deflection_mm / slow.max_deflection_mm))
    return PartUse(
        label=part.label,
        material_id=part.strength.material_id,
        peak_stress_mpa=float(stress_mpa.max()),
        max_stress_mpa=part.strength.max_stress_mpa,
        peak_buckling=float(slow.buckling.max()),
        peak_deflection_mm=float(slow.deflection_mm[worst]),
        max_deflection_mm=float(slow.max_deflection_mm[worst]),
    )
