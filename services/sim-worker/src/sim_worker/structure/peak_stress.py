"""The highest stress of each part in the nominal run where beams do not look: at its weakest cuts, in thin plates
under a load, and at the peak of a blow."""

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from contracts.models.geometry import Vector
from contracts.models.scene import Scene
from contracts.models.simulation import PartUse

from sim_worker.model import World
from sim_worker.model.tree import DisjointSets
from sim_worker.names import payload_name
from sim_worker.run.moving_average import WINDOW_S, window_steps
from sim_worker.run.readings import Readings
from sim_worker.structure.impact import Blow, blow_at
from sim_worker.structure.monitor import Failure
from sim_worker.structure.part_model import AppliedLoads, PartModel, applied_loads
from sim_worker.structure.section_loads import PointLoad
from sim_worker.structure.thin_plates import SPOT, SPOT_IN_BLOW, Plates, ThinPlate
from sim_worker.structure.window_means import RunMeans
from sim_worker.units import Floats

Model = Literal["beams", "cut", "plate"]
WORDS: dict[Model, str] = {
    "beams": "as a beam",
    "cut": "at its weakest cut",
    "plate": "as a thin plate under its load",
}
BEFORE = 2
"""Windows before that of a blow, to which its load is compared."""
INSTANTS = 3
"""Windows of the greatest contact, and of the hardest blows, that are looked at."""
LEAST_N = 0.05
"""Of a contact that is looked at."""
UNEVEN = 4.0
"""By how much the stress for each newton may differ between runs: another place, lever or hardness of a blow."""


@dataclass(frozen=True)
class PeakStress:
    """What a part bears at its worst instant."""

    time_s: float
    stress_mpa: float
    limit_mpa: float
    model: Model
    place_mm: Vector | None
    """None: beams found it."""
    blow_n: float | None
    """Peak force of a blow, if it is more than the mean."""
    mean_n: float
    """Of the contact, in the same window."""
    material_id: str
    is_by_solid: bool
    """Whether finite elements corrected the stress."""
    loads: AppliedLoads
    """What acts at that instant: one row."""
    blow: Blow | None = None
    """What reaches `blow_n`."""
    energy_j: float = 0.0
    """Of the blow, that the part takes up."""
    carriers_mm_per_n: float = 0.0
    """By how much the parts that carry it give way in the blow."""
    struck_mm: Vector | None = None
    """Where the blow hits."""
    together_mpa: float = 0.0
    """Highest stress in beams of several parts over the run, of which finite elements would see one part alone."""
    most: tuple[float, ...] = ()
    """Over the run: force of contacts and joints, force and moment of welds."""

    @property
    def share(self) -> float:
        """Of the limit."""
        return self.stress_mpa / self.limit_mpa

    def cause(self) -> str:
        """Return why the part breaks, with place, number and remedy."""
        place = "" if self.place_mm is None else " at ({:.1f}, {:.1f}, {:.1f}) mm".format(*self.place_mm)
        blow = ""
        if self.blow_n is not None and self.struck_mm is not None:
            hit = "a blow at ({:.1f}, {:.1f}, {:.1f}) mm".format(*self.struck_mm)
            reaches = f"at the peak of {hit}" if self.is_by_solid else f"{hit} reaches {self.blow_n:.3g} N"
            blow = f"; {reaches}, its mean over {WINDOW_S * 1000:g} ms is {self.mean_n:.3g} N"
        words = "by finite elements" if self.is_by_solid else WORDS[self.model]
        gentler = ", its lever shorter, or the blow gentler" if blow else ", or its lever shorter"
        return (
            f"was stressed to {self.stress_mpa:.3g} MPa{place} ({words}{blow}); {self.material_id} as made "
            f"bears {self.limit_mpa:.3g} MPa, a factor of safety of {self.limit_mpa / self.stress_mpa:.2g}; make it "
            f"thicker there{gentler}"
        )


def first_failure(peaks: Mapping[str, PeakStress]) -> Failure | None:
    """Return the earliest failure of a part that bears too much."""
    failures = [(peak.time_s, label, peak.cause()) for label, peak in peaks.items() if peak.stress_mpa > peak.limit_mpa]
    return min(failures, default=None)


def with_peaks(uses: tuple[PartUse, ...], peaks: Mapping[str, PeakStress]) -> tuple[PartUse, ...]:
    """Return the uses of parts, with these stresses where they are the higher ones."""
    return tuple(_with_peak(use, peaks[use.label]) if use.label in peaks else use for use in uses)


