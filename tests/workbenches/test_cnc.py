"""Rules and setups of the milling workbench, on parts with known results."""

from typing import Any

import pytest
from build123d import Axis, Box, Cylinder, Pos, Rot, Sphere, chamfer, fillet
from build123d.topology import Shape
from parts_catalog.methods.workshop_figures import CNC_RULES
from workbenches.cnc.bench import CncBench

from tests.workbenches.parts_and_orders import RepeatedBench, errors, mesh_of, order, warnings

BENCH = RepeatedBench(CncBench())
BENCH_WITH_3_MM_CORNERS = RepeatedBench(CncBench(CNC_RULES.model_copy(update={"least_corner_radius_mm": 3.0})))


def pocketed(radius_mm: float) -> Shape[Any]:
    pocket = Box(30, 20, 8)
    if radius_mm:
        pocket = fillet(pocket.edges().filter_by(Axis.Z), radius_mm)
    return Box(60, 40, 20) - Pos(0, 0, 6) * pocket


def t_slot() -> Shape[Any]:
    return Box(60, 150, 25) - Pos(0, 0, 9) * Box(6, 150, 10) - Pos(0, 0, 2) * Box(14, 150, 6)


def test_plain_block_needs_two_setups_without_findings() -> None:
    mesh = mesh_of(Box(60, 40, 20))
    assert BENCH.findings(mesh, order()) == ()
    assert BENCH.price(mesh, order()).setups == 2


@pytest.mark.parametrize(
    ("radius_mm", "rule"), [(0, "cnc_sharp_corner"), (0.5, "cnc_corner_radius"), (2.9, "cnc_corner_radius")]
)
def test_pocket_corners_below_minimum_radius_are_errors(radius_mm: float, rule: str) -> None:
    findings = BENCH_WITH_3_MM_CORNERS.findings(mesh_of(pocketed(radius_mm)), order())
    assert errors(findings) == {rule}
    assert len([finding for finding in findings if finding.rule == rule]) == 4


@pytest.mark.parametrize("radius_mm", [3.0, 5.0])
def test_pocket_corners_at_minimum_radius_have_no_findings(radius_mm: float) -> None:
    assert BENCH_WITH_3_MM_CORNERS.findings(mesh_of(pocketed(radius_mm)), order()) == ()


def test_corner_finding_has_position_and_measurement() -> None:
    finding = BENCH_WITH_3_MM_CORNERS.findings(mesh_of(Pos(100, 0, 0) * pocketed(2.9)), order())[0]
    assert finding.measured == pytest.approx(2.9)
    assert finding.limit == 3.0
    assert finding.place_mm is not None
    x, y, z = finding.place_mm
    assert abs(x - 100) == pytest.approx(15, abs=3)
    assert abs(y) == pytest.approx(10, abs=3)
    assert 2 <= z <= 10
    assert finding.face is not None


def test_chamfer_at_bottom_needs_no_third_setup() -> None:
    block = Box(60, 40, 20)
    chamfered = chamfer(block.faces().sort_by(Axis.Z)[0].edges(), 2)
    mesh = mesh_of(chamfered)
    assert BENCH.findings(mesh, order()) == ()
    assert BENCH.price(mesh, order()).setups == 2


def test_hole_through_side_needs_two_setups_without_errors() -> None:
    drilled = mesh_of(Box(60, 40, 20) - Rot(0, 90, 0) * Cylinder(4, 60))
    assert errors(BENCH.findings(drilled, order())) == set()
    assert BENCH.price(drilled, order()).setups == 2


def test_blind_holes_from_all_sides_cause_setups_warning() -> None:
    part = Box(50, 50, 50)
    for turn in ((0, 0, 0), (0, 90, 0), (0, -90, 0), (90, 0, 0), (-90, 0, 0)):
        part = part - Rot(*turn) * Pos(0, 0, 20) * Cylinder(5, 10)
    findings = BENCH.findings(mesh_of(part), order())
    assert errors(findings) == set()
    assert "cnc_setups" in warnings(findings)
    assert BENCH.price(mesh_of(part), order()).setups >= 5


def test_sealed_void_is_unreachable() -> None:
    findings = BENCH.findings(mesh_of(Box(60, 40, 30) - Sphere(8)), order())
    assert "cnc_unreachable" in errors(findings)
    assert next(finding for finding in findings if finding.rule == "cnc_unreachable").measured == 0


def test_long_t_slot_exceeds_tool_reach() -> None:
    found = BENCH.findings(mesh_of(t_slot()), order())
    assert "cnc_reach" in errors(found)
    assert any(finding.face is not None for finding in found if finding.rule == "cnc_reach")


