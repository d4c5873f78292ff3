"""Parts whose verdict on a press is known."""

from typing import Any

import pytest
from build123d import Axis, Box, Cylinder, Plane, Pos, Rectangle, Rot, Sphere, extrude, fillet
from build123d.topology import Shape
from workbenches.configuration import MOULD_RULES
from workbenches.moulding.bench import MouldingBench

from tests.cad_worker.workbenches.shop import Twice, errors, mesh_of, order, warnings

BENCH = Twice(MouldingBench())
TWO = Twice(MouldingBench(MOULD_RULES.model_copy(update={"draft_error_deg": 2.0})))


def drafted(length: float, width: float, height: float, taper_deg: float) -> Shape[Any]:
    return extrude(Plane.XY * Rectangle(length, width), height, taper=taper_deg)


def tray(wall_mm: float, taper_deg: float = 1.5) -> Shape[Any]:
    """Open above, walls of one thickness, both sides leaning."""
    outer = extrude(Plane.XY.offset(20) * Rectangle(80, 60), -20, taper=taper_deg)
    inner = extrude(
        Plane.XY.offset(20) * Rectangle(80 - 2 * wall_mm, 60 - 2 * wall_mm), -(20 - wall_mm), taper=taper_deg
    )
    return outer - inner


def test_a_drafted_plate_is_fine() -> None:
    assert BENCH.findings(mesh_of(drafted(60, 60, 2, 2)), order("abs")) == ()


def test_a_tray_of_two_millimetres_is_fine_to_mould() -> None:
    findings = BENCH.findings(mesh_of(tray(2)), order("abs"))
    assert errors(findings) == set()
    assert warnings(findings) == {"mould_corner"}, "its inner edges are sharp"


@pytest.mark.parametrize(("taper_deg", "is_error"), [(2.0, False), (1.98, True), (1.5, True), (2.5, False)])
def test_a_face_of_just_the_draft_that_is_asked_for_passes(taper_deg: float, is_error: bool) -> None:
    findings = TWO.findings(mesh_of(drafted(60, 60, 3, taper_deg)), order("abs"))
    assert errors(findings) == ({"mould_draft"} if is_error else set())


def test_upright_walls_stick() -> None:
    findings = BENCH.findings(mesh_of(Box(60, 40, 3)), order("abs"))
    drafts = [finding for finding in findings if finding.rule == "mould_draft"]
    assert len(drafts) == 4
    assert all(finding.measured == pytest.approx(0, abs=1e-6) and finding.severity == "error" for finding in drafts)


def test_deeper_walls_are_better_tapered_more() -> None:
    shallow, deep = (BENCH.findings(mesh_of(drafted(60, 60, height, 1.2)), order("abs")) for height in (3, 60))
    assert "mould_draft" not in warnings(shallow)
    assert "mould_draft" in warnings(deep)


@pytest.mark.parametrize(("wall_mm", "is_right"), [(0.8, False), (1.5, True), (3.4, True), (4.2, False)])
def test_walls_must_suit_the_resin(wall_mm: float, is_right: bool) -> None:
    findings = BENCH.findings(mesh_of(tray(wall_mm)), order("abs"))
    walls = [finding for finding in findings if finding.rule == "mould_wall"]
    assert (not walls) == is_right
    if walls:
        assert walls[0].measured == pytest.approx(wall_mm, rel=0.05)


def test_a_thick_block_sinks() -> None:
    assert "mould_wall" in errors(BENCH.findings(mesh_of(drafted(30, 30, 30, 2)), order("pp")))


def test_a_hole_through_a_wall_needs_a_side_action() -> None:
    plain = tray(2)
    window = plain - Pos(40, 0, 10) * Rot(0, 90, 0) * Cylinder(4, 20)
    found = BENCH.findings(mesh_of(window), order("abs"))
    assert "mould_undercut" in warnings(found)
    assert "mould_undercut" not in errors(found)
    dearer, cheaper = (BENCH.price(mesh_of(part), order("abs")) for part in (window, plain))
    assert dearer.tooling_usd > cheaper.tooling_usd + 20


def test_a_sealed_void_is_trapped() -> None:
    ball = drafted(30, 30, 12, 3) - Pos(0, 0, 6) * Sphere(3)
    assert "mould_undercut" in errors(BENCH.findings(mesh_of(ball), order("abs")))


def test_unequal_walls_warp() -> None:
    stepped = drafted(60, 40, 1.5, 2) + Pos(-15, 0, 0) * drafted(20, 30, 3.5, 2)
    assert "mould_uniformity" in warnings(BENCH.findings(mesh_of(stepped), order("abs")))


@pytest.mark.parametrize(("rib_mm", "is_told"), [(1.2, False), (1.9, True)])
def test_thick_ribs_leave_sink_marks(rib_mm: float, is_told: bool) -> None:
    rib = Pos(0, 0, 2.4) * extrude(Plane.XY * Rectangle(40, rib_mm), 6, taper=0.5)
    ribbed = drafted(80, 60, 2.4, 2) + rib
    assert ("mould_rib" in warnings(BENCH.findings(mesh_of(ribbed), order("abs")))) == is_told


@pytest.mark.parametrize(("wall_mm", "is_told"), [(1.3, False), (2.0, True)])
def test_bosses_with_thick_walls_are_told(wall_mm: float, is_told: bool) -> None:
    boss = Pos(0, 0, 5.4) * (Cylinder(2 + wall_mm, 6.001) - Cylinder(2, 20))
    plate = drafted(80, 60, 2.4, 2) + boss
    told = [each for each in BENCH.findings(mesh_of(plate), order("abs")) if each.rule == "mould_boss"]
    assert bool(told) == is_told
    assert all(finding.measured == pytest.approx(wall_mm) and finding.severity == "info" for finding in told)


def test_rounded_inner_edges_are_fine() -> None:
    plate = tray(2)
    inner = plate.edges().filter_by(lambda edge: abs(edge.center().Z - 2) < 0.01 and abs(edge.center().X) < 38.5)
    rounded = fillet(inner.filter_by(Axis.X) + inner.filter_by(Axis.Y), 1.5)
    assert len(warnings(BENCH.findings(mesh_of(rounded), order("abs"))) - {"mould_corner"}) == 0


def test_what_no_press_makes_is_refused() -> None:
    assert "mould_too_large" in errors(BENCH.findings(mesh_of(drafted(800, 30, 3, 2)), order("abs")))


@pytest.mark.parametrize("turn", [(0, 0, 0), (15, 40, 70)])
def test_a_tilted_part_is_judged_as_it_lies_in_the_mould(turn: tuple[float, float, float]) -> None:
    assert errors(BENCH.findings(mesh_of(Rot(*turn) * tray(2)), order("abs"))) == set()
