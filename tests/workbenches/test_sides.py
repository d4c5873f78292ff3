"""From which sides parts are made: how moulds open, how prints lie, and what tools reach."""

# pyright: reportArgumentType=false
# Frozen models are hashable, which pyright cannot see.

import numpy as np
import pytest
from build123d import Box, Cone, Cylinder, Pos, Rot, Sphere
from build123d.topology import Shape
from contracts.models.geometry import Vector
from geometry.arrays import FloatArray
from parts_catalog.methods.workshop_figures import CNC_RULES, FILAMENT_RULES
from workbenches.cnc.access import Access
from workbenches.cnc.workpiece import Workpiece
from workbenches.moulding.parting import MouldOpening, best_opening
from workbenches.printing.orientation import best_orientation

from tests.workbenches.parts_and_orders import mesh_of
from tests.workbenches.test_jobs import hollow, jack
from tests.workbenches.test_moulding import drafted, tray


def window(axis: str, side: float) -> Shape[object]:
    if axis == "x":
        return Pos(side * 40, 0, 10) * Rot(0, 90, 0) * Cylinder(4, 20)
    return Pos(0, side * 30, 10) * Rot(90, 0, 0) * Cylinder(4, 20)


def opened(shape: Shape[object]) -> MouldOpening:
    return best_opening(mesh_of(shape))


def rounded(vector: FloatArray) -> Vector:
    x, y, z = (float(value) for value in np.round(vector, 6) + 0.0)
    return x, y, z


@pytest.mark.parametrize(
    ("shape", "pull"),
    [
        (Box(60, 40, 3), 2),
        (tray(2), 2),
        (Rot(90, 0, 0) * tray(2), 1),
        (Rot(0, 90, 0) * tray(2), 0),
        (drafted(30, 30, 12, 3), 2),
    ],
)
def test_mould_opens_along_the_axis_that_frees_the_part(shape: Shape[object], pull: int) -> None:
    found = opened(shape)
    assert abs(found.pull[pull]) == pytest.approx(1.0)
    assert (found.side_actions, bool(found.by_side_action.any()), bool(found.trapped.any())) == ((), False, False)


@pytest.mark.parametrize(
    ("windows", "directions"),
    [
        ([("x", 1.0)], {(1, 0, 0)}),
        ([("x", -1.0)], {(-1, 0, 0)}),
        ([("y", 1.0)], {(0, 1, 0)}),
        ([("y", -1.0), ("x", 1.0)], {(0, -1, 0), (1, 0, 0)}),
    ],
)
def test_window_in_a_wall_needs_an_action_from_its_side(
    windows: list[tuple[str, float]], directions: set[Vector]
) -> None:
    part = tray(2)
    for each in windows:
        part -= window(*each)
    found = opened(part)
    assert abs(found.pull[2]) == pytest.approx(1.0)
    assert {rounded(each) for each in found.side_actions} == directions
    freed = found.samples.points_mm[found.by_side_action]
    assert len(freed) > 0
    near = [np.abs(np.abs(freed[:, 0]) - 39) < 2, np.abs(np.abs(freed[:, 1]) - 29) < 2]
    assert np.logical_or(*near).all(), "in the walls with windows"
    assert not found.trapped.any()


def test_void_is_trapped_and_no_action_frees_it() -> None:
    found = opened(drafted(30, 30, 12, 3) - Pos(0, 0, 6) * Sphere(3))
    assert found.side_actions == ()
    assert not found.by_side_action.any()
    distances = np.linalg.norm(found.samples.points_mm[found.trapped] - (0, 0, 6), axis=1)
    assert len(distances) > 20
    np.testing.assert_allclose(distances, 3.0, atol=0.1)


def table() -> Shape[object]:
    return Pos(0, 0, 30) * Box(50, 40, 4) + Box(8, 8, 56)


