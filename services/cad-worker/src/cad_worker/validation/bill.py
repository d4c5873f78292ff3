"""The bill of materials of a design: parts, bought hardware and glue, with prices and masses."""

from collections import Counter
from collections.abc import Mapping, Sequence

from contracts.models.catalog import CatalogPart
from contracts.models.design import BillLine, BillOfMaterials, HardwareLine
from contracts.models.mechanism import Mechanism
from parts_catalog import parts as catalog
from parts_catalog.adhesive import ADHESIVE, BOND_MASS_KG, BOND_PRICE_USD
from parts_catalog.hardware import UnknownHardwareError, bearing_of, fastener
from parts_catalog.materials import mass_kg
from parts_catalog.quantity_prices import unit_price_usd
from workbenches.quote import PartQuote
from workbenches.teeth import teeth_price_usd, tooth_count

from cad_worker.bodies.solid_bodies import Part
from cad_worker.validation.transmission.teeth import pitch_lines_mm

TEETH = "teeth"
"""In place of a catalog id, in the lines for the teeth of made wheels and racks."""


def bill_of(
    parts: Sequence[Part],
    quotes: Mapping[str, PartQuote],
    kinds: Mapping[str, str],
    quantity: int,
    mechanism: Mechanism,
) -> BillOfMaterials | None:
    """Return the bill of a design's own parts and mechanism, or None if something in it has no price.

    `kinds` has by label the label of the first equal part.
    That is a part without a quote, or hardware that is not in the catalog; both have findings of their own.
    """
    made = [part for part in parts if part.catalog_id is None]
    if any(part.label not in quotes for part in made):
        return None
    teeth = _teeth_lines(parts, quantity, mechanism)
    try:
        hardware = (*_hardware_lines(parts, quantity, mechanism), *_glue_line(mechanism), *teeth)
    except UnknownHardwareError:
        return None
    counts = Counter(kinds.values())
    shared = {label: kind for label, kind in kinds.items() if counts[kind] > 1}
    lines = tuple(_part_line(part, quotes[part.label], shared.get(part.label)) for part in made)
    return BillOfMaterials(
        lines=lines,
        hardware=hardware,
        quantity=quantity,
        unit_price_usd=sum(line.unit_price_usd for line in lines)
        + sum(line.count * line.unit_price_usd for line in hardware),
        mass_kg=sum(line.mass_kg for line in lines) + sum(line.count * line.mass_kg for line in hardware),
    )


def _part_line(part: Part, quote: PartQuote, kind: str | None) -> BillLine:
    return BillLine(
        label=part.label,
        method=quote.method,
        material_id=quote.order.material.id,
        volume_mm3=part.volume_mm3,
        mass_kg=mass_kg(part.volume_mm3, quote.order.material.id),
        unit_price_usd=quote.price.unit_price_usd,
        breakdown=quote.price,
        box=part.bounds,
        kind=kind,
    )


def _hardware_lines(parts: Sequence[Part], quantity: int, mechanism: Mechanism) -> list[HardwareLine]:
    """Count motors and other bought parts, fasteners and bearings; raise `UnknownHardwareError`."""
    bodies = [catalog.part(part.catalog_id).id for part in parts if part.catalog_id is not None]
    bought = [*bodies]
    for connection in mechanism.connections:
        if connection.fastener_id is not None:
            bought += [fastener(connection.fastener_id).id] * len(connection.places_mm)
    bought += [bearing_of(joint.kind, joint.bearing_id).id for joint in mechanism.joints]
    return [
        _hardware_line(catalog.part(each), count, quantity, is_part=each in bodies)
        for each, count in Counter(bought).items()
    ]


def _hardware_line(part: CatalogPart, count: int, quantity: int, *, is_part: bool) -> HardwareLine:
    """Return the hardware of one machine, at the unit price for the whole order."""
    return HardwareLine(
        catalog_id=part.id,
        what=part.name,
        count=count,
        mass_kg=part.mass_kg,
        unit_price_usd=unit_price_usd(part, count * quantity),
        is_part=is_part,
    )


def _teeth_lines(parts: Sequence[Part], quantity: int, mechanism: Mechanism) -> list[HardwareLine]:
    """Return a line for the teeth of each made wheel and rack, whose price its quote does not include."""
    lengths = pitch_lines_mm(parts, mechanism)
    return [
        HardwareLine(
            catalog_id=TEETH,
            what=f"{tooth_count(lengths[part.label])} teeth of {part.label}",
            count=1,
            mass_kg=0.0,
            unit_price_usd=teeth_price_usd(part.method, lengths[part.label], quantity),
        )
        for part in parts
        if part.method is not None and part.label in lengths
    ]


def _glue_line(mechanism: Mechanism) -> list[HardwareLine]:
    bonds = (each for each in mechanism.connections if each.means == "bonded")
    count = len({frozenset((bond.first, bond.second)) for bond in bonds})
    if not count:
        return []
    return [
        HardwareLine(
            catalog_id=ADHESIVE.id,
            what=f"bond with {ADHESIVE.name}",
            count=count,
            mass_kg=BOND_MASS_KG,
            unit_price_usd=BOND_PRICE_USD,
        )
    ]
