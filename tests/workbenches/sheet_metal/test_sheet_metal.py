"""Sheet metal: twelve known parts, each limit from both sides, the flat pattern, and what a price depends on."""

from math import pi
from typing import Any

import pytest
from build123d import Box
from build123d.topology import Shape
from contracts.models.design import Finding
from workbenches.registry import WORKBENCHES
from workbenches.sheet_metal.bench import pattern_of
from workbenches.sheet_metal.pattern import FlatPattern

from tests.workbenches.parts_and_orders import Drawn, LimitRow, assert_measured, assert_refused, mesh_of, order
from tests.workbenches.sheet_metal import shapes

BENCH = WORKBENCHES["sheet_metal"]
K_DC01 = 0.42


def findings(shape: Shape[Any], material: str = "steel-dc01") -> tuple[Finding, ...]:
    return BENCH.findings(mesh_of(shape), order(material))


def pattern(shape: Shape[Any]) -> FlatPattern:
    found, _ = pattern_of(mesh_of(shape), "steel-dc01")
    assert found is not None
    return found


@pytest.mark.sample(4)
@pytest.mark.parametrize(
    ("shape", "refused_for"),
    [
        pytest.param(shapes.plate, set[str](), id="plate"),
        pytest.param(lambda: shapes.plate(shapes.hole(10), shapes.slot(6, 30)), set[str](), id="plate with cuts"),
        pytest.param(shapes.angle, set[str](), id="angle"),
        pytest.param(shapes.channel, set[str](), id="channel"),
        pytest.param(shapes.zigzag, set[str](), id="step, bent up and down"),
        pytest.param(lambda: shapes.angle() - shapes.hole(6, 30), set[str](), id="angle with a hole"),
        pytest.param(lambda: Box(40, 40, 20), {"sheet_stock"}, id="block"),
        pytest.param(shapes.ribbed, {"sheet_bend_radius"}, id="plate with a rib"),
        pytest.param(shapes.chamfered, {"sheet_cut"}, id="chamfered plate"),
        pytest.param(shapes.pocketed, {"sheet_cut"}, id="plate with a pocket"),
        pytest.param(shapes.tube, {"sheet_unfold"}, id="square tube"),
        pytest.param(shapes.bowl, {"sheet_thickness"}, id="bowl"),
    ],
)
def test_known_part_is_accepted_or_refused_for_the_right_reason(shape: Drawn, refused_for: set[str]) -> None:
    assert_refused(findings, shape(), refused_for)


