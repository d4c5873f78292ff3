"""Housings of motors, and the words that need geometry."""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
# build123d leaves the types of its own results open here.

import pytest
from build123d import Axis, Box, Compound, Part, Pos, RevoluteJoint, RigidJoint, Rot, Solid, scale
from cad_worker.catalog_parts import housing_of, is_unmodified
from cad_worker.geometry.occt import read_brep
from cad_worker.jobs.capture import capture_design
from cad_worker.kernel_shapes import lend_words
from contracts.mechanism import Connection
from kernel.hardware import MOTORS
from kernel.joining import NotSaidRightError, bond_contacts, catalog_part


@pytest.fixture(autouse=True)
def words() -> None:
    lend_words()


def block(label: str, size: tuple[float, float, float], center: tuple[float, float, float]) -> Part:
    part = Pos(*center) * Box(*size)
    part.label = label
    return part


def pairs(connections: tuple[Connection, ...]) -> set[tuple[str, str]]:
    assert all(each.means == "bonded" for each in connections)
    return {(each.first, each.second) for each in connections}


@pytest.mark.parametrize("motor_id", MOTORS)
def test_every_motor_has_a_housing_below_its_shaft(motor_id: str) -> None:
    part = catalog_part(motor_id)
    box = part.bounding_box()
    assert part.label == motor_id
    assert pytest.approx(0, abs=1e-6) == box.max.Z
    assert tuple(box.size) == pytest.approx(MOTORS[motor_id].housing.size_mm, abs=1e-6)
    assert box.min.X < 0 < box.max.X
    assert box.min.Y < 0 < box.max.Y


@pytest.mark.parametrize("motor_id", ["pololu-37d-50", "mg996r"])
def test_a_housing_is_known_in_every_pose_and_only_as_it_is_sold(motor_id: str) -> None:
    moved = Pos(30, -4, 7) * Rot(10, 20, 30) * housing_of(motor_id)
    (captured,) = capture_design(Compound(label="machine", children=[moved])).parts
    assert captured.catalog_id == motor_id
    (solid,) = read_brep(captured.brep).solids
    assert is_unmodified(solid, motor_id)
    assert not is_unmodified(solid, "sg90")
    bored: Solid = (housing_of(motor_id) - Pos(0, 0, -5) * Box(1, 1, 1)).solids()[0]
    larger: Solid = scale(housing_of(motor_id), 1.001).solids()[0]
    assert not is_unmodified(bored, motor_id)
    assert not is_unmodified(larger, motor_id)


def test_all_that_touch_are_glued_and_nothing_else() -> None:
    floor = block("floor", (100, 100, 10), (0, 0, -5))
    environment = Compound(label="environment", children=[floor])
    legs = [block(f"leg_{i}", (5, 5, 20), (20 * i, 0, 10)) for i in range(3)]
    beam = block("beam", (60, 5, 5), (20, 0, 22.5))
    high = block("high", (5, 5, 5), (0, 0, 27.56))
    found = bond_contacts(*legs, beam, high, to=environment)
    glued = {(f"leg_{i}", "beam") for i in range(3)} | {(f"leg_{i}", "floor") for i in range(3)}
    assert pairs(found) == glued
    assert pairs(bond_contacts(Compound(label="frame", children=[*legs, beam]), to=environment)) == glued


def test_children_of_a_moved_group_are_glued_where_they_are() -> None:
    floor = block("floor", (100, 100, 10), (0, 0, -5))
    group = Pos(0, 0, 50) * Compound(label="group", children=[block("leg", (5, 5, 20), (0, 0, 10))])
    assert bond_contacts(group, to=floor) == ()
    assert bond_contacts(*group.children, to=floor) == ()


def test_the_two_sides_of_a_hinge_are_not_glued() -> None:
    base, arm = block("base", (10, 10, 10), (0, 0, 0)), block("arm", (10, 10, 10), (0, 0, 0))
    RevoluteJoint("hinge", base, Axis.Z).connect_to(RigidJoint("pin", arm, Pos(0, 0, -10)), angle=0)
    assert bond_contacts(base, arm) == ()


def test_a_part_without_a_label_cannot_be_glued() -> None:
    with pytest.raises(NotSaidRightError, match=r"set \.label first"):
        bond_contacts(block("", (5, 5, 5), (0, 0, 0)), block("b", (5, 5, 5), (5, 0, 0)))
    with pytest.raises(NotSaidRightError, match="no build123d shape"):
        bond_contacts("leg")
