"""Data sheets of hardware: physical consistency, standards, lookup by id and alias."""

from math import pi
from typing import get_args

import pytest
from catalog_shapes.bought_parts import label_of
from contracts.models.label import Label
from contracts.models.mechanism import Constant, Oscillation, Positions, Steps
from parts_catalog.adhesive import ADHESIVE
from parts_catalog.bearings import BEARINGS
from parts_catalog.datasheets import JointKind, MotorSheet
from parts_catalog.fasteners import COARSE_PITCH_MM, FASTENERS, STRESS_AREA_MM2
from parts_catalog.hardware import HARDWARE, UnknownHardwareError, bearing, bearing_of, fastener, mode_of, motor
from parts_catalog.motors import MOTORS
from parts_catalog.parts import parts
from pydantic import TypeAdapter


@pytest.mark.parametrize("sheet", MOTORS.values(), ids=list(MOTORS))
def test_motor_figures_are_physically_consistent(sheet: MotorSheet) -> None:
    electrical_w = sheet.nominal_voltage_v * sheet.stall_current_a
    mechanical_w = sheet.stall_torque_n_m * sheet.no_load_speed_rad_s / 4
    is_consistent = mechanical_w < electrical_w / 4 or "conflicting" in sheet.confidence
    assert is_consistent, "a DC motor delivers at most a quarter of its stall power"
    assert sheet.continuous_torque_n_m <= sheet.stall_torque_n_m / 4
    assert sheet.no_load_current_a < sheet.stall_current_a / 4
    spin_up_s = sheet.armature_kg_m2 * sheet.no_load_speed_rad_s / sheet.stall_torque_n_m
    assert 0.001 < spin_up_s < 0.2
    assert sheet.source
    assert "estimate" in sheet.confidence


def test_motor_id_becomes_valid_part_label() -> None:
    for motor_id in MOTORS:
        assert TypeAdapter(Label).validate_python(label_of(motor_id)) == label_of(motor_id)


def test_pololu_37d_matches_its_datasheet() -> None:
    sheet = motor("pololu-37d-50")
    assert sheet.stall_torque_n_m == pytest.approx(21 * 9.81 * 0.01, rel=1e-3)  # 21 kg cm
    assert sheet.no_load_speed_rad_s * 60 / (2 * pi) == pytest.approx(200, rel=1e-3)
    assert motor("pololu-37d-150").continuous_torque_n_m == 0.98


def test_screw_strength_follows_from_stress_area() -> None:
    screw = fastener("iso4762-m4x16")
    assert screw.tensile_n == pytest.approx(0.9 * 800 * 8.78 / 1.25)
    assert screw.shear_n == pytest.approx(0.6 * 800 * 8.78 / 1.25)
    assert fastener("iso4762-m5x30").mass_kg > fastener("iso4762-m5x20").mass_kg


def test_screw_strength_depends_on_class_and_head() -> None:
    assert {row.diameter_mm for row in FASTENERS.values()} == set(STRESS_AREA_MM2)
    for diameter_mm, area_mm2 in STRESS_AREA_MM2.items():
        formula_mm2 = pi / 4 * (diameter_mm - 0.9382 * COARSE_PITCH_MM[diameter_mm]) ** 2
        assert area_mm2 == pytest.approx(formula_mm2, rel=5e-3)
    m10, hexagon = fastener("iso4762-m10x30"), fastener("hex-m10x30")
    assert m10.tensile_n == hexagon.tensile_n == pytest.approx(0.9 * 800 * 58.0 / 1.25)
    assert fastener("csk-m6x20").tensile_n == pytest.approx(0.63 * 800 * 20.1 / 1.25)
    button = fastener("bhcs-m6x20")
    assert button.tensile_n == pytest.approx(0.72 * 1000 * 20.1 / 1.25)
    assert button.shear_n == pytest.approx(0.5 * 1000 * 20.1 / 1.25)


def test_hardware_is_found_by_every_id_and_alias() -> None:
    rated = {**FASTENERS, **BEARINGS}
    for part in parts().values():
        for name in (part.id, part.id.upper(), *part.aliases):
            if part.id in rated:
                assert (fastener if part.id in FASTENERS else bearing)(name) is rated[part.id]
    assert fastener("SHCS-M8x30").id == "iso4762-m8x30"
    assert bearing("625").id == "brg-625"


def test_part_of_other_kind_is_refused_with_alternatives() -> None:
    with pytest.raises(UnknownHardwareError, match=r"nut-m6 .* fastener .*iso4762"):
        fastener("nut-m6")


def test_every_joint_kind_has_plain_bearing() -> None:
    for kind in get_args(JointKind):
        assert kind in bearing_of(kind, None).kinds
    assert bearing_of("revolute", "608zz") is bearing("608zz")


def test_unknown_hardware_error_suggests_similar_ids() -> None:
    with pytest.raises(UnknownHardwareError, match=r"motor 'MG996'; did you mean mg996r"):
        motor("MG996")
    with pytest.raises(UnknownHardwareError, match=r"iso4762-m4x12"):
        fastener("iso4762-m4x13")
    with pytest.raises(UnknownHardwareError, match=r"there are plain-revolute, .*608zz"):
        bearing("xyzzyx")


def test_control_program_determines_motor_mode() -> None:
    assert mode_of(Constant(share=1)) == mode_of(Steps(times_s=(0,), shares=(1,))) == "voltage"
    swing, table = Oscillation(amplitude=1, frequency_hz=1), Positions(times_s=(1,), targets=(9,))
    assert mode_of(swing) == mode_of(table) == "position"
    assert {mode for sheet in MOTORS.values() for mode in sheet.modes} == {"voltage", "position"}


def test_hardware_list_has_one_line_per_part() -> None:
    assert HARDWARE.count("\n") + 1 == len(MOTORS) + len(FASTENERS) + len(BEARINGS)
    assert ADHESIVE.id not in {*MOTORS, *FASTENERS, *BEARINGS}
