"""What a price is made of: volume, surface, support, walls, set-ups and tools, of parts in closed form."""

from dataclasses import replace
from math import pi
from typing import Any

import pytest
from build123d import Axis, Box, Cylinder, Pos, Rot, fillet
from build123d.topology import Shape
from contracts.models.design import Method, PriceBreakdown
from parts_catalog.methods.workshop_figures import (
    CNC_RATES,
    FILAMENT_RATES,
    FILAMENT_RULES,
    MOULD_RATES,
    POWDER_RATES,
    POWDER_RULES,
)
from parts_catalog.pricing.mill_prices import MillingJob, milling_price
from parts_catalog.pricing.mould_prices import MouldingJob, moulding_price
from parts_catalog.pricing.print_prices import PrintJob, filament_price, powder_price
from workbenches.registry import WORKBENCHES

from tests.workbenches.parts_and_orders import mesh_of, order
from tests.workbenches.test_limits import row
from tests.workbenches.test_moulding import tray

FILAMENT_USD_PER_H = FILAMENT_RULES.printers[0].usd_per_h
TURN = Rot(20, 35, 50)
"""Prices are those of a part's own axes."""


def assert_equal(found: PriceBreakdown, expected: PriceBreakdown, rel: float = 1e-4) -> None:
    for field in ("material_usd", "machine_usd", "setup_usd", "tooling_usd", "unit_price_usd", "machine_min"):
        assert getattr(found, field) == pytest.approx(getattr(expected, field), rel=rel), field
    assert found.setups == expected.setups


def price(method: Method, part: Shape[Any], material: str) -> PriceBreakdown:
    return WORKBENCHES[method].price(mesh_of(part), order(material))


def jack() -> Shape[Any]:
    """Return three crossed bars of 10 x 10 x 50: on whatever side it rests, four arms hang 20 mm above the bed."""
    return Box(10, 10, 50) + Box(50, 10, 10) + Box(10, 50, 10)


def hollow() -> Shape[Any]:
    """Return a block with a void of 40 x 25 x 12, whose ceiling needs support on whatever side it lies."""
    return Box(60, 45, 30) - Box(40, 25, 12)


PRINTS = {
    "jack": (jack(), PrintJob(13_000, 2 * 3 * 100 + 6 * 4 * 200, 4 * 200 * 20, 800, 3600, (50, 50, 50), 0)),
    "hollow": (
        hollow(),
        PrintJob(69_000, 2 * (2700 + 1800 + 1350 + 1000 + 480 + 300), 12_000, 1000, 7860, (60, 45, 30), 0),
    ),
    "table": (Pos(0, 0, 30) * Box(50, 40, 4) + Box(8, 8, 56), PrintJob(11_584, 6288, 0, 0, 2512, (50, 40, 60), 0)),
}


@pytest.mark.parametrize("name", ["jack", "hollow"])
@pytest.mark.parametrize("turn", [Rot(0, 0, 0), TURN])
def test_print_is_priced_by_shell_support_and_height(name: str, turn: Any) -> None:
    part, job = PRINTS[name]
    full = replace(job, usd_per_h=FILAMENT_USD_PER_H)
    assert_equal(price("3d_printing", turn * part, "pla"), filament_price(order("pla"), full, FILAMENT_RATES), rel=2e-3)


@pytest.mark.parametrize("name", ["jack", "hollow"])
def test_powder_is_priced_by_volume_and_box_without_support(name: str) -> None:
    part, job = PRINTS[name]
    full = replace(job, support_mm3=0.0, usd_per_h=POWDER_RULES.printers[0].usd_per_h)
    assert_equal(price("3d_printing", TURN * part, "pa12-sls"), powder_price(order("pa12-sls"), full, POWDER_RATES))


def test_part_is_printed_on_the_side_that_needs_no_support() -> None:
    """A table lies on its plate."""
    found = price("3d_printing", PRINTS["table"][0], "pla")
    assert "support" not in found.notes[0]
    assert "of it support" in price("3d_printing", jack(), "pla").notes[0]


def test_overhangs_of_a_jack_are_reported_at_each_arm() -> None:
    found = WORKBENCHES["3d_printing"].findings(mesh_of(jack()), order("pla"))
    assert [row(each) for each in found] == [("print_overhang", "warning", 90.0, 45.0, "deg")] * 4
    places = [each.place_mm for each in found]
    assert all(place is not None and max(abs(value) for value in place) <= 25 for place in places)
    assert all("over 200 mm2" in each.detail for each in found)


