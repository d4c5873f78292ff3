"""Unit prices of a machine in orders of several sizes."""

from collections.abc import Sequence
from dataclasses import dataclass

from contracts.models.design import HardwareLine, Method
from parts_catalog import parts as catalog
from parts_catalog.quantity_prices import unit_price_usd
from workbenches.interface import PartOrder
from workbenches.registry import WORKBENCHES
from workbenches.teeth import teeth_price_usd

from build_package.assembly.work_steps import WorkStep
from build_package.control.circuit import Circuit
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
    supplied_usd: float = 0.0
    """Power and control that the benchmark supplies, for who has to buy them; else they are in `parts_usd`."""

    @property
    def unit_price_usd(self) -> float:
        """What a shop would charge, without what the benchmark supplies."""
        return self.parts_usd + self.work_usd


@dataclass(frozen=True)
class Cost:
    """What a shop would charge for a machine."""

    work: tuple[Work, ...]
    prices: tuple[OrderPrice, ...]
    """By quantity, that of the bill included."""


def cost_of(machine: Machine, steps: Sequence[WorkStep], circuit: Circuit | None) -> Cost:
    """Return work and prices."""
    work = tuple(work_of(machine, steps, circuit))
    quantities = sorted({*QUANTITIES, machine.bill.quantity})
    prices = (
        OrderPrice(
            each,
            parts_price_usd(machine, each),
            work_price_usd(work, each),
            _bought_usd(machine.bill.supplied, each),
        )
        for each in quantities
    )
    return Cost(work, tuple(prices))


def parts_price_usd(machine: Machine, quantity: int) -> float:
    """Return the price of the bill in an order of `quantity`."""
    made = sum(len(part.lines) * _made_usd(part, quantity) for part in machine.made)
    methods: dict[str, Method] = {line.label: line.method for line in machine.bill.lines}
    made += sum(teeth_price_usd(methods[label], length, quantity) for label, length in machine.teeth_mm.items())
    return made + _bought_usd(machine.bill.hardware, quantity)


def _bought_usd(lines: Sequence[HardwareLine], quantity: int) -> float:
    """Return the price of bought pieces; teeth are in that of made ones."""
    bought = 0.0
    for line in lines:
        row = catalog.parts().get(line.catalog_id)
        if row is not None:
            bought += line.count * unit_price_usd(row, line.count * quantity)
        elif line.catalog_id != TEETH:
            bought += line.count * line.unit_price_usd
    return bought


def _made_usd(part: MadePart, quantity: int) -> float:
    """Return the price of one piece without teeth, of an order in which equal pieces share set-ups."""
    order = PartOrder(
        label=part.label,
        material=part.material,
        quantity=quantity * part.ordered,
        tolerance_class=part.tolerance_class,
    )
    return WORKBENCHES[part.line.method].price(part.mesh, order).unit_price_usd
