"""What a filament print holds: a solid shell and sparse infill, the same for its price, its weight and its strength."""

from contracts.models.design import Method

from parts_catalog.materials import Material
from parts_catalog.methods.workshop_figures import FILAMENT_RATES, FilamentRates
from parts_catalog.pricing.print_prices import filled_mm3, is_powder


def is_sparse(material: Material, method: Method) -> bool:
    """Tell whether a part of this material is printed as shell and infill; all other ones are solid."""
    return method == "3d_printing" and not is_powder(material)


def made_share(material: Material, method: Method, volume_mm3: float, area_mm2: float) -> float:
    """Return the material in a part over that of a solid one of the same shape."""
    if not is_sparse(material, method):
        return 1.0
    return filled_mm3(volume_mm3, area_mm2, FILAMENT_RATES.shell_mm, FILAMENT_RATES.infill) / volume_mm3


def made_mass_kg(material: Material, method: Method, volume_mm3: float, area_mm2: float) -> float:
    """Return the mass of a part of this volume and surface."""
    return made_share(material, method, volume_mm3, area_mm2) * material.mass_kg(volume_mm3)


def plate_share(thickness_mm: float, rates: FilamentRates = FILAMENT_RATES) -> float:
    """Return what a printed plate bears in bending over a solid one; of round and square sections it is careful."""
    return borne_share(max(0.0, 1 - 2 * rates.shell_mm / thickness_mm) ** 3, rates)


def borne_share(core: float, rates: FilamentRates = FILAMENT_RATES) -> float:
    """Return what a print bears over a solid part, where the core within its shell has this share of it.

    Infill bears by the share that it fills: its lines run along the layers.
    """
    return 1 - (1 - rates.infill) * core
