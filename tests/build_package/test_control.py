"""Power and control: supplies bear the motors, wires the currents, and the program gives the simulated targets."""

import csv
import io
from dataclasses import replace

import numpy as np
import pytest
from build123d import Box, Pos
from build_package.control.bought import electronics_lines
from build_package.control.electronics import COPPER_OHM_MM2_PER_M
from build_package.control.program import program_text
from build_package.control.schedule import schedule_csv
from build_package.control.texts import wiring_csv
from build_package.machine import Machine
from build_package.package import build_package
from contracts.models.mechanism import Constant, Control, Joint, Mechanism, Motor, Oscillation, Positions, Steps
from contracts.models.scene import Drive
from parts_catalog.hardware import motor as motor_sheet
from parts_catalog.motors import MOTORS

from tests.build_package.fake_board import Board
from tests.build_package.machines import Made, machine_of

FULL = 65535
DEPTH_MM = 400.0


def machine(*motors: tuple[str, Control], pinion_radius_mm: float | None = None) -> Machine:
    """Return a frame on which motors turn, or push, arms."""
    drives: list[Drive] = []
    joints: list[Joint] = []
    placed: list[Motor] = []
    solids = {"frame": Box(DEPTH_MM, 40, 10)}
    for number, (motor_id, control) in enumerate(motors):
        sheet = motor_sheet(motor_id)
        kind = "revolute" if pinion_radius_mm is None else "linear"
        travel = None if pinion_radius_mm is None else (0.0, 100.0)
        anchor = (150.0, 0.0, 10.0 + 40 * number)
        joints.append(
            Joint(label=f"j{number}", kind=kind, parent="frame", child="arm", anchor_mm=anchor, travel_range_mm=travel)
        )
        placed.append(Motor(part=f"m{number}", joint=f"j{number}", control=control))
        drives.append(
            Drive(
                label=f"m{number}",
                joint=f"j{number}",
                mode="voltage" if isinstance(control, Constant | Steps) else "position",
                nominal_voltage_v=sheet.nominal_voltage_v,
                stall_torque_n_m=sheet.stall_torque_n_m,
                no_load_speed_rad_s=sheet.no_load_speed_rad_s,
                stall_current_a=sheet.stall_current_a,
                continuous_torque_n_m=sheet.continuous_torque_n_m,
                thermal_limit_s=sheet.thermal_limit_s,
                pinion_radius_mm=pinion_radius_mm,
                control=control,
            )
        )
        solids[f"m{number}"] = Pos(*anchor) * Box(20, 20, 20)
    plain = machine_of([Made("frame", Box(DEPTH_MM, 40, 10))])
    return replace(
        plain,
        solids={label: solid.solids()[0] for label, solid in solids.items()},
        catalog_ids={f"m{number}": motor_id for number, (motor_id, _) in enumerate(motors)},
        mechanism=Mechanism(joints=tuple(joints), motors=tuple(placed)),
        scene=plain.scene.model_copy(update={"drives": tuple(drives)}),
    )


def program(made: Machine) -> str:
    circuit = made.circuit
    assert circuit is not None
    return program_text(circuit.motors)


@pytest.mark.parametrize("motor_id", MOTORS)
def test_supply_driver_and_wires_bear_a_stalled_motor(motor_id: str) -> None:
    control = Constant(share=1.0) if "voltage" in MOTORS[motor_id].modes else Positions(times_s=(1.0,), targets=(90.0,))
    circuit = machine((motor_id, control)).circuit
    assert circuit is not None
    (each,), (feed,), sheet = circuit.motors, circuit.feeds, MOTORS[motor_id]
    low, high = feed.supply.voltages_v
    assert low / 1.05 <= sheet.nominal_voltage_v <= high
    assert feed.supply.continuous_a >= sheet.stall_current_a
    assert (each.driver is None) is each.is_servo
    if each.driver is not None:
        low, high = each.driver.voltages_v
        assert low <= sheet.nominal_voltage_v <= high
        assert each.driver.peak_a >= sheet.stall_current_a
    power = [wire for wire in circuit.wires if wire.current_a > 0.1]
    dropped = (2e-3 * w.length_mm * w.current_a * COPPER_OHM_MM2_PER_M / w.cross_section_mm2 for w in power)
    assert 0 < sum(dropped) <= 0.03 * sheet.nominal_voltage_v
    assert max(wire.length_mm for wire in power) >= 350, "from the corner of the frame to the motor"


def test_motor_of_steps_gets_its_shares_of_the_voltage_and_stops_with_the_switch() -> None:
    made = machine(("pololu-25d-hp-47", Steps(times_s=(0.5, 1.0, 1.5), shares=(0.5, -1.0, 0.0))))
    board = Board(ends_ms=1300)
    board.run(program(made))
    began_s = 0.02
    for seconds, width, is_reversed in ((0.3, 0, False), (0.7, round(0.5 * FULL), False), (1.1, FULL, True)):
        _, widths = min(board.history, key=lambda each: abs(each[0] - began_s - seconds))
        assert (widths[0], widths[1]) == (width, FULL * is_reversed)
    assert board.widths == {0: 0, 1: 0}