def _with_peak(use: PartUse, peak: PeakStress) -> PartUse:
    if peak.share <= use.peak_stress_mpa / use.max_stress_mpa:
        return use
    changes: dict[str, object] = {
        "max_stress_mpa": peak.limit_mpa,
        "peak_stress_mpa": peak.stress_mpa,
        "stress_by": peak.model,
        "is_by_solid": peak.is_by_solid,
        "peak_stress_at_mm": peak.place_mm,
    }
    return use.model_copy(update=changes)


class PeakSearch:
    """Finds the highest stress of parts in runs of one world; what does not depend on the run is computed once."""

    def __init__(
        self, world: World, parts: tuple[PartModel, ...], nominal: Mapping[str, PeakStress] | None = None
    ) -> None:
        """`nominal`: what the run without jitter has shown: parts that bear little there are not looked at closely."""
        self._parts, self._nominal = parts, nominal or {}
        self._fixed = _Fixed.of(world, parts)
        self._steps = window_steps(world.step_s)

    def nominal(self, readings: Readings, labels: Container[str] | None = None) -> dict[str, PeakStress]:
        """Return the highest stress of each part in the run without jitter, by label; of all parts, or of these."""
        return self.found(RunMeans.of(readings, self._steps), labels=labels) if self._parts else {}

    def found(
        self, run: RunMeans, payload_factors: Sequence[float] | None = None, labels: Container[str] | None = None
    ) -> dict[str, PeakStress]:
        """Return the same of any run; `payload_factors`: mass of each payload in it over that of the scene."""
        search = self._run(run, payload_factors)
        return {part.label: search.peak(part) for part in self._parts if labels is None or part.label in labels}

    def doubtful(self, run: RunMeans, payload_factors: Sequence[float]) -> set[str]:
        """Return the labels of the parts that may break in a run; beams were looked at before."""
        search = self._run(run, payload_factors)
        known = self._nominal
        return {part.label for part in self._parts if search.may_break(part, known.get(part.label))}

    def _run(self, run: RunMeans, payload_factors: Sequence[float] | None) -> "_Run":
        factors = payload_factors or [1.0] * len(self._fixed.payload_kg)
        mass_kg = [own * factor for own, factor in zip(self._fixed.payload_kg, factors, strict=True)]
        return _Run(self._fixed, run, mass_kg)


@dataclass(frozen=True)
class _Fixed:
    """What is equal in all runs of a world."""

    scene: Scene
    parts: tuple[PartModel, ...]
    payload_kg: tuple[float, ...]
    mass_kg: Mapping[str, float]
    """Of bodies."""
    moving: frozenset[str]
    plates: Plates
    connected: DisjointSets
    """Bodies by welds that do not lead through the ground."""

    @classmethod
    def of(cls, world: World, parts: tuple[PartModel, ...]) -> "_Fixed":
        names = [payload_name(index) for index in range(len(world.scene.payloads))]
        payload_kg = tuple(float(world.model.body(name).mass[0]) for name in names)
        mass_kg = {body.label: body.mass.mass_kg for body in world.scene.bodies if body.mass is not None}
        connected = DisjointSets()
        for weld in world.scene.welds:
            if {weld.first, weld.second} <= mass_kg.keys():
                connected.unite(weld.first, weld.second)
        moving = frozenset(world.layout.moving)
        return cls(world.scene, parts, payload_kg, mass_kg, moving, Plates(world.scene), connected)


