"""One solid, one verdict, however it is drawn, placed, split or meshed. The campaign is `./run perf quotes`."""

# pyright: reportUnknownVariableType=false, reportArgumentType=false
# The annotations of build123d name its own classes where its functions take every shape.

from collections.abc import Callable
from math import atan, degrees, radians, tan
from random import Random
from typing import Any

import pytest
from build123d import (
    Box,
    BuildLine,
    BuildPart,
    BuildSketch,
    Cylinder,
    Plane,
    Polygon,
    Polyline,
    Pos,
    Rectangle,
    Rot,
    Solid,
    extrude,
    make_face,
    mirror,
    scale,
)
from build123d.topology import Shape
from workbenches.part_mesh import PartMesh
from workbenches.thickness import REACH, measure_thickness, thinnest_wall

from perf.quotes.metamorphic import differences, judge
from perf.workpieces.grammar import draw_solid
from perf.workpieces.redrawn import REDRAWINGS
from perf.workpieces.relations import scale_differences
from tests.workbenches.parts_and_orders import errors
from tests.workbenches.test_moulding import tray

SEEDS = (3, 4, 11)
KNOWN_TO_DIFFER = [
    pytest.param(100, "mirrored", id="corner beside a face that is seen to one half"),
    pytest.param(100, "through STEP", id="walls about as wide as thick"),
    pytest.param(203, "split faces", id="drafted walls that are flat splines"),
    pytest.param(54, "split faces", id="ruled faces that OCCT joins by their surface's identity"),
    pytest.param(410, "mirrored", id="pieces of equal splines, each with a surface of its own"),
    pytest.param(71, "quarter-turned", id="widths along faces in the middle of a symmetric part"),
    pytest.param(36, "other order", id="ceiling between two rings"),
    pytest.param(1191, "split faces", id="cones of which OCCT's plain area is 1.5 % wrong"),
    pytest.param(230, "split faces", id="faces joined with wires out of order"),
    pytest.param(1214, "mirrored", id="left-handed cylinders"),
    pytest.param(779, "through STEP", id="pieces beside the seam of a torus"),
    pytest.param(1031, "through STEP", id="joined torus that OCCT cannot mesh"),
]
TRIANGLE = ((-90, 0.01), (20, 0.01), (-90, 60))
"""README's ramp."""


def solid_of(shape: Shape[Any]) -> Solid:
    (solid,) = shape.solids()
    return solid


def ramp(first: int, *, is_reversed: bool) -> Shape[Any]:
    corners = [*TRIANGLE[first:], *TRIANGLE[:first]]
    return extrude(Plane.XZ * Polygon(*(corners[::-1] if is_reversed else corners), align=None), 40, both=True)


def ramp_of_builder() -> Shape[Any]:
    with BuildPart() as part:
        with BuildSketch(Plane.XZ):
            with BuildLine():
                Polyline(*TRIANGLE, close=True)
            make_face()
        extrude(amount=80)
    assert part.part is not None
    return part.part


RAMPS: dict[str, Callable[[], Shape[Any]]] = {
    **{f"from corner {n}": lambda n=n: ramp(n, is_reversed=False) for n in range(3)},
    **{f"backwards from corner {n}": lambda n=n: ramp(n, is_reversed=True) for n in range(3)},
    "to one side": lambda: extrude(Plane.XZ * Polygon(*TRIANGLE, align=None), 80),
    "builder": ramp_of_builder,
    "mirrored and turned": lambda: Rot(30, 20, 10) * mirror(ramp(0, is_reversed=False), Plane.YZ),
}


def test_ramp_has_one_verdict_in_nine_drawings() -> None:
    first = judge(solid_of(ramp(0, is_reversed=False)))
    assert first["3d_printing"][0] == ()
    for name, drawn in RAMPS.items():
        assert (name, differences(first, judge(solid_of(drawn())))) == (name, [])


@pytest.mark.sample(1)
@pytest.mark.parametrize("seed", SEEDS)
def test_solid_drawn_again_has_the_same_verdict(seed: int) -> None:
    solid, names = draw_solid(seed)
    first = judge(solid)
    for name, redraw in REDRAWINGS.items():
        again = redraw(solid, Random(seed))
        if again is not None:
            assert (names, name, differences(first, judge(again))) == (names, name, [])


@pytest.mark.sample(1)
@pytest.mark.parametrize(("seed", "name"), KNOWN_TO_DIFFER)
def test_solid_that_differed_has_the_same_verdict(seed: int, name: str) -> None:
    solid, _ = draw_solid(seed)
    again = REDRAWINGS[name](solid, Random(seed))
    assert again is not None
    assert differences(judge(solid), judge(again)) == []


def test_part_beside_the_axis_of_its_round_faces_is_not_round() -> None:
    solid, _ = draw_solid(1300)
    assert "turn_not_round" in {finding.rule for finding in judge(solid)["turning"][0]}


