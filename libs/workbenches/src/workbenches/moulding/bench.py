"""The moulding workbench: its rules for one part, and the price."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from contracts.models.design import Finding, Method, PriceBreakdown
from geometry.arrays import FloatArray
from parts_catalog.methods.workshop_figures import MOULD_RATES, MOULD_RULES, MouldRules
from parts_catalog.pricing.mould_prices import MouldingJob, moulding_price

from workbenches.edges import edges_of, whole_surfaces
from workbenches.findings import Measurement, make_finding
from workbenches.interface import PartOrder
from workbenches.moulding.draft import missing_draft
from workbenches.moulding.parting import MouldOpening, best_opening, projected_mm2, undercuts
from workbenches.moulding.walls import MANY, sharp_inner_edges, thick_bosses, thick_ribs, wall_thickness, walls_of
from workbenches.part_frame import box_edges
from workbenches.part_mesh import PartMesh
from workbenches.round_faces import round_faces


@dataclass(frozen=True)
class MouldingBench:
    """Injection moulding."""

    method: ClassVar[Method] = "injection_molding"

    rules: MouldRules = MOULD_RULES

    def findings(self, part: PartMesh, order: PartOrder) -> tuple[Finding, ...]:
        """Apply every rule."""
        opening, walls, label = best_opening(part), walls_of(part), order.label
        edges = edges_of(part)
        inner = [edge for edge in edges if edge.is_concave]
        return (
            *self._size(part, label),
            *missing_draft(label, part, opening, edges, self.rules),
            *undercuts(label, opening),
            *wall_thickness(walls, order, self.rules),
            *thick_ribs(label, part, walls, inner, self.rules),
            *thick_bosses(label, round_faces(part), walls, self.rules),
            *sharp_inner_edges(label, walls, inner, self.rules),
        )

    def price(self, part: PartMesh, order: PartOrder) -> PriceBreakdown:
        """Return the estimated price of one piece."""
        opening, walls = best_opening(part), walls_of(part)
        size = _size_to_pull(part, opening)
        job = MouldingJob(
            volume_mm3=part.volume_mm3,
            wall_mm=walls.quantile(1 - MANY)[0] if walls.is_wall.any() else float(size.min()),
            size_mm=box_edges(size),
            projected_mm2=projected_mm2(part, opening.pull),
            distinct_faces=_distinct_faces(part),
            side_actions=len(opening.side_actions),
        )
        return moulding_price(order, job, MOULD_RATES)

    def _size(self, part: PartMesh, label: str) -> list[Finding]:
        size, most = np.sort(part.extents_mm)[::-1], np.array(self.rules.envelope_mm)
        volume = part.volume_mm3
        if (size <= most + 1e-6).all() and volume <= self.rules.largest_volume_mm3:
            return []
        measured, limit = (" x ".join(f"{edge:.1f}" for edge in edges) for edges in (size, most))
        detail = (
            f"{label} measures {measured} mm and {volume / 1000:.0f} cm3, a press makes at most {limit} mm and "
            f"{self.rules.largest_volume_mm3 / 1000:.0f} cm3; split it or hollow it out"
        )
        axis = int(np.argmax(size - most))
        measurement = Measurement(float(size[axis]), float(most[axis]), "mm")
        return [make_finding("mould_too_large", label, detail, measurement=measurement)]


BENCH = MouldingBench()


def _size_to_pull(part: PartMesh, opening: MouldOpening) -> FloatArray:
    """Return (3,), the part's size along its own axes, the pull direction last."""
    return part.extents_mm[np.argsort(np.abs(part.axes @ opening.pull), kind="stable")]


def _distinct_faces(mesh: PartMesh) -> int:
    """Count faces that differ in kind or size: one cutter program makes forty equal teeth."""
    areas, kinds = mesh.face_areas_mm2, mesh.surfaces
    return len({(kinds[min(one)].kind, round(float(areas[list(one)].sum()), 1)) for one in whole_surfaces(mesh)})
