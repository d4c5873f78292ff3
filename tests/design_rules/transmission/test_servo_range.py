"""Servos turn by the range of their data sheet, and no further: by rule, and in the scene."""

from math import radians

import pytest
from build123d import Part, Pos, Rot
from cad_worker.jobs.design import scene_of
from catalog_shapes.bought_parts import bought_part
from contracts.models.mechanism import Constant, Control, Joint, Motor, Oscillation, Positions, Range
from design_rules.transmission.servos import commanded_range, excessive_turn, reachable_range
from parts_catalog import motors
from parts_catalog.parts import part as catalog_row

from tests.support.designs import Designs, MechanismItem
from tests.support.slides import DrivenCart, bond

SERVO = "mg996r"


def positions(*targets: float) -> Positions:
    return Positions(times_s=tuple(float(time) for time in range(1, len(targets) + 1)), targets=targets)


def swinging(designs: Designs, control: Control, motor_id: str = SERVO) -> tuple[list[Part], list[MechanismItem]]:
    """Return an arm on a base, turned by a servo above it."""
    motor: Part = Pos(0, 0, 30) * Rot(180, 0, 0) * bought_part(motor_id)
    motor.label = "motor"
    vars(motor)["metadata"] = {"catalog_id": motor_id}
    parts = [designs.part("base", (60, 60, 20), (0, 0, 10)), designs.part("arm", (80, 20, 10), (0, 0, 25)), motor]
    hinge = Joint(label="hinge", kind="revolute", parent="base", child="arm", anchor_mm=(0.0, 0.0, 20.0))
    return parts, [bond("motor", "arm"), hinge, Motor(part="motor", joint="hinge", control=control)]


def details(designs: Designs, control: Control, motor_id: str = SERVO) -> list[str]:
    parts, mechanism = swinging(designs, control, motor_id)
    findings = designs.judge(*parts, mechanism=mechanism).findings
    assert {(finding.rule, finding.label) for finding in findings} <= {("invalid_motor", "motor")}
    return [finding.detail for finding in findings]


def test_every_servo_of_the_catalog_has_a_range() -> None:
    servos = [sheet for sheet in motors.MOTORS.values() if sheet.turns_in_range]
    assert len(servos) == 6
    for sheet in servos:
        row = catalog_row(sheet.id).motor
        assert row is not None
        assert sheet.range_deg == row.range_deg == 180.0


@pytest.mark.parametrize(
    "control", [positions(180.0), positions(-90.0, 90.0), Oscillation(amplitude=90, frequency_hz=1)]
)
def test_servo_within_its_range_is_accepted(designs: Designs, control: Control) -> None:
    assert details(designs, control) == []


@pytest.mark.parametrize(
    ("control", "value"),
    [
        (positions(1330.0), "from 0 to 1330°, which turns its shaft by 1330°, but a mg996r turns by 180° at most"),
        (positions(181.0), "by 181°"),
        (positions(-91.0, 90.0), "from -91 to 90°"),
        (Oscillation(amplitude=91, mean=1, frequency_hz=1), "from -90 to 92°"),
        (Oscillation(amplitude=60, mean=125, frequency_hz=1), "from 0 to 185°"),
    ],
)
def test_servo_beyond_its_range_is_refused(designs: Designs, control: Control, value: str) -> None:
    (found,) = details(designs, control)
    assert value in found


def test_gear_motor_turns_without_end(designs: Designs) -> None:
    assert details(designs, positions(1330.0), "pololu-25d-hp-47") == []


def test_servo_of_unknown_range_is_refused(designs: Designs, monkeypatch: pytest.MonkeyPatch) -> None:
    unknown = motors.MOTORS[SERVO].model_copy(update={"range_deg": None})
    monkeypatch.setitem(motors.MOTORS, SERVO, unknown)
    (found,) = details(designs, positions(30.0))
    assert "the catalog does not know how far it turns" in found


def test_servo_stops_its_joint_in_the_scene(designs: Designs) -> None:
    parts, mechanism = swinging(designs, positions(-20.0, 60.0))
    scene = scene_of(designs.request(*parts, mechanism=mechanism)).scene
    assert scene is not None
    assert scene.joints[0].angle_range_deg == pytest.approx((-70.0, 110.0))


def cart(target_mm: float) -> DrivenCart:
    return DrivenCart(pinion_mm=20.0, motor_id=SERVO, control=positions(target_mm))


def test_servo_on_a_slide_turns_by_travel_over_radius(designs: Designs) -> None:
    most_mm = radians(180.0) * 20.0
    assert cart(most_mm - 0.1).findings(designs) == ()
    (found,) = cart(most_mm + 0.5).findings(designs)
    assert found.rule == "invalid_motor"
    assert "mm on a pinion of 20 mm, which turns its shaft by 181°" in found.detail


def test_servo_stops_its_slide_in_the_scene(designs: Designs) -> None:
    driven = cart(60.0)
    scene = scene_of(designs.request(*driven.parts(designs), mechanism=driven.mechanism())).scene
    assert scene is not None
    assert scene.joints[0].travel_range_mm == pytest.approx((-1.0, 30.0 + radians(90.0) * 20.0), abs=0.05)


@pytest.mark.parametrize(
    ("control", "commanded", "reachable"),
    [
        (positions(60.0), (0.0, 60.0), (-60.0, 120.0)),
        (positions(-20.0, -60.0), (-60.0, 0.0), (-120.0, 60.0)),
        (positions(300.0), (0.0, 300.0), (0.0, 240.0)),
        (positions(-300.0), (-300.0, 0.0), (-240.0, 0.0)),
        (Oscillation(amplitude=30, mean=10, frequency_hz=1), (-20.0, 40.0), (-80.0, 100.0)),
        (Oscillation(amplitude=30, mean=50, frequency_hz=1), (0.0, 80.0), (-50.0, 130.0)),
        (Oscillation(amplitude=30, mean=-50, frequency_hz=1), (-80.0, 0.0), (-130.0, 50.0)),
        (Constant(share=1.0), None, None),
    ],
)
def test_range_of_a_servo_lies_about_the_middle_of_what_is_commanded(
    control: Control, commanded: Range | None, reachable: Range | None
) -> None:
    """The initial pose is commanded, and reached, whatever the program asks for."""
    sheet = motors.MOTORS[SERVO]
    assert commanded_range(control) == commanded
    assert reachable_range(sheet, control, None) == reachable
    if reachable is not None:
        per_mm = radians(1.0) * 20.0
        low, high = commanded or (0.0, 0.0)
        half, middle = 90.0 * per_mm, (low + high) / 2
        expected = (min(0.0, middle - half), max(0.0, middle + half))
        assert reachable_range(sheet, control, 20.0) == pytest.approx(expected)
    endless = motors.MOTORS["pololu-25d-hp-47"]
    assert reachable_range(endless, control, None) is None
    assert reachable_range(sheet.model_copy(update={"range_deg": None}), control, None) is None


@pytest.mark.parametrize(("target_mm", "turn"), [(31.0, None), (40.0, "from -40 to 40 mm on a pinion of 20 mm")])
def test_servo_on_a_slide_turns_by_the_travel_to_both_sides(target_mm: float, turn: str | None) -> None:
    """On a radius of 20 mm, 62 mm are 178 degrees, and 80 mm are 229."""
    found = excessive_turn(motors.MOTORS[SERVO], positions(-target_mm, target_mm), 20.0)
    if turn is None:
        assert found is None
    else:
        assert found is not None
        assert f"{turn}, which turns its shaft by 229°" in found
