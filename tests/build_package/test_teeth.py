"""Teeth of made wheels and racks: their modules, and the meshing of their exact solids."""

from math import degrees, pi

import numpy as np
import pytest
from build123d import Box, Cylinder, GeomType, Plane, Pos, Rot, Solid, Vector
from build_package.teeth.meshes import MeshRack, MeshWheel, ToothMesh
from build_package.teeth.solids import CUT_PLAY_MM, PRINTED_PLAY_MM, toothed_parts
from build_package.teeth.systems import LEAST_TEETH, ToothSystem, tooth_systems
from shapely import Polygon
from shapely.affinity import rotate, translate

UP = (0.0, 0.0, 1.0)
NONE = frozenset[str]()


def wheel(
    label: str, radius: float, at: tuple[float, float, float], axis: tuple[float, float, float] = UP
) -> MeshWheel:
    return MeshWheel(label, at, axis, 6.0, radius, radius)


def disc(radius: float, at: tuple[float, float, float]) -> Solid:
    return (Pos(*at) * Cylinder(radius, 6)).solids()[0]


def section(solid: Solid) -> Polygon:
    """Return the lowest face of a prism, within a thousandth of a millimetre."""
    face = min(solid.faces(), key=lambda face: face.center().Z)
    points: list[tuple[float, float]] = []
    for edge in face.outer_wire().order_edges():
        count = 1 if edge.geom_type == GeomType.LINE else 15
        points += [(point.X, point.Y) for point in edge.positions(np.linspace(0, 1, count, endpoint=False))]
    return Polygon(points)


@pytest.mark.parametrize(
    ("radii", "expected"),
    [
        ((12, 36), [(1.0, 24), (1.0, 72)]),
        ((10,), [(1.0, 20)]),
        ((4, 8), [(8 / 14, 14), (8 / 14, 28)]),
        ((10.3,), [(20.6 / 21, 21)]),
    ],
)
def test_tooth_system_of_discs_keeps_their_pitch_radii(
    radii: tuple[float, ...], expected: list[tuple[float, int]]
) -> None:
    first = wheel("0", radii[0], (0, 0, 0))
    other = wheel("1", radii[1], (sum(radii), 0, 0)) if len(radii) > 1 else MeshRack("1", (0, 1, 0), (1, 0, 0), (0, 50))
    systems = tooth_systems([ToothMesh(first, other)])
    found = [systems[str(number)] for number in range(len(radii))]
    assert [(each.module_mm, each.teeth) for each in found] == [pytest.approx(pair) for pair in expected]


@pytest.mark.parametrize("radii", [(10.0, 17.3), (5.0, 33.7), (14.2, 9.9), (4.0, 4.0)])
def test_tooth_system_of_any_two_discs_comes_near_their_radii(radii: tuple[float, float]) -> None:
    one, other = (wheel(str(number), radius, (number * sum(radii), 0, 0)) for number, radius in enumerate(radii))
    systems = tooth_systems([ToothMesh(one, other)])
    assert [systems[str(number)].pitch_mm for number in (0, 1)] == [pytest.approx(each, abs=0.05) for each in radii]
    assert min(each.teeth for each in systems.values()) >= LEAST_TEETH


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    ("radii", "other_axis"), [((9.0, 17.0), UP), ((7.0, 7.0), (0.0, 0.0, -1.0)), ((4.0, 12.0), UP)]
)
def test_wheels_in_mesh_turn_a_full_turn_without_overlap(
    radii: tuple[float, float], other_axis: tuple[float, float, float]
) -> None:
    direction = np.array([0.6, 0.8, 0.0])
    apart = sum(radii) * direction
    place = (float(apart[0]), float(apart[1]), 0.0)
    mesh = ToothMesh(wheel("one", radii[0], (0, 0, 0)), wheel("other", radii[1], place, other_axis))
    solids = {"one": disc(radii[0], (0, 0, 0)), "other": disc(radii[1], place)}
    toothed, problems = toothed_parts([mesh], solids, NONE)
    assert not problems
    one, other = toothed["one"], toothed["other"]
    ratio = one.system.teeth / other.system.teeth
    outlines = section(one.solid), section(other.solid)
    gaps: list[float] = []
    for turn in np.linspace(0, 360, 145):
        turned = rotate(outlines[0], turn, (0, 0)), rotate(outlines[1], -turn * ratio, (place[0], place[1]))
        gaps.append(turned[0].distance(turned[1]))
    assert min(gaps) > CUT_PLAY_MM / 4, "no flank touches another"
    assert max(gaps) < 2 * CUT_PLAY_MM, "there is always a flank near"
    on_tip = rotate(outlines[1], 180 / other.system.teeth, (place[0], place[1]))
    assert outlines[0].intersection(on_tip).area > 0.5, "teeth on teeth overlap"


