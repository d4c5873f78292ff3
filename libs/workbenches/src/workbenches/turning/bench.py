"""The turning workbench: its rules for one part, and the price."""

from typing import ClassVar

import numpy as np
from contracts.models.design import Finding, Method, PriceBreakdown
from parts_catalog.methods.turning.figures import TURNING_RATES, TURNING_RULES
from parts_catalog.methods.workshop_figures import WallLimits
from parts_catalog.pricing.turn_prices import BLOCK_TOOLS, TurningJob, turning_price

from workbenches.edges import whole_surfaces
from workbenches.findings import make_finding
from workbenches.interface import PartOrder
from workbenches.part_mesh import PartMesh
from workbenches.thickness import thin_walls
from workbenches.turning.access import unreachable_faces
from workbenches.turning.features import bores, corners, grooves, holes, milled_features, necks, threads
from workbenches.turning.spindle import Spindle, spindle_of
from workbenches.turning.stock import roundness, size, slenderness

STEP_MM = 1e-3


class TurningBench:
    """A lathe with bar feeder and driven tools."""

    method: ClassVar[Method] = "turning"

    def findings(self, part: PartMesh, order: PartOrder) -> tuple[Finding, ...]:
        """Apply every rule; to a part that is not round, no other."""
        spindle, label = spindle_of(part), order.label
        if spindle is None:
            detail = f"{label} has no round face, and so no axis about which a lathe could turn it; mill or print it"
            return (make_finding("turn_not_round", label, detail),)
        not_round = roundness(spindle, label)
        if not_round:
            return tuple(not_round)
        wall: WallLimits = TURNING_RULES.wall
        return (
            *size(spindle, label),
            *slenderness(spindle, label),
            *unreachable_faces(spindle, label),
            *grooves(spindle, label),
            *bores(spindle, label),
            *holes(spindle, label),
            *thin_walls(label, "turn_thin_wall", part, wall),
            *necks(spindle, label),
            *corners(spindle, label),
            *milled_features(spindle, label),
            *threads(spindle, label),
        )

    def price(self, part: PartMesh, order: PartOrder) -> PriceBreakdown:
        """Return the estimated price of one piece; what is not round is priced as milled from round bar."""
        spindle = spindle_of(part)
        if spindle is None:
            first, second, length = sorted(float(edge) for edge in part.extents_mm)
            diameter = float(np.hypot(first, second))
            job = TurningJob(
                diameter, length, part.volume_mm3, part.area_mm2, milled_features=len(whole_surfaces(part))
            )
            return turning_price(order, job, TURNING_RATES)
        return turning_price(order, _job(spindle), TURNING_RATES)


BENCH = TurningBench()


def _job(spindle: Spindle) -> TurningJob:
    low, high = spindle.range_mm
    inner = {round(face.radius_mm, 2) for face in spindle.rounds if face.is_inner}
    return TurningJob(
        diameter_mm=2 * spindle.radius_mm,
        length_mm=high - low,
        volume_mm3=spindle.mesh.volume_mm3,
        area_mm2=spindle.mesh.area_mm2,
        milled_mm3=spindle.outline.milled_mm3,
        milled_features=sum(not one.isdisjoint(spindle.milled) for one in whole_surfaces(spindle.mesh)),
        tools=BLOCK_TOOLS + len(inner),
        sides=_sides(spindle),
    )


def _sides(spindle: Spindle) -> int:
    """Return from how many ends it is chucked: one if it only thickens, and its bore only narrows, towards one end."""
    outer, inner = spindle.outline.outer_mm, spindle.outline.inner_mm
    for turned_outer, turned_inner in ((outer, inner), (outer[::-1], inner[::-1])):
        if (np.diff(turned_outer) > -STEP_MM).all() and (np.diff(turned_inner) < STEP_MM).all():
            return 1
    return 2
