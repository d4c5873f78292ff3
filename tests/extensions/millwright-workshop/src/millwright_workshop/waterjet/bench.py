"""Whether a part can be cut by water jet, and for how much."""

from contracts.models.design import Finding, Method, PackageRule, PriceBreakdown
from workbenches.findings import Measurement, make_finding
from workbenches.interface import PartOrder
from workbenches.part_mesh import PartMesh

from millwright_workshop.waterjet.facts import FACTS, LARGEST_MM, NOT_A_PLATE, TOO_LARGE
from millwright_workshop.waterjet.prices import jet_price

SLACK = 1e-3


class WaterJetBench:
    """A table with a jet."""

    @property
    def method(self) -> Method:
        return FACTS.id

    def findings(self, part: PartMesh, order: PartOrder) -> tuple[Finding, ...]:
        """Ask for one plate that fits the table."""
        edges = zip(sorted(part.extents_mm.tolist()), sorted(LARGEST_MM), strict=True)
        found = [
            _finding(order, TOO_LARGE, f"is {edge:.1f} mm long; the table takes {limit:g} mm: split it", edge, limit)
            for edge, limit in edges
            if edge > limit
        ]
        if _side_mm2(part) is None:
            text = "is not one plate: its section must be the same through the whole thickness"
            found.append(_finding(order, NOT_A_PLATE, text))
        return tuple(found)

    def price(self, part: PartMesh, order: PartOrder) -> PriceBreakdown:
        """Return the price of the plate around the part and of its cut faces; else of its surface."""
        return jet_price(order, float(part.extents_mm.prod()), part.solid.area - 2 * (_side_mm2(part) or 0.0))


BENCH = WaterJetBench()


def _side_mm2(part: PartMesh) -> float | None:
    """Return the area of one side of a plate, which fills the part over a whole edge of its box; None: not a plate."""
    volumes = ((face.area, face.area * edge) for face in part.faces for edge in part.extents_mm.tolist())
    return next((area for area, filled in volumes if abs(filled - part.volume_mm3) < SLACK * part.volume_mm3), None)


def _finding(order: PartOrder, rule: PackageRule, text: str, measured: float = 0.0, limit: float = 0.0) -> Finding:
    measurement = Measurement(measured, limit, "mm") if limit else None
    return make_finding(rule, order.label, f"{order.label} {text}", measurement=measurement)
