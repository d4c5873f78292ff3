"""The triangulated part that all workbenches use."""

from typing import Any

import numpy as np
import pytest
from build123d import Axis, Box, Cylinder, Pos, Rot, Sphere, fillet
from build123d.topology import Shape
from geometry.occt.meshes import closed_mesh
from workbenches.part_mesh import PartMesh

from perf.workpieces.grammar import draw_solid

UP = np.array([0.0, 0.0, 1.0])


def mesh_of(shape: Shape[Any]) -> PartMesh:
    (solid,) = shape.solids()
    return PartMesh.of(solid)


def test_triangles_are_closed_and_face_outwards() -> None:
    part = Rot(20, 30, 40) * (Box(40, 30, 20) - Pos(0, 0, 3) * Cylinder(8, 20))
    mesh = mesh_of(part)
    corners = mesh.vertices_mm[mesh.triangles]
    volume = np.einsum("nx,nx->n", corners[:, 0], np.cross(corners[:, 1], corners[:, 2])).sum() / 6
    assert volume == pytest.approx(part.volume, rel=2e-3)
    assert mesh.areas_mm2.sum() == pytest.approx(part.area, rel=2e-3)


@pytest.mark.parametrize("seed", [1179], ids=["cylinder that OCCT leaves empty"])
def test_each_face_has_triangles_for_its_area(seed: int) -> None:
    solid, _ = draw_solid(seed)
    mesh = PartMesh.of(solid)
    meshed = np.bincount(mesh.face_of, weights=mesh.areas_mm2, minlength=len(mesh.faces))
    assert meshed == pytest.approx(mesh.face_areas_mm2, rel=0.02)
    assert closed_mesh(solid, 0.05, 0.2).triangles.shape[0] > 1000


def test_volume_and_areas_of_cut_cones_are_exact() -> None:
    solid, _ = draw_solid(1191)
    mesh = PartMesh.of(solid)
    fine = closed_mesh(solid, 0.002, 0.02).corners_mm
    across = np.cross(fine[:, 1] - fine[:, 0], fine[:, 2] - fine[:, 0])
    assert mesh.volume_mm3 == pytest.approx(float((fine[:, 0] * across).sum() / 6), rel=1e-4)
    assert mesh.area_mm2 == pytest.approx(float(np.linalg.norm(across, axis=1).sum() / 2), rel=1e-3)


def test_each_triangle_has_its_face() -> None:
    mesh = mesh_of(fillet(Box(40, 30, 20).edges().filter_by(Axis.Z), 4))
    assert {surface.kind for surface in mesh.surfaces} == {"plane", "cylinder"}
    for index, surface in enumerate(mesh.surfaces):
        if surface.kind == "cylinder":
            assert surface.radius_mm == pytest.approx(4)
            assert surface.span_deg == pytest.approx(90)
            assert surface.length_mm == pytest.approx(20)
        assert (mesh.face_of == index).any()


def test_rays_hit_opposite_wall() -> None:
    mesh = mesh_of(Box(40, 30, 2))
    hits = mesh.first_hits(np.array([[0.0, 0.0, 0.999]]), -UP[None, :], through=None)
    assert hits.is_hit.all()
    assert hits.distance_mm[0] == pytest.approx(1.999, abs=1e-5)
    assert hits.normals[0] == pytest.approx(-UP)


def test_pocket_floor_is_visible_only_from_above() -> None:
    mesh = mesh_of(Box(40, 40, 20) - Pos(0, 0, 5) * Box(20, 20, 10))
    floor = next(
        number
        for number, face in enumerate(mesh.solid.faces())
        if abs(face.center().Z) < 1e-6 and face.area == pytest.approx(400)
    )
    samples = mesh.samples
    on_floor = samples.faces == floor
    assert on_floor.sum() > 50
    assert mesh.is_visible(samples, UP)[on_floor].all()
    assert not mesh.is_visible(samples, np.array([1.0, 0.0, 0.0]))[on_floor].any()
    assert not mesh.is_visible(samples, -UP)[on_floor].any()


def test_samples_are_deterministic_and_on_every_face() -> None:
    first, second = (mesh_of(Box(100, 100, 1) - Pos(3, 3, 0) * Sphere(0.4)).samples for _ in range(2))
    assert np.array_equal(first.points_mm, second.points_mm)
    assert set(first.faces) == set(range(7))
