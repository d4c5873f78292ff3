"""The length of a screw inside a part, and how much of it both parts need."""

from typing import Any

import pytest
from build123d import Box, Cylinder, Pos, Rot
from build123d.topology import Shape
from contracts.models.geometry import Vector
from contracts.models.mechanism import Connection
from design_rules.bodies.placed_screws import PlacedScrew
from parts_catalog.hardware import fastener

from tests.design_rules.solid_bodies import body
from tests.support.designs import Designs
from tests.support.slides import bond

M4 = fastener("iso4762-m4x16")


def threaded_mm(shape: Shape[Any], head: Vector, direction: Vector) -> float:
    return PlacedScrew(M4, head, direction).threaded_mm(body("block", shape))


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
def test_thread_in_a_block_is_as_long_as_the_screw_is_inside(head: Vector, direction: Vector, length_mm: float) -> None:
    assert threaded_mm(Box(20, 20, 20), head, direction) == pytest.approx(length_mm, abs=1e-6)


@pytest.mark.parametrize(("diameter_mm", "length_mm"), [(3.3, 16.0), (4.0, 16.0), (4.3, 0.0), (5.9, 0.0)])
def test_thread_holds_in_a_hole_up_to_the_diameter_of_the_screw(diameter_mm: float, length_mm: float) -> None:
    drilled = Box(20, 20, 20) - Cylinder(diameter_mm / 2, 20)
    assert threaded_mm(drilled, (0, 0, 10), (0, 0, -1)) == pytest.approx(length_mm, abs=1e-6)


@pytest.mark.parametrize(("diameter_mm", "length_mm"), [(4.5, 16.0), (5.8, 16.0), (6.1, 0.0)])
def test_head_rests_around_a_hole_up_to_one_and_a_half_diameters(diameter_mm: float, length_mm: float) -> None:
    drilled = body("block", Box(20, 20, 20) - Cylinder(diameter_mm / 2, 20))
    assert PlacedScrew(M4, (0, 0, 10), (0, 0, -1)).clamped_mm(drilled) == pytest.approx(length_mm, abs=1e-6)


@pytest.mark.parametrize(("edge_mm", "length_mm"), [(4.1, 16.0), (3.8, 0.0), (0.05, 0.0), (-2.0, 0.0)])
@pytest.mark.parametrize("turn_deg", [0.0, 17.0, 45.0])
def test_screw_needs_a_diameter_of_material_around_its_axis(edge_mm: float, length_mm: float, turn_deg: float) -> None:
    block = Rot(0, 0, turn_deg) * Pos(edge_mm - 10, 0, 0) * Box(20, 20, 20)
    screw = PlacedScrew(M4, (0, 0, 10), (0, 0, -1))
    assert screw.threaded_mm(body("block", block)) == pytest.approx(length_mm, abs=1e-6)
    assert screw.clamped_mm(body("block", block)) == pytest.approx(length_mm, abs=1e-6)


def test_slanted_screw_is_measured_along_its_axis() -> None:
    slab = Rot(0, 30, 0) * Box(60, 60, 5)
    direction = (-(0.25**0.5), 0.0, -(0.75**0.5))
    head = tuple(-10 * each for each in direction)
    assert threaded_mm(slab, (head[0], head[1], head[2]), direction) == pytest.approx(5.0, abs=1e-6)


def screw_at(*places: Vector, first: str = "plate", second: str = "base", length: float = 1.0) -> Connection:
    return Connection(
        first=first,
        second=second,
        means="fastened",
        fastener_id="iso4762-m4x16",
        places_mm=places,
        directions=((0.0, 0.0, -length),) * len(places),
    )


@pytest.mark.parametrize(
    ("plate_mm", "raised_mm", "problem"),
    [
        (11.9, 0.0, ""),
        (12.1, 0.0, "reaches 3.90 mm into base, at least 4.00 mm is needed"),
        (5.0, 0.4, ""),
        (5.0, 0.6, "rests on nothing; put the head on a face of plate"),
        (5.0, -0.15, ""),
        (5.0, -0.3, "0.30 mm of plate in its head's place or way in"),
        (5.0, -4.6, "passes through 0.40 mm of plate and rests on nothing"),
        (17.0, 0.0, "passes through 16.00 mm of plate and reaches 0 mm into base"),
        (5.0, 15.6, "meets neither plate nor base"),
    ],
)
def test_screw_needs_material_to_pass_through_and_to_hold_in(
    designs: Designs, plate_mm: float, raised_mm: float, problem: str
) -> None:
    base = designs.part("base", (30, 30, 20), (0, 0, 10))
    plate = designs.part("plate", (30, 30, plate_mm), (0, 0, 20 + plate_mm / 2))
    mechanism = [bond("base", "floor"), screw_at((0, 0, 20 + plate_mm + raised_mm))]
    found = designs.judge(base, plate, mechanism=mechanism).findings
    assert [(each.rule, each.label) for each in found] == ([("invalid_connection", "plate")] if problem else [])
    assert all(problem in each.detail for each in found)


def stack(designs: Designs) -> list[Any]:
    """Return a base of 30 mm and a plate of 5 mm on it, with its upper face at z 25."""
    return [designs.part("base", (30, 30, 20), (0, 0, 10)), designs.part("plate", (30, 30, 5), (0, 0, 22.5))]


def problems(designs: Designs, parts: list[Any], *screws: Connection, glued: tuple[str, ...] = ("base",)) -> list[str]:
    mechanism = [*(bond(label, "floor") for label in glued), *screws]
    found = designs.judge(*parts, mechanism=mechanism).findings
    assert {each.rule for each in found} <= {"invalid_connection"}
    return [each.detail for each in found]