def test_bridge_is_as_long_as_the_shorter_way_between_its_sides() -> None:
    found = WORKBENCHES["3d_printing"].findings(mesh_of(hollow()), order("pla"))
    bridges = [row(each) for each in found if each.rule == "print_bridge"]
    assert bridges == [("print_bridge", "warning", pytest.approx(25.0), 20.0, "mm")]


@pytest.mark.parametrize("turn", [Rot(0, 0, 0), TURN])
def test_plate_is_moulded_across_its_thinnest_side(turn: Any) -> None:
    job = MouldingJob(7200, 3.0, (60, 40, 3), 2400, 3, 0)
    found = price("injection_molding", turn * Box(60, 40, 3), "abs")
    assert_equal(found, moulding_price(order("abs"), job, MOULD_RATES), rel=5e-3)


def test_tray_with_windows_is_moulded_with_side_actions() -> None:
    """Windows in two walls that meet need two actions."""
    plain = tray(2)
    part = plain - Pos(40, 0, 10) * Rot(0, 90, 0) * Cylinder(4, 20) - Pos(0, 30, 10) * Rot(90, 0, 0) * Cylinder(4, 20)
    (solid,) = part.solids()
    found = price("injection_molding", part, "abs")
    areas = {round(face.area, 1) for face in solid.faces()}
    job = MouldingJob(solid.volume, 2.0, (80, 60, 20), 4800, len(areas), 2)
    expected = moulding_price(order("abs"), job, MOULD_RATES)
    assert found.tooling_usd == pytest.approx(expected.tooling_usd, rel=0.02)
    assert "2 side action(s)" in found.notes[0]
    assert f"{len(areas)} different faces" in found.notes[0]
    assert "0 side action(s)" in price("injection_molding", plain, "abs").notes[0]


def pocketed() -> Shape[Any]:
    """Return a block of 60 x 40 x 20 with a pocket 8 mm deep, rounded by 6 mm, and two holes of 5 and one of 3 mm."""
    pocket = fillet(Box(30, 20, 8).edges().filter_by(Axis.Z), 6)
    holes = [Pos(x, y, 0) * Cylinder(d / 2, 20) for x, y, d in ((-25, 15, 5), (25, 15, 5), (25, -15, 3))]
    return Box(60, 40, 20) - Pos(0, 0, 6) * pocket - holes


@pytest.mark.parametrize("turn", [Rot(0, 0, 0), TURN])
def test_milling_is_priced_by_what_is_cut_away_and_by_tools(turn: Any) -> None:
    """Tools for roughing and finishing, for the corner, and for each of two diameters."""
    corner_mm2 = 36 * (4 - pi)
    pocket_mm2, wall_mm2 = 600 - corner_mm2, (100 - 48 + 12 * pi) * 8
    volume = 48_000 - 8 * pocket_mm2 - 20 * pi * (2 * 2.5**2 + 1.5**2)
    area = 2 * (2400 + 1200 + 800) + wall_mm2 + 20 * pi * (5 + 5 + 3) - 2 * pi * (2 * 2.5**2 + 1.5**2)
    job = MillingJob((60, 40, 20), volume, area, setups=2, tools=5)
    assert_equal(price("cnc", turn * pocketed(), "aluminum-6061"), milling_price(order(), job, CNC_RATES), rel=2e-3)


SLOTS = {
    "slot 4 x 8": (4, 8, None),
    "slot 4 x 9": (4, 9, None),
    "slot 4 x 9.5": (4, 9.5, ("cnc_reach", "warning", 9.5 / 3, 3.0, "mm/mm")),
    "slot 4 x 16": (4, 16, ("cnc_reach", "warning", 16 / 3, 3.0, "mm/mm")),
    "slot 4 x 18": (4, 18, ("cnc_reach", "warning", 6.0, 3.0, "mm/mm")),
    "slot 4 x 20": (4, 20, ("cnc_reach", "error", 20 / 3, 6.0, "mm/mm")),
}


@pytest.mark.parametrize("name", SLOTS)
def test_slot_needs_the_thickest_tool_that_fits_at_its_full_depth(name: str) -> None:
    width, depth, expected = SLOTS[name]
    part = Box(60, 40, 45) - Pos(0, 0, 22.5 - depth / 2) * Box(60, width, depth)
    found = WORKBENCHES["cnc"].findings(mesh_of(part), order())
    if expected is None:
        assert found == ()
        return
    (finding,) = found
    assert row(finding) == (*expected[:2], pytest.approx(expected[2]), *expected[3:])
    assert finding.place_mm is not None
    assert finding.place_mm[2] == pytest.approx(22.5 - depth, abs=0.01), "at its bottom"
    assert abs(finding.place_mm[1]) <= width / 2
