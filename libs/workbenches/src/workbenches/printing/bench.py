"""The printing workbench: its rules for one part, and the price."""

from typing import ClassVar

import numpy as np
from contracts.models.design import Finding, Method, PriceBreakdown
from geometry.arrays import as_vector
from geometry.formatting import format_mm, format_point
from parts_catalog.materials import Material
from parts_catalog.methods.workshop_figures import (
    FILAMENT_RATES,
    FILAMENT_RULES,
    POWDER_RATES,
    POWDER_RULES,
    PrintRules,
)
from parts_catalog.pricing.print_prices import PrintJob, filament_price, is_powder, powder_price, printer_for

from workbenches.findings import Measurement, Position, make_finding
from workbenches.interface import PartOrder
from workbenches.part_frame import box_edges
from workbenches.part_mesh import PartMesh
from workbenches.printing.orientation import best_orientation
from workbenches.printing.overhangs import overhangs
from workbenches.round_faces import RoundFace, round_faces
from workbenches.thickness import thin_walls


class PrintingBench:
    """Printing with filament or powder."""

    method: ClassVar[Method] = "3d_printing"

    def findings(self, part: PartMesh, order: PartOrder) -> tuple[Finding, ...]:
        """Apply every rule."""
        rules, label = rules_for(order.material), order.label
        findings = [
            *_size(part, label, rules),
            *_sealed_voids(part, order),
            *thin_walls(label, "print_thin_wall", part, rules.wall),
            *_round_features(part, label, rules),
        ]
        if rules.needs_support:
            findings += overhangs(label, part, best_orientation(part, rules), rules)  # pyright: ignore[reportArgumentType] - frozen models are hashable
        return tuple(findings)

    def price(self, part: PartMesh, order: PartOrder) -> PriceBreakdown:
        """Return the estimated price of one piece."""
        rules = rules_for(order.material)
        orientation = best_orientation(part, rules)  # pyright: ignore[reportArgumentType] - frozen models are hashable
        size_mm = box_edges(part.extents_mm)
        job = PrintJob(
            volume_mm3=part.volume_mm3,
            area_mm2=part.area_mm2,
            support_mm3=orientation.support_mm3,
            overhang_mm2=orientation.overhang_mm2,
            upright_mm2=orientation.upright_mm2,
            box_mm=size_mm,
            usd_per_h=printer_for(size_mm, rules).usd_per_h,
        )
        if is_powder(order.material):
            return powder_price(order, job, POWDER_RATES)
        return filament_price(order, job, FILAMENT_RATES)


BENCH = PrintingBench()


def rules_for(material: Material) -> PrintRules:
    """Return the rules of the material's process."""
    return POWDER_RULES if is_powder(material) else FILAMENT_RULES


def _size(part: PartMesh, label: str, rules: PrintRules) -> list[Finding]:
    size = np.sort(part.extents_mm)[::-1]
    most = np.sort(printer_for(box_edges(size), rules).build_volume_mm)[::-1]
    if (size <= most + 1e-6).all():
        return []
    axis = int(np.argmax(size - most))
    measured, limit = (" x ".join(f"{edge:.1f}" for edge in edges) for edges in (size, most))
    detail = f"{label} measures {measured} mm along its own axes, a printer holds at most {limit} mm; split it"
    measurement = Measurement(float(size[axis]), float(most[axis]), "mm")
    return [make_finding("print_too_large", label, detail, measurement=measurement)]


def _sealed_voids(part: PartMesh, order: PartOrder) -> list[Finding]:
    shells = part.solid.shells()
    count = len(shells) - 1
    if count < 1:
        return []
    outer = max(shells, key=lambda shell: shell.bounding_box().diagonal)
    center = next(shell for shell in shells if shell is not outer).center()
    point_mm, powder = (center.X, center.Y, center.Z), is_powder(order.material)
    fix = (
        "open it with a hole of at least 3.5 mm, or the powder stays inside"
        if powder
        else "defects inside it stay hidden"
    )
    detail = f"{order.label} has {count} sealed void(s), one around {format_point(point_mm)}; {fix}"
    return [
        make_finding(
            "print_sealed_void",
            order.label,
            detail,
            at=Position(None, point_mm),
            measurement=Measurement(count, 0, "count"),
            severity="error" if powder else "warning",
        )
    ]


def _round_features(part: PartMesh, label: str, rules: PrintRules) -> list[Finding]:
    findings: list[Finding] = []
    for face in round_faces(part):
        least_mm = rules.least_hole_mm if face.is_inner else rules.least_pin_mm
        if face.is_full and 2 * face.radius_mm < least_mm - 1e-6:
            findings.append(_too_thin(label, face, least_mm))
    return findings


def _too_thin(label: str, face: RoundFace, least_mm: float) -> Finding:
    point_mm, feature = as_vector(face.point_mm), "hole" if face.is_inner else "pin"
    fix = "make it wider, or drill it afterwards" if face.is_inner else "make it thicker"
    detail = (
        f"{label} has a {feature} of diameter {format_mm(2 * face.radius_mm)} at {format_point(point_mm)}, it prints "
        f"round from {format_mm(least_mm)} on; {fix}"
    )
    return make_finding(
        "print_small_hole" if face.is_inner else "print_small_feature",
        label,
        detail,
        at=Position(face.face, point_mm),
        measurement=Measurement(2 * face.radius_mm, least_mm, "mm"),
        severity="warning",
    )
