from math import pi

import pytest
from build123d import Axis, Box, Cylinder, GeomType, Location, Solid, Sphere, chamfer, fillet
from contracts.models.scene import BoxGeom, CylinderGeom, SphereGeom
from geometry.collision import decomposition
from geometry.collision.decomposition import collision_geometry, geometry_key
from geometry.collision.results import CollisionGeometry
from geometry.occt.shapes import read_brep, write_brep

TURNED = Location((40, -7, 12), (20, 35, -50))


def test_a_turned_box_is_a_box() -> None:
    (geom,) = _exact(TURNED * Solid.make_box(10, 20, 30))
    assert isinstance(geom, BoxGeom)
    assert sorted(geom.size_mm) == pytest.approx([10, 20, 30])


def test_a_turned_cylinder_is_a_cylinder() -> None:
    (geom,) = _exact(TURNED * Cylinder(8, 30).solid())
    assert isinstance(geom, CylinderGeom)
    assert (geom.radius_mm, geom.length_mm) == pytest.approx((8, 30))
    assert geom.center_mm == pytest.approx((40, -7, 12))


def test_a_ball_is_a_ball() -> None:
    (geom,) = _exact(TURNED * Sphere(20).solid())
    assert isinstance(geom, SphereGeom)
    assert geom.radius_mm == pytest.approx(20)


def test_half_a_cylinder_is_no_cylinder() -> None:
    half = (Cylinder(8, 30) - Box(100, 100, 100).moved(Location((0, 50, 0)))).solids()[0]
    assert not any(isinstance(geom, CylinderGeom) for geom in collision_geometry(half).geoms)


def test_small_fillets_leave_a_box_a_box() -> None:
    found = collision_geometry(TURNED * fillet(Box(40, 50, 60).edges(), 0.25).solid())
    assert [geom.kind for geom in found.geoms] == ["box"]
    assert not found.is_exact
    assert 0 < found.deviation.protrusion_mm < 0.3


def test_small_bevels_leave_a_cylinder_a_cylinder() -> None:
    rims = Cylinder(20, 30).edges().filter_by(GeomType.CIRCLE)
    found = collision_geometry(TURNED * chamfer(rims, 0.25).solid())
    assert [geom.kind for geom in found.geoms] == ["cylinder"]


def test_large_fillets_make_one_hull() -> None:
    found = collision_geometry(fillet(Box(40, 50, 60).edges().filter_by(Axis.Z), 8).solid())
    assert [geom.kind for geom in found.geoms] == ["hull"]


def test_the_key_tells_parts_apart_and_survives_storage() -> None:
    solid = Cylinder(8, 30).solid()
    (stored,) = read_brep(write_brep(solid)).solids
    assert geometry_key(stored) == geometry_key(solid)
    assert geometry_key(TURNED * solid) != geometry_key(solid)
    assert geometry_key(Cylinder(8, 30 + 1e-3 * pi).solid()) != geometry_key(solid)


def test_a_machine_of_boxes_is_never_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    """A measurement takes far longer than all the rest, and would find nothing."""
    monkeypatch.delattr(decomposition, "deviation_of")
    boxes = [TURNED * Solid.make_box(10, 20, 30 + number) for number in range(30)]
    found = [collision_geometry(solid) for solid in (*boxes, Cylinder(8, 30).solid(), Sphere(20).solid())]
    assert all(each.is_exact and each.deviation.probes == 0 for each in found)


def test_results_cross_as_json() -> None:
    found = collision_geometry(Solid.make_box(10, 20, 30))
    assert CollisionGeometry.model_validate_json(found.model_dump_json()) == found


def _exact(solid: Solid) -> tuple[object, ...]:
    found = collision_geometry(solid)
    assert found.is_exact
    assert found.deviation.filled_outside == found.deviation.empty_inside == 0
    return found.geoms
