"""Finite elements for the parts that beams cannot bound: their stress under the peak loads of the nominal run."""

import hashlib
import zlib
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np
from contracts.models.geometry import Vector
from contracts.models.scene import Body
from contracts.models.simulation import PartUse
from strength.models import Action, Analysis, AnalysisResult, ElasticMaterial, Load, MeshLimits
from strength.process import Outcome, ProcessLimits, run

from sim_worker.model import World
from sim_worker.model.sensor_layout import SensorLayout
from sim_worker.names import payload_name
from sim_worker.run.moving_average import WINDOW_S, window_steps
from sim_worker.run.readings import Readings
from sim_worker.structure.impact import Blow, blow_at
from sim_worker.structure.monitor import Failure
from sim_worker.structure.part_model import PartModel, applied_loads
from sim_worker.structure.solid_loads import SolidLoads
from sim_worker.structure.window_means import WindowMeans, weighted
from sim_worker.units import Floats

MAX_ELEMENTS = 20_000
PROCESS_LIMITS = ProcessLimits(cpu_s=60)
DENSITY_KG_M3 = 1000.0
"""Any: only the distribution of the mass counts."""
LEAST_SEVERITY = 0.05
"""N; a part that never bears more is not analysed."""
PLATE = 3.0
"""Stress of a plate under a force over force by thickness squared, at most: Roark's plates, for spans up to 50 times
the thickness and a point contact."""
TORSION = 5.0
"""Shear stress times sqrt(3) over moment by thickness squared and width, at most, of a rectangular bar."""
CONVEX_MM = 0.05
"""By how much the one hull of a convex part may protrude from it."""
ENOUGH = 0.4
"""Of the admissible stress: lower ones are not refined."""
MAX_KEPT = 512


@dataclass(frozen=True)
class SolidUse:
    """What finite elements found about a part at its worst instant."""

    time_s: float
    stress_mpa: float
    limit_mpa: float
    place_mm: Vector
    blow_n: float | None
    """Peak force of a blow, if it is more than the mean."""
    mean_n: float
    """Of the contact, in the same window."""
    material_id: str

    def cause(self) -> str:
        """Return why the part breaks, with place, number and remedy."""
        x, y, z = self.place_mm
        blow = (
            f"; by its energy the blow reaches {self.blow_n:.3g} N, its mean over {WINDOW_S * 1000:g} ms is "
            f"{self.mean_n:.3g} N"
            if self.blow_n is not None
            else ""
        )
        return (
            f"was stressed to {self.stress_mpa:.3g} MPa at ({x:.1f}, {y:.1f}, {z:.1f}) mm (finite elements{blow}); "
            f"{self.material_id} as made bears {self.limit_mpa:.3g} MPa, a factor of safety of "
            f"{self.limit_mpa / self.stress_mpa:.2g}; make it thicker there, or its lever shorter"
        )


@dataclass(frozen=True)
class PartLoads:
    """The parts of a world, and the readings of a run of it."""

    world: World
    parts: tuple[PartModel, ...]
    readings: Readings

    @property
    def payload_kg(self) -> tuple[float, ...]:
        """Mass of each payload."""
        names = [payload_name(index) for index in range(len(self.world.scene.payloads))]
        return tuple(float(self.world.model.body(name).mass[0]) for name in names)


@dataclass(frozen=True)
class _Case:
    part: PartModel
    time_s: float
    actions: tuple[Action, ...]
    contact: Load | None
    blow: Blow | None
    mass_kg: float | None
    """Of the part."""