def test_groove_along_a_part_is_as_deep_as_it_is_from_above() -> None:
    """Seen from its end, it is 60 mm deep: 10 times the diameter of the tool that fits."""
    found = BENCH.findings(mesh_of(Box(60, 40, 30) - Pos(0, 0, 6) * Box(60, 7, 18)), order())
    assert "cnc_reach" not in errors(found) | warnings(found)


def test_channel_through_a_part_is_cut_from_both_ends() -> None:
    channel = fillet(Box(60, 7, 18).edges().filter_by(Axis.X), 3)
    found = [each for each in BENCH.findings(mesh_of(Box(60, 40, 30) - channel), order()) if each.rule == "cnc_reach"]
    assert {each.severity for each in found} == {"warning"}
    assert all(each.measured == pytest.approx(30 / 6, abs=0.1) for each in found), "half of the way each"


def test_channel_that_ends_inside_is_cut_from_its_only_mouth() -> None:
    channel = Pos(10, 0, 0) * fillet(Box(60, 7, 18).edges().filter_by(Axis.X), 3)
    found = BENCH.findings(mesh_of(Box(60, 40, 30) - channel), order())
    assert max(each.measured or 0.0 for each in found if each.rule == "cnc_reach") == pytest.approx(50 / 6)
    assert "cnc_reach" in errors(found)


def test_deep_narrow_slot_exceeds_tool_reach() -> None:
    slotted = Box(60, 40, 40) - Pos(0, 0, 5) * Box(60, 2.4, 30)
    assert "cnc_reach" in errors(BENCH.findings(mesh_of(slotted), order()))


def test_wide_pocket_has_no_findings() -> None:
    pocket = fillet(Box(40, 30, 15).edges().filter_by(Axis.Z), 6)
    assert BENCH.findings(mesh_of(Box(60, 50, 25) - Pos(0, 0, 5) * pocket), order()) == ()


@pytest.mark.parametrize(
    ("diameter_mm", "depth_mm", "severity"), [(6, 20, None), (4, 20, "warning"), (1.9, 20, "error")]
)
def test_hole_severity_depends_on_depth_over_diameter(
    diameter_mm: float, depth_mm: float, severity: str | None
) -> None:
    findings = BENCH.findings(mesh_of(Box(40, 40, depth_mm) - Cylinder(diameter_mm / 2, depth_mm)), order())
    of_holes = {finding.severity for finding in findings if finding.rule == "cnc_hole"}
    assert (severity in of_holes) if severity else not of_holes


@pytest.mark.parametrize(("wall_mm", "severity"), [(0.4, "error"), (0.7, "warning"), (1.0, None)])
def test_thin_metal_wall_severity(wall_mm: float, severity: str | None) -> None:
    wall = Box(40, 30, 10) + Pos(0, 0, 8) * Box(40, wall_mm, 6)
    found = [finding for finding in BENCH.findings(mesh_of(wall), order()) if finding.rule == "cnc_thin_wall"]
    assert [finding.severity for finding in found] == ([severity] if severity else [])
    if severity:
        assert found[0].measured == pytest.approx(wall_mm, abs=0.02)


def test_too_long_or_too_small_parts_are_errors() -> None:
    assert errors(BENCH.findings(mesh_of(Box(300, 50, 20)), order("pom"))) == {"cnc_too_large"}
    assert errors(BENCH.findings(mesh_of(Box(300, 50, 20)), order())) == set()
    assert errors(BENCH.findings(mesh_of(Box(30, 4, 4)), order())) == {"cnc_too_large"}


@pytest.mark.parametrize("turn", [(0, 0, 0), (12, 33, 50)])
def test_tilted_part_is_checked_along_its_own_axes(turn: tuple[float, float, float]) -> None:
    mesh = mesh_of(Rot(*turn) * pocketed(4))
    assert errors(BENCH.findings(mesh, order())) == set()
    assert BENCH.price(mesh, order()).setups == 2


def test_plain_bracket_has_no_errors() -> None:
    bracket = Box(60, 40, 6) + Pos(-27, 0, 22) * Box(6, 40, 50)
    assert errors(BENCH.findings(mesh_of(bracket), order())) == set()


def test_blind_hole_with_flat_bottom_is_reported() -> None:
    flat, through = Box(40, 40, 20) - Pos(0, 0, 6) * Cylinder(4, 8), Box(40, 40, 20) - Cylinder(4, 20)
    rules = [[each.rule for each in BENCH.findings(mesh_of(part), order())] for part in (flat, through)]
    assert rules == [["cnc_flat_bottom"], []]
