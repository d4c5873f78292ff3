"""Turning: twelve known parts, each limit from both sides, and what a price depends on."""

from typing import Any

import pytest
from build123d import Box, Cylinder
from build123d.topology import Shape
from contracts.models.design import Finding
from workbenches.registry import WORKBENCHES

from tests.workbenches.parts_and_orders import Drawn, LimitRow, assert_measured, assert_refused, errors, mesh_of, order
from tests.workbenches.sheet_metal.shapes import angle
from tests.workbenches.turning import shapes

BENCH = WORKBENCHES["turning"]


def findings(shape: Shape[Any], material: str = "aluminum-6061") -> tuple[Finding, ...]:
    return BENCH.findings(mesh_of(shape), order(material))


@pytest.mark.sample(4)
@pytest.mark.parametrize(
    ("shape", "refused_for"),
    [
        pytest.param(shapes.shaft, set[str](), id="shaft with a collar"),
        pytest.param(lambda: Cylinder(15, 30) - Cylinder(8, 30), set[str](), id="bushing"),
        pytest.param(lambda: shapes.grooved(4), set[str](), id="pulley"),
        pytest.param(lambda: shapes.flange(6), set[str](), id="flange with four holes"),
        pytest.param(lambda: shapes.polygon_bar(6), set[str](), id="hexagonal nut blank"),
        pytest.param(shapes.keyed, set[str](), id="shaft with a keyway"),
        pytest.param(shapes.knob, set[str](), id="knob with a ball"),
        pytest.param(lambda: shapes.polygon_bar(4), {"turn_not_round"}, id="square bar"),
        pytest.param(shapes.filleted_box, {"turn_not_round"}, id="block with round corners"),
        pytest.param(lambda: Box(40, 30, 5), {"turn_not_round"}, id="plate"),
        pytest.param(shapes.leaning_hole, {"turn_unreachable"}, id="hole that leans"),
        pytest.param(shapes.sealed, {"turn_unreachable"}, id="closed hollow roller"),
    ],
)
def test_known_part_is_accepted_or_refused_for_the_right_reason(shape: Drawn, refused_for: set[str]) -> None:
    assert_refused(findings, shape(), refused_for)


LIMITS: list[tuple[str, Drawn, LimitRow | None]] = [
    ("diameter 75", lambda: Cylinder(37.5, 40), None),
    ("diameter 75.1", lambda: Cylinder(37.55, 40), ("turn_too_large", "error", 75.1, 75)),
    ("diameter 4", lambda: Cylinder(2, 10), None),
    ("diameter 3.9", lambda: Cylinder(1.95, 7), ("turn_too_large", "error", 3.9, 4)),
    ("length 228", lambda: Cylinder(30, 228), None),
    ("length 228.2", lambda: Cylinder(30, 228.2), ("turn_too_large", "error", 228.2, 228)),
    ("length 1.25", lambda: Cylinder(10, 1.25), ("turn_too_large", "error", 1.25, 1.27)),
    ("4 times as long", lambda: Cylinder(5, 40), None),
    ("4.1 times", lambda: Cylinder(5, 41), ("turn_slender", "warning", 4.1, 4)),
    ("10 times", lambda: Cylinder(5, 100), ("turn_slender", "warning", 10, 4)),
    ("10.1 times", lambda: Cylinder(5, 101), ("turn_slender", "error", 10.1, 10)),
    ("groove 1.2", lambda: shapes.grooved(1.2), None),
    ("groove 1.15", lambda: shapes.grooved(1.15), ("turn_groove", "error", 1.15, 1.2)),
    ("groove 24 deep", lambda: shapes.grooved(4, 24), None),
    ("groove 24.2 deep", lambda: shapes.grooved(4, 24.2), ("turn_groove", "error", 24.2, 24.1)),
    ("bore 4 deep", lambda: shapes.bored(8, 32), None),
    ("bore 4.2 deep", lambda: shapes.bored(8, 33.6), ("turn_bore", "warning", 4.2, 4)),
    ("bore 10.2 deep", lambda: shapes.bored(6, 61.2), ("turn_bore", "error", 10.2, 10)),
    ("cross hole 2", lambda: shapes.cross_drilled(2), None),
    ("cross hole 1.9", lambda: shapes.cross_drilled(1.9), ("turn_hole", "error", 1.9, 2)),
    ("axial hole 1", lambda: shapes.flange(1.0), None),
    ("neck 0.8", lambda: shapes.necked(0.8), None),
    ("neck 0.7", lambda: shapes.necked(0.7), ("turn_neck", "error", 0.7, 0.76)),
    ("wall 0.45", lambda: shapes.cup(0.45), ("turn_thin_wall", "error", 0.45, 0.5)),
    ("wall 0.5", lambda: shapes.cup(0.5), ("turn_thin_wall", "warning", 0.5, 0.8)),
    ("wall 0.8", lambda: shapes.cup(0.8), None),
    ("corner 0.4", lambda: shapes.rounded_shoulder(0.4), None),
    ("corner 0.3", lambda: shapes.rounded_shoulder(0.3), ("turn_corner", "warning", 0.3, 0.4)),
]


@pytest.mark.parametrize(("shape", "expected"), [pytest.param(*case[1:], id=case[0]) for case in LIMITS])
def test_limit_is_measured_from_both_sides(shape: Drawn, expected: LimitRow | None) -> None:
    assert_measured([each for each in findings(shape()) if each.severity != "info"], expected, accuracy_mm=0.03)


def test_no_more_than_the_whole_body_is_milled_away() -> None:
    (finding,) = findings(angle())
    assert finding.rule == "turn_not_round"
    assert finding.measured is not None
    assert 0.9 < finding.measured < 1


def test_groove_inside_needs_a_bore_for_the_bar() -> None:
    wide, narrow = findings(shapes.inner_groove(12)), findings(shapes.inner_groove(5))
    assert {each.severity for each in wide if each.rule == "turn_unreachable"} == {"warning"}
    assert "turn_unreachable" in errors(narrow)


def test_milled_features_are_named_as_extra_and_cost() -> None:
    named = [each for each in findings(shapes.flange(6)) if each.rule == "turn_live_tooling"]
    assert [each.measured for each in named] == [4]
    plain, drilled = (BENCH.price(mesh_of(shape), order()) for shape in (Cylinder(10, 40), shapes.cross_drilled(4)))
    assert drilled.unit_price_usd > plain.unit_price_usd


def test_turned_shaft_is_cheaper_than_the_same_milled_and_falls_with_quantity() -> None:
    mesh = mesh_of(shapes.shaft())
    turned = [BENCH.price(mesh, order(quantity=quantity)).unit_price_usd for quantity in (1, 10, 1000)]
    assert turned == sorted(turned, reverse=True)
    assert turned[0] < WORKBENCHES["cnc"].price(mesh, order(quantity=1)).unit_price_usd


def test_bar_is_the_next_on_sale() -> None:
    assert "bar of 35 mm" in BENCH.price(mesh_of(shapes.shaft()), order()).notes[0]
    assert "bar of 16 mm" in BENCH.price(mesh_of(Cylinder(7.5, 20)), order()).notes[0]
