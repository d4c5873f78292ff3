"""Draft is measured on surfaces: at, just above and just below a limit, beside holes and corners, on slender legs."""

from collections.abc import Callable
from typing import Any

import pytest
from build123d import Axis, Box, Cylinder, Plane, Pos, Rectangle, RectangleRounded, Rot, extrude, fillet
from build123d.topology import Shape
from contracts.models.design import Finding
from parts_catalog.methods.workshop_figures import MOULD_RULES
from workbenches.moulding.bench import MouldingBench

from tests.workbenches.parts_and_orders import mesh_of, order

TWO_DEGREES = MouldingBench(MOULD_RULES.model_copy(update={"draft_error_deg": 2.0, "draft_ramp": ((1e9, 2.0),)}))


def cup(taper_deg: float, rounding_mm: float = 4.0) -> Shape[Any]:
    top = Plane.XY.offset(20)
    outer = extrude(top * RectangleRounded(40, 30, rounding_mm), -20, taper=taper_deg)
    return outer - extrude(top * RectangleRounded(36, 26, rounding_mm - 2), -18, taper=taper_deg)


def bored_cup(taper_deg: float) -> Shape[Any]:
    return cup(taper_deg) - Pos(20, 3, 10) * Rot(0, 90, 0) * Cylinder(2, 20)


def twice_bored_cup(taper_deg: float) -> Shape[Any]:
    return bored_cup(taper_deg) - Pos(-5, 15, 9) * Rot(90, 0, 0) * Cylinder(2.5, 20)


def tilted_cup(taper_deg: float) -> Shape[Any]:
    return Rot(20, 0, 15) * cup(taper_deg)


def leg(taper_deg: float) -> Shape[Any]:
    """Return a plate with a slender leg."""
    plate = extrude(Rectangle(40, 30), -2.5, taper=3)
    return plate + extrude(Rectangle(3, 3), 22, taper=taper_deg)


def rounded_leg(taper_deg: float) -> Shape[Any]:
    return extrude(Rectangle(40, 30), -2.5, taper=3) + extrude(RectangleRounded(5, 4, 1.5), 30, taper=taper_deg)


SHAPES = [cup, bored_cup, twice_bored_cup, tilted_cup, leg, rounded_leg]


def drafts(shape: Shape[Any], bench: MouldingBench = TWO_DEGREES) -> list[Finding]:
    return [each for each in bench.findings(mesh_of(shape), order("pp")) if each.rule == "mould_draft"]


@pytest.mark.sample(2)
@pytest.mark.parametrize("shape", SHAPES)
def test_wall_of_exactly_the_least_draft_passes(shape: Callable[[float], Shape[Any]]) -> None:
    assert drafts(shape(2.0)) == []
    assert drafts(shape(2.05)) == []


@pytest.mark.sample(4)
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("taper_deg", [1.95, 1.5])
def test_wall_of_less_draft_is_measured(shape: Callable[[float], Shape[Any]], taper_deg: float) -> None:
    found = drafts(shape(taper_deg))
    assert found
    assert [each.measured for each in found] == pytest.approx([taper_deg] * len(found), abs=0.02)


def test_rounded_walls_are_one_finding_each() -> None:
    assert len(drafts(cup(1.0))) == 2, "one outside, one inside"


def test_bulge_may_be_upright_where_it_is_widest() -> None:
    lens = fillet(Box(40, 30, 4).edges().filter_by(Axis.Z), 8)
    rounded = fillet(lens.faces().filter_by(Axis.Z).edges(), 1.999)
    assert drafts(rounded) == []
