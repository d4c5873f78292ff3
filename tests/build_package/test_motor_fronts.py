"""Fronts of motors and the passages that they need, against hand figures."""

from math import pi
from typing import Any

import numpy as np
import pytest
from build123d import Box, Cylinder, Pos, Solid
from build123d.topology import Shape
from build_package.motor_fronts import MotorFront
from build_package.screw_holes import drilled_parts
from catalog_shapes.bought_parts import bought_part
from parts_catalog.hardware import motor


def front(hubs: dict[str, float], motor_id: str = "pololu-25d-hp-47") -> MotorFront:
    return MotorFront("motor", motor(motor_id), (0, 0, 0), (0, 0, 1), (1, 0, 0), hubs)


def solid(shape: Shape[Any]) -> Solid:
    (found,) = shape.solids()
    return found


def test_gear_motor_gets_shaft_boss_and_tapped_holes() -> None:
    """By hand: a shaft of 4 x 12.5 through a boss of 7 x 2.5; two holes of 2.5 x 3, 17 apart, in the housing."""
    housing = solid(bought_part("pololu-25d-hp-47"))
    whole = front({}).solid(housing)
    added = pi / 4 * (7**2 * 2.5 + 4**2 * (12.5 - 2.5) - 2 * 2.5**2 * 3)
    assert whole.volume - housing.volume == pytest.approx(added, rel=1e-6)
    assert pytest.approx(12.5) == whole.bounding_box().max.Z
    assert not whole.is_inside((8.5, 0, -1))
    assert whole.is_inside((0, 8.5, -1))
    assert whole.is_valid


def test_37d_has_six_holes_about_the_middle_of_its_housing_and_its_shaft_beside_that() -> None:
    """By hand: neighbouring holes 15.5 mm apart; the shaft's middle 7 mm from the housing's."""
    housing = solid(bought_part("pololu-37d-50"))
    drawn = motor("pololu-37d-50").front
    assert drawn is not None
    assert pytest.approx((-7, 0), abs=1e-6) == (housing.bounding_box().center().X, housing.bounding_box().center().Y)
    places = np.array(drawn.holes_mm)
    assert np.linalg.norm(places - np.roll(places, 1, axis=0), axis=1) == pytest.approx([15.5] * 6, abs=0.02)
    whole = front({}, "pololu-37d-50").solid(housing)
    added = pi / 4 * (12**2 * 6 + 6**2 * (21.5 - 6) - 6 * 2.5**2 * 3)
    assert whole.volume - housing.volume == pytest.approx(added, rel=1e-6)


def test_servo_gets_lugs_with_holes_and_names_what_is_in_their_way() -> None:
    """By hand, MG996R: (54.2 - 40.7) x 19.7 x 2.5 less four holes of 4.4; the upper side is 13.6 below the face."""
    housing = solid(bought_part("mg996r"))
    servo = front({}, "mg996r")
    whole = servo.solid(housing)
    lugs = (54.2 - 40.7) * 19.7 * 2.5 - 4 * pi / 4 * 4.4**2 * 2.5
    shaft = pi / 4 * 5.9**2 * 4
    assert whole.volume - housing.volume == pytest.approx(lugs + shaft, rel=1e-6)
    beam = solid(Pos(35, 0, -14.5) * Box(8, 10, 2))
    assert servo.reaches_into({"beam": beam, "motor": housing, "far": solid(Pos(0, 40, 0) * Box(9, 9, 9))}) == ["beam"]


@pytest.mark.parametrize("motor_id", ["pololu-n20-hpcb-75", "mg90s", "sg90", "srv-s3003", "tt-120-hp"])
def test_every_kind_of_motor_stays_one_sound_solid(motor_id: str) -> None:
    whole = front({}, motor_id).solid(solid(bought_part(motor_id)))
    assert whole.is_valid
    drawn = motor(motor_id).front
    assert pytest.approx(0 if drawn is None else drawn.shaft_length_mm, abs=1e-6) == whole.bounding_box().max.Z


def test_plate_gets_play_for_the_shaft_and_a_seat_for_the_boss_and_a_hub_its_bore() -> None:
    """By hand: 5 mm wide with a seat of 7.5 x 2.5 in the plate of 4 mm; 4 mm wide in the hub, from 5 to 12.5."""
    made = {"plate": solid(Pos(0, 0, 2) * Box(40, 40, 4)), "hub": solid(Pos(0, 0, 10) * Cylinder(12, 10))}
    drilled = drilled_parts(front({"hub": 5.0}).passages(made, ()), made)
    in_plate = pi / 4 * (7.5**2 * 2.5 + 5**2 * 1.5)
    assert made["plate"].volume - drilled["plate"].solid.volume == pytest.approx(in_plate, rel=1e-6)
    assert made["hub"].volume - drilled["hub"].solid.volume == pytest.approx(pi / 4 * 4**2 * 7.5, rel=1e-6)
    assert [hole.use for hole in drilled["hub"].holes] == ["bore for the shaft of motor"]


def test_plate_that_is_drawn_with_a_wide_bore_stays_as_it_is() -> None:
    made = {"plate": solid(Pos(0, 0, 2) * (Box(40, 40, 4) - Cylinder(4, 10)))}
    assert list(front({}).passages(made, ())) == []


def test_hub_beyond_the_end_of_the_shaft_is_named() -> None:
    assert "`hub` begins 20.0 mm before the face, beyond its end" in front({"hub": 20.0}).text
