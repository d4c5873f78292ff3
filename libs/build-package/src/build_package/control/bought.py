"""What power and control are bought as: rows of the catalog with their numbers of pieces."""

from collections import Counter
from collections.abc import Iterator
from math import ceil

from contracts.models.catalog import CatalogPart
from contracts.models.design import HardwareLine
from parts_catalog import parts as catalog
from parts_catalog.quantity_prices import unit_price_usd

from build_package.control.circuit import Circuit
from build_package.control.electronics import CONTROLLER, SOCKET, SWITCH, WIRES, splice_for


def electronics_lines(circuit: Circuit, quantity: int) -> tuple[HardwareLine, ...]:
    """Return a line of the bill for each kind of supply, driver, controller, switch, wire and connector.

    They lie beside the machine, so that none adds to its mass.
    """
    counts: Counter[str] = Counter()
    for part, count in _pieces(circuit):
        counts[part.id] += count
    return tuple(
        HardwareLine(
            catalog_id=part_id,
            what=(row := catalog.part(part_id)).name,
            count=count,
            mass_kg=0.0,
            unit_price_usd=unit_price_usd(row, count * quantity),
        )
        for part_id, count in counts.items()
    )


def _pieces(circuit: Circuit) -> Iterator[tuple[CatalogPart, int]]:
    """Yield what one machine needs: a splice where a core meets a motor's lead, a socket on each pin of a controller.

    Boards and supplies have terminals.
    """
    yield from ((feed.supply.part, 1) for feed in circuit.feeds)
    yield from ((each.driver.part, 1) for each in circuit.motors if each.driver is not None)
    yield CONTROLLER, circuit.controllers
    yield SWITCH, circuit.controllers
    for area in sorted({wire.cross_section_mm2 for wire in circuit.wires}):
        alike = [wire for wire in circuit.wires if wire.cross_section_mm2 == area]
        yield WIRES[area], ceil(sum(wire.cores * wire.length_mm for wire in alike) / 1000)
    for wire in circuit.wires:
        if wire.is_spliced:
            yield splice_for(wire.cross_section_mm2), wire.cores
        if wire.is_signal:
            yield SOCKET, wire.cores
