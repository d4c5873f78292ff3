"""Mass, centre and inertia of a solid, from its exact shape."""

from build123d import Solid
from contracts.models.scene import MassProperties

from geometry.occt.volumes import volume_integrals


def mass_properties(solid: Solid, density_kg_m3: float) -> MassProperties:
    """Return what a solid of one density weighs and how it resists turning, in world coordinates.

    Raises `ValueError` if the solid has no positive volume (it is open or inside out) or the density is not positive.
    """
    found = volume_integrals(solid)
    if not (found.volume_mm3 > 0 and 0 < density_kg_m3 < float("inf")):
        raise ValueError(
            f"no mass from {found.volume_mm3:g} mm³ of {density_kg_m3:g} kg/m³: both must be positive; "
            "a solid without volume is open or inside out, build it anew"
        )
    xx, yy, zz, xy, xz, yz = (value * 1e-15 * density_kg_m3 for value in found.inertia_mm5)
    return MassProperties(
        mass_kg=found.volume_mm3 * 1e-9 * density_kg_m3,
        center_mm=found.center_mm,
        inertia_kg_m2=(xx, yy, zz, xy, xz, yz),
    )