class _Run:
    """One run."""

    def __init__(self, fixed: _Fixed, run: RunMeans, payload_kg: Sequence[float]) -> None:
        self._fixed, self._run, self._payload_kg = fixed, run, payload_kg
        self._time_s, self._loads = run.windows.time_s, applied_loads(fixed.parts, run.windows)

    def peak(self, part: PartModel) -> PeakStress:
        """Return the stress of a part that is the greatest share of its limit."""
        at_beams = part.stress_mpa(self._loads)
        row = int(np.argmax(at_beams))
        found = [self._instant(part, row).peak(float(at_beams[row]), "beams", None)]
        at_cuts = part.cut_stresses_mpa(self._loads)
        if at_cuts.size:
            row = int(np.argmax(at_cuts.max(axis=1)))
            found.append(self._instant(part, row).cut(at_cuts[row]))
        for row, contact, blow in self._contacts(part):
            found += self._at_contact(part, row, contact, blow)
        beams = [beam for beam in part.beams if len(beam.members) > 1]
        together = max((float(beam.stress_mpa(self._loads).max()) for beam in beams), default=0.0)
        return replace(max(found, key=lambda peak: peak.share), together_mpa=together, most=self._most(part))

    def _most(self, part: PartModel) -> tuple[float, ...]:
        """Return the greatest force of contacts and joints on a part, and force and moment of its welds."""
        welds = self._loads.welds[:, sorted({weld for beam in part.beams for weld in beam.welds})]
        points = [each.forces for each in self._loads.points[part.label]]
        rows = (np.concatenate(points) if points else np.zeros((0, 3)), welds[..., :3], welds[..., 3:])
        return tuple(float(np.linalg.norm(each, axis=-1).max(initial=0.0)) for each in rows)

    def may_break(self, part: PartModel, nominal: PeakStress | None) -> bool:
        """Tell whether a part may break at a cut, as a plate or in a blow: a bound of plates needs no span."""
        if nominal is not None and all(
            UNEVEN * nominal.share * own <= usual for own, usual in zip(self._most(part), nominal.most, strict=True)
        ):
            return False
        if (part.cut_stresses_mpa(self._loads) > part.limit_mpa).any():
            return True
        return any(not self._bears(part, row, contact, blow) for row, contact, blow in self._contacts(part))

    def _bears(self, part: PartModel, row: int, contact: PointLoad, blow: Blow | None) -> bool:
        """Tell whether a part surely bears what presses on it: a plate that gives way would soften the blow."""
        place, force = contact.points_mm[row], contact.forces[row]
        instant = self._instant(part, row, float(np.linalg.norm(force)))
        found = (
            [] if blow is None or part.rests_at(place, force) else self._under_blow(instant, row, blow, (None, place))
        )
        if any(peak.share > 1.0 for peak in found):
            return False
        struck = [peak for peak in found if peak.model == "beams"]
        peak_n = max((peak.blow_n or 0.0 for peak in struck), default=0.0)
        strength = part.strength
        mpa_per_n = part.solid_share * self._fixed.plates.most_mpa_per_n(
            part.label, place, force, strength.poisson_ratio
        )
        blow_mpa = SPOT_IN_BLOW * part.blow_limit_mpa
        return mpa_per_n * max(instant.mean_n / (SPOT * part.limit_mpa), peak_n / blow_mpa) <= 1.0

    def _contacts(self, part: PartModel) -> list[tuple[int, PointLoad, Blow | None]]:
        """Return the windows of the greatest contacts and of the hardest blows, with what presses there."""
        contact = next((each for each in self._loads.points[part.label] if each.is_contact), None)
        if contact is None:
            return []
        force_n: Floats = np.asarray(np.linalg.norm(contact.forces, axis=1), dtype=np.float64)
        blows = {row: self._blow(part.label, row, force_n) for row in np.flatnonzero(force_n > LEAST_N).tolist()}
        return [(row, contact, blows[row]) for row in _rows(force_n, blows)]

    def _instant(self, part: PartModel, row: int, mean_n: float = 0.0) -> "_Instant":
        return _Instant(part, float(self._time_s[row]), self._loads.at(row), mean_n)

    def _blow(self, label: str, row: int, force_n: Floats) -> Blow | None:
        """Return the blow of which a window has the greatest share; None where nothing hits the part.

        A part that can move gives way before it bends: its blows are judged by their mean alone.
        """
        around = [float(each) for each in force_n[max(row - 1, 0) : row + 2]]
        if label in self._fixed.moving or force_n[row] < max(around):
            return None
        blow = blow_at(self._fixed.scene, self._payload_kg, label, self._run, row)
        if blow is None:
            return None
        passed = sum(around) * WINDOW_S / (blow.mass_kg * blow.speed_m_s)
        return replace(blow, share=min(1.0, passed))

    def _at_contact(self, part: PartModel, row: int, contact: PointLoad, blow: Blow | None) -> list[PeakStress]:
        """Return the stresses of a part at an instant when something presses on it."""
        place, force = contact.points_mm[row], contact.forces[row]
        instant = self._instant(part, row, float(np.linalg.norm(force)))
        plate = self._fixed.plates.at(part.label, place, force)
        found = (
            [] if blow is None or part.rests_at(place, force) else self._under_blow(instant, row, blow, (plate, place))
        )
        if plate is not None:
            stress_mpa = part.solid_share * plate.stress_mpa(instant.mean_n, part.strength.poisson_ratio)
            found.append(instant.peak(stress_mpa, "plate", place))
        return found

    def _under_blow(
        self, instant: "_Instant", row: int, blow: Blow, under: tuple[ThinPlate | None, Floats]
    ) -> list[PeakStress]:
        """Return the stresses of a part at the peak of a blow: what it has added since before grows with its force."""
        part, (plate, place) = instant.part, under
        strength, mean_n = part.strength, instant.mean_n
        before = self._loads.at(max(row - BEFORE, 0))
        added = self._loads.added(row, max(row - BEFORE, 0))
        gives = 2 * part.energy_n_mm(added) / mean_n**2
        if plate is not None:
            gives = max(gives, plate.yield_mm_per_n(strength.modulus_mpa, strength.poisson_ratio))
        carriers = self._carriers_mm_per_n(part, added, mean_n)
        gives += carriers
        energy_j = blow.energy_j(self._fixed.mass_kg.get(part.label, np.inf))
        growth = blow.force_n(energy_j, gives, strength) / mean_n
        if growth <= 1.0:
            return []
        loads = before.plus(added, growth)
        struck = replace(instant, loads=loads, growth=growth, blow=blow, energy_j=energy_j, struck_mm=_vector(place))
        peak = replace(struck, carriers_mm_per_n=carriers)
        beam_mpa = float(part.stress_mpa(before)[0] + growth * part.stress_mpa(added)[0])
        found = [peak.peak(beam_mpa, "beams", None)]
        at_cuts = part.cut_stresses_mpa(before)[0] + growth * part.cut_stresses_mpa(added)[0]
        if at_cuts.size:
            found.append(peak.cut(at_cuts))
        if plate is not None:
            patch_mm = blow.patch_mm(growth * mean_n, strength)
            stress_mpa = part.solid_share * plate.stress_mpa(growth * mean_n, strength.poisson_ratio, patch_mm)
            found.append(peak.peak(stress_mpa, "plate", place))
        return found

    def _carriers_mm_per_n(self, part: PartModel, added: AppliedLoads, force_n: float) -> float:
        """Return by how much the parts that carry one give way for each newton that a blow adds.

        Parts and what carries them are springs in series: their elastic energies add up. None counts where something
        else presses on one of them in the same window: its energy would not be the blow's.
        """
        carriers = [each for each in self._fixed.parts if self._carries(each.label, part.label)]
        pressed = [load for each in carriers for load in added.points[each.label] if load.is_contact]
        if any(float(np.linalg.norm(load.forces)) > LEAST_N for load in pressed):
            return 0.0
        alone = [beam for each in carriers for beam in each.beams if len(beam.members) == 1]
        return 2 * sum(beam.energy_n_mm(added) for beam in alone) / force_n**2

    def _carries(self, label: str, struck: str) -> bool:
        """Tell whether welds lead from a struck part to another one without the ground between them."""
        connected = self._fixed.connected
        return label != struck and connected.find(label) == connected.find(struck)


