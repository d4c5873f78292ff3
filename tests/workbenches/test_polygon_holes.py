"""Polygons with many corners in place of round holes, and notches too sharp for a tool."""

from math import cos, pi, radians, tan

import pytest
from build123d import Box, Plane, Polygon, Pos, RegularPolygon, Rot, extrude
from contracts.models.design import Finding
from workbenches.cnc.bench import CncBench

from tests.workbenches.parts_and_orders import RepeatedBench, mesh_of, order

BENCH = RepeatedBench(CncBench())


def sharp_corners(corners: int, diameter_mm: float, turn: tuple[float, float, float] = (0, 0, 0)) -> list[Finding]:
    hole = Pos(7, 3, -2) * extrude(RegularPolygon(diameter_mm / 2, corners), 4)
    found = BENCH.findings(mesh_of(Rot(*turn) * (Box(60, 40, 4) - hole)), order())
    return [finding for finding in found if finding.rule == "cnc_sharp_corner"]


@pytest.mark.sample(4)
@pytest.mark.parametrize(("corners", "diameter_mm"), [(8, 2.0), (12, 4.0), (16, 5.5), (24, 9.0), (36, 20), (64, 30)])
@pytest.mark.parametrize("turn", [(0, 0, 0), (20, 35, 50)])
def test_polygon_hole_is_one_finding(corners: int, diameter_mm: float, turn: tuple[float, float, float]) -> None:
    (finding,) = sharp_corners(corners, diameter_mm, turn)
    assert finding.measured == pytest.approx(diameter_mm / 2 * (1 - cos(pi / corners)), rel=1e-3)
    assert finding.severity == "warning"
    assert f"polygon of {corners} corners" in finding.detail


def test_coarse_polygon_is_not_replaced_by_a_round_hole() -> None:
    (finding,) = sharp_corners(8, 30.0)
    assert finding.severity == "error"


def test_hexagon_keeps_its_corners() -> None:
    assert [finding.severity for finding in sharp_corners(6, 10.0)] == ["error"] * 6


@pytest.mark.parametrize(("angle_deg", "is_sharp"), [(30, True), (60, True), (88, True), (100, False)])
def test_notch_too_sharp_for_a_tool_has_radius_zero(angle_deg: float, is_sharp: bool) -> None:
    half_mm = 4 * tan(radians(angle_deg / 2))
    notch = extrude(Plane.XZ * Polygon((0, 6), (half_mm, 10), (-half_mm, 10), align=None), 20, both=True)
    found = BENCH.findings(mesh_of(Pos(0, 0, 5) * Box(60, 8, 10) - notch), order())
    corners = [each.measured for each in found if each.rule == "cnc_sharp_corner"]
    assert corners == ([0.0] if is_sharp else [])
    assert "cnc_unreachable" not in {each.rule for each in found}
