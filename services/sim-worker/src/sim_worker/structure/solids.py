"""Finite elements of the exact solids of parts whose stress beams, cuts and plates cannot bound.

They look at the instant at which the others find the greatest share of the limit; the ratio of both answers corrects
the others in every run of the scene.
"""

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from contracts.models.scene import Body, Scene, SolidStress
from parts_catalog.materials import MATERIALS
from parts_catalog.pricing.infill import plate_share
from scipy.spatial import ConvexHull  # pyright: ignore[reportMissingTypeStubs] - it ships none
from strength.models import Analysis, AnalysisResult, ElasticMaterial, MeshLimits
from strength.process import Outcome, ProcessLimits, run

from sim_worker.model import World
from sim_worker.structure.beds import FlatFace
from sim_worker.structure.part_model import PartModel
from sim_worker.structure.peak_stress import PeakStress
from sim_worker.structure.solid_loads import SolidLoads
from sim_worker.structure.supports import free_shares, points_of
from sim_worker.structure.thin_plates import SPOT, SPOT_IN_BLOW, triangles_of

LEAST_PLAIN, LEAST_SHARE, LEAST_OPEN, MOST_SHARE = 0.5, 0.1, 0.01, 3.0
"""Of the limit: below and above, the answer of beams, cuts and plates stands. That of a plain block is known best, that
of an open shape least: of a ring, fork or frame, whose sections fall into pieces."""
OPEN_SHARE = 0.5
"""Volume over that of the convex hull, below which a shape is open."""
PLAIN_MM = 0.05
"""By how much the one shape of a plain block may protrude from it: it has no hole, neck or notch."""
LEAST_FREE = 0.25
"""Of a part's length, without glued faces beside it."""
MOST_PARTS = 8
"""Of a submission, the most stressed first."""
LEAST_RATIO = 0.25
"""Of the answers: beams, cuts and plates are not more than four times too careful."""
LEAST_SEEN = 0.5
"""Of the surface, that contacts, screws and joints do not dent."""
ENOUGH = 0.4
"""Of the limit: lower stresses are not refined."""
PROCESS_LIMITS = ProcessLimits(cpu_s=30)
"""A mesher that hangs costs a submission so much for that part; three times what the finest mesh takes elsewhere."""
FILLED = 0.999
"""Mass over that of the full solid, below which a part is a shell with infill."""


def doubtful_parts(world: World, parts: tuple[PartModel, ...], peaks: Mapping[str, PeakStress]) -> list[str]:
    """Return the labels of the parts that finite elements should look at, the most stressed first.

    A part that is glued along its length, as floor and walls of a chute are, bends with the others: alone it would be
    too weak.
    """
    bodies = {body.label: body for body in world.scene.bodies}
    known = [part.label for part in parts if part.label in peaks]
    doubtful = [label for label in known if _is_doubtful(bodies[label], peaks[label])]
    doubtful = [label for label in doubtful if not _is_glued_along(world.scene, bodies[label])]
    return sorted(doubtful, key=lambda label: -peaks[label].share)[:MOST_PARTS]


def _is_doubtful(body: Body, peak: PeakStress) -> bool:
    if body.strength is None or body.strength.solid is not None:
        return False
    if not LEAST_OPEN <= peak.share <= MOST_SHARE:
        return False
    if len(body.geoms) == 1 and body.protrusion_mm <= PLAIN_MM:
        return peak.share >= LEAST_PLAIN
    return peak.share >= LEAST_SHARE or _is_open(body)


def _is_open(body: Body) -> bool:
    triangles = triangles_of(body)
    volume_mm3 = np.einsum("ti,ti->", triangles[:, 0], np.cross(triangles[:, 1], triangles[:, 2])) / 6
    return bool(abs(volume_mm3) < OPEN_SHARE * ConvexHull(triangles.reshape(-1, 3)).volume)


def _is_glued_along(scene: Scene, body: Body) -> bool:
    own = [weld for weld in scene.welds if body.label in (weld.first, weld.second)]
    faces = [points_of(weld) for weld in own if FlatFace.of(weld) is not None]
    return body.strength is not None and float(free_shares(body.strength.beams[0], faces).mean()) < LEAST_FREE