class SolidMonitor:
    """Analyses parts, each solid under each load once."""

    def __init__(self) -> None:
        self._known: OrderedDict[str, Outcome] = OrderedDict()
        self.analysed = 0
        """How many parts went to finite elements."""

    def uses(self, run: PartLoads, look: Callable[[], None]) -> dict[str, SolidUse]:
        """Return what finite elements find about the parts that beams cannot bound, by label.

        `look` is called several times a second, and may raise to end the analyses.
        """
        finder = _Cases(run)
        cases = [case for part in run.parts for case in finder.of(part)]
        outcomes = self._outcomes([_analysis(case) for case in cases], look)
        self.analysed = len({case.part.label for case in cases})
        found: dict[str, SolidUse] = {}
        for case, outcome in zip(cases, outcomes, strict=True):
            if not isinstance(outcome, AnalysisResult):
                continue
            use = _use(case, outcome)
            known = found.get(case.part.label)
            if known is None or use.stress_mpa > known.stress_mpa:
                found[case.part.label] = use
        return found

    def _outcomes(self, analyses: list[Analysis], look: Callable[[], None]) -> list[Outcome]:
        keys = [hashlib.sha256(each.model_dump_json().encode()).hexdigest() for each in analyses]
        missing = {key: each for key, each in zip(keys, analyses, strict=True) if key not in self._known}
        for key, outcome in zip(missing, run(list(missing.values()), PROCESS_LIMITS, look), strict=True):
            self._known[key] = outcome
        found = [self._known[key] for key in keys]
        for key in keys:
            self._known.move_to_end(key)
        while len(self._known) > MAX_KEPT:
            self._known.popitem(last=False)
        return found


def first_failure(uses: Mapping[str, SolidUse]) -> Failure | None:
    """Return the earliest failure of a part that bears too much."""
    failures = [(use.time_s, label, use.cause()) for label, use in uses.items() if use.stress_mpa > use.limit_mpa]
    return min(failures, default=None)


def with_solids(uses: tuple[PartUse, ...], solids: Mapping[str, SolidUse]) -> tuple[PartUse, ...]:
    """Return the uses of parts, with the stress of finite elements where it is the higher one."""
    return tuple(_with_solid(use, solids[use.label]) if use.label in solids else use for use in uses)


def _with_solid(use: PartUse, solid: SolidUse) -> PartUse:
    if solid.stress_mpa < use.peak_stress_mpa:
        return use
    changes: dict[str, object] = {
        "peak_stress_mpa": solid.stress_mpa,
        "stress_by": "finite elements",
        "peak_stress_at_mm": solid.place_mm,
    }
    return use.model_copy(update=changes)


class _Cases:
    """The instants at which parts are analysed."""

    def __init__(self, run: PartLoads) -> None:
        self._scene, self._readings, self._payload_kg = run.world.scene, run.readings, run.payload_kg
        self._bodies = {body.label: body for body in self._scene.bodies}
        steps = min(window_steps(run.world.step_s), len(run.readings.time_s))
        windows = WindowMeans(steps).means(weighted(run.readings))
        self._time_s, self._loads = windows.time_s, applied_loads(run.parts, windows)
        self._layout: SensorLayout = run.readings.layout

    def of(self, part: PartModel) -> list[_Case]:
        """Return the analyses of a part that beams cannot bound."""
        if not part.strength.solid:
            return []
        loads = SolidLoads.of(self._scene, part, self._layout.judged_welds)
        severities = loads.severities(self._loads)
        if severities.max() < LEAST_SEVERITY:
            return []
        stresses = part.stress_mpa(self._loads)
        contact_n = self._contact_n(part)
        rows = {int(np.argmax(severities)), int(np.argmax(stresses))}
        if contact_n.any():
            rows.add(int(np.argmax(contact_n)))
        cases = [(self._case(part, loads, row), float(stresses[row])) for row in sorted(rows)]
        body = self._bodies[part.label]
        return [case for case, beam_mpa in cases if not _is_convex(body) or _is_open(case, beam_mpa)]

    def _case(self, part: PartModel, loads: SolidLoads, row: int) -> _Case:
        actions = loads.at(self._loads, row)
        contact = next((each for each in self._loads.points[part.label] if each.is_contact), None)
        has_contact = contact is not None and bool(contact.forces[row].any())
        last = actions[-1] if actions and has_contact else None
        time_s = float(self._time_s[row])
        end = int(np.searchsorted(self._readings.time_s, time_s - 1e-9))
        blow = blow_at(self._scene, self._payload_kg, part.label, self._readings, end) if has_contact else None
        mass = self._bodies[part.label].mass
        if blow is not None and mass is not None and not any(is_seat for *_, is_seat in loads.welds):
            blow = replace(blow, mass_kg=blow.mass_kg * mass.mass_kg / (blow.mass_kg + mass.mass_kg))
        mass_kg = None if mass is None else mass.mass_kg
        return _Case(part, time_s, actions, last if isinstance(last, Load) else None, blow, mass_kg)

    def _contact_n(self, part: PartModel) -> Floats:
        found: Floats = np.zeros(len(self._time_s))
        for point in self._loads.points[part.label]:
            if point.is_contact:
                found += np.linalg.norm(point.forces, axis=1)
        return found