def test_face_whose_visible_part_is_its_rim_is_quoted() -> None:
    solid, _ = draw_solid(90)
    assert "cnc_reach" in {finding.rule for finding in judge(solid)["cnc"][0]}


def test_halves_of_a_hole_are_one_hole() -> None:
    """A hole of 0.4 mm whose wall is split along its length is as thin as a whole one."""
    whole = solid_of(Box(40, 40, 1.5) - Cylinder(0.2, 1.5))
    halved = REDRAWINGS["split faces"](whole, Random(2))
    assert halved is not None
    assert len(halved.faces()) > len(whole.faces())
    assert "cnc_hole" in errors(judge(halved)["cnc"][0])
    assert differences(judge(whole), judge(halved)) == []


def thinnest_mm(shape: Shape[Any], limit_mm: float) -> float | None:
    mesh = PartMesh.of(solid_of(shape))
    wall = thinnest_wall(mesh, measure_thickness(mesh), limit_mm)
    return None if wall is None else wall.thickness_mm


def tube(wall_mm: float) -> Shape[Any]:
    return Cylinder(15, 30) - Cylinder(15 - wall_mm, 30)


def bored(web_mm: float) -> Shape[Any]:
    """Return a block with a bore that leaves a thin web to one side."""
    return Box(30, 30, 20) - Pos(15 - 6 - web_mm, 0, 0) * Cylinder(6, 20)


def box_of(wall_mm: float) -> Shape[Any]:
    return Rot(10, 20, 30) * (Box(40, 30, 20) - Pos(0, 0, wall_mm) * Box(40 - 2 * wall_mm, 30 - 2 * wall_mm, 20))


def plate(wall_mm: float) -> Shape[Any]:
    return Box(60, 40, wall_mm)


def rib(wall_mm: float) -> Shape[Any]:
    """Return a drafted rib, thinnest at its top."""
    foot_mm = wall_mm + 2 * 8 * tan(radians(1))
    return Box(40, 30, 4) + Pos(0, 0, 2) * extrude(Rectangle(30, foot_mm), 8, taper=1)


@pytest.mark.parametrize("shape", [tube, bored, box_of, plate, rib])
@pytest.mark.parametrize("wall_mm", [0.5, 0.8, 1.5])
def test_wall_of_exactly_the_minimum_passes_and_a_thinner_one_is_measured(
    shape: Callable[[float], Shape[Any]], wall_mm: float
) -> None:
    assert thinnest_mm(shape(wall_mm), wall_mm) is None
    assert thinnest_mm(shape(wall_mm + 0.01), wall_mm) is None
    assert thinnest_mm(shape(wall_mm - 0.01), wall_mm) == pytest.approx(wall_mm - 0.01, abs=2e-3)


def wedge(angle_deg: float) -> Shape[Any]:
    return extrude(Plane.XZ * Polygon((0, 0), (60, 0), (60, 60 * tan(radians(angle_deg))), align=None), 30)


def test_tip_of_a_wedge_becomes_a_thin_wall_without_a_jump() -> None:
    """Just below the angle at which it passes, a tip is just thinner than the limit."""
    least_deg = degrees(2 * atan(1 / (2 * REACH)))
    assert thinnest_mm(wedge(least_deg + 0.1), 0.8) is None
    assert thinnest_mm(wedge(least_deg - 0.1), 0.8) == pytest.approx(0.8, abs=0.01)
    assert thinnest_mm(wedge(least_deg / 2), 0.8) == pytest.approx(0.4, abs=0.01)


def test_low_ridge_is_not_a_wall() -> None:
    def ridged(height_mm: float) -> Shape[Any]:
        return Box(40, 30, 5) + Pos(0, 0, 2.5 + height_mm / 2) * Box(20, 0.5, height_mm)

    assert thinnest_mm(ridged(0.3), 0.8) is None
    assert thinnest_mm(ridged(3), 0.8) == pytest.approx(0.5)


def test_scaled_wall_is_as_many_times_as_thick() -> None:
    for factor in (0.5, 1.0, 1.7):
        assert thinnest_mm(scale(tray(2.0), factor), 5.0) == pytest.approx(2.0 * factor, rel=0.02)


def test_tip_at_an_edge_is_as_thin_at_any_scale() -> None:
    solid, _ = draw_solid(648)
    assert scale_differences(PartMesh.of(solid), Random(648)) == []


def test_feature_elsewhere_adds_findings_and_removes_none() -> None:
    plain = Box(60, 40, 10) + Pos(-20, 0, 8) * Box(15, 0.3, 6)
    for feature in (
        plain - Pos(20, 10, 0) * Cylinder(0.15, 10),
        plain + Pos(20, 0, 8) * Box(0.3, 10, 6),
        plain - Pos(15, 0, 3) * Box(6, 6, 4),
    ):
        before, after = judge(solid_of(plain)), judge(solid_of(feature))
        for method in before:
            assert errors(before[method][0]) <= errors(after[method][0])
