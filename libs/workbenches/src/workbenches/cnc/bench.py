"""The milling workbench: all its rules over one part, and its price."""

from dataclasses import dataclass

import numpy as np
from contracts.models.design import Finding, Method, PriceBreakdown
from geometry.formatting import format_mm

from workbenches.cnc.corners import sharp_corners, small_radii
from workbenches.cnc.holes import flat_bottoms, holes
from workbenches.cnc.pricing import Job, price, tools_for
from workbenches.cnc.reach import deep_pockets, unreachable
from workbenches.cnc.workpiece import Workpiece
from workbenches.configuration import CNC_RATES, CNC_RULES, METALS, CncRates, CncRules
from workbenches.interface import Order
from workbenches.part_frame import extents_mm, way_name
from workbenches.part_mesh import PartMesh
from workbenches.report import Measure, report
from workbenches.thickness import thickness_of
from workbenches.walls import thin_walls

WALL_SAMPLES = 3000


@dataclass(frozen=True)
class CncBench:
    """Milling on three axes."""

    rules: CncRules = CNC_RULES
    rates: CncRates = CNC_RATES

    @property
    def method(self) -> Method:
        """Return the method it stands for."""
        return "cnc"

    def findings(self, part: PartMesh, order: Order) -> tuple[Finding, ...]:
        """Apply every rule."""
        piece, label = Workpiece(part, self.rules), order.label
        is_metal = order.material.id in METALS
        walls = self.rules.metal_wall if is_metal else self.rules.plastic_wall
        found = [
            *self._size(piece, order),
            *unreachable(label, piece.access, self.rules),
            *self._setups(piece, label),
            *sharp_corners(label, piece.inner_edges, piece.access),
            *small_radii(label, piece.rounds, piece.access, self.rules),
            *holes(label, piece.rounds, self.rules),
            *flat_bottoms(label, part, piece.rounds, piece.inner_edges),
            *thin_walls(label, "cnc_thin_wall", thickness_of(part, part.samples(WALL_SAMPLES)), walls),
        ]
        if piece.inner_edges:  # a part without an inner edge has no pocket
            found += deep_pockets(piece, label)
        return tuple(found)

    def price(self, part: PartMesh, order: Order) -> PriceBreakdown:
        """Return what one piece costs."""
        piece = Workpiece(part, self.rules)
        job = Job(
            size_mm=extents_mm(part, piece.axes),
            volume_mm3=part.solid.volume,
            area_mm2=float(part.areas_mm2.sum()),
            setups=max(len(piece.access.setups), 1),
            tools=tools_for(piece.rounds),
        )
        return price(order, job, self.rates)

    def _size(self, piece: Workpiece, order: Order) -> list[Finding]:
        size = np.sort(extents_mm(piece.mesh, piece.axes))[::-1]
        is_aluminum = order.material.id.startswith("aluminum")
        most = np.array(self.rules.aluminum_envelope_mm if is_aluminum else self.rules.envelope_mm)
        if (size <= most + 1e-6).all() and size[1] >= self.rules.least_size_mm - 1e-6:
            return []
        has = " x ".join(f"{edge:.1f}" for edge in size)
        may = " x ".join(f"{edge:g}" for edge in most)
        axis = int(np.argmax(size - most))
        is_large = bool(size[axis] > most[axis])
        detail = (
            f"{order.label} measures {has} mm along its own axes; a mill takes at most {may} mm, and can clamp nothing "
            f"whose second side is shorter than {format_mm(self.rules.least_size_mm)}: "
            + ("split it" if is_large else "make it wider, or join it with its neighbour")
        )
        finding = report(
            "cnc_too_large",
            order.label,
            detail,
            measure=Measure(
                float(size[axis] if is_large else size[1]),
                float(most[axis] if is_large else self.rules.least_size_mm),
                "mm",
            ),
        )
        return [finding]

    def _setups(self, piece: Workpiece, label: str) -> list[Finding]:
        count = len(piece.access.setups)
        if count <= self.rules.setups_without_warning:
            return []
        ways = ", ".join(way_name(way) for way in piece.access.setups)
        detail = (
            f"{label} must be clamped {count} times ({ways} of its own axes); up to "
            f"{self.rules.setups_without_warning} are usual, each costs money: let features point to fewer sides"
        )
        return [
            report(
                "cnc_setups",
                label,
                detail,
                measure=Measure(count, self.rules.setups_without_warning, "count"),
                severity="warning",
            )
        ]
