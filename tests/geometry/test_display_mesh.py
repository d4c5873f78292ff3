import numpy as np
import pytest
from build123d import Box, Cylinder, Location, Pos, Rot, Solid
from geometry import display_mesh
from geometry.display_mesh import TooManyTrianglesError, display_surface
from geometry.occt.meshes import TriangleMesh, closed_mesh

from tests.support.solids.known_solids import rounded_plate
from tests.support.solids.mesh_moments import moments


def has_opposite_edges(mesh: TriangleMesh) -> bool:
    """Tell whether each edge has exactly one neighbour that runs the other way, as in a closed mesh."""
    edges: list[list[int]] = mesh.triangles[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2).tolist()
    return sorted((start, end) for start, end in edges) == sorted((end, start) for start, end in edges)


def test_display_surface_is_closed_outward_and_in_place() -> None:
    solid = Location((50, 0, 0)) * rounded_plate()
    found = display_surface(solid)
    vertices = np.frombuffer(found.vertices_mm, "<f4").reshape(-1, 3).astype(np.float64)
    triangles = np.frombuffer(found.triangles, "<i4").reshape(-1, 3).astype(np.int64)
    mesh = TriangleMesh(vertices, triangles, np.zeros(len(triangles), dtype=np.int64))
    volume, center, _ = moments(mesh)
    assert has_opposite_edges(mesh)
    assert volume == pytest.approx(solid.volume, rel=0.01)
    assert center == pytest.approx(tuple(solid.center()), abs=0.1)


def test_display_surface_with_too_many_triangles_raises(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(display_mesh, "MAX_TRIANGLES", 10)
    with pytest.raises(TooManyTrianglesError, match=r"triangles around \(0.0, 0.0, 0.0\) mm"):
        display_surface(Cylinder(20, 30).solid())


def test_display_surface_with_too_many_faces_raises_before_meshing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(display_mesh, "MAX_FACES", 5)
    with pytest.raises(TooManyTrianglesError, match="6 faces around"):
        display_surface(Solid.make_box(10, 10, 10))


def test_planar_face_with_edges_of_micrometres_is_in_the_mesh() -> None:
    boxes = (  # a pocket whose panels overlap by 2 micrometres: OCCT's own triangulation leaves its underside empty
        ((63.99, 66.0, 4.5), (190.004981, -34.400439, 82.75)),
        ((4.5, 75.02, 25.723347), (155.882463, -31.390658, 93.361673)),
        ((63.99, 4.5, 69.5), (193.103065, 0.723192, 115.25)),
        ((63.99, 4.5, 69.5), (186.906896, -69.524071, 115.25)),
        ((4.5, 75.02, 84.5), (224.127499, -37.41022, 122.75)),
    )
    pieces = [Pos(*center) * Rot(0, 0, -5.040736) * Box(x + 0.012, y + 0.012, z + 0.012) for (x, y, z), center in boxes]
    whole = pieces[0].fuse(*pieces[1:])  # pyright: ignore[reportUnknownMemberType] - partly typed
    assert isinstance(whole, Solid)
    mesh = closed_mesh(whole, 0.1, 0.3)
    assert has_opposite_edges(mesh)
    assert moments(mesh)[0] == pytest.approx(whole.volume, rel=1e-6)