@dataclass(frozen=True)
class _Instant:
    """A part at an instant, with the mean of its contact and by how much a blow exceeds it."""

    part: PartModel
    time_s: float
    loads: AppliedLoads
    mean_n: float = 0.0
    growth: float = 1.0
    blow: Blow | None = None
    energy_j: float = 0.0
    struck_mm: Vector | None = None
    carriers_mm_per_n: float = 0.0

    def cut(self, stresses: Floats) -> PeakStress:
        """Return the stress at the worst of the part's cuts."""
        worst = int(np.argmax(stresses))
        return self.peak(float(stresses[worst]), "cut", self.part.cuts.centers_mm[worst])

    def peak(self, stress_mpa: float, model: Model, place_mm: Floats | None) -> PeakStress:
        """Return a stress of the part."""
        strength = self.part.strength
        limit_mpa, spot = self.part.limit_mpa, SPOT
        if self.growth > 1.0:
            limit_mpa, spot = self.part.blow_limit_mpa, SPOT_IN_BLOW
        spot = spot if model == "plate" else 1.0
        if strength.solid is not None and strength.solid.place_mm is not None:
            place_mm, stress_mpa, spot = np.array(strength.solid.place_mm), stress_mpa / spot, 1.0
        return PeakStress(
            time_s=self.time_s,
            stress_mpa=stress_mpa,
            limit_mpa=limit_mpa * spot,
            model=model,
            place_mm=None if place_mm is None else _vector(place_mm),
            blow_n=self.growth * self.mean_n if self.growth > 1.0 else None,
            mean_n=self.mean_n,
            material_id=strength.material_id,
            is_by_solid=strength.solid is not None and strength.solid.place_mm is not None,
            loads=self.loads,
            blow=self.blow,
            energy_j=self.energy_j,
            struck_mm=self.struck_mm,
            carriers_mm_per_n=self.carriers_mm_per_n,
        )


def _rows(force_n: Floats, blows: Mapping[int, Blow | None]) -> list[int]:
    """Return the windows of the greatest contacts and of the hardest blows."""
    hardest = sorted(
        (row for row, blow in blows.items() if blow is not None),
        key=lambda row: -_momentum(blows[row]),
    )
    greatest = sorted(blows, key=lambda row: -float(force_n[row]))
    return sorted({*hardest[:INSTANTS], *greatest[:INSTANTS]})


def _momentum(blow: Blow | None) -> float:
    return 0.0 if blow is None else blow.mass_kg * blow.speed_m_s


def _vector(values: Floats) -> Vector:
    x, y, z = (round(float(value), 3) for value in values)
    return x, y, z
