"""The printing workbench: all its rules over one part, and its price."""

from dataclasses import dataclass

import numpy as np
from contracts.models.design import Finding, Method, PriceBreakdown
from geometry.formatting import format_mm, format_point
from parts_catalog.materials import Material

from workbenches.configuration import (
    FILAMENT_RATES,
    FILAMENT_RULES,
    POWDER_RATES,
    POWDER_RULES,
    FilamentRates,
    PowderRates,
    Printer,
    PrintRules,
)
from workbenches.interface import Order
from workbenches.part_frame import extents_mm, own_axes, vector_of
from workbenches.part_mesh import PartMesh
from workbenches.printing.orientation import best_standing
from workbenches.printing.overhangs import undersides
from workbenches.printing.pricing import Job, filament_price, powder_price
from workbenches.report import Measure, Spot, report
from workbenches.round_faces import RoundFace, round_faces
from workbenches.thickness import thickness_of
from workbenches.walls import thin_walls

WALL_SAMPLES = 3000


def is_powder(material: Material) -> bool:
    """Tell whether a material is sintered from powder, and not laid down as filament."""
    return material.id.endswith("-sls")


@dataclass(frozen=True)
class PrintingBench:
    """Printing with filament or powder."""

    filament: PrintRules = FILAMENT_RULES
    powder: PrintRules = POWDER_RULES
    filament_rates: FilamentRates = FILAMENT_RATES
    powder_rates: PowderRates = POWDER_RATES

    @property
    def method(self) -> Method:
        """Return the method it stands for."""
        return "3d_printing"

    def rules_for(self, material: Material) -> PrintRules:
        """Return the rules of the material's process."""
        return self.powder if is_powder(material) else self.filament

    def findings(self, part: PartMesh, order: Order) -> tuple[Finding, ...]:
        """Apply every rule."""
        rules, label = self.rules_for(order.material), order.label
        found = [
            *_size(part, label, rules),
            *_sealed_voids(part, order),
            *thin_walls(label, "print_thin_wall", thickness_of(part, part.samples(WALL_SAMPLES)), rules.wall),
            *_round_features(part, label, rules),
        ]
        if rules.needs_support:
            found += undersides(label, part, best_standing(part, rules), rules)
        return tuple(found)

    def price(self, part: PartMesh, order: Order) -> PriceBreakdown:
        """Return what one piece costs."""
        rules = self.rules_for(order.material)
        standing = best_standing(part, rules)
        job = Job(
            volume_mm3=part.solid.volume,
            area_mm2=float(part.areas_mm2.sum()),
            support_mm3=standing.support_mm3 if rules.needs_support else 0.0,
            height_mm=standing.height_mm,
            box_mm=extents_mm(part, own_axes(part)),
            usd_per_h=_printer(part, rules).usd_per_h,
        )
        if is_powder(order.material):
            return powder_price(order, job, self.powder_rates)
        return filament_price(order, job, self.filament_rates)


def _printer(part: PartMesh, rules: PrintRules) -> Printer:
    """Return the first machine that holds a part; the largest, if none does."""
    size = np.sort(extents_mm(part, own_axes(part)))
    fitting = (each for each in rules.printers if (size <= np.sort(each.build_volume_mm) + 1e-6).all())
    return next(fitting, rules.printers[-1])


def _size(part: PartMesh, label: str, rules: PrintRules) -> list[Finding]:
    size = np.sort(extents_mm(part, own_axes(part)))[::-1]
    most = np.sort(_printer(part, rules).build_volume_mm)[::-1]
    if (size <= most + 1e-6).all():
        return []
    axis = int(np.argmax(size - most))
    has, may = (" x ".join(f"{edge:.1f}" for edge in edges) for edges in (size, most))
    detail = f"{label} measures {has} mm along its own axes, a printer makes at most {may} mm; split it into parts"
    return [report("print_too_large", label, detail, measure=Measure(float(size[axis]), float(most[axis]), "mm"))]


def _sealed_voids(part: PartMesh, order: Order) -> list[Finding]:
    shells = part.solid.shells()
    if len(shells) < 2:
        return []
    outer = max(shells, key=lambda shell: shell.bounding_box().diagonal)
    void = next(shell for shell in shells if shell is not outer).center()
    spot, powder = (void.X, void.Y, void.Z), is_powder(order.material)
    why = "the powder in it cannot get out: open it with a hole of 3.5 mm or more" if powder else "nobody sees it fail"
    detail = f"{order.label} has {len(shells) - 1} sealed void(s), one around {format_point(spot)}; {why}"
    return [
        report(
            "print_sealed_void",
            order.label,
            detail,
            at=Spot(None, spot),
            measure=Measure(len(shells) - 1, 0, "count"),
            severity="error" if powder else "warning",
        )
    ]


def _round_features(part: PartMesh, label: str, rules: PrintRules) -> list[Finding]:
    found: list[Finding] = []
    for each in round_faces(part):
        least_mm = rules.least_hole_mm if each.is_inner else rules.least_pin_mm
        if each.is_all_round and 2 * each.radius_mm < least_mm - 1e-6:
            found.append(_too_thin(label, each, least_mm))
    return found


def _too_thin(label: str, each: RoundFace, least_mm: float) -> Finding:
    spot, what = vector_of(each.place_mm), "hole" if each.is_inner else "pin"
    mend = "drill it afterwards or make it wider" if each.is_inner else "make it thicker"
    detail = (
        f"{label} has a {what} of diameter {format_mm(2 * each.radius_mm)} at {format_point(spot)}, from {format_mm(least_mm)} on it comes "
        f"out round; {mend}"
    )
    return report(
        "print_small_hole" if each.is_inner else "print_small_feature",
        label,
        detail,
        at=Spot(each.face, spot),
        measure=Measure(2 * each.radius_mm, least_mm, "mm"),
        severity="warning",
    )
