"""What a method keeps of a size: general tolerances of ISO 2768-1, and those that printers are known for."""

from bisect import bisect_left

from contracts.models.design import Method

from parts_catalog.materials import Material
from parts_catalog.methods.workshop_figures import ToleranceClass
from parts_catalog.pricing.print_prices import is_powder

UP_TO_MM = (3.0, 6.0, 30.0, 120.0, 400.0, 1000.0)
"""Ends of the ranges of nominal sizes; the last one is up to 2 m."""
ISO_2768_MM: dict[ToleranceClass, tuple[float, ...]] = {
    "fine": (0.05, 0.05, 0.1, 0.15, 0.2, 0.3, 0.5),
    "medium": (0.1, 0.1, 0.2, 0.3, 0.5, 0.8, 1.2),
    "coarse": (0.2, 0.3, 0.5, 0.8, 1.2, 2.0, 3.0),
}
"""Plus or minus, of milled, turned and moulded parts."""
FILAMENT_MM: dict[ToleranceClass, float] = {"fine": 0.15, "medium": 0.2, "coarse": 0.3}
FILAMENT_SHARE = 0.005
POWDER_MM, POWDER_SHARE = 0.3, 0.003
"""[E] the larger of both, plus or minus: what services state for well-kept printers."""


def made_tolerance_mm(method: Method, material: Material, tolerance_class: ToleranceClass, size_mm: float) -> float:
    """Return by how much a size of a made part may differ to either side."""
    if method != "3d_printing":
        return ISO_2768_MM[tolerance_class][bisect_left(UP_TO_MM, size_mm)]
    if is_powder(material):
        return max(POWDER_MM, POWDER_SHARE * size_mm)
    return max(FILAMENT_MM[tolerance_class], FILAMENT_SHARE * size_mm)
