import numpy as np
import pytest
from build123d import Cylinder, Location, Solid
from geometry import display_mesh
from geometry.display_mesh import TooManyTrianglesError, surface_of
from geometry.occt.solid_mesh import TriangleMesh

from tests.support.mesh_moments import moments
from tests.support.known_solids import rounded_plate


def test_a_surface_is_closed_and_outward_and_where_the_part_is() -> None:
    solid = Location((50, 0, 0)) * rounded_plate()
    found = surface_of(solid)
    vertices = np.frombuffer(found.vertices_mm, "<f4").reshape(-1, 3).astype(np.float64)
    triangles = np.frombuffer(found.triangles, "<i4").reshape(-1, 3).astype(np.int64)
    mesh = TriangleMesh(vertices, triangles, np.zeros(len(triangles), dtype=np.int64))
    volume, center, _ = moments(mesh)
    assert mesh.open_edges == 0
    assert volume == pytest.approx(solid.volume, rel=0.01)
    assert center == pytest.approx(tuple(solid.center()), abs=0.1)


def test_too_many_triangles_are_refused_with_the_place(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(display_mesh, "MAX_TRIANGLES", 10)
    with pytest.raises(TooManyTrianglesError, match=r"triangles around \(0, 0, 0\) mm"):
        surface_of(Cylinder(20, 30).solid())


def test_too_many_faces_are_refused_before_they_are_meshed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(display_mesh, "MAX_FACES", 5)
    with pytest.raises(TooManyTrianglesError, match="6 faces around"):
        surface_of(Solid.make_box(10, 10, 10))
