"""Parts whose verdict on a mill is known."""

from typing import Any

import pytest
from build123d import Axis, Box, Cylinder, Pos, Rot, Sphere, chamfer, fillet
from build123d.topology import Shape
from workbenches.cnc.bench import CncBench
from workbenches.configuration import CNC_RULES

from tests.cad_worker.workbenches.shop import Twice, errors, mesh_of, order, warnings

BENCH = Twice(CncBench())
THREE = Twice(CncBench(CNC_RULES.model_copy(update={"least_corner_radius_mm": 3.0})))


def pocketed(radius_mm: float) -> Shape[Any]:
    pocket = Box(30, 20, 8)
    if radius_mm:
        pocket = fillet(pocket.edges().filter_by(Axis.Z), radius_mm)
    return Box(60, 40, 20) - Pos(0, 0, 6) * pocket


def t_slot() -> Shape[Any]:
    return Box(60, 150, 25) - Pos(0, 0, 9) * Box(6, 150, 10) - Pos(0, 0, 2) * Box(14, 150, 6)


def test_a_plain_block_needs_two_clampings_and_nothing_else() -> None:
    mesh = mesh_of(Box(60, 40, 20))
    assert BENCH.findings(mesh, order()) == ()
    assert BENCH.price(mesh, order()).setups == 2


@pytest.mark.parametrize(
    ("radius_mm", "rule"), [(0, "cnc_sharp_corner"), (0.5, "cnc_corner_radius"), (2.9, "cnc_corner_radius")]
)
def test_pocket_corners_below_the_limit_are_errors(radius_mm: float, rule: str) -> None:
    findings = THREE.findings(mesh_of(pocketed(radius_mm)), order())
    assert errors(findings) == {rule}
    assert len([finding for finding in findings if finding.rule == rule]) == 4


@pytest.mark.parametrize("radius_mm", [3.0, 5.0])
def test_pocket_corners_at_the_limit_are_fine(radius_mm: float) -> None:
    assert THREE.findings(mesh_of(pocketed(radius_mm)), order()) == ()


def test_a_corner_finding_names_the_place_and_the_measure() -> None:
    finding = THREE.findings(mesh_of(Pos(100, 0, 0) * pocketed(2.9)), order())[0]
    assert finding.measured == pytest.approx(2.9)
    assert finding.limit == 3.0
    assert finding.place_mm is not None
    x, y, z = finding.place_mm
    assert abs(x - 100) == pytest.approx(15, abs=3)
    assert abs(y) == pytest.approx(10, abs=3)
    assert 2 <= z <= 10
    assert finding.face is not None


def test_a_chamfer_at_the_bottom_is_cut_by_flipping() -> None:
    block = Box(60, 40, 20)
    chamfered = chamfer(block.faces().sort_by(Axis.Z)[0].edges(), 2)
    mesh = mesh_of(chamfered)
    assert BENCH.findings(mesh, order()) == ()
    assert BENCH.price(mesh, order()).setups == 2


def test_a_hole_through_the_side_takes_two_clampings_and_no_error() -> None:
    drilled = mesh_of(Box(60, 40, 20) - Rot(0, 90, 0) * Cylinder(4, 60))
    assert errors(BENCH.findings(drilled, order())) == set()
    assert BENCH.price(drilled, order()).setups == 2


def test_blind_holes_from_all_sides_are_a_clamping_each_and_a_warning() -> None:
    part = Box(50, 50, 50)
    for turn in ((0, 0, 0), (0, 90, 0), (0, -90, 0), (90, 0, 0), (-90, 0, 0)):
        part = part - Rot(*turn) * Pos(0, 0, 20) * Cylinder(5, 10)
    findings = BENCH.findings(mesh_of(part), order())
    assert errors(findings) == set()
    assert "cnc_setups" in warnings(findings)
    assert BENCH.price(mesh_of(part), order()).setups >= 5


