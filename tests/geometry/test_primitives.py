import pytest
from build123d import Axis, Box, Cylinder, GeomType, Location, Solid, Sphere, chamfer, fillet
from contracts.models.scene import BoxGeom, CylinderGeom, SphereGeom
from geometry.collision import decomposition
from geometry.collision.decomposition import collision_geometry
from geometry.collision.results import CollisionGeometry

TURNED = Location((40, -7, 12), (20, 35, -50))


def test_turned_box_becomes_box_geom() -> None:
    (geom,) = _exact(TURNED * Solid.make_box(10, 20, 30))
    assert isinstance(geom, BoxGeom)
    assert sorted(geom.size_mm) == pytest.approx([10, 20, 30])


def test_turned_cylinder_becomes_cylinder_geom() -> None:
    (geom,) = _exact(TURNED * Cylinder(8, 30).solid())
    assert isinstance(geom, CylinderGeom)
    assert (geom.radius_mm, geom.length_mm) == pytest.approx((8, 30))
    assert geom.center_mm == pytest.approx((40, -7, 12))


def test_ball_becomes_sphere_geom() -> None:
    (geom,) = _exact(TURNED * Sphere(20).solid())
    assert isinstance(geom, SphereGeom)
    assert geom.radius_mm == pytest.approx(20)


def test_half_cylinder_does_not_become_cylinder_geom() -> None:
    half = (Cylinder(8, 30) - Box(100, 100, 100).moved(Location((0, 50, 0)))).solids()[0]
    assert not any(isinstance(geom, CylinderGeom) for geom in collision_geometry(half).geoms)


def test_box_with_small_fillets_becomes_box_geom() -> None:
    found = collision_geometry(TURNED * fillet(Box(40, 50, 60).edges(), 0.25).solid())
    assert [geom.kind for geom in found.geoms] == ["box"]
    assert not found.is_exact
    assert 0 < found.deviation.protrusion_mm < 0.3


def test_cylinder_with_small_chamfers_becomes_cylinder_geom() -> None:
    rims = Cylinder(20, 30).edges().filter_by(GeomType.CIRCLE)
    found = collision_geometry(TURNED * chamfer(rims, 0.25).solid())
    assert [geom.kind for geom in found.geoms] == ["cylinder"]


def test_box_with_large_fillets_becomes_one_hull() -> None:
    found = collision_geometry(fillet(Box(40, 50, 60).edges().filter_by(Axis.Z), 8).solid())
    assert [geom.kind for geom in found.geoms] == ["hull"]


def test_exact_primitives_are_not_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    """A measurement takes far longer than the recognition and could only find zero."""
    monkeypatch.delattr(decomposition, "measure_deviation")
    boxes = [TURNED * Solid.make_box(10, 20, 30 + number) for number in range(30)]
    found = [collision_geometry(solid) for solid in (*boxes, Cylinder(8, 30).solid(), Sphere(20).solid())]
    assert all(each.is_exact and each.deviation.probes == 0 for each in found)


def test_collision_geometry_survives_json() -> None:
    found = collision_geometry(Solid.make_box(10, 20, 30))
    assert CollisionGeometry.model_validate_json(found.model_dump_json()) == found


def _exact(solid: Solid) -> tuple[object, ...]:
    found = collision_geometry(solid)
    assert found.is_exact
    assert found.deviation.filled_outside == found.deviation.empty_inside == 0
    return found.geoms