@pytest.mark.parametrize("axis", [UP, (0.0, 0.0, -1.0)])
def test_rack_travels_with_its_pinion_as_simulated(axis: tuple[float, float, float]) -> None:
    radius, travel = 10.0, (-5.0, 40.0)
    bar = (Pos(radius + 4, 20, 0) * Box(8, 100, 6)).solids()[0]
    rack = MeshRack("rack", (0.0, 1.0, 0.0), (1.0, 0.0, 0.0), (travel[0] - 6, travel[1] + 6))
    mesh = ToothMesh(wheel("pinion", radius, (0, 0, 0), axis), rack)
    toothed, problems = toothed_parts([mesh], {"pinion": disc(radius, (0, 0, 0)), "rack": bar}, NONE)
    assert not problems
    pinion, cut = section(toothed["pinion"].solid), section(toothed["rack"].solid)
    for at in np.linspace(*travel, 91):  # the wheel climbs along the rack and turns by travel / pitch radius
        turned = translate(rotate(pinion, -degrees(at / radius), (0, 0)), 0, at)
        assert CUT_PLAY_MM / 4 < turned.distance(cut) < 2 * CUT_PLAY_MM
        assert translate(turned, 0, 0.1).intersects(cut), "0.1 mm off the simulated travel, the teeth would jam"


def test_wheel_with_hub_spokes_and_bore_keeps_them() -> None:
    solid = disc(20, (0, 0, 0)) + Pos(0, 0, 6) * Cylinder(6, 6) - Cylinder(2.5, 40)
    for turn in range(3):
        solid -= Rot(0, 0, 120 * turn) * Pos(11, 0, 0) * Cylinder(3, 40)
    mesh = ToothMesh(wheel("one", 20, (0, 0, 0)), wheel("other", 10, (30, 0, 0)))
    toothed, _ = toothed_parts([mesh], {"one": solid.solids()[0]}, NONE)
    drawn = toothed["one"].solid
    assert not drawn.is_inside(Vector(0, 0, 8)), "the bore"
    assert drawn.is_inside(Vector(5, 0, 8)), "the hub"
    assert not drawn.is_inside(Vector(11, 0, 0)), "a hole"
    assert pytest.approx(42, abs=0.3) == drawn.bounding_box().size.X
    assert toothed["one"].blank.volume > drawn.volume


def test_part_without_a_round_rim_is_named() -> None:
    mesh = ToothMesh(wheel("one", 10, (0, 0, 0)), wheel("other", 10, (20, 0, 0)))
    toothed, problems = toothed_parts([mesh], {"one": Solid.make_box(14, 14, 6, Plane((-7, -7, -3)))}, NONE)
    assert not toothed
    assert "has no round rim" in problems["one"]


def test_printed_flanks_have_more_play() -> None:
    mesh = ToothMesh(wheel("one", 10, (0, 0, 0)), wheel("other", 15, (25, 0, 0)))
    solids = {"one": disc(10, (0, 0, 0)), "other": disc(15, (25, 0, 0))}
    toothed, _ = toothed_parts([mesh], solids, frozenset({"one", "other"}))
    gap = section(toothed["one"].solid).distance(section(toothed["other"].solid))
    assert gap == pytest.approx(PRINTED_PLAY_MM, rel=0.1)
    assert not toothed["one"].solid & toothed["other"].solid


def test_rack_between_two_pinions_meshes_with_both() -> None:
    meshes = [
        ToothMesh(wheel("a", 10, (2, 0, 0)), MeshRack("rack", (0.0, 1.0, 0.0), (1.0, 0.0, 0.0), (-6, 26))),
        ToothMesh(wheel("b", 8, (4, 43.7, 0)), MeshRack("rack", (0.0, -1.0, 0.0), (1.0, 0.0, 0.0), (-70, -37))),
    ]
    solids = {
        "a": disc(10, (2, 0, 0)),
        "b": disc(8, (4, 43.7, 0)),
        "rack": (Pos(16, 30, 0) * Box(8, 120, 6)).solids()[0],
    }
    toothed, _ = toothed_parts(meshes, solids, NONE)
    for label in "ab":
        assert toothed[label].system.module_mm == toothed["rack"].system.module_mm
        gap = section(toothed[label].solid).distance(section(toothed["rack"].solid))
        assert CUT_PLAY_MM / 4 < gap < 2 * CUT_PLAY_MM


def test_tooth_system_knows_its_pitch() -> None:
    assert ToothSystem(1.0, 20).step_mm == pytest.approx(pi)
