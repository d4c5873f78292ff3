"""The circuit of a machine: a driver for each motor, supplies, controllers, and the wires between them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from math import dist

from contracts.models.geometry import Vector
from contracts.models.scene import Drive
from geometry.occt.measures import bounding_box
from parts_catalog.datasheets import MotorSheet
from parts_catalog.hardware import motor as motor_sheet

from build_package.control.electronics import CONTROLLER, Driver, PowerSupply, driver_for, supply_for, wire_mm2
from build_package.machine import Machine

PWM_PINS = tuple(range(16))
"""Pins of a controller with a pulse width of their own."""
ENCODER_PINS = (16, 17, 18, 19, 20, 21, 26, 27)
START_PIN = 22
"""It runs the program while it is connected to GND."""
SIGNAL_MM2, SIGNAL_A = 0.25, 0.02
SLACK, ENDS_MM = 1.2, 100.0
"""Over the straight distance, and for the ends of a wire."""
BOARD_WIRE_MM = 200.0
"""Between boards, which are mounted side by side."""


@dataclass(frozen=True)
class MotorCircuit:
    """One motor with what drives it."""

    drive: Drive
    sheet: MotorSheet
    driver: Driver | None
    """None: a servo has its own, or no board of the list bears the motor."""
    controller: int
    """Counted from 1."""
    pins: tuple[int, ...]
    """Two of a DC motor, for its driver's inputs; one of a servo, for its pulses."""
    encoder_pins: tuple[int, ...] = ()

    @property
    def is_servo(self) -> bool:
        """Whether it takes pulses and has its own driver."""
        return self.sheet.turns_in_range


@dataclass(frozen=True)
class Feed:
    """A supply of motors of one voltage."""

    motors: tuple[MotorCircuit, ...]
    supply: PowerSupply | None
    """None: no supply of the list is enough."""

    @property
    def voltage_v(self) -> float:
        """Nominal voltage of its motors."""
        return self.motors[0].sheet.nominal_voltage_v

    @property
    def current_a(self) -> float:
        """Of all its motors when they stall."""
        return sum(each.sheet.stall_current_a for each in self.motors)

    @property
    def name(self) -> str:
        """What is wanted or chosen."""
        needed = f"{self.voltage_v:g} V, at least {self.current_a:g} A"
        return needed if self.supply is None else self.supply.name


@dataclass(frozen=True)
class Wire:
    """One wire, or a cable of equal ones."""

    start: str
    end: str
    color: str
    cores: int
    cross_section_mm2: float
    length_mm: float
    current_a: float


@dataclass(frozen=True)
class Circuit:
    """Everything electrical of a machine."""

    motors: tuple[MotorCircuit, ...]
    feeds: tuple[Feed, ...]
    wires: tuple[Wire, ...]

    @property
    def controllers(self) -> int:
        """How many boards the motors need."""
        return max((each.controller for each in self.motors), default=0)


def circuit_of(machine: Machine) -> Circuit | None:
    """Return the circuit of a machine; None without motors."""
    motors = tuple(_motors(machine))
    if not motors:
        return None
    ordered = sorted(motors, key=lambda each: each.sheet.nominal_voltage_v)
    groups = [tuple(group) for _, group in groupby(ordered, key=lambda each: each.sheet.nominal_voltage_v)]
    feeds = tuple(Feed(group, supply_for([each.sheet for each in group])) for group in groups)
    return Circuit(motors, feeds, tuple(_wires(machine, motors, feeds)))


def _motors(machine: Machine) -> Iterator[MotorCircuit]:
    """Give each motor its pins; a controller without enough of them is followed by another."""
    controller, pwm, encoder = 1, 0, 0
    for drive in machine.drives:
        sheet = motor_sheet(machine.catalog_ids[drive.label])
        pwm_needed = 1 if sheet.turns_in_range else 2
        encoder_needed = 2 if drive.mode == "position" and not sheet.turns_in_range else 0
        if pwm + pwm_needed > len(PWM_PINS) or encoder + encoder_needed > len(ENCODER_PINS):
            controller, pwm, encoder = controller + 1, 0, 0
        yield MotorCircuit(
            drive,
            sheet,
            driver_for(sheet),
            controller,
            PWM_PINS[pwm : pwm + pwm_needed],
            ENCODER_PINS[encoder : encoder + encoder_needed],
        )
        pwm, encoder = pwm + pwm_needed, encoder + encoder_needed


def _wires(machine: Machine, motors: Sequence[MotorCircuit], feeds: Sequence[Feed]) -> Iterator[Wire]:
    """Yield the wires from the supplies to the motors, then the signals; the boards lie where the machine begins."""
    for feed in feeds:
        for each in feed.motors:
            current, voltage = each.sheet.stall_current_a, each.sheet.nominal_voltage_v
            length = _length_mm(machine, each.drive)
            area = wire_mm2(current, length + BOARD_WIRE_MM, voltage)
            name, driver = each.drive.label, _driver_name(each)
            if each.is_servo:
                yield Wire(f"supply {feed.name}", f"{name} + and -", "red, black", 2, area, length, current)
                continue
            yield Wire(f"supply {feed.name}", f"{driver} V+ and GND", "red, black", 2, area, BOARD_WIRE_MM, current)
            yield Wire(f"{driver} outputs", f"{name} terminals", "orange, blue", 2, area, length, current)
    for each in motors:
        board, length = f"{CONTROLLER.name} {each.controller}", _length_mm(machine, each.drive)
        pins = ", ".join(f"GP{pin}" for pin in each.pins)
        target = f"{each.drive.label} signal" if each.is_servo else f"{_driver_name(each)} inputs"
        run_mm = length if each.is_servo else BOARD_WIRE_MM
        yield Wire(f"{board} {pins}, GND", target, "yellow, black", len(each.pins) + 1, SIGNAL_MM2, run_mm, SIGNAL_A)
        if each.encoder_pins:
            pins = ", ".join(f"GP{pin}" for pin in each.encoder_pins)
            end = f"{each.drive.label} encoder A, B, + and -"
            yield Wire(f"{board} {pins}, 3V3, GND", end, "white, green, red, black", 4, SIGNAL_MM2, length, SIGNAL_A)
    for board in range(1, max(each.controller for each in motors) + 1):
        start = f"{CONTROLLER.name} {board} GP{START_PIN}, GND"
        yield Wire(start, "start switch", "grey, black", 2, SIGNAL_MM2, BOARD_WIRE_MM, SIGNAL_A)


def _driver_name(each: MotorCircuit) -> str:
    name = f"driver for {each.sheet.stall_current_a:g} A" if each.driver is None else each.driver.name
    return f"{name} of {each.drive.label}"


def _length_mm(machine: Machine, drive: Drive) -> float:
    """Return the length of a motor's wire to the boards, which follows it over its way."""
    place = _middle(machine, drive.label)
    corner = machine.low_corner_mm
    slides = (each for each in machine.mechanism.joints if each.label == drive.joint and each.kind == "linear")
    moved = sum(high - low for low, high in (each.travel_range_mm or (0.0, 0.0) for each in slides))
    return round((dist(place, corner) + moved) * SLACK + ENDS_MM, -1)


def _middle(machine: Machine, label: str) -> Vector:
    box = bounding_box(machine.solids[label])
    assert box is not None, "a judged solid has an extent"
    return box.center_mm