@pytest.mark.parametrize(
    ("shape", "up", "support_mm3", "height_mm"),
    [
        (table(), (0, 0, -1), 0.0, 60.0),
        (Rot(90, 0, 0) * table(), (0, 1, 0), 0.0, 60.0),
        (Pos(0, 0, 100) * hollow(), (0, 0, 1), 12_000.0, 30.0),
        (Cone(20, 5, 30), (0, 0, 1), 0.0, 30.0),
        (Box(50, 40, 30), (0, 0, 1), 0.0, 30.0),
    ],
)
def test_print_lies_on_the_side_with_the_least_support_and_height(
    shape: Shape[object], up: Vector, support_mm3: float, height_mm: float
) -> None:
    mesh = mesh_of(shape)
    found = best_orientation(mesh, FILAMENT_RULES)
    assert rounded(found.up) == up
    assert (found.support_mm3, found.height_mm) == pytest.approx((support_mm3, height_mm), rel=1e-3)
    assert bool(found.is_overhanging.any()) is (support_mm3 > 0)
    down, upwards = mesh.samples.normals @ found.up < -0.999, mesh.samples.normals @ found.up > 0.999
    np.testing.assert_allclose(found.angle_deg[down], 90.0, atol=0.01)
    np.testing.assert_allclose(found.angle_deg[upwards], -90.0, atol=0.01)


def test_support_reaches_from_each_arm_to_the_bed() -> None:
    found = best_orientation(mesh_of(jack()), FILAMENT_RULES)
    assert (found.support_mm3, found.height_mm) == pytest.approx((16_000.0, 50.0))
    np.testing.assert_allclose(found.angle_deg[found.is_overhanging], 90.0, atol=0.01)


def access(shape: Shape[object]) -> Access:
    return Workpiece(mesh_of(shape), CNC_RULES).access


@pytest.mark.parametrize(("width_mm", "depth_mm"), [(4.0, 8.0), (4.0, 16.0), (10.0, 20.0), (40.0, 20.0)])
def test_tool_is_as_long_as_a_slot_is_deep_and_as_thick_as_it_is_wide(width_mm: float, depth_mm: float) -> None:
    """At most 16 mm thick; the bottom is cut by the end of any tool."""
    length = 120.0
    found = access(Box(length, 80, 45) - Pos(0, 0, 22.5 - depth_mm / 2) * Box(length, width_mm, depth_mm))
    walls = np.abs(np.abs(found.samples.points_mm[:, 1]) - width_mm / 2) < 1e-6
    inside = walls & (found.samples.points_mm[:, 2] > 22.5 - depth_mm)
    worst = found.slenderness[inside].max()
    assert worst == pytest.approx(depth_mm / min(width_mm, 16.0), rel=0.05)
    bottom = np.abs(found.samples.points_mm[:, 2] - (22.5 - depth_mm)) < 1e-6
    assert (found.slenderness[bottom] == 0.0).all()
    assert found.covered.all()


def test_void_is_reached_from_no_side() -> None:
    found = access(Box(40, 40, 40) - Sphere(8))
    inside = np.linalg.norm(found.samples.points_mm, axis=1) < 8.1
    assert inside.any()
    assert not found.covered[inside].any()
    assert np.isinf(found.slenderness[inside]).all()
    assert found.covered[~inside].all()
    face = int(found.samples.faces[inside][0])
    assert [found.samples.share_of(face, seen) for seen in found.seen] == [0.0] * 6


def test_drilled_hole_may_be_deeper_than_any_mill_reaches() -> None:
    """Rules for holes limit them. A square hole of 2 mm is milled from both ends to 12 mm, six times its width."""
    drilled, square = (access(Box(30, 30, 40) - cut) for cut in (Cylinder(1, 40), Box(2, 2, 40)))
    assert drilled.covered.all()
    points_mm = square.samples.points_mm
    walls, depth_mm = np.abs(points_mm[:, :2]).max(axis=1) < 1.1, 20 - np.abs(points_mm[:, 2])
    assert square.covered[walls & (depth_mm < 11.9)].all()
    assert not square.covered[walls & (depth_mm > 12.1)].any()