class Solids:
    """Analyses parts of one world."""

    def __init__(self, world: World, parts: tuple[PartModel, ...], files: Mapping[str, bytes]) -> None:
        """`files`: STEP files of single parts, by label."""
        self._world, self._files = world, files
        self._bodies = {body.label: body for body in world.scene.bodies}
        self._parts = {part.label: part for part in parts}
        self._loads = SolidLoads(world.scene, world.layout.judged_welds)

    def stresses(self, peaks: Mapping[str, PeakStress], look: Callable[[], None]) -> dict[str, SolidStress]:
        """Return what finite elements find about the doubtful parts, by label; `look` may raise to end them."""
        analyses = self.analyses(doubtful_parts(self._world, tuple(self._parts.values()), peaks), peaks)
        outcomes = run(list(analyses.values()), PROCESS_LIMITS, look)
        both = zip(analyses, outcomes, strict=True)
        return {label: self._stress(label, peaks[label], outcome) for label, outcome in both}

    def analyses(self, labels: Sequence[str], peaks: Mapping[str, PeakStress]) -> dict[str, Analysis]:
        """Return what is asked about those of the parts that have a file, by label."""
        return {label: self._analysis(label, peaks[label]) for label in labels if label in self._files}

    def _analysis(self, label: str, peak: PeakStress) -> Analysis:
        strength = self._parts[label].strength
        mass, limit_mpa = self._bodies[label].mass, _limit_mpa(self._parts[label], peak)
        material = ElasticMaterial(
            modulus_mpa=strength.modulus_mpa,
            poisson=strength.poisson_ratio,
            density_kg_m3=1000.0 if mass is None else MATERIALS[strength.material_id].density_kg_m3,
            limit_mpa=limit_mpa,
        )
        return Analysis(
            brep=self._files[label].decode(),
            material=material,
            actions=self._loads.at(label, peak.loads, SPOT if peak.blow_n is None else SPOT_IN_BLOW),
            limits=MeshLimits(enough_mpa=ENOUGH * limit_mpa),
        )

    def _stress(self, label: str, peak: PeakStress, outcome: Outcome) -> SolidStress:
        if not isinstance(outcome, AnalysisResult):
            return SolidStress(problem=outcome.detail)
        if not outcome.has_converged:
            return SolidStress(problem=f"the stress still changed by {outcome.change:.0%} with the mesh")
        if outcome.seen_share < LEAST_SEEN:
            return SolidStress(problem="loads cover most of its surface")
        part = self._parts[label]
        filled = self._filled(label, outcome)
        stress_mpa = outcome.peak_stress_mpa / filled
        ratio = _softened(part, peak, outcome, filled) * stress_mpa / _limit_mpa(part, peak) / peak.share
        return SolidStress(share=max(ratio, _least_ratio(part, peak)), place_mm=outcome.peak_at_mm)

    def _filled(self, label: str, found: AnalysisResult) -> float:
        """Return what the part bears at its peak over a solid one, and how stiff it is: a print is a shell with infill.

        It counts as a plate of its thickness there; where that is measured along a wall, its sections limit it.
        """
        strength, mass = self._parts[label].strength, self._bodies[label].mass
        solid_kg = MATERIALS[strength.material_id].mass_kg(found.volume_mm3)
        if mass is None or mass.mass_kg > FILLED * solid_kg:
            return 1.0
        widest_mm = max(2 * section.wall_mm for beam in strength.beams for section in beam.sections)
        return plate_share(min(widest_mm, found.peak_thickness_mm))


def _softened(part: PartModel, peak: PeakStress, found: AnalysisResult, filled: float) -> float:
    """Return how much of a blow's force is left where the exact solid gives way by more than its beams.

    The contact is the last action of an analysis. A print of that infill gives way by more than the solid, and what
    carries the part gives way, too.
    """
    if peak.blow is None or peak.blow_n is None:
        return 1.0
    yield_mm_per_n = max(found.yields_mm[-1], 0.0) / peak.blow_n / filled + peak.carriers_mm_per_n
    return min(1.0, peak.blow.force_n(peak.energy_j, yield_mm_per_n, part.strength) / peak.blow_n)


def _limit_mpa(part: PartModel, peak: PeakStress) -> float:
    return part.limit_mpa if peak.blow_n is None else part.blow_limit_mpa


def _least_ratio(part: PartModel, peak: PeakStress) -> float:
    """Return how far finite elements may lower a stress: not below that of the part in beams of several parts."""
    beams = [beam for beam in part.beams if len(beam.members) > 1]
    shares = [float(beam.stress_mpa(peak.loads)[0]) / _limit_mpa(part, peak) for beam in beams]
    together = max([peak.together_mpa / part.limit_mpa, *shares])
    return max(LEAST_RATIO, together / peak.share)


def with_stresses(scene: Scene, found: Mapping[str, SolidStress]) -> Scene:
    """Return a scene with what finite elements found about its parts."""
    bodies = tuple(_with_stress(body, found.get(body.label)) for body in scene.bodies)
    return scene.model_copy(update={"bodies": bodies})


def _with_stress(body: Body, stress: SolidStress | None) -> Body:
    if stress is None or body.strength is None:
        return body
    return body.model_copy(update={"strength": body.strength.model_copy(update={"solid": stress})})
