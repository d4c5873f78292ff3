"""The milling workbench: its rules for one part, and the price."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from contracts.models.design import Finding, Method, PriceBreakdown
from geometry.formatting import format_mm
from parts_catalog.materials import METALS
from parts_catalog.methods.workshop_figures import CNC_RATES, CNC_RULES, CncRules
from parts_catalog.pricing.mill_prices import ROUGHING_AND_FINISHING, MillingJob, envelope_of, milling_price

from workbenches.cnc.corners import sharp_corners, small_radii
from workbenches.cnc.holes import flat_bottoms, hole_dimensions
from workbenches.cnc.polygon_holes import polygon_holes
from workbenches.cnc.reach import deep_pockets, unreachable_faces
from workbenches.cnc.workpiece import Workpiece, workpiece_of
from workbenches.findings import Measurement, make_finding
from workbenches.interface import PartOrder
from workbenches.part_frame import box_edges, direction_name
from workbenches.part_mesh import PartMesh
from workbenches.round_faces import RoundFace
from workbenches.thickness import thin_walls


@dataclass(frozen=True)
class CncBench:
    """Milling on three axes."""

    method: ClassVar[Method] = "cnc"

    rules: CncRules = CNC_RULES

    def findings(self, part: PartMesh, order: PartOrder) -> tuple[Finding, ...]:
        """Apply every rule."""
        piece, label = workpiece_of(part, self.rules), order.label  # pyright: ignore[reportArgumentType] - frozen models are hashable
        is_metal = order.material.id in METALS
        walls = self.rules.metal_wall if is_metal else self.rules.plastic_wall
        findings = [
            *self._size(piece, order),
            *unreachable_faces(label, piece.access, self.rules),
            *self._setups(piece, label),
            *sharp_corners(label, part, piece.inner_edges, polygon_holes(part, piece.inner_edges), piece.access),
            *small_radii(label, piece.rounds, piece.access, self.rules),
            *hole_dimensions(label, piece.rounds, self.rules),
            *flat_bottoms(label, part, piece.rounds, piece.inner_edges),
            *thin_walls(label, "cnc_thin_wall", part, walls),
        ]
        if piece.may_have_pockets:
            findings += deep_pockets(piece, label)
        return tuple(findings)

    def price(self, part: PartMesh, order: PartOrder) -> PriceBreakdown:
        """Return the estimated price of one piece."""
        piece = workpiece_of(part, self.rules)  # pyright: ignore[reportArgumentType] - frozen models are hashable
        job = MillingJob(
            size_mm=box_edges(part.extents_mm),
            volume_mm3=part.volume_mm3,
            area_mm2=part.area_mm2,
            setups=max(len(piece.access.setups), 1),
            tools=_tool_count(piece.rounds),
        )
        return milling_price(order, job, CNC_RATES)

    def _size(self, piece: Workpiece, order: PartOrder) -> list[Finding]:
        size = np.sort(piece.mesh.extents_mm)[::-1]
        most = np.array(envelope_of(order.material, self.rules))
        if (size <= most + 1e-6).all() and size[1] >= self.rules.least_size_mm - 1e-6:
            return []
        measured = " x ".join(f"{edge:.1f}" for edge in size)
        limit = " x ".join(f"{edge:g}" for edge in most)
        axis = int(np.argmax(size - most))
        is_large = bool(size[axis] > most[axis])
        detail = (
            f"{order.label} measures {measured} mm along its own axes; a mill holds at most {limit} mm, and clamping "
            f"needs a second side of at least {format_mm(self.rules.least_size_mm)}: "
            + ("split it" if is_large else "make it wider, or join it with its neighbour")
        )
        measurement = (size[axis], most[axis]) if is_large else (size[1], self.rules.least_size_mm)
        measured_mm, limit_mm = (float(value) for value in measurement)
        return [
            make_finding("cnc_too_large", order.label, detail, measurement=Measurement(measured_mm, limit_mm, "mm"))
        ]

    def _setups(self, piece: Workpiece, label: str) -> list[Finding]:
        count, limit = len(piece.access.setups), self.rules.setups_without_warning
        if count <= limit:
            return []
        directions = ", ".join(direction_name(setup) for setup in piece.access.setups)
        detail = (
            f"{label} needs {count} set-ups (from {directions} of its own axes), {limit} or fewer are usual and each "
            "costs money; orient features towards fewer sides"
        )
        measurement = Measurement(count, limit, "count")
        return [make_finding("cnc_setups", label, detail, measurement=measurement, severity="warning")]


BENCH = CncBench()


def _tool_count(rounds: list[RoundFace]) -> int:
    """Return the number of tools: a drill for every hole diameter, a mill for every corner radius."""
    inner = {(face.is_full, round(face.radius_mm, 2)) for face in rounds if face.is_inner}
    return ROUGHING_AND_FINISHING + len(inner)
