"""Mass, centre of mass and inertia of a solid, from its exact shape."""

from build123d import Solid
from contracts.models.scene import MassProperties

from geometry.occt.measures import volume_integrals


def mass_properties(solid: Solid, density_kg_m3: float) -> MassProperties:
    """Return mass, centre and inertia tensor of a solid of uniform density, in world coordinates.

    Raises `ValueError` if the solid has no positive volume (it is open or inside out) or the density is not positive.
    """
    integrals = volume_integrals(solid)
    if not (integrals.volume_mm3 > 0 and 0 < density_kg_m3 < float("inf")):
        raise ValueError(
            f"no mass from {integrals.volume_mm3:g} mm³ of {density_kg_m3:g} kg/m³: both must be positive; "
            "a solid without volume is open or inside out, rebuild it"
        )
    xx, yy, zz, xy, xz, yz = (value * 1e-15 * density_kg_m3 for value in integrals.inertia_mm5)
    return MassProperties(
        mass_kg=integrals.volume_mm3 * 1e-9 * density_kg_m3,
        center_mm=integrals.center_mm,
        inertia_kg_m2=(xx, yy, zz, xy, xz, yz),
    )
