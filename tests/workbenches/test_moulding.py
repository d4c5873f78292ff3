"""Rules of the moulding workbench, on parts with known results."""

from typing import Any

import pytest
from build123d import Axis, Box, Cylinder, Plane, Pos, Rectangle, Rot, Sphere, extrude, fillet
from build123d.topology import Shape
from parts_catalog.methods.workshop_figures import MOULD_RULES
from workbenches.moulding.bench import MouldingBench

from tests.workbenches.parts_and_orders import RepeatedBench, errors, mesh_of, order, warnings

BENCH = RepeatedBench(MouldingBench())
BENCH_WITH_2_DEG_DRAFT = RepeatedBench(MouldingBench(MOULD_RULES.model_copy(update={"draft_error_deg": 2.0})))


def drafted(length: float, width: float, height: float, taper_deg: float) -> Shape[Any]:
    return extrude(Plane.XY * Rectangle(length, width), height, taper=taper_deg)


def tray(wall_mm: float, taper_deg: float = 1.5) -> Shape[Any]:
    """Return an open tray with walls of one thickness, tapered on both sides."""
    outer = extrude(Plane.XY.offset(20) * Rectangle(80, 60), -20, taper=taper_deg)
    inner = extrude(
        Plane.XY.offset(20) * Rectangle(80 - 2 * wall_mm, 60 - 2 * wall_mm), -(20 - wall_mm), taper=taper_deg
    )
    return outer - inner


def test_drafted_plate_has_no_findings() -> None:
    assert BENCH.findings(mesh_of(drafted(60, 60, 2, 2)), order("abs")) == ()


def test_tray_of_two_millimetres_has_no_errors() -> None:
    findings = BENCH.findings(mesh_of(tray(2)), order("abs"))
    assert errors(findings) == set()
    assert warnings(findings) == {"mould_corner"}, "its inner edges are sharp"


@pytest.mark.parametrize(("taper_deg", "is_error"), [(2.0, False), (1.98, True), (1.5, True), (2.5, False)])
def test_face_at_exactly_minimum_draft_passes(taper_deg: float, is_error: bool) -> None:
    findings = BENCH_WITH_2_DEG_DRAFT.findings(mesh_of(drafted(60, 60, 3, taper_deg)), order("abs"))
    assert errors(findings) == ({"mould_draft"} if is_error else set())


def test_upright_walls_have_draft_errors() -> None:
    findings = BENCH.findings(mesh_of(Box(60, 40, 3)), order("abs"))
    drafts = [finding for finding in findings if finding.rule == "mould_draft"]
    assert len(drafts) == 4
    assert all(finding.measured == pytest.approx(0, abs=1e-6) and finding.severity == "error" for finding in drafts)


def test_recommended_draft_grows_with_depth() -> None:
    shallow, deep = (BENCH.findings(mesh_of(drafted(60, 60, height, 1.2)), order("abs")) for height in (3, 60))
    assert "mould_draft" not in warnings(shallow)
    assert "mould_draft" in warnings(deep)


@pytest.mark.parametrize(("wall_mm", "is_right"), [(0.8, False), (1.5, True), (3.4, True), (4.2, False)])
def test_wall_thickness_limits_depend_on_resin(wall_mm: float, is_right: bool) -> None:
    findings = BENCH.findings(mesh_of(tray(wall_mm)), order("abs"))
    walls = [finding for finding in findings if finding.rule == "mould_wall"]
    assert (not walls) == is_right
    if walls:
        assert walls[0].measured == pytest.approx(wall_mm, rel=0.05)


def test_thick_block_has_wall_error() -> None:
    assert "mould_wall" in errors(BENCH.findings(mesh_of(drafted(30, 30, 30, 2)), order("pp")))


