"""Power and control of motors: drivers, supplies, controller, wire and connectors, chosen by voltage and current.

All are rows of the catalog, whose sources and prices hold; ratings and prices that no document was at hand for are
marked there.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from contracts.models.catalog import CatalogPart
from parts_catalog import parts as catalog
from parts_catalog.datasheets import MotorSheet

COPPER_OHM_MM2_PER_M = 0.0178
MOST_DROP = 0.03
"""Of the voltage, in the wires of a motor at its stall current."""
SUPPLIED_VOLTAGE = 1.05
"""Highest voltage of a fixed supply over a motor's nominal one."""


class UnpoweredError(ValueError):
    """Nothing in the catalog bears a motor's voltage and current."""


@dataclass(frozen=True)
class Rated:
    """A board or supply for a range of voltages: what it bears all the time, and for seconds as when a motor stalls."""

    part: CatalogPart
    voltages_v: tuple[float, float]
    continuous_a: float
    peak_a: float

    @property
    def name(self) -> str:
        """What bills and wiring call it."""
        return self.part.name

    @property
    def has_two_inputs(self) -> bool:
        """Whether a driver takes a pulse width on one of two inputs, and not a pulse width and a direction."""
        return bool(self.part.figures["two_inputs"])


def _rated(subcategory: str, continuous: str, peak: str) -> tuple[Rated, ...]:
    """Return the rows of one kind, the cheapest first."""
    found = [
        Rated(
            row,
            (float(row.figures["voltage_min_v"]), float(row.figures["voltage_max_v"])),
            float(row.figures[continuous]),
            float(row.figures[peak]),
        )
        for row in catalog.parts().values()
        if row.subcategory == subcategory
    ]
    return tuple(sorted(found, key=lambda each: (each.part.price_usd, each.part.id)))


DRIVERS = _rated("motor_driver", "continuous_a", "peak_a")
SUPPLIES = _rated("power_supply", "current_a", "current_a")
CONTROLLER, SWITCH, SOCKET = (catalog.part(each) for each in ("CTL-PICO", "SW-TOGGLE", "CON-SOCKET"))
SPLICES = tuple(
    sorted(
        (row for row in catalog.parts().values() if row.subcategory == "connector" and row.id != SOCKET.id),
        key=lambda row: float(row.figures["area_max_mm2"]),
    )
)
WIRES = {
    float(row.figures["area_mm2"]): row
    for row in sorted(catalog.parts().values(), key=lambda row: float(row.figures.get("area_mm2", 0)))
    if row.subcategory == "wire"
}
"""A metre of wire by its cross-section in mm², the thinnest first."""


def driver_for(motor: MotorSheet) -> Rated | None:
    """Return the cheapest driver that bears a motor's currents, None for servos; raise `UnpoweredError`."""
    if motor.turns_in_range:
        return None
    continuous_a = motor.stall_current_a * motor.continuous_torque_n_m / motor.stall_torque_n_m
    for each in DRIVERS:
        low, high = each.voltages_v
        bears = motor.stall_current_a <= each.peak_a and continuous_a <= each.continuous_a
        if low <= motor.nominal_voltage_v <= high and bears:
            return each
    raise UnpoweredError(f"no driver of the catalog bears {motor.stall_current_a:g} A at {motor.nominal_voltage_v:g} V")


def supply_for(motors: Sequence[MotorSheet]) -> Rated | None:
    """Return the cheapest supply that feeds motors of one voltage, all stalled at once; None if none is enough."""
    voltage_v, current_a = motors[0].nominal_voltage_v, sum(motor.stall_current_a for motor in motors)
    for each in SUPPLIES:
        low, high = each.voltages_v
        if low <= voltage_v * SUPPLIED_VOLTAGE and voltage_v <= high and current_a <= each.continuous_a:
            return each
    return None


def wire_mm2(current_a: float, length_mm: float, voltage_v: float) -> float:
    """Return the thinnest wire in which a current loses at most `MOST_DROP` of the voltage, there and back."""
    needed = 2 * length_mm / 1000 * current_a * COPPER_OHM_MM2_PER_M / (MOST_DROP * voltage_v)
    return next((each for each in WIRES if each >= needed), max(WIRES))


def splice_for(area_mm2: float) -> CatalogPart:
    """Return what joins two wires of a cross-section."""
    return next(each for each in SPLICES if area_mm2 <= float(each.figures["area_max_mm2"]))
