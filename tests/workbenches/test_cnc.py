"""Rules and setups of the milling workbench, on parts with known results."""

from typing import Any

import pytest
from build123d import Axis, Box, Cylinder, Pos, Rot, Sphere, chamfer, fillet
from build123d.topology import Shape
from workbenches.cnc.bench import CncBench

from tests.workbenches.parts_and_orders import RepeatedBench, errors, mesh_of, order, warnings

BENCH = RepeatedBench(CncBench())


def pocketed(radius_mm: float) -> Shape[Any]:
    pocket = Box(30, 20, 8)
    if radius_mm:
        pocket = fillet(pocket.edges().filter_by(Axis.Z), radius_mm)
    return Box(60, 40, 20) - Pos(0, 0, 6) * pocket


def t_slot() -> Shape[Any]:
    return Box(60, 150, 25) - Pos(0, 0, 9) * Box(6, 150, 10) - Pos(0, 0, 2) * Box(14, 150, 6)


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


@pytest.mark.parametrize("turn", [(0, 0, 0), (12, 33, 50)])
def test_tilted_part_is_checked_along_its_own_axes(turn: tuple[float, float, float]) -> None:
    mesh = mesh_of(Rot(*turn) * pocketed(4))
    assert errors(BENCH.findings(mesh, order())) == set()
    assert BENCH.price(mesh, order()).setups == 2


def test_plain_bracket_has_no_errors() -> None:
    bracket = Box(60, 40, 6) + Pos(-27, 0, 22) * Box(6, 40, 50)
    assert errors(BENCH.findings(mesh_of(bracket), order())) == set()