def test_driver_with_two_inputs_is_pulsed_on_one_of_them() -> None:
    board = Board(ends_ms=200)
    board.run(program(machine(("pololu-25d-lp-75", Constant(share=-0.25)))))
    assert board.history[-1][1] == {0: 0, 1: round(0.25 * FULL)}


def test_servo_swings_about_the_middle_of_its_range() -> None:
    swing = Oscillation(mean=20, amplitude=30, frequency_hz=1, phase_deg=90)
    board = Board(ends_ms=1200)
    board.run(program(machine(("mg996r", swing))))
    pulses_us = [widths[0] / FULL * 20000 for _, widths in board.history if widths.get(0)]
    assert max(pulses_us) == pytest.approx(1500 + 30 * 2000 / 180, abs=1)
    assert min(pulses_us) == pytest.approx(1500 - 30 * 2000 / 180, abs=1)


def test_motor_with_an_encoder_follows_its_targets_on_a_slide() -> None:
    """The plant: a motor that turns at a speed in proportion to its voltage, and a pinion of 10 mm."""
    targets = Positions(times_s=(0.5, 2.5), targets=(0.0, 60.0))
    made = machine(("pololu-25d-hp-47", targets), pinion_radius_mm=10.0)
    turned_deg = 0.0

    def turn(board: Board) -> None:
        nonlocal turned_deg
        sign = -1 if board.widths.get(1) else 1
        turned_deg += sign * board.widths.get(0, 0) / FULL * np.degrees(23.038) * 0.001
        count = round(turned_deg / 360 * 2248.8)
        while (steps := count - shown[0]) != 0:
            shown[0] += 1 if steps > 0 else -1
            state = ((0, 0), (0, 1), (1, 1), (1, 0))[shown[0] % 4]
            board.set_level(16, state[0])
            board.set_level(17, state[1])

    shown = [0]
    board = Board(ends_ms=3000, plant=turn)
    board.run(program(made))
    assert np.radians(turned_deg) * 10 == pytest.approx(60.0, abs=0.1)


def test_schedule_has_every_point_of_every_program() -> None:
    steps, positions = Steps(times_s=(0.5, 1.0), shares=(0.5, -1.0)), Positions(times_s=(1.0, 2.0), targets=(10, 20))
    circuit = machine(("pololu-25d-hp-47", steps), ("mg996r", positions)).circuit
    assert circuit is not None
    rows = list(csv.DictReader(io.StringIO(schedule_csv(circuit.motors))))
    table = [(row["motor"], float(row["time_s"]), float(row["value"]), row["unit"]) for row in rows]
    assert table == [
        ("m0", 0.5, 0.5, "share of voltage"),
        ("m0", 1.0, -1.0, "share of voltage"),
        *(("m1", time_s, value, "deg") for time_s, value in ((0.0, 0.0), (1.0, 10.0), (2.0, 20.0))),
    ]
    assert len(circuit.feeds) == 2, "12 V and 6 V"
    assert len(list(csv.DictReader(io.StringIO(wiring_csv(circuit))))) == len(circuit.wires)


def test_motors_beyond_the_pins_of_a_controller_get_another() -> None:
    files = build_package(machine(*[("pololu-25d-hp-47", Constant(share=0.5))] * 9))
    assert {"control/main-1.py", "control/main-2.py"} <= files.keys()
    for number, widths in ((1, 16), (2, 2)):
        board = Board(ends_ms=100)
        board.run(files[f"control/main-{number}.py"].decode())
        assert len(board.widths) == widths
    assert "| `ctl-pico` | Raspberry Pi Pico with pin headers | 2 | 5.00 | 10.00 |" in files["README.md"].decode()


def test_bill_of_power_and_control_is_the_sum_by_hand() -> None:
    """A gear motor of 5.5 A, 150 mm from the corner of its frame along x, 15 along y and 5 along z.

    Its wire is 1.2 x 352 + 100 = 520 mm, so that 720 mm there and back lose 3 % of 12 V at 0.391 mm²: 0.5 mm² are sold.
    One machine: an adapter of 12 V 10 A 22.00, a driver MD10C 13.00, a Pico 5.00, a switch 1.50; 0.5 mm²: 2 x (0.2 +
    0.52) = 1.44 m, 2 m at 0.25; 0.25 mm²: 3 x 0.2 + 2 x 0.2 = 1 m at 0.18; two splices at 0.60, five sockets at 0.12.
    """
    circuit = machine(("pololu-37d-50", Constant(share=0.5))).circuit
    assert circuit is not None
    lines = electronics_lines(circuit, 1)
    assert {line.catalog_id: line.count for line in lines} == {
        "psu-12v10a": 1, "drv-md10c": 1, "ctl-pico": 1, "sw-toggle": 1,
        "wire-0.25": 1, "wire-0.5": 2, "con-lever": 2, "con-socket": 5,
    }  # fmt: skip
    by_hand = 22 + 13 + 5 + 1.5 + 2 * 0.25 + 0.18 + 2 * 0.6 + 5 * 0.12
    assert sum(line.count * line.unit_price_usd for line in lines) == pytest.approx(by_hand)


def test_motors_beyond_one_supply_get_another() -> None:
    circuit = machine(*[("pololu-37d-50", Constant(share=0.5))] * 6).circuit
    assert circuit is not None
    assert [(len(feed.motors), feed.current_a) for feed in circuit.feeds] == [(3, 16.5), (3, 16.5)]
