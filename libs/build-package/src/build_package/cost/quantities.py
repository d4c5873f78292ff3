"""Unit prices of a machine in orders of several sizes."""

from collections.abc import Sequence
from dataclasses import dataclass

from contracts.models.design import Method
from parts_catalog import parts as catalog
from parts_catalog.quantity_prices import unit_price_usd
from workbenches.interface import PartOrder
from workbenches.registry import WORKBENCHES
from workbenches.teeth import teeth_price_usd

from build_package.assembly.work_steps import WorkStep
from build_package.control.circuit import Circuit
from build_package.control.electronics import CONTROLLER
from build_package.cost.work import Work, work_of, work_price_usd
from build_package.machine import TEETH, Machine, MadePart

QUANTITIES = (1, 10, 100, 1000)


@dataclass(frozen=True)
class OrderPrice:
    """What one machine costs in an order."""

    quantity: int
    parts_usd: float
    """Made and bought parts, screws, glue: the price that the benchmark limits, at the order that it asks for."""
    work_usd: float

    @property
    def unit_price_usd(self) -> float:
        """What a shop would charge."""
        return self.parts_usd + self.work_usd


@dataclass(frozen=True)
class Cost:
    """What a shop would charge for a machine."""

    work: tuple[Work, ...]
    prices: tuple[OrderPrice, ...]
    """By quantity, that of the bill included."""
    electronics_usd: float
    """About what supplies, drivers and controllers cost who has no benchmark that supplies them."""


def cost_of(machine: Machine, steps: Sequence[WorkStep], circuit: Circuit | None) -> Cost:
    """Return work and prices."""
    work = tuple(work_of(machine, steps, circuit))
    quantities = sorted({*QUANTITIES, machine.bill.quantity})
    prices = tuple(OrderPrice(each, parts_price_usd(machine, each), work_price_usd(work, each)) for each in quantities)
    return Cost(work, prices, 0.0 if circuit is None else _electronics_usd(circuit))


def parts_price_usd(machine: Machine, quantity: int) -> float:
    """Return the price of the bill in an order of `quantity`."""
    made = sum(len(part.lines) * _made_usd(part, quantity) for part in machine.made)
    methods: dict[str, Method] = {line.label: line.method for line in machine.bill.lines}
    made += sum(teeth_price_usd(methods[label], length, quantity) for label, length in machine.teeth_mm.items())
    bought = 0.0
    for line in machine.bill.hardware:
        row = catalog.parts().get(line.catalog_id)
        if row is not None:
            bought += line.count * unit_price_usd(row, line.count * quantity)
        elif line.catalog_id != TEETH:
            bought += line.count * line.unit_price_usd
    return made + bought


def _electronics_usd(circuit: Circuit) -> float:
    supplies = sum(feed.supply.price_usd for feed in circuit.feeds if feed.supply is not None)
    drivers = sum(each.driver.price_usd for each in circuit.motors if each.driver is not None and not each.is_servo)
    return supplies + drivers + circuit.controllers * CONTROLLER.price_usd


def _made_usd(part: MadePart, quantity: int) -> float:
    """Return the price of one piece without teeth, of an order in which equal pieces share set-ups."""
    order = PartOrder(
        label=part.label,
        material=part.material,
        quantity=quantity * part.ordered,
        tolerance_class=part.tolerance_class,
    )
    return WORKBENCHES[part.line.method].price(part.mesh, order).unit_price_usd
