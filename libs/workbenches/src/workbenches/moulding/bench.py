"""The moulding workbench: all its rules over one part, and its price."""

from dataclasses import dataclass

import numpy as np
from contracts.models.design import Finding, Method, PriceBreakdown

from workbenches.configuration import MOULD_RATES, MOULD_RULES, MouldRates, MouldRules
from workbenches.edges import edges_of
from workbenches.interface import Order
from workbenches.moulding.bosses import bosses
from workbenches.moulding.draft import drafts
from workbenches.moulding.parting import Opening, best_opening
from workbenches.moulding.pricing import Job, distinct_faces, price
from workbenches.moulding.undercuts import undercuts
from workbenches.moulding.wall_thickness import MANY, ribs, sharp_inner_edges, wall_findings, walls_of
from workbenches.part_frame import extents_mm, own_axes
from workbenches.part_mesh import Floats, PartMesh
from workbenches.report import Measure, report
from workbenches.round_faces import round_faces


@dataclass(frozen=True)
class MouldingBench:
    """Injection moulding."""

    rules: MouldRules = MOULD_RULES
    rates: MouldRates = MOULD_RATES

    @property
    def method(self) -> Method:
        """Return the method it stands for."""
        return "injection_molding"

    def findings(self, part: PartMesh, order: Order) -> tuple[Finding, ...]:
        """Apply every rule."""
        opening, walls, label = best_opening(part), walls_of(part), order.label
        inner = [edge for edge in edges_of(part) if edge.is_concave]
        return (
            *self._size(part, label),
            *drafts(label, part, opening.pull, self.rules),
            *undercuts(label, opening),
            *wall_findings(walls, order, self.rules),
            *ribs(label, part, walls, inner, self.rules),
            *bosses(label, round_faces(part), walls, self.rules),
            *sharp_inner_edges(label, walls, inner, self.rules),
        )

    def price(self, part: PartMesh, order: Order) -> PriceBreakdown:
        """Return what one piece costs."""
        opening, walls = best_opening(part), walls_of(part)
        size = _size_to_pull(part, opening)
        job = Job(
            volume_mm3=part.solid.volume,
            wall_mm=walls.at(1 - MANY)[0] if walls.is_wall.any() else float(size.min()),
            size_mm=size,
            projected_mm2=float((part.areas_mm2 * np.abs(part.normals @ opening.pull)).sum() / 2),
            distinct_faces=distinct_faces(part),
            side_actions=len(opening.side_actions),
        )
        return price(order, job, self.rates)

    def _size(self, part: PartMesh, label: str) -> list[Finding]:
        size, most = np.sort(extents_mm(part, own_axes(part)))[::-1], np.array(self.rules.envelope_mm)
        volume = part.solid.volume
        if (size <= most + 1e-6).all() and volume <= self.rules.largest_volume_mm3:
            return []
        has, may = (" x ".join(f"{edge:.1f}" for edge in edges) for edges in (size, most))
        detail = (
            f"{label} measures {has} mm and {volume / 1000:.0f} cm3, a press makes at most {may} mm and "
            f"{self.rules.largest_volume_mm3 / 1000:.0f} cm3; split it or hollow it out"
        )
        axis = int(np.argmax(size - most))
        return [report("mould_too_large", label, detail, measure=Measure(float(size[axis]), float(most[axis]), "mm"))]


def _size_to_pull(part: PartMesh, opening: Opening) -> Floats:
    """Return (3,), the part's size along its own axes with the direction of pull last."""
    axes = own_axes(part)
    order = np.argsort(np.abs(axes @ opening.pull), kind="stable")
    return extents_mm(part, axes)[order]
