"""Fronts of motors and the passages that they need, against hand figures."""

from math import pi
from typing import Any

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


@pytest.mark.parametrize("motor_id", ["pololu-n20-hpcb-75", "mg996r", "pololu-37d-50", "tt-120-hp"])
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
