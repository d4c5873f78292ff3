"""Every limit of the workbenches, from both sides: the rule, its severity, what it measured, and against what."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from build123d import Box, Cylinder, Plane, Pos, Rectangle, Rot, Sphere, Vertex, extrude
from build123d.topology import Shape
from contracts.models.design import Finding, Method
from workbenches.registry import WORKBENCHES

from tests.workbenches.parts_and_orders import mesh_of, order
from tests.workbenches.test_cnc import pocketed
from tests.workbenches.test_moulding import drafted, tray
from tests.workbenches.test_printing import arch

Row = tuple[str, str, float | None, float | None, str]
"""Rule, severity, measured value, limit, unit."""
Case = tuple[str, str, Callable[[], Shape[Any]], tuple[Row, ...]]


def hole(diameter_mm: float, depth_mm: float) -> Callable[[], Shape[Any]]:
    return lambda: Box(40, 40, depth_mm) - Cylinder(diameter_mm / 2, depth_mm)


def pin(diameter_mm: float) -> Callable[[], Shape[Any]]:
    return lambda: Box(20, 20, 4) + Pos(0, 0, 6) * Cylinder(diameter_mm / 2, 8)


def block(*size_mm: float) -> Callable[[], Shape[Any]]:
    x, y, z = size_mm
    return lambda: Box(x, y, z)


def upright_wall(wall_mm: float) -> Callable[[], Shape[Any]]:
    return lambda: Box(40, 30, 10) + Pos(0, 0, 8) * Box(40, wall_mm, 6)


def open_box(wall_mm: float) -> Callable[[], Shape[Any]]:
    return lambda: Box(60, 40, 15) - Pos(0, 0, 3) * Box(60 - 2 * wall_mm, 40 - 2 * wall_mm, 15)


def bores(*turns: tuple[float, float, float]) -> Callable[[], Shape[Any]]:
    return lambda: Box(50, 50, 50) - [Rot(*turn) * Pos(0, 0, 20) * Cylinder(5, 10) for turn in turns]


def ribbed(rib_mm: float) -> Callable[[], Shape[Any]]:
    rib = Pos(0, 0, 2.4) * extrude(Plane.XY * Rectangle(40, rib_mm), 6, taper=1)
    return lambda: drafted(80, 60, 2.4, 2) + rib


def pillar(wall_mm: float) -> Callable[[], Shape[Any]]:
    boss = Pos(0, 0, 5.4) * (Cylinder(2 + wall_mm, 6.001) - Cylinder(2, 20))
    return lambda: drafted(80, 60, 2.4, 2) + boss


def corners(radius_mm: float) -> Callable[[], Shape[Any]]:
    return lambda: pocketed(radius_mm)


def tapered(height_mm: float, taper_deg: float, width_mm: float = 90.0) -> Callable[[], Shape[Any]]:
    return lambda: drafted(width_mm, width_mm, height_mm, taper_deg)


def walled(wall_mm: float) -> Callable[[], Shape[Any]]:
    return lambda: tray(wall_mm)


def hollow(span_mm: float) -> Callable[[], Shape[Any]]:
    return lambda: arch(span_mm)


def stepped(thick_mm: float) -> Callable[[], Shape[Any]]:
    return lambda: drafted(60, 40, 1.5, 2) + Pos(-15, 0, 0) * drafted(20, 30, thick_mm, 2)


ALL_SIDES = ((0.0, 0.0, 0.0), (0.0, 90.0, 0.0), (0.0, -90.0, 0.0), (90.0, 0.0, 0.0), (-90.0, 0.0, 0.0))
VOID: Row = ("print_sealed_void", "warning", 1, 0, "count")
CNC: list[Case] = [
    ("hole 2.5", "aluminum-6061", hole(2.5, 5), ()),
    ("hole 2.4", "aluminum-6061", hole(2.4, 5), (("cnc_hole", "warning", 2.4, 2.5, "mm"),)),
    ("hole 0.5", "aluminum-6061", hole(0.5, 1.5), (("cnc_hole", "warning", 0.5, 2.5, "mm"),)),
    ("hole 0.4", "aluminum-6061", hole(0.4, 1.5), (("cnc_hole", "error", 0.4, 0.5, "mm"),)),
    ("4 times as deep", "aluminum-6061", hole(5, 20), ()),
    ("4.02 times", "aluminum-6061", hole(5, 20.1), (("cnc_hole", "warning", 4.02, 4, "mm/mm"),)),
    ("10 times", "aluminum-6061", hole(3, 30), (("cnc_hole", "warning", 10, 4, "mm/mm"),)),
    ("10.1 times", "aluminum-6061", hole(3, 30.3), (("cnc_hole", "error", 10.1, 10, "mm/mm"),)),
    ("largest of plastic", "pom", block(254, 178, 95), ()),
    ("too long", "pom", block(254.1, 178, 95), (("cnc_too_large", "error", 254.1, 254, "mm"),)),
    ("too wide", "pom", block(254, 178.1, 95), (("cnc_too_large", "error", 178.1, 178, "mm"),)),
    ("too high", "pom", block(254, 178, 95.1), (("cnc_too_large", "error", 95.1, 95, "mm"),)),
    ("largest of aluminium", "aluminum-6061", block(559, 356, 95), ()),
    ("aluminium", "aluminum-6061", block(559, 357, 95), (("cnc_too_large", "error", 357, 356, "mm"),)),
    ("narrowest", "pom", block(30, 6.35, 3), ()),
    ("too narrow", "pom", block(30, 6.3, 3), (("cnc_too_large", "error", 6.3, 6.35, "mm"),)),
    ("corner 0.9", "aluminum-6061", corners(0.9), (("cnc_corner_radius", "error", 0.9, 1, "mm"),) * 4),
    ("corner 1", "aluminum-6061", corners(1.0), (("cnc_corner_radius", "warning", 1, 8 / 3, "mm"),) * 4),
    ("corner 2.6", "aluminum-6061", corners(2.6), (("cnc_corner_radius", "warning", 2.6, 8 / 3, "mm"),) * 4),
    ("corner 2.7", "aluminum-6061", corners(2.7), ()),
    ("no radius", "aluminum-6061", corners(0), (("cnc_sharp_corner", "error", 0, None, "mm"),) * 4),
    ("plastic wall 0.95", "pom", upright_wall(0.95), (("cnc_thin_wall", "error", 0.95, 1, "mm"),)),
    ("plastic wall 1", "pom", upright_wall(1.0), (("cnc_thin_wall", "warning", 1, 1.5, "mm"),)),
    ("plastic wall 1.45", "pom", upright_wall(1.45), (("cnc_thin_wall", "warning", 1.45, 1.5, "mm"),)),
    ("plastic wall 1.5", "pom", upright_wall(1.5), ()),
    ("metal wall 0.45", "steel-1018", upright_wall(0.45), (("cnc_thin_wall", "error", 0.45, 0.5, "mm"),)),
    ("metal wall 0.75", "steel-1018", upright_wall(0.75), (("cnc_thin_wall", "warning", 0.75, 0.8, "mm"),)),
    ("metal wall 0.8", "steel-1018", upright_wall(0.8), ()),
    ("two set-ups", "pom", bores(*ALL_SIDES[:1]), (("cnc_flat_bottom", "info", None, None, ""),)),
]
PRINTING: list[Case] = [
    ("hole 1.9", "pla", hole(1.9, 8), (("print_small_hole", "warning", 1.9, 2, "mm"),)),
    ("hole 2", "pla", hole(2.0, 8), ()),
    ("hole 0.95 in powder", "pa12-sls", hole(0.95, 8), (("print_small_hole", "warning", 0.95, 1, "mm"),)),
    ("hole 1 in powder", "pa12-sls", hole(1.0, 8), ()),
    ("pin 2.9", "pla", pin(2.9), (("print_small_feature", "warning", 2.9, 3, "mm"),)),
    ("pin 3", "pla", pin(3.0), ()),
    ("pin 1.05 of powder", "pa12-sls", pin(1.05), ()),
    ("largest", "pla", block(1000, 800, 800), ()),
    ("too long", "pla", block(1000.1, 800, 800), (("print_too_large", "error", 1000.1, 1000, "mm"),)),
    ("too wide", "pla", block(1000, 800.5, 800), (("print_too_large", "error", 800.5, 800, "mm"),)),
    ("largest of powder", "pa12-sls", block(380, 380, 280), ()),
    ("powder", "pa12-sls", block(380, 380, 280.2), (("print_too_large", "error", 280.2, 280, "mm"),)),
    ("wall 0.75", "pla", open_box(0.75), (("print_thin_wall", "error", 0.75, 0.8, "mm"),)),
    ("wall 0.8", "pla", open_box(0.8), (("print_thin_wall", "warning", 0.8, 1.2, "mm"),)),
    ("wall 0.65 of powder", "pa12-sls", open_box(0.65), (("print_thin_wall", "error", 0.65, 0.7, "mm"),)),
    ("wall 0.95 of powder", "pa12-sls", open_box(0.95), (("print_thin_wall", "warning", 0.95, 1, "mm"),)),
    ("wall 1 of powder", "pa12-sls", open_box(1.0), ()),
    ("bridge 10", "pla", hollow(10), (VOID,)),
    ("bridge 10.1", "pla", hollow(10.1), (VOID, ("print_bridge", "info", 10.1, 10, "mm"))),
    ("bridge 20", "pla", hollow(20), (VOID, ("print_bridge", "info", 20, 10, "mm"))),
    ("bridge 20.1", "pla", hollow(20.1), (VOID, ("print_bridge", "warning", 20.1, 20, "mm"))),
    ("bridge 30", "pla", hollow(30), (VOID, ("print_bridge", "warning", 30, 20, "mm"))),
    ("bridge 30.1", "pla", hollow(30.1), (VOID, ("print_bridge", "error", 30.1, 30, "mm"))),
]
DRAFT = "mould_draft"
MOULDING: list[Case] = [
    ("longest", "abs", lambda: drafted(751, 30, 3, 2), ()),
    ("too long", "abs", lambda: drafted(751.5, 30, 3, 2), (("mould_too_large", "error", 751.5, 751, "mm"),)),
    ("draft 0.48", "abs", tapered(3, 0.48), ((DRAFT, "error", 0.48, 0.5, "deg"),) * 4),
    ("draft 0.5", "abs", tapered(3, 0.5), ((DRAFT, "warning", 0.5, 1, "deg"),) * 4),
    ("draft 0.98", "abs", tapered(3, 0.98), ((DRAFT, "warning", 0.98, 1, "deg"),) * 4),
    ("draft 1", "abs", tapered(3, 1.0), ()),
    (
        "wall 1.1",
        "abs",
        walled(1.1),
        (("mould_wall", "error", 1.1, 1.14, "mm"), ("mould_corner", "warning", 0, 0.55, "mm")),
    ),
    ("wall 1.14", "abs", walled(1.14), (("mould_corner", "warning", 0, 0.57, "mm"),)),
    ("wall 3.56", "abs", walled(3.56), (("mould_corner", "warning", 0, 1.78, "mm"),)),
    (
        "wall 3.6",
        "abs",
        walled(3.6),
        (("mould_wall", "error", 3.6, 3.56, "mm"), ("mould_corner", "warning", 0, 1.8, "mm")),
    ),
    ("rib 1.5", "abs", ribbed(1.5), (("mould_corner", "warning", 0, 1.2, "mm"),)),
    (
        "rib 1.8",
        "abs",
        ribbed(1.8),
        (("mould_rib", "warning", 1.695, 1.44, "mm"), ("mould_corner", "warning", 0, 1.2, "mm")),
    ),
    (
        "boss 1.43",
        "abs",
        pillar(1.43),
        (*((DRAFT, "error", 0.0, 0.5, "deg"),) * 2, ("mould_corner", "warning", 0, 1.2, "mm")),
    ),
    (
        "boss 1.46",
        "abs",
        pillar(1.46),
        (
            *((DRAFT, "error", 0.0, 0.5, "deg"),) * 2,
            ("mould_boss", "info", 1.46, 1.44, "mm"),
            ("mould_corner", "warning", 0, 1.2, "mm"),
        ),
    ),
    ("twice as thick", "abs", stepped(2.9), (("mould_corner", "warning", 0, 0.75, "mm"),)),
    (
        "more than twice",
        "abs",
        stepped(3.1),
        (("mould_uniformity", "warning", 3.1 / 1.5, 2, "mm/mm"), ("mould_corner", "warning", 0, 0.75, "mm")),
    ),
]
METHODS: dict[Method, list[Case]] = {"cnc": CNC, "3d_printing": PRINTING, "injection_molding": MOULDING}
CASES = [pytest.param(method, *case[1:], id=case[0]) for method, cases in METHODS.items() for case in cases]


def row(finding: Finding) -> Row:
    return finding.rule, finding.severity, finding.measured, finding.limit, finding.unit


@pytest.mark.sample(20)
@pytest.mark.parametrize(("method", "material", "shape", "expected"), CASES)
def test_limit_is_measured_from_both_sides(
    method: Method, material: str, shape: Callable[[], Shape[Any]], expected: tuple[Row, ...]
) -> None:
    mesh = mesh_of(shape())
    found = WORKBENCHES[method].findings(mesh, order(material))
    assert [row(each)[:2] for each in found] == [each[:2] for each in expected]
    for finding, (_, _, measured, limit, unit) in zip(found, expected, strict=True):
        assert finding.unit == unit
        assert finding.measured == (None if measured is None else pytest.approx(measured, abs=0.006))
        assert finding.limit == (None if limit is None else pytest.approx(limit, abs=0.006))
        if finding.face is not None and finding.place_mm is not None and measured is not None:
            face = mesh.solid.faces()[finding.face]
            distance_mm = face.distance_to(Vertex(*finding.place_mm))  # pyright: ignore[reportUnknownMemberType]
            assert distance_mm < 0.06, "the place lies on its face"


@pytest.mark.parametrize(
    ("height_mm", "limit_deg"), [(24.9, None), (49.9, None), (50.1, 2.0), (74.9, 2.0), (75.1, 3.0), (120.0, 3.0)]
)
def test_recommended_draft_grows_in_steps_of_depth(height_mm: float, limit_deg: float | None) -> None:
    found = WORKBENCHES["injection_molding"].findings(mesh_of(tapered(height_mm, 1.0)()), order("pp"))
    drafts = [row(each) for each in found if each.rule == DRAFT]
    assert len(drafts) == (4 if limit_deg else 0)
    for rule, severity, measured, limit, unit in drafts:
        assert (rule, severity, limit, unit) == (DRAFT, "warning", limit_deg, "deg")
        assert measured == pytest.approx(1.0, abs=1e-3)


@pytest.mark.parametrize(("sides", "setups"), [(1, 2), (2, 2), (3, 3), (4, 4), (5, 5)])
def test_sides_with_bores_are_counted_as_setups(sides: int, setups: int) -> None:
    mesh, bench = mesh_of(bores(*ALL_SIDES[:sides])()), WORKBENCHES["cnc"]
    assert bench.price(mesh, order("pom")).setups == setups
    warned = [row(each) for each in bench.findings(mesh, order("pom")) if each.rule == "cnc_setups"]
    assert warned == ([("cnc_setups", "warning", setups, 3, "count")] if setups > 3 else [])


@pytest.mark.parametrize(("material", "severity"), [("pa12-sls", "error"), ("pla", "warning")])
def test_sealed_voids_are_counted_and_placed(material: str, severity: str) -> None:
    part = Box(60, 30, 30) - Pos(-15, 3, 5) * Box(5, 6, 7) - Pos(15, 0, 0) * Box(5, 6, 7)
    found = WORKBENCHES["3d_printing"].findings(mesh_of(part), order(material))
    (void,) = [each for each in found if each.rule == "print_sealed_void"]
    assert row(void) == ("print_sealed_void", severity, 2, 0, "count")
    assert void.place_mm is not None
    places = [np.array((-15.0, 3.0, 5.0)), np.array((15.0, 0.0, 0.0))]
    assert min(float(np.linalg.norm(void.place_mm - place)) for place in places) < 0.1


@pytest.mark.parametrize(
    ("void", "span_mm"),
    [
        pytest.param(Cylinder(7.5, 4), 15.0, id="diameter"),
        pytest.param(Cylinder(15, 4) - Cylinder(3, 4), 12.0, id="from a post to the edge"),
        pytest.param(Cylinder(15, 4) - Pos(2, 0, 0) * Cylinder(3, 4), 14.0, id="from a post aside, the longer way"),
        pytest.param(Box(40, 30, 4) - Box(4, 6, 4), 12.0, id="from a square post to the nearer walls"),
    ],
)
def test_round_ceiling_is_a_bridge_from_edge_to_edge(void: Shape[Any], span_mm: float) -> None:
    posts = [Pos(x, y, 15) * Box(10, 10, 20) for x in (-25, 25) for y in (-25, 25)]  # it lies, to print them upright
    part = Box(60, 60, 10) + posts - void
    found = WORKBENCHES["3d_printing"].findings(mesh_of(part), order("pla"))
    (bridge,) = [each for each in found if each.rule == "print_bridge"]
    assert (bridge.measured, bridge.severity) == (pytest.approx(span_mm, abs=0.05), "info")


def test_undercuts_are_counted_by_side_and_trapped_faces_by_share() -> None:
    bore = Pos(40, 0, 10) * Rot(0, 90, 0) * Cylinder(4, 20)
    for part, count in ((tray(2) - bore, 1), (tray(2) - bore - Pos(0, 30, 10) * Rot(90, 0, 0) * Cylinder(4, 20), 2)):
        found = WORKBENCHES["injection_molding"].findings(mesh_of(part), order("abs"))
        (undercut,) = [each for each in found if each.rule == "mould_undercut"]
        assert row(undercut) == ("mould_undercut", "warning", count, 0, "count")
    ball = drafted(30, 30, 12, 3) - Pos(0, 0, 6) * Sphere(3)
    found = WORKBENCHES["injection_molding"].findings(mesh_of(ball), order("abs"))
    (trapped,) = [each for each in found if each.rule == "mould_undercut"]
    assert row(trapped) == ("mould_undercut", "error", 1.0, 0.02, "")