LIMITS: list[tuple[str, Drawn, LimitRow | None]] = [
    ("stock 2", shapes.plate, None),
    ("stock 2.2", lambda: shapes.plate(thickness_mm=2.2), ("sheet_stock", "error", 2.2, 2)),
    ("length 2990", lambda: Box(2990, 100, 2), None),
    ("length 2991", lambda: Box(2991, 100, 2), ("sheet_too_large", "error", 2991, 2990)),
    ("width 1491", lambda: Box(1500, 1491, 2), ("sheet_too_large", "error", 1491, 1490)),
    ("hole 1 t", lambda: shapes.plate(shapes.hole(2)), None),
    ("hole 0.95 t", lambda: shapes.plate(shapes.hole(1.9)), ("sheet_hole", "warning", 1.9, 2)),
    ("hole 0.7 t", lambda: shapes.plate(shapes.hole(1.4)), ("sheet_hole", "warning", 1.4, 2)),
    ("hole 0.65 t", lambda: shapes.plate(shapes.hole(1.3)), ("sheet_hole", "error", 1.3, 1.4)),
    ("slot 1 t", lambda: shapes.plate(shapes.slot(2)), None),
    ("slot 0.95 t", lambda: shapes.plate(shapes.slot(1.9)), ("sheet_slot", "warning", 1.9, 2)),
    ("open slot 1 t", lambda: shapes.plate(shapes.slot(2, 40)), None),
    ("open slot 0.65 t", lambda: shapes.plate(shapes.slot(1.3, 40)), ("sheet_slot", "error", 1.3, 1.4)),
    ("web 2 t", lambda: shapes.plate(shapes.hole(10, 41)), None),
    ("web 1.95 t", lambda: shapes.plate(shapes.hole(10, 41.1)), ("sheet_edge", "warning", 3.9, 4)),
    ("web 0.7 t", lambda: shapes.plate(shapes.hole(10, 43.6)), ("sheet_edge", "warning", 1.4, 4)),
    ("web 0.65 t", lambda: shapes.plate(shapes.hole(10, 43.7)), ("sheet_edge", "error", 1.3, 1.4)),
    ("bend 1 t", lambda: shapes.angle(radius_mm=2), None),
    ("bend 0.95 t", lambda: shapes.angle(radius_mm=1.9), ("sheet_bend_radius", "warning", 1.9, 2)),
    ("bend 0.5 t", lambda: shapes.angle(radius_mm=1), ("sheet_bend_radius", "warning", 1, 2)),
    ("bend 0.45 t", lambda: shapes.angle(radius_mm=0.9), ("sheet_bend_radius", "error", 0.9, 1)),
    ("flange 4 t", lambda: shapes.angle(8), None),
    ("flange 3.95 t", lambda: shapes.angle(7.9), ("sheet_flange", "warning", 7.9, 8)),
    ("flange 3 t", lambda: shapes.angle(6), ("sheet_flange", "warning", 6, 8)),
    ("flange 2.95 t", lambda: shapes.angle(5.9), ("sheet_flange", "error", 5.9, 6)),
    ("hole 2.5 t off", lambda: shapes.angle() - shapes.hole(6, 12), None),
    ("hole 2.4 t off", lambda: shapes.angle() - shapes.hole(6, 11.8), ("sheet_hole_to_bend", "warning", 4.8, 5)),
    ("hole 2 t off", lambda: shapes.angle() - shapes.hole(6, 11), ("sheet_hole_to_bend", "warning", 4, 5)),
    ("hole 1.9 t off", lambda: shapes.angle() - shapes.hole(6, 10.8), ("sheet_hole_to_bend", "error", 3.8, 4)),
]


@pytest.mark.sample(10)
@pytest.mark.parametrize(("shape", "expected"), [pytest.param(*case[1:], id=case[0]) for case in LIMITS])
def test_limit_is_measured_from_both_sides(shape: Drawn, expected: LimitRow | None) -> None:
    found = findings(shape())
    assert_measured(found, expected, accuracy_mm=0.01)
    assert len(found) <= 1


def test_flat_pattern_is_as_long_as_its_walls_and_the_neutral_layer_of_its_bends() -> None:
    bend_mm = pi / 2 * (2 + K_DC01 * 2)
    assert pattern(shapes.angle()).size_mm == pytest.approx((46 + 26 + bend_mm, 40), abs=2e-3)
    assert pattern(shapes.channel()).size_mm == pytest.approx((52 + 2 * 26 + 2 * bend_mm, 40), abs=2e-3)
    step = pattern(shapes.zigzag())
    assert step.size_mm[0] == pytest.approx(35 + 10 + 37 + 2 * pi / 2 * (3 + K_DC01 * 2), abs=2e-3)
    assert {bend.is_up for bend in step.bends} == {True, False}


def test_price_follows_cut_length_pierces_bends_and_quantity() -> None:
    plain, cut, bent = (
        BENCH.price(mesh_of(shape), order("steel-dc01"))
        for shape in (shapes.plate(), shapes.plate(shapes.hole(10)), shapes.angle())
    )
    assert cut.unit_price_usd > plain.unit_price_usd
    assert "2 pierce(s), 0 bend(s)" in cut.notes[0]
    assert (plain.setups, bent.setups) == (1, 2)
    one, many = (BENCH.price(mesh_of(shapes.angle()), order("steel-dc01", each)).unit_price_usd for each in (1, 1000))
    assert one > 10 * many
