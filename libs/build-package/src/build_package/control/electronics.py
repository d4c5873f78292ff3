"""Power and control of motors: drivers, supplies, a controller and wire, chosen by voltage and current.

The benchmark supplies them: they are on the bill by name and cost a design nothing. Currents and voltages are the
makers' ratings as generally published, not checked against a document; prices are estimates for who has none of them.
"""

from collections.abc import Sequence

from contracts.model import Model
from parts_catalog.datasheets import MotorSheet
from pydantic import PositiveFloat


class Driver(Model):
    """A board that switches the current of one DC motor."""

    name: str
    voltages_v: tuple[PositiveFloat, PositiveFloat]
    continuous_a: PositiveFloat
    peak_a: PositiveFloat
    """For seconds, as when a motor starts or stalls."""
    price_usd: PositiveFloat
    has_two_inputs: bool = False
    """Whether it takes a pulse width on one of two inputs, and not a pulse width and a direction."""


class PowerSupply(Model):
    """A mains adapter."""

    name: str
    voltage_v: PositiveFloat
    current_a: PositiveFloat
    price_usd: PositiveFloat


class Controller(Model):
    """A microcontroller board that runs MicroPython."""

    name: str
    price_usd: PositiveFloat


DRIVERS = (
    Driver(
        name="DRV8871 breakout",
        voltages_v=(6.5, 45.0),
        continuous_a=2.0,
        peak_a=3.6,
        price_usd=7.5,
        has_two_inputs=True,
    ),
    Driver(name="Cytron MD10C", voltages_v=(5.0, 30.0), continuous_a=13.0, peak_a=30.0, price_usd=13.0),
)
"""The weakest first."""
SUPPLIES = (
    PowerSupply(name="5 V 4 A adapter", voltage_v=5.0, current_a=4.0, price_usd=9.0),
    PowerSupply(name="5 V 10 A adapter", voltage_v=5.0, current_a=10.0, price_usd=16.0),
    PowerSupply(name="6 V 5 A adapter", voltage_v=6.0, current_a=5.0, price_usd=11.0),
    PowerSupply(name="12 V 5 A adapter", voltage_v=12.0, current_a=5.0, price_usd=12.0),
    PowerSupply(name="12 V 10 A adapter", voltage_v=12.0, current_a=10.0, price_usd=22.0),
    PowerSupply(name="12 V 30 A supply", voltage_v=12.0, current_a=30.0, price_usd=30.0),
    PowerSupply(name="24 V 10 A supply", voltage_v=24.0, current_a=10.0, price_usd=32.0),
)
"""By voltage, the weakest first."""
CONTROLLER = Controller(name="Raspberry Pi Pico", price_usd=4.0)
WIRES_MM2 = (0.25, 0.5, 0.75, 1.0, 1.5, 2.5, 4.0, 6.0)
"""Cross-sections of copper wire that are sold."""
COPPER_OHM_MM2_PER_M = 0.0178
MOST_DROP = 0.03
"""Of the voltage, in the wires of a motor at its stall current."""
SUPPLIED_VOLTAGE = 1.05
"""Highest voltage over a motor's nominal one."""


def driver_for(motor: MotorSheet) -> Driver | None:
    """Return the weakest driver that bears a motor's currents; None if none does, and for servos."""
    if motor.turns_in_range:
        return None
    continuous_a = motor.stall_current_a * motor.continuous_torque_n_m / motor.stall_torque_n_m
    return next(
        (
            each
            for each in DRIVERS
            if each.voltages_v[0] <= motor.nominal_voltage_v <= each.voltages_v[1]
            and motor.stall_current_a <= each.peak_a
            and continuous_a <= each.continuous_a
        ),
        None,
    )


def supply_for(motors: Sequence[MotorSheet]) -> PowerSupply | None:
    """Return the weakest supply that feeds motors of one voltage, all stalled at once; None if none does."""
    lowest = max(motor.nominal_voltage_v for motor in motors)
    highest = min(motor.nominal_voltage_v for motor in motors) * SUPPLIED_VOLTAGE
    current_a = sum(motor.stall_current_a for motor in motors)
    fitting = (each for each in SUPPLIES if lowest <= each.voltage_v <= highest and each.current_a >= current_a)
    return next(fitting, None)


def wire_mm2(current_a: float, length_mm: float, voltage_v: float) -> float:
    """Return the thinnest wire in which a current loses at most `MOST_DROP` of the voltage, there and back."""
    needed = 2 * length_mm / 1000 * current_a * COPPER_OHM_MM2_PER_M / (MOST_DROP * voltage_v)
    return next((each for each in WIRES_MM2 if each >= needed), WIRES_MM2[-1])