def test_a_sealed_void_cannot_be_reached() -> None:
    findings = BENCH.findings(mesh_of(Box(60, 40, 30) - Sphere(8)), order())
    assert "cnc_unreachable" in errors(findings)
    assert next(finding for finding in findings if finding.rule == "cnc_unreachable").measured == 0


def test_a_long_t_slot_cannot_be_milled_from_six_sides() -> None:
    found = BENCH.findings(mesh_of(t_slot()), order())
    assert "cnc_reach" in errors(found)
    assert any(finding.face is not None for finding in found if finding.rule == "cnc_reach")


def test_a_deep_narrow_slot_asks_for_a_tool_that_bends() -> None:
    slotted = Box(60, 40, 40) - Pos(0, 0, 5) * Box(60, 2.4, 30)
    assert "cnc_reach" in errors(BENCH.findings(mesh_of(slotted), order()))


def test_a_wide_pocket_is_reached() -> None:
    pocket = fillet(Box(40, 30, 15).edges().filter_by(Axis.Z), 6)
    assert BENCH.findings(mesh_of(Box(60, 50, 25) - Pos(0, 0, 5) * pocket), order()) == ()


@pytest.mark.parametrize(
    ("diameter_mm", "depth_mm", "severity"), [(6, 20, None), (4, 20, "warning"), (1.9, 20, "error")]
)
def test_holes_are_judged_by_depth_over_diameter(diameter_mm: float, depth_mm: float, severity: str | None) -> None:
    findings = BENCH.findings(mesh_of(Box(40, 40, depth_mm) - Cylinder(diameter_mm / 2, depth_mm)), order())
    of_holes = {finding.severity for finding in findings if finding.rule == "cnc_hole"}
    assert (severity in of_holes) if severity else not of_holes


@pytest.mark.parametrize(("wall_mm", "severity"), [(0.4, "error"), (0.7, "warning"), (1.0, None)])
def test_thin_walls_of_metal(wall_mm: float, severity: str | None) -> None:
    wall = Box(40, 30, 10) + Pos(0, 0, 8) * Box(40, wall_mm, 6)
    found = [finding for finding in BENCH.findings(mesh_of(wall), order()) if finding.rule == "cnc_thin_wall"]
    assert [finding.severity for finding in found] == ([severity] if severity else [])
    if severity:
        assert found[0].measured == pytest.approx(wall_mm, abs=0.02)


def test_too_long_and_too_small_parts_are_refused() -> None:
    assert errors(BENCH.findings(mesh_of(Box(300, 50, 20)), order("pom"))) == {"cnc_too_large"}
    assert errors(BENCH.findings(mesh_of(Box(300, 50, 20)), order())) == set()
    assert errors(BENCH.findings(mesh_of(Box(30, 4, 4)), order())) == {"cnc_too_large"}


@pytest.mark.parametrize("turn", [(0, 0, 0), (12, 33, 50)])
def test_a_tilted_part_is_judged_as_it_lies_on_the_machine(turn: tuple[float, float, float]) -> None:
    mesh = mesh_of(Rot(*turn) * pocketed(4))
    assert errors(BENCH.findings(mesh, order())) == set()
    assert BENCH.price(mesh, order()).setups == 2


def test_a_plain_bracket_is_fine() -> None:
    bracket = Box(60, 40, 6) + Pos(-27, 0, 22) * Box(6, 40, 50)
    assert errors(BENCH.findings(mesh_of(bracket), order())) == set()


def test_a_blind_hole_that_ends_flat_is_worth_a_word() -> None:
    flat, through = Box(40, 40, 20) - Pos(0, 0, 6) * Cylinder(4, 8), Box(40, 40, 20) - Cylinder(4, 20)
    told = [[each.rule for each in BENCH.findings(mesh_of(part), order())] for part in (flat, through)]
    assert told == [["cnc_flat_bottom"], []]