def test_head_buried_in_a_part_is_refused_by_what_blocks_it(designs: Designs) -> None:
    base, plate = designs.part("base", (30, 30, 20), (0, 0, 10)), designs.part("plate", (30, 30, 30), (0, 0, 35))
    (buried,) = problems(designs, [base, plate], screw_at((0, 0, 26)))
    assert "24.00 mm of plate in its head's place or way in" in buried


def test_head_in_a_counterbore_open_to_the_outside_is_accepted(designs: Designs) -> None:
    base = designs.part("base", (30, 30, 20), (0, 0, 10))
    bored = Pos(0, 0, 35) * Box(30, 30, 30) - Pos(0, 0, 38) * Cylinder(3.7, 26)
    assert problems(designs, [base, designs.as_part("plate", bored)], screw_at((0, 0, 25))) == []


def test_head_in_a_closed_cavity_is_refused(designs: Designs) -> None:
    base = designs.part("base", (30, 30, 20), (0, 0, 10))
    hollow = Pos(0, 0, 35) * Box(30, 30, 30) - Pos(0, 0, 30) * Cylinder(8, 10) - Pos(20, 0, 30) * Box(20, 6, 10)
    (closed,) = problems(designs, [base, designs.as_part("plate", hollow)], screw_at((0, 0, 25)))
    assert "in its head's place or way in" in closed


@pytest.mark.parametrize(("apart_mm", "is_taken"), [(0.0, True), (3.0, True), (6.0, True), (7.3, False)])
def test_second_screw_in_the_room_of_the_first_is_refused(designs: Designs, apart_mm: float, is_taken: bool) -> None:
    found = problems(designs, stack(designs), screw_at((0, 0, 25), (apart_mm, 0, 25)))
    assert len(found) == is_taken
    assert all("a hole holds one screw: keep axes 7.22 mm apart" in each for each in found)


def test_screws_of_two_connections_in_one_place_are_refused(designs: Designs) -> None:
    found = problems(designs, stack(designs), screw_at((0, 0, 25)), screw_at((0, 0, 25)))
    assert len(found) == 1


def test_screw_through_a_third_part_is_refused_by_its_name(designs: Designs) -> None:
    near = designs.part("near", (10, 30, 10), (8, 0, 30))
    (crossing,) = problems(designs, [*stack(designs), near], screw_at((0, 0, 25)), bond("near", "plate"))
    assert "goes through near, which it does not join" in crossing


def bridge(designs: Designs, under_mm: float) -> list[Any]:
    """Return a base with a screwed plate, and a bridge over it that is this high above the plate's upper face."""
    lintel = Pos(0, 0, 25 + under_mm + 5) * Box(80, 20, 10)
    legs = [Pos(x, 0, (25 + under_mm + 5) / 2) * Box(8, 20, 25 + under_mm + 5) for x in (-36, 36)]
    return [*stack(designs), designs.as_part("bridge", lintel + legs)]


def test_bridge_over_a_screw_comes_after_it(designs: Designs) -> None:
    """A key for M4 is 20 mm long and its head 4 mm high: at 23 mm it does not go under the bridge."""
    order = [bond("base", "floor"), bond("bridge", "floor"), screw_at((0, 0, 25))]
    for under_mm in (23.0, 25.0):
        judged = designs.judge(*bridge(designs, under_mm), mechanism=order)
        assert judged.findings == ()
        placed = [step.labels for step in judged.assembly]
        if under_mm < 24:
            assert placed[-1] == ("bridge",)


def test_screw_under_a_bar_that_is_caught_below_it_is_refused_by_name(designs: Designs) -> None:
    """The bar comes into its slot from below, before the block is on the base; the screw's hole leads through the slot.

    Glued, the same parts can be put together.
    """
    base = designs.part("base", (80, 30, 20), (0, 0, 10))
    slot = Pos(-7.5, 0, 40) * Box(65, 6, 10) + Pos(-22.5, 0, 27.5) * Box(35, 6, 15)
    hole = Pos(15, 0, 45) * Cylinder(3.7, 40)
    block = designs.as_part("block", Pos(-7.5, 0, 40) * Box(75, 30, 40) - slot - hole)
    bar = designs.part("bar", (30, 5.98, 9.98), (5, 0, 40))
    fixed = [bond("base", "floor"), bond("bar", "block")]
    found = designs.judge(base, block, bar, mechanism=[*fixed, screw_at((15, 0, 25), first="block")]).findings
    assert [(each.rule, each.label) for each in found] == [("not_assemblable", "bar")]
    assert "in the way of screws that join block to base" in found[0].detail
    assert designs.judge(base, block, bar, mechanism=[*fixed, bond("block", "base")]).findings == ()


@pytest.mark.parametrize(("length", "is_unit"), [(1.0009, True), (0.9991, True), (1.0011, False), (0.9989, False)])
def test_direction_is_a_unit_vector_within_a_thousandth(designs: Designs, length: float, is_unit: bool) -> None:
    base, plate = designs.part("base", (30, 30, 20), (0, 0, 10)), designs.part("plate", (30, 30, 5), (0, 0, 22.5))
    found = designs.judge(base, plate, mechanism=[bond("base", "floor"), screw_at((0, 0, 25), length=length)]).findings
    assert [each.rule for each in found] == ([] if is_unit else ["invalid_connection"])
