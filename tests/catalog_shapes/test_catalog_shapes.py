"""Housings of motors, and the kernel_shapes that need geometry."""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
# build123d leaves the types of its own results open here.

from pathlib import Path

import pytest
from build123d import Axis, Box, Compound, Cylinder, Part, Pos, RevoluteJoint, RigidJoint, Rot, Solid, scale
from cad_worker.capture.design import capture_design
from cad_worker.utils_geometry.kernel_shapes import provide_utils
from catalog_shapes import bought_parts, shape_cache
from catalog_shapes.bought_parts import bought_part, is_unmodified, label_of, make_brep
from catalog_shapes.warm_cache import warm
from contracts.models.catalog import Recipe
from contracts.models.label import Label
from contracts.models.mechanism import Connection
from geometry.occt.brep import read_brep
from kernel.api.mechanism_api import InvalidMechanismError, bond_contacts, catalog_part
from parts_catalog.motors import MOTORS
from parts_catalog.parts import UnknownPartError, parts
from pydantic import TypeAdapter


@pytest.fixture(autouse=True)
def kernel_shapes() -> None:
    provide_utils()


def block(label: str, size: tuple[float, float, float], center: tuple[float, float, float]) -> Part:
    part = Pos(*center) * Box(*size)
    part.label = label
    return part


def pairs(connections: tuple[Connection, ...]) -> set[tuple[str, str]]:
    assert all(each.means == "bonded" for each in connections)
    return {(each.first, each.second) for each in connections}


@pytest.mark.sample(12)
@pytest.mark.parametrize("part_id", [part.id for part in parts().values() if part.recipe is not None])
def test_part_is_one_solid_of_catalog_size_and_mass(part_id: str) -> None:
    part, row = catalog_part(part_id), parts()[part_id]
    assert len(part.solids()) == 1
    assert part.is_valid
    assert tuple(part.bounding_box().size) == pytest.approx(row.size_mm, abs=0.02)
    assert (part.metadata, part.label) == ({"catalog_id": part_id}, label_of(part_id))
    assert (part.mass_kg, part.motor) == (row.mass_kg, row.motor)
    assert set(part.joints) == {interface.name for interface in row.interfaces}
    assert is_unmodified(part.solids()[0], part_id)
    if row.recipe is not None and row.recipe.is_exact and row.material_id != "assembly":
        density_g_mm3 = 2.70e-3 if row.material_id.startswith("aluminum") else 7.85e-3
        assert row.mass_kg * 1000 == pytest.approx(part.volume * density_g_mm3, rel=0.01, abs=0.002)


def test_sprocket_dimensions_match_manufacturer_table() -> None:
    """Cross+Morse, simplex sprockets 06B-1 after ISO 606, 20 teeth: 60.89 and 64.3 mm, 5.3 mm wide."""
    wheel = parts()["spk-06b-z20"]
    assert wheel.sprocket is not None
    assert wheel.sprocket.pitch_d_mm == pytest.approx(60.89, abs=0.01)
    assert max(catalog_part(wheel.id).bounding_box().size) == pytest.approx(64.3, abs=0.5)
    assert (wheel.sprocket.tooth_width_mm, wheel.interfaces[0].size_mm) == (5.3, 10)


def test_bearing_has_rings_and_recessed_shields() -> None:
    """8 x 22 x 7 mm, the inner ring up to 12.1 mm and the outer one from 17.6 mm on."""
    bearing: Solid = catalog_part("608zz").solids()[0]
    filled = [[bearing.is_inside((radius, 0, height)) for radius in (3.9, 5, 7.4, 10)] for height in (0, 3.3)]
    assert filled == [[False, True, True, True], [False, True, False, True]]