def _is_convex(body: Body) -> bool:
    """Tell whether a part is convex: it then has no hole, neck or notch between two sections."""
    return len(body.geoms) == 1 and body.protrusion_mm <= CONVEX_MM


def _is_open(case: _Case, beam_mpa: float) -> bool:
    """Tell whether a convex part may be stressed too much, by beams and bounds of plate and torsion."""
    sections = [section for beam in case.part.strength.beams for section in beam.sections]
    thin = min(section.area_mm2 / section.width_mm for section in sections)
    wide = min(section.width_mm for section in sections)
    loads = [each for each in case.actions if isinstance(each, Load)]
    force_n = max((float(np.linalg.norm(each.force_n)) for each in loads), default=0.0)
    moment_n_mm = max((float(np.linalg.norm(each.moment_n_mm)) for each in loads), default=0.0)
    local_mpa = PLATE * force_n / thin**2 + TORSION * moment_n_mm / (min(thin, wide) ** 2 * max(thin, wide))
    return _most_growth(case, thin) * (beam_mpa + local_mpa) > case.part.strength.max_stress_mpa


def _most_growth(case: _Case, thickness_mm: float) -> float:
    """Return by how much a blow may exceed the mean at most: on a block as stiff as a cube of this thickness."""
    if case.blow is None or case.contact is None:
        return 1.0
    mean_n = float(np.linalg.norm(case.contact.force_n))
    return max(1.0, case.blow.force_n(case.part.strength.modulus_mpa * thickness_mm) / mean_n)


def _analysis(case: _Case) -> Analysis:
    strength = case.part.strength
    material = ElasticMaterial(
        modulus_mpa=strength.modulus_mpa,
        poisson=strength.poisson_ratio,
        density_kg_m3=DENSITY_KG_M3,
        limit_mpa=strength.max_stress_mpa,
    )
    thickness_mm = min(section.area_mm2 / section.width_mm for beam in strength.beams for section in beam.sections)
    enough_mpa = ENOUGH * strength.max_stress_mpa / _most_growth(case, thickness_mm)
    return Analysis(
        brep=zlib.decompress(strength.solid).decode(),
        material=material,
        actions=case.actions,
        limits=MeshLimits(elements=MAX_ELEMENTS, enough_mpa=enough_mpa),
    )


def _use(case: _Case, answer: AnalysisResult) -> SolidUse:
    stress_mpa, blow_n, mean_n = answer.peak_stress_mpa, None, 0.0
    if case.contact is not None:
        mean_n = float(np.linalg.norm(case.contact.force_n))
        peak_n = _peak_n(case, answer, mean_n)
        if peak_n > mean_n:
            stress_mpa, blow_n = stress_mpa * peak_n / mean_n, peak_n
    return SolidUse(
        time_s=case.time_s,
        stress_mpa=stress_mpa,
        limit_mpa=case.part.strength.max_stress_mpa,
        place_mm=answer.peak_at_mm,
        blow_n=blow_n,
        mean_n=mean_n,
        material_id=case.part.strength.material_id,
    )


def _peak_n(case: _Case, answer: AnalysisResult, mean_n: float) -> float:
    """Return the peak force of a blow, by the lesser of energy and inertia; 0 without one."""
    given_mm, thickness_mm = answer.yields_mm[-1], answer.thicknesses_mm[-1]
    if case.blow is None or given_mm <= 0 or case.mass_kg is None:
        return 0.0
    strength, density = case.part.strength, case.mass_kg / (answer.volume_mm3 * 1e-9)
    of_plate_n = case.blow.plate_force_n(strength.modulus_mpa, strength.poisson_ratio, thickness_mm, density)
    return min(case.blow.force_n(mean_n / given_mm), of_plate_n)
