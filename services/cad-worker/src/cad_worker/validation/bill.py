"""From parts and what holds and moves them to a bill of materials."""

from collections import Counter
from collections.abc import Sequence

from contracts.models.catalog import CatalogPart
from contracts.models.design import BillLine, BillOfMaterials, HardwareLine
from contracts.models.mechanism import Mechanism
from parts_catalog import parts as catalog
from parts_catalog.hardware.lookup import ADHESIVE, UnknownHardwareError, bearing_of, fastener
from parts_catalog.masses import BOND_MASS_KG, BOND_PRICE_USD, mass_kg
from parts_catalog.materials import Material
from parts_catalog.quantity_prices import unit_price_usd
from workbenches.registry import WORKBENCHES
from workbenches.interface import PartOrder

from cad_worker.validation.bodies import Part


def bill_of(parts: Sequence[Part], quantity: int, mechanism: Mechanism) -> BillOfMaterials | None:
    """Return the bill of a design's own parts and mechanism, or None where something in it has no price.

    That is a part whose method or material is open, and hardware that nobody sells: the rules report both.
    """
    made = [part for part in parts if part.catalog_id is None]
    lines = [line for line in (_line(part, quantity) for part in made) if line is not None]
    try:
        hardware = (*_bought(parts, quantity, mechanism), *_glue(mechanism))
    except UnknownHardwareError:
        return None
    if len(lines) < len(made):
        return None
    return BillOfMaterials(
        lines=tuple(lines),
        hardware=hardware,
        quantity=quantity,
        unit_price_usd=sum(line.unit_price_usd for line in lines)
        + sum(line.count * line.unit_price_usd for line in hardware),
        mass_kg=sum(line.mass_kg for line in lines) + sum(line.count * line.mass_kg for line in hardware),
    )


def _line(part: Part, quantity: int) -> BillLine | None:
    if part.method is None or part.material is None:
        return None
    breakdown = WORKBENCHES[part.method].price(part.mesh, order_of(part, part.material, quantity))
    return BillLine(
        label=part.label,
        method=part.method,
        material_id=part.material.id,
        volume_mm3=part.volume_mm3,
        mass_kg=mass_kg(part.volume_mm3, part.material.id),
        unit_price_usd=breakdown.unit_price_usd,
        breakdown=breakdown,
        box=part.around,
    )


def order_of(part: Part, material: Material, quantity: int) -> PartOrder:
    """Return what is wanted of a part, apart from its shape."""
    return PartOrder(label=part.label, material=material, quantity=quantity, tolerance_class=part.tolerance_class)


def _bought(parts: Sequence[Part], quantity: int, mechanism: Mechanism) -> list[HardwareLine]:
    """Count motors and other bought parts, fasteners and bearings; raise `UnknownHardwareError`."""
    bodies = [catalog.part(part.catalog_id).id for part in parts if part.catalog_id is not None]
    bought = [*bodies]
    for connection in mechanism.connections:
        if connection.fastener_id is not None:
            bought += [fastener(connection.fastener_id).id] * len(connection.places_mm)
    bought += [bearing_of(joint.kind, joint.bearing_id).id for joint in mechanism.joints]
    return [
        _lot(catalog.part(each), count, quantity, is_part=each in bodies) for each, count in Counter(bought).items()
    ]


def _lot(part: CatalogPart, count: int, quantity: int, *, is_part: bool) -> HardwareLine:
    """Return what one machine takes of a part, at the price of all that the order takes."""
    return HardwareLine(
        catalog_id=part.id,
        what=part.name,
        count=count,
        mass_kg=part.mass_kg,
        unit_price_usd=unit_price_usd(part, count * quantity),
        is_part=is_part,
    )


def _glue(mechanism: Mechanism) -> list[HardwareLine]:
    """Count the bonds."""
    count = sum(connection.means == "bonded" for connection in mechanism.connections)
    if not count:
        return []
    return [
        HardwareLine(
            catalog_id=ADHESIVE.id,
            what=f"bond with {ADHESIVE.what}",
            count=count,
            mass_kg=BOND_MASS_KG,
            unit_price_usd=BOND_PRICE_USD,
        )
    ]
