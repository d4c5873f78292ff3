"""The circuit of a machine: a driver for each motor, supplies, controllers, and the wires between them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from math import dist

from contracts.models.geometry import Box
from contracts.models.mechanism import Mechanism, Motor
from parts_catalog.aliases import canonical
from parts_catalog.datasheets import Mode, MotorSheet
from parts_catalog.hardware import mode_of
from parts_catalog.motors import MOTORS

from build_package.control.electronics import (
    CONTROLLER,
    Rated,
    UnpoweredError,
    driver_for,
    supply_for,
    wire_mm2,
)

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

    motor: Motor
    sheet: MotorSheet
    driver: Rated | None
    """None: a servo has its own."""
    controller: int
    """Counted from 1."""
    pins: tuple[int, ...]
    """Two of a DC motor, for its driver's inputs; one of a servo, for its pulses."""
    encoder_pins: tuple[int, ...] = ()
    pinion_radius_mm: float | None = None
    """Of the pinion by which it moves a slide."""

    @property
    def label(self) -> str:
        """Label of its housing."""
        return self.motor.part

    @property
    def mode(self) -> Mode:
        """Whether its program gives voltages or positions."""
        return mode_of(self.motor.control)

    @property
    def is_servo(self) -> bool:
        """Whether it takes pulses and has its own driver."""
        return self.sheet.turns_in_range


@dataclass(frozen=True)
class Feed:
    """A supply of motors of one voltage."""

    motors: tuple[MotorCircuit, ...]
    supply: Rated

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
        """Name of the supply."""
        return self.supply.name


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
    is_spliced: bool = False
    """Whether it ends at the leads of a motor."""
    is_signal: bool = False
    """Whether it begins at pins of a controller."""


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


def circuit_of(
    mechanism: Mechanism,
    catalog_ids: Mapping[str, str],
    boxes: Mapping[str, Box],
    pinion_radii_mm: Mapping[str, float] | None = None,
) -> Circuit | None:
    """Return the circuit of a machine's motors; None without any. All mappings are by label.

    Motors of which the part is missing or is none of the catalog's are left out: they have findings of their own.
    """
    motors = tuple(_motors(mechanism, catalog_ids, pinion_radii_mm or {}))
    if not motors:
        return None
    ordered = sorted(motors, key=lambda each: each.sheet.nominal_voltage_v)
    groups = [tuple(group) for _, group in groupby(ordered, key=lambda each: each.sheet.nominal_voltage_v)]
    feeds = tuple(feed for group in groups for feed in _feeds(group))
    return Circuit(motors, feeds, tuple(_wires(_Lengths(mechanism, boxes), motors, feeds)))


def _feeds(motors: tuple[MotorCircuit, ...]) -> list[Feed]:
    """Return supplies of motors of one voltage: one, or one for each half of them."""
    supply = supply_for([each.sheet for each in motors])
    if supply is not None:
        return [Feed(motors, supply)]
    if len(motors) == 1:
        sheet = motors[0].sheet
        needed = f"{sheet.stall_current_a:g} A at {sheet.nominal_voltage_v:g} V"
        raise UnpoweredError(f"no supply of the catalog gives {needed}")
    half = len(motors) // 2
    return [*_feeds(motors[:half]), *_feeds(motors[half:])]


def _motors(
    mechanism: Mechanism, catalog_ids: Mapping[str, str], radii_mm: Mapping[str, float]
) -> Iterator[MotorCircuit]:
    """Give each motor its pins; a controller without enough of them is followed by another."""
    controller, pwm, encoder = 1, 0, 0
    for motor in mechanism.motors:
        sheet = MOTORS.get(canonical(catalog_ids.get(motor.part, "")))
        if sheet is None:
            continue
        pwm_needed = 1 if sheet.turns_in_range else 2
        encoder_needed = 2 if mode_of(motor.control) == "position" and not sheet.turns_in_range else 0
        if pwm + pwm_needed > len(PWM_PINS) or encoder + encoder_needed > len(ENCODER_PINS):
            controller, pwm, encoder = controller + 1, 0, 0
        yield MotorCircuit(
            motor,
            sheet,
            driver_for(sheet),
            controller,
            PWM_PINS[pwm : pwm + pwm_needed],
            ENCODER_PINS[encoder : encoder + encoder_needed],
            radii_mm.get(motor.part),
        )
        pwm, encoder = pwm + pwm_needed, encoder + encoder_needed


def _wires(lengths: "_Lengths", motors: Sequence[MotorCircuit], feeds: Sequence[Feed]) -> Iterator[Wire]:
    """Yield the wires from the supplies to the motors, then the signals; the boards lie where the machine begins."""
    for feed in feeds:
        for each in feed.motors:
            current, voltage = each.sheet.stall_current_a, each.sheet.nominal_voltage_v
            length = lengths.wire_mm(each.motor)
            area = wire_mm2(current, length + BOARD_WIRE_MM, voltage)
            name = each.label
            if each.driver is None:
                yield Wire(
                    f"supply {feed.name}", f"{name} + and -", "red, black", 2, area, length, current, is_spliced=True
                )
                continue
            driver = f"{each.driver.name} of {name}"
            yield Wire(f"supply {feed.name}", f"{driver} V+ and GND", "red, black", 2, area, BOARD_WIRE_MM, current)
            yield Wire(
                f"{driver} outputs", f"{name} terminals", "orange, blue", 2, area, length, current, is_spliced=True
            )
    for each in motors:
        board, length = f"{CONTROLLER.name} {each.controller}", lengths.wire_mm(each.motor)
        pins = ", ".join(f"GP{pin}" for pin in each.pins)
        target = f"{each.label} signal" if each.driver is None else f"{each.driver.name} of {each.label} inputs"
        run_mm = length if each.is_servo else BOARD_WIRE_MM
        colors, cores = "yellow, black", len(each.pins) + 1
        yield _signal(f"{board} {pins}, GND", target, colors, cores, run_mm, is_spliced=each.is_servo)
        if each.encoder_pins:
            pins = ", ".join(f"GP{pin}" for pin in each.encoder_pins)
            end = f"{each.label} encoder A, B, + and -"
            colors = "white, green, red, black"
            yield _signal(f"{board} {pins}, 3V3, GND", end, colors, 4, length, is_spliced=True)
    for board in range(1, max(each.controller for each in motors) + 1):
        start = f"{CONTROLLER.name} {board} GP{START_PIN}, GND"
        yield _signal(start, "start switch", "grey, black", 2, BOARD_WIRE_MM)


def _signal(start: str, end: str, color: str, cores: int, length_mm: float, *, is_spliced: bool = False) -> Wire:  # noqa: PLR0913
    return Wire(start, end, color, cores, SIGNAL_MM2, length_mm, SIGNAL_A, is_spliced=is_spliced, is_signal=True)


@dataclass(frozen=True)
class _Lengths:
    """Lengths of wires from the boards, which lie at the machine's lowest corner."""

    mechanism: Mechanism
    boxes: Mapping[str, Box]

    def wire_mm(self, motor: Motor) -> float:
        """Return the length of a motor's wire, which follows it over its way."""
        corner = [min(box.min_mm[axis] for box in self.boxes.values()) for axis in range(3)]
        slides = (each for each in self.mechanism.joints if each.label == motor.joint and each.kind == "linear")
        moved = sum(high - low for low, high in (each.travel_range_mm or (0.0, 0.0) for each in slides))
        return round((dist(self.boxes[motor.part].center_mm, corner) + moved) * SLACK + ENDS_MM, -1)