def test_cached_shape_equals_newly_made_one(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(shape_cache, "CACHE_FOLDER", tmp_path / "shapes")
    nut = parts()["nut-m6"]
    made = make_brep(not_none(nut.recipe))
    assert [warm([nut]), warm([nut])] == [1, 0]
    assert shape_cache.cached_brep(not_none(nut.recipe)) == made
    assert shape_cache.cached_brep(not_none(parts()["nut-m5"].recipe)) is None
    monkeypatch.setattr(bought_parts, "_by_recipe", None)
    bought_parts._made.cache_clear()  # pyright: ignore[reportPrivateUsage] - as in a new process
    assert is_unmodified(catalog_part("nut-m6").solids()[0], "nut-m6")
    with pytest.raises(TypeError):
        catalog_part("nut-m5")
    bought_parts._made.cache_clear()  # pyright: ignore[reportPrivateUsage]
    shape_cache.store_brep(not_none(nut.recipe), made[:1000])
    with pytest.raises(ValueError, match=r"nut-m6 is damaged; delete .*shapes and run"):
        catalog_part("nut-m6")


def not_none(recipe: Recipe | None) -> Recipe:
    assert recipe is not None
    return recipe


def test_labels_of_parts_are_valid_and_unique() -> None:
    labels = [label_of(part_id) for part_id in parts()]
    assert len(set(labels)) == len(labels)
    for label in labels:
        assert TypeAdapter[str](Label).validate_python(label) == label


def test_unknown_id_suggests_similar_and_alias_resolves() -> None:
    with pytest.raises(UnknownPartError, match=r"the catalog has no part 'brg-609'; did you mean .*brg-6"):
        catalog_part("brg-609")
    assert catalog_part("608").metadata == {"catalog_id": "608zz"}
    with pytest.raises(UnknownPartError, match="no shape of its own"):
        catalog_part("plain-revolute")


def test_each_catalog_part_is_an_independent_object() -> None:
    first, second = catalog_part("iso4762-m4x20"), Pos(50, 0, 0) * catalog_part("iso4762-m4x20")
    first.label = "left"
    assert second.label == "iso4762-m4x20"
    assert pytest.approx(0, abs=0.01) == first.bounding_box().center().X
    assert pytest.approx(50, abs=0.01) == second.bounding_box().center().X


def test_drilled_screw_is_modified() -> None:
    screw = catalog_part("iso4762-m4x20")
    drilled: Solid = (screw - Cylinder(0.5, 100)).solids()[0]
    assert not is_unmodified(drilled, "iso4762-m4x20")
    assert not is_unmodified(screw.solids()[0], "iso4762-m4x16")


@pytest.mark.parametrize("motor_id", MOTORS)
def test_motor_housing_is_below_shaft_origin(motor_id: str) -> None:
    part = catalog_part(motor_id)
    box = part.bounding_box()
    assert part.label == label_of(motor_id)
    assert pytest.approx(0, abs=1e-6) == box.max.Z
    assert tuple(box.size) == pytest.approx(MOTORS[motor_id].housing.size_mm, abs=1e-6)
    assert box.min.X < 0 < box.max.X
    assert box.min.Y < 0 < box.max.Y


@pytest.mark.parametrize("motor_id", ["pololu-37d-50", "mg996r"])
def test_unmodified_housing_is_recognised_in_any_pose(motor_id: str) -> None:
    moved = Pos(30, -4, 7) * Rot(10, 20, 30) * bought_part(motor_id)
    (captured,) = capture_design(Compound(label="machine", children=[moved])).parts
    assert captured.catalog_id == motor_id
    (solid,) = read_brep(captured.brep).solids
    assert is_unmodified(solid, motor_id)
    assert not is_unmodified(solid, "sg90")
    bored: Solid = (bought_part(motor_id) - Pos(0, 0, -5) * Box(1, 1, 1)).solids()[0]
    larger: Solid = scale(bought_part(motor_id), 1.001).solids()[0]
    assert not is_unmodified(bored, motor_id)
    assert not is_unmodified(larger, motor_id)


def test_bond_contacts_glues_touching_pairs_only() -> None:
    floor = block("floor", (100, 100, 10), (0, 0, -5))
    environment = Compound(label="environment", children=[floor])
    legs = [block(f"leg_{i}", (5, 5, 20), (20 * i, 0, 10)) for i in range(3)]
    beam = block("beam", (60, 5, 5), (20, 0, 22.5))
    high = block("high", (5, 5, 5), (0, 0, 27.56))
    found = bond_contacts(*legs, beam, high, to=environment)
    glued = {(f"leg_{i}", "beam") for i in range(3)} | {(f"leg_{i}", "floor") for i in range(3)}
    assert pairs(found) == glued
    assert pairs(bond_contacts(Compound(label="frame", children=[*legs, beam]), to=environment)) == glued


def test_bond_contacts_uses_world_positions_of_group_children() -> None:
    floor = block("floor", (100, 100, 10), (0, 0, -5))
    group = Pos(0, 0, 50) * Compound(label="group", children=[block("leg", (5, 5, 20), (0, 0, 10))])
    assert bond_contacts(group, to=floor) == ()
    assert bond_contacts(*group.children, to=floor) == ()


def test_bond_contacts_leaves_hinged_parts_alone() -> None:
    base, arm = block("base", (10, 10, 10), (0, 0, 0)), block("arm", (10, 10, 10), (0, 0, 0))
    RevoluteJoint("hinge", base, Axis.Z).connect_to(RigidJoint("pin", arm, Pos(0, 0, -10)), angle=0)
    assert bond_contacts(base, arm) == ()


def test_bond_contacts_needs_labels_and_shapes() -> None:
    with pytest.raises(InvalidMechanismError, match="has no label"):
        bond_contacts(block("", (5, 5, 5), (0, 0, 0)), block("b", (5, 5, 5), (5, 0, 0)))
    with pytest.raises(InvalidMechanismError, match="not a build123d shape"):
        bond_contacts("leg")
