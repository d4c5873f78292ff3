"""The length of a screw inside a part, and how much of it both parts need."""

from typing import Any

import pytest
from build123d import Box, Cylinder, Pos, Rot, Solid
from build123d.topology import Shape
from cad_worker.bodies.solid_bodies import SolidBody
from cad_worker.validation.rules.connections import length_inside_mm
from contracts.models.benchmark import Limits
from contracts.models.geometry import Vector
from contracts.models.mechanism import Connection
from parts_catalog.hardware import fastener

from tests.support.designs import Designs
from tests.support.slides import bond

M4 = fastener("iso4762-m4x16")


def inside_mm(shape: Shape[Any], head: Vector, direction: Vector) -> float:
    (solid,) = shape.solids()
    assert isinstance(solid, Solid)
    return length_inside_mm(SolidBody("block", solid), M4, head, direction)


@pytest.mark.parametrize(
    ("head", "direction", "length_mm"),
    [
        ((0, 0, 10), (0, 0, -1), 16.0),
        ((0, 0, 20), (0, 0, -1), 6.0),
        ((0, 0, -10), (0, 0, 1), 16.0),
        ((10, 3, 0), (-1, 0, 0), 16.0),
        ((0, -12, 0), (0, 1, 0), 14.0),
        ((0, 0, 27), (0, 0, -1), 0.0),
    ],
)
def test_length_inside_a_block_is_what_the_screw_passes_through(
    head: Vector, direction: Vector, length_mm: float
) -> None:
    assert inside_mm(Box(20, 20, 20), head, direction) == pytest.approx(length_mm, abs=1e-6)


@pytest.mark.parametrize(("diameter_mm", "length_mm"), [(4.4, 16.0), (5.9, 16.0), (6.1, 0.0)])
def test_drilled_hole_counts_as_material_up_to_one_and_a_half_diameters(diameter_mm: float, length_mm: float) -> None:
    drilled = Box(20, 20, 20) - Cylinder(diameter_mm / 2, 20)
    assert inside_mm(drilled, (0, 0, 10), (0, 0, -1)) == pytest.approx(length_mm, abs=1e-6)


@pytest.mark.parametrize(("edge_mm", "length_mm"), [(2.0, 16.0), (-2.0, 0.0)])
def test_most_lines_around_a_screw_decide_at_an_edge(edge_mm: float, length_mm: float) -> None:
    """The screw's axis lies this far inside the side of the block: four of six lines are on its side of it."""
    block = Pos(edge_mm - 10, 0, 0) * Box(20, 20, 20)
    assert inside_mm(block, (0, 0, 10), (0, 0, -1)) == pytest.approx(length_mm, abs=1e-6)


def test_slanted_screw_is_measured_along_its_axis() -> None:
    slab = Rot(0, 30, 0) * Box(60, 60, 5)
    direction = (-(0.25**0.5), 0.0, -(0.75**0.5))
    head = tuple(-10 * each for each in direction)
    assert inside_mm(slab, (head[0], head[1], head[2]), direction) == pytest.approx(5.0, abs=1e-6)


def screwed(head_mm: float, length: float = 1.0) -> Connection:
    return Connection(
        first="plate",
        second="base",
        means="fastened",
        fastener_id="iso4762-m4x16",
        places_mm=((0.0, 0.0, head_mm),),
        directions=((0.0, 0.0, -length),),
    )


@pytest.mark.parametrize(
    ("plate_mm", "raised_mm", "problem"),
    [
        (11.9, 0.0, ""),
        (12.1, 0.0, "reaches 3.90 mm into base, at least 4.00 mm is needed"),
        (5.0, 4.4, ""),
        (5.0, -4.6, "passes through 0.40 mm of plate, at least 0.50 mm is needed"),
        (15.6, 0.1, "passes through 15.60 mm of plate and reaches 0.30 mm into base"),
        (17.0, 0.0, "passes through 16.00 mm of plate and reaches 0 mm into base"),
        (5.0, 15.4, "passes through 0.60 mm of plate and reaches 0 mm into base"),
        (5.0, -4.4, ""),
        (5.0, 15.6, "meets neither plate nor base"),
    ],
)
def test_screw_needs_material_to_pass_through_and_to_hold_in(
    designs: Designs, plate_mm: float, raised_mm: float, problem: str
) -> None:
    base = designs.part("base", (30, 30, 20), (0, 0, 10))
    plate = designs.part("plate", (30, 30, plate_mm), (0, 0, 20 + plate_mm / 2))
    mechanism = [bond("base", "floor"), screwed(20 + plate_mm + raised_mm)]
    found = designs.judge(base, plate, mechanism=mechanism).findings
    assert [(each.rule, each.label) for each in found] == ([("invalid_connection", "plate")] if problem else [])
    assert all(problem in each.detail for each in found)


@pytest.mark.parametrize(("length", "is_unit"), [(1.0009, True), (0.9991, True), (1.0011, False), (0.9989, False)])
def test_direction_is_a_unit_vector_within_a_thousandth(designs: Designs, length: float, is_unit: bool) -> None:
    base, plate = designs.part("base", (30, 30, 20), (0, 0, 10)), designs.part("plate", (30, 30, 5), (0, 0, 22.5))
    found = designs.judge(base, plate, mechanism=[bond("base", "floor"), screwed(25.0, length)]).findings
    assert [each.rule for each in found] == ([] if is_unit else ["invalid_connection"])


def test_limits_may_be_reached_but_not_exceeded(designs: Designs) -> None:
    leg, foot = designs.part("leg", (10, 10, 50), (0, 0, 25)), designs.part("foot", (40, 40, 5), (50, 0, 2.5))
    bill = designs.judge(leg, foot).bill
    assert bill is not None
    price, mass = bill.unit_price_usd, bill.mass_kg
    exact = Limits(max_parts=2, max_unit_price_usd=price, max_mass_kg=mass)
    assert designs.rules(leg, foot, limits=exact) == []
    lower = Limits(max_parts=1, max_unit_price_usd=price * 0.999, max_mass_kg=mass * 0.999)
    found = designs.judge(leg, foot, limits=lower).findings
    assert [(each.rule, each.label) for each in found] == [
        ("too_many_parts", ""),
        ("over_price", "foot"),
        ("over_mass", "foot"),
    ]
    count, dear, heavy = (each.detail for each in found)
    assert "has 2 parts, the limit is 1" in count
    assert f"costs {price:.2f} USD at a quantity of 100, the limit is {price * 0.999:.2f} USD" in dear
    assert f"weighs {mass * 1000:.1f} g, the limit is {mass * 999:.1f} g" in heavy
    assert f"foot with {bill.lines[1].mass_kg * 1000:.1f} g" in heavy