def test_hole_through_wall_needs_side_action() -> None:
    plain = tray(2)
    window = plain - Pos(40, 0, 10) * Rot(0, 90, 0) * Cylinder(4, 20)
    found = BENCH.findings(mesh_of(window), order("abs"))
    assert "mould_undercut" in warnings(found)
    assert "mould_undercut" not in errors(found)
    dearer, cheaper = (BENCH.price(mesh_of(part), order("abs")) for part in (window, plain))
    assert dearer.tooling_usd > cheaper.tooling_usd + 20


def test_sealed_void_is_trapped_undercut() -> None:
    ball = drafted(30, 30, 12, 3) - Pos(0, 0, 6) * Sphere(3)
    assert "mould_undercut" in errors(BENCH.findings(mesh_of(ball), order("abs")))


def test_unequal_walls_cause_uniformity_warning() -> None:
    stepped = drafted(60, 40, 1.5, 2) + Pos(-15, 0, 0) * drafted(20, 30, 3.5, 2)
    assert "mould_uniformity" in warnings(BENCH.findings(mesh_of(stepped), order("abs")))


@pytest.mark.parametrize(("rib_mm", "is_reported"), [(1.2, False), (1.9, True)])
def test_thick_rib_causes_warning(rib_mm: float, is_reported: bool) -> None:
    rib = Pos(0, 0, 2.4) * extrude(Plane.XY * Rectangle(40, rib_mm), 6, taper=0.5)
    ribbed = drafted(80, 60, 2.4, 2) + rib
    assert ("mould_rib" in warnings(BENCH.findings(mesh_of(ribbed), order("abs")))) == is_reported


@pytest.mark.parametrize(("wall_mm", "is_reported"), [(1.3, False), (2.0, True)])
def test_boss_with_thick_wall_is_reported(wall_mm: float, is_reported: bool) -> None:
    boss = Pos(0, 0, 5.4) * (Cylinder(2 + wall_mm, 6.001) - Cylinder(2, 20))
    plate = drafted(80, 60, 2.4, 2) + boss
    found = [each for each in BENCH.findings(mesh_of(plate), order("abs")) if each.rule == "mould_boss"]
    assert bool(found) == is_reported
    assert all(finding.measured == pytest.approx(wall_mm) and finding.severity == "info" for finding in found)


def test_boss_is_a_pillar_with_a_hole_on_its_axis() -> None:
    """Neither a hole beside it, nor one across it, nor one as wide as itself makes another one."""
    boss = Pos(0, 0, 5.4) * (Cylinder(3.5, 6.001) - Cylinder(2, 20))
    others = [Pos(20, 0, 0) * Cylinder(1, 20), Pos(-20, 0, 0) * Cylinder(3.5, 20)]
    across = Pos(0, 0, 6) * Rot(0, 90, 0) * Cylinder(0.8, 20)
    for plate in (drafted(80, 60, 2.4, 2) + boss - others, drafted(80, 60, 2.4, 2) + boss - across):
        found = [each for each in BENCH.findings(mesh_of(plate), order("abs")) if each.rule == "mould_boss"]
        assert {round(each.measured or 0.0, 3) for each in found} == {1.5}


def test_rounded_inner_edges_have_no_other_warnings() -> None:
    plate = tray(2)
    inner = plate.edges().filter_by(lambda edge: abs(edge.center().Z - 2) < 0.01 and abs(edge.center().X) < 38.5)
    rounded = fillet(inner.filter_by(Axis.X) + inner.filter_by(Axis.Y), 1.5)
    assert len(warnings(BENCH.findings(mesh_of(rounded), order("abs"))) - {"mould_corner"}) == 0


def test_part_longer_than_press_is_error() -> None:
    assert "mould_too_large" in errors(BENCH.findings(mesh_of(drafted(800, 30, 3, 2)), order("abs")))


@pytest.mark.parametrize("turn", [(0, 0, 0), (15, 40, 70)])
def test_tilted_part_is_checked_along_its_own_axes(turn: tuple[float, float, float]) -> None:
    assert errors(BENCH.findings(mesh_of(Rot(*turn) * tray(2)), order("abs"))) == set()
