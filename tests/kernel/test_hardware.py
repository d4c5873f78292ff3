"""The table of bought hardware: complete, consistent, and helpful about what it does not have."""

from math import pi
from typing import get_args

import pytest
from cad_worker.catalog_shapes.bought_parts import label_of
from contracts.models.label import Label
from contracts.models.mechanism import Constant, Oscillation, Positions, Steps
from parts_catalog.hardware.lookup import (
    ADHESIVE,
    BEARINGS,
    FASTENERS,
    HARDWARE,
    MOTORS,
    JointKind,
    MotorSheet,
    UnknownHardwareError,
    bearing,
    bearing_of,
    fastener,
    mode_of,
    motor,
)
from parts_catalog.hardware.screws import STRESS_AREA_MM2
from parts_catalog.parts import parts
from parts_catalog.recipes import COARSE_PITCH_MM
from pydantic import TypeAdapter


@pytest.mark.parametrize("sheet", MOTORS.values(), ids=list(MOTORS))
def test_a_motor_is_what_physics_allows(sheet: MotorSheet) -> None:
    electric_w = sheet.nominal_voltage_v * sheet.stall_current_a
    mechanic_w = sheet.stall_torque_n_m * sheet.no_load_speed_rad_s / 4
    is_consistent = mechanic_w < electric_w / 4 or "conflicting" in sheet.confidence
    assert is_consistent, "a direct-current motor gives a quarter of its stall power at most"
    assert sheet.continuous_torque_n_m <= sheet.stall_torque_n_m / 4
    assert sheet.no_load_current_a < sheet.stall_current_a / 4
    spin_up_s = sheet.armature_kg_m2 * sheet.no_load_speed_rad_s / sheet.stall_torque_n_m
    assert 0.001 < spin_up_s < 0.2
    assert sheet.source
    assert "estimate" in sheet.confidence


def test_a_motor_lends_its_housing_a_label() -> None:
    for motor_id in MOTORS:
        assert TypeAdapter(Label).validate_python(label_of(motor_id)) == label_of(motor_id)


def test_the_37d_reads_as_its_data_sheet() -> None:
    sheet = motor("pololu-37d-50")
    assert sheet.stall_torque_n_m == pytest.approx(21 * 9.81 * 0.01, rel=1e-3)  # 21 kg cm
    assert sheet.no_load_speed_rad_s * 60 / (2 * pi) == pytest.approx(200, rel=1e-3)
    assert motor("pololu-37d-150").continuous_torque_n_m == 0.98


def test_screws_hold_what_their_stress_area_holds() -> None:
    screw = fastener("iso4762-m4x16")
    assert screw.tensile_n == pytest.approx(0.9 * 800 * 8.78 / 1.25)
    assert screw.shear_n == pytest.approx(0.6 * 800 * 8.78 / 1.25)
    assert fastener("iso4762-m5x30").mass_kg > fastener("iso4762-m5x20").mass_kg


def test_screws_from_m2_to_m10_are_rated_by_class_and_head() -> None:
    assert {row.diameter_mm for row in FASTENERS.values()} == set(STRESS_AREA_MM2)
    for diameter_mm, area_mm2 in STRESS_AREA_MM2.items():
        by_formula_mm2 = pi / 4 * (diameter_mm - 0.9382 * COARSE_PITCH_MM[diameter_mm]) ** 2
        assert area_mm2 == pytest.approx(by_formula_mm2, rel=5e-3)
    m10, hexagon = fastener("iso4762-m10x30"), fastener("hex-m10x30")
    assert m10.tensile_n == hexagon.tensile_n == pytest.approx(0.9 * 800 * 58.0 / 1.25)
    assert fastener("csk-m6x20").tensile_n == pytest.approx(0.63 * 800 * 20.1 / 1.25)
    button = fastener("bhcs-m6x20")
    assert button.tensile_n == pytest.approx(0.72 * 1000 * 20.1 / 1.25)
    assert button.shear_n == pytest.approx(0.5 * 1000 * 20.1 / 1.25)


def test_what_holds_and_carries_is_found_by_every_name_of_the_catalog() -> None:
    rated = {**FASTENERS, **BEARINGS}
    for part in parts().values():
        for name in (part.id, part.id.upper(), *part.aliases):
            if part.id in rated:
                assert (fastener if part.id in FASTENERS else bearing)(name) is rated[part.id]
    assert fastener("SHCS-M8x30").id == "iso4762-m8x30"
    assert bearing("625").id == "brg-625"
    with pytest.raises(
        UnknownHardwareError, match="nut-m6 is sold, but is no fastener that does this; there are iso4762"
    ):
        fastener("nut-m6")


def test_every_joint_has_a_plain_bearing() -> None:
    for kind in get_args(JointKind):
        assert kind in bearing_of(kind, None).kinds
    assert bearing_of("revolute", "608zz") is bearing("608zz")


def test_what_is_not_sold_is_told_with_what_comes_near() -> None:
    with pytest.raises(UnknownHardwareError, match=r"no motor is sold as 'MG996'; did you mean mg996r"):
        motor("MG996")
    with pytest.raises(UnknownHardwareError, match=r"iso4762-m4x12"):
        fastener("iso4762-m4x13")
    with pytest.raises(UnknownHardwareError, match=r"there are plain-revolute, .*608zz"):
        bearing("xyzzyx")


def test_programs_need_a_motor_that_understands_them() -> None:
    assert mode_of(Constant(share=1)) == mode_of(Steps(times_s=(0,), shares=(1,))) == "voltage"
    swing, table = Oscillation(amplitude=1, frequency_hz=1), Positions(times_s=(1,), targets=(9,))
    assert mode_of(swing) == mode_of(table) == "position"
    assert {mode for sheet in MOTORS.values() for mode in sheet.modes} == {"voltage", "position"}


def test_the_list_for_agents_names_everything_but_the_glue() -> None:
    assert HARDWARE.count("\n") + 1 == len(MOTORS) + len(FASTENERS) + len(BEARINGS)
    assert ADHESIVE.id not in {*MOTORS, *FASTENERS, *BEARINGS}
