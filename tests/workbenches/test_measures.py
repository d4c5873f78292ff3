"""Measurements that all workbenches share: own axes, inner edges, wall thickness."""

import numpy as np
import pytest
from build123d import Axis, Box, Cylinder, Pos, Rot, fillet
from workbenches.edges import SHARP_DEG, edges_of
from workbenches.part_mesh import PartMesh
from workbenches.thickness import measure_thickness, thinnest_wall


def test_own_axes_of_tilted_plate_follow_its_faces() -> None:
    plate = Rot(10, 25, 40) * (Box(80, 50, 6) - Pos(20, 0, 0) * Cylinder(5, 10))
    mesh = PartMesh.of(plate.solids()[0])
    assert sorted(mesh.extents_mm) == pytest.approx([6, 50, 80], abs=1e-6)


def test_own_axes_of_untilted_part_are_the_worlds() -> None:
    mesh = PartMesh.of(Box(10, 40, 20).solids()[0])
    assert mesh.axes == pytest.approx(np.eye(3))


def test_own_axes_of_shaft_include_its_axis() -> None:
    mesh = PartMesh.of((Rot(0, 90, 0) * Cylinder(4, 60)).solids()[0])
    assert sorted(mesh.extents_mm)[2] == pytest.approx(60, abs=1e-6)


def test_square_pocket_has_eight_sharp_inner_edges() -> None:
    mesh = PartMesh.of((Box(60, 40, 20) - Pos(0, 0, 5) * Box(30, 20, 10)).solids()[0])
    inner = [edge for edge in edges_of(mesh) if edge.is_concave and edge.turn_deg > SHARP_DEG]
    upright = [edge for edge in inner if abs(edge.direction[2]) > 0.99]
    assert (len(inner), len(upright)) == (8, 4)
    assert all(edge.is_straight and edge.length_mm == pytest.approx(10) for edge in upright)


def test_filleted_corners_are_tangent_to_their_walls() -> None:
    pocket = fillet(Box(30, 20, 10).edges().filter_by(Axis.Z), 3)
    mesh = PartMesh.of((Box(60, 40, 20) - Pos(0, 0, 5) * pocket).solids()[0])
    upright = [edge for edge in edges_of(mesh) if abs(edge.direction[2]) > 0.99 and edge.is_concave]
    assert all(edge.turn_deg < SHARP_DEG for edge in upright)


def test_box_has_no_concave_edge() -> None:
    assert not any(edge.is_concave for edge in edges_of(PartMesh.of(Box(1, 2, 3).solids()[0])))


def test_thinnest_wall_of_tray_is_measured() -> None:
    mesh = PartMesh.of((Box(80, 60, 20) - Pos(0, 0, 2) * Box(76, 56, 20)).solids()[0])
    found = thinnest_wall(mesh, measure_thickness(mesh), 3.0)
    assert found is not None
    assert found.thickness_mm == pytest.approx(2.0, abs=1e-6)
