"""The bill of materials of a design: parts, bought hardware and glue, with prices and masses."""

from collections import Counter
from collections.abc import Mapping, Sequence

from build_package.control.bought import electronics_lines
from build_package.control.circuit import circuit_of
from build_package.machine import TEETH
from contracts.models.benchmark import Assignment
from contracts.models.catalog import CatalogPart
from contracts.models.design import BillLine, BillOfMaterials, HardwareLine
from contracts.models.mechanism import Connection, Mechanism
from contracts.text import counted
from parts_catalog import parts as catalog
from parts_catalog.adhesive import ADHESIVE, ASSUMED_CM2
from parts_catalog.hardware import UnknownHardwareError, bearing_of, fastener
from parts_catalog.pricing.infill import made_mass_kg
from parts_catalog.quantity_prices import unit_price_usd
from workbenches.quote import PartQuote
from workbenches.teeth import teeth_price_usd, tooth_count

from design_rules.bodies.multibody import MultibodySystem
from design_rules.bodies.solid_bodies import Part
from design_rules.transmission.teeth import pitch_lines_mm

SUPPLIED = "supplied"
"""In place of a catalog id, in the line for power and control."""


def bill_of(  # noqa: PLR0913, PLR0917 - what a bill depends on
    parts: Sequence[Part],
    quotes: Mapping[str, PartQuote],
    kinds: Mapping[str, str],
    assignment: Assignment,
    system: MultibodySystem,
    drawn_teeth: Mapping[str, int],
) -> BillOfMaterials | None:
    """Return the bill of a design's own parts and mechanism, or None if something in it has no price.

    That is a part without a quote, or hardware that is not in the catalog; both have findings of their own. `kinds` has
    by label the label of the first equal part. Glue is priced by the area over which the bodies of `system` touch.
    `drawn_teeth` has by label the numbers of teeth that will be drawn, as far as they are known.
    """
    mechanism, quantity = system.mechanism, assignment.quantity
    made = [part for part in parts if part.catalog_id is None]
    if any(part.label not in quotes for part in made):
        return None
    is_supplied = assignment.variant.power == "bench"
    electronics = _electronics_lines(parts, quantity, mechanism)
    power = _supplied_line(mechanism) if is_supplied else electronics
    other = (*_glue_line(system), *_teeth_lines(parts, quantity, mechanism, drawn_teeth), *power)
    try:
        hardware = (*_hardware_lines(parts, quantity, mechanism), *other)
    except UnknownHardwareError:
        return None
    counts = Counter(kinds.values())
    shared = {label: kind for label, kind in kinds.items() if counts[kind] > 1}
    lines = tuple(_part_line(part, quotes[part.label], shared.get(part.label)) for part in made)
    return BillOfMaterials(
        lines=lines,
        hardware=hardware,
        supplied=electronics if is_supplied else (),
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
        mass_kg=made_mass_kg(quote.order.material, quote.method, part.volume_mm3, part.solid.area),
        unit_price_usd=quote.price.unit_price_usd,
        breakdown=quote.price,
        box=part.bounds,
        kind=kind,
    )


def _hardware_lines(parts: Sequence[Part], quantity: int, mechanism: Mechanism) -> list[HardwareLine]:
    """Count motors and other bought parts, fasteners and bearings; raise `UnknownHardwareError`.

    A bearing that is itself a side of its joint, as a carriage is, counts as that part alone.
    """
    drawn = {part.label: catalog.part(part.catalog_id).id for part in parts if part.catalog_id is not None}
    bodies = list(drawn.values())
    bought = [*bodies]
    for connection in mechanism.connections:
        if connection.fastener_id is not None:
            bought += [fastener(connection.fastener_id).id] * len(connection.places_mm)
    for joint in mechanism.joints:
        bearing_id = bearing_of(joint.kind, joint.bearing_id).id
        bought += [] if bearing_id in (drawn.get(joint.parent), drawn.get(joint.child)) else [bearing_id]
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


def _teeth_lines(
    parts: Sequence[Part], quantity: int, mechanism: Mechanism, drawn: Mapping[str, int]
) -> list[HardwareLine]:
    """Return a line for the teeth of each made wheel and rack, whose price its quote does not include."""
    lengths = pitch_lines_mm(parts, mechanism)
    return [
        HardwareLine(
            catalog_id=TEETH,
            what=f"{drawn.get(part.label) or tooth_count(lengths[part.label])} teeth of {part.label}",
            count=1,
            mass_kg=0.0,
            unit_price_usd=teeth_price_usd(part.method, lengths[part.label], quantity),
        )
        for part in parts
        if part.method is not None and part.label in lengths
    ]


def _electronics_lines(parts: Sequence[Part], quantity: int, mechanism: Mechanism) -> tuple[HardwareLine, ...]:
    """Return a line for each kind of supply, driver, controller, wire and connector that the motors need."""
    catalog_ids = {part.label: part.catalog_id for part in parts if part.catalog_id is not None}
    circuit = circuit_of(mechanism, catalog_ids, {part.label: part.bounds for part in parts})
    return () if circuit is None else electronics_lines(circuit, quantity)


def _supplied_line(mechanism: Mechanism) -> list[HardwareLine]:
    """Return a line for supply, drivers, controller and cables, which are the benchmark's and cost nothing."""
    if not mechanism.motors:
        return []
    what = f"power and control of {counted(len(mechanism.motors), 'motor')}, supplied by the benchmark"
    return [HardwareLine(catalog_id=SUPPLIED, what=what, count=1, mass_kg=0.0, unit_price_usd=0.0)]


def _glue_line(system: MultibodySystem) -> list[HardwareLine]:
    """Return a line for all glue, at the mean price of a bond. A bond declared twice is one."""
    glued = (each for each in system.mechanism.connections if each.means == "bonded")
    bonds = {frozenset((bond.first, bond.second)): bond for bond in glued}
    if not bonds:
        return []
    areas_cm2 = [_glued_cm2(system, bond) for bond in bonds.values()]
    unknown = areas_cm2.count(None)
    mean_cm2 = sum(ASSUMED_CM2 if area is None else area for area in areas_cm2) / len(bonds)
    assumed = f", of {unknown} of them {ASSUMED_CM2:g} cm² assumed" if unknown else ""
    return [
        HardwareLine(
            catalog_id=ADHESIVE.id,
            what=f"bond with {ADHESIVE.name}, {mean_cm2:.3g} cm² on average{assumed}",
            count=len(bonds),
            mass_kg=mean_cm2 * ADHESIVE.mass_kg_per_cm2,
            unit_price_usd=ADHESIVE.price_usd + mean_cm2 * ADHESIVE.price_usd_per_cm2,
        )
    ]


def _glued_cm2(system: MultibodySystem, bond: Connection) -> float | None:
    """Return the area of a bond; None if one of its sides is not at hand, as the environment of a single part."""
    if not {bond.first, bond.second} <= set(system.bodies):
        return None
    return system.glue_contact(bond.first, bond.second).area_mm2 / 100
