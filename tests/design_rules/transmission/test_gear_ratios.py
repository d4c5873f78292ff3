"""The ratio of a coupling is that of the wheels and racks that mesh, by teeth or pitch diameters."""

from math import radians

import pytest
from build123d import Cylinder, Part, Pos
from contracts.models.mechanism import Coupling, Joint

from tests.support.designs import Designs
from tests.support.slides import bond


def axle(label: str, child: str, x: float, axis_z: float = 1.0) -> Joint:
    anchor = (x, 0.0, 13.0)
    return Joint(label=label, kind="revolute", parent="plate", child=child, anchor_mm=anchor, axis=(0.0, 0.0, axis_z))


def details(designs: Designs, parts: list[Part], joints: list[Joint], coupling: Coupling) -> list[str]:
    plate = designs.part("plate", (140, 80, 10), (30, 0, 5))
    mechanism = [bond("plate", "floor"), *joints, coupling]
    findings = designs.judge(plate, *parts, mechanism=mechanism).findings
    assert {(finding.rule, finding.label) for finding in findings} <= {("invalid_coupling", coupling.second)}
    return [finding.detail for finding in findings]


def discs(designs: Designs, first_mm: float, second_mm: float, ratio: float, axis_z: float = 1.0) -> list[str]:
    """Return the details about two discs that touch."""
    apart = first_mm + second_mm + 0.1
    sizes = (("p", 0.0, first_mm), ("q", apart, second_mm))
    wheels = [designs.as_part(name, Pos(x, 0, 13) * Cylinder(radius, 6)) for name, x, radius in sizes]
    couple = Coupling(kind="gear", first="a", second="b", ratio=ratio)
    return details(designs, wheels, [axle("a", "p", 0.0), axle("b", "q", apart, axis_z)], couple)


def test_equal_discs_are_no_gear_of_1_to_150(designs: Designs) -> None:
    (found,) = discs(designs, 15.0, 15.0, -1 / 150)
    assert "declares a ratio of -0.006667, but the parts that mesh give -1, up to 5% off is allowed" in found
    assert "write ratio=-1" in found


@pytest.mark.parametrize(("ratio", "is_right"), [(-0.5, True), (-0.523, True), (-0.53, False), (0.5, False)])
def test_ratio_follows_from_pitch_diameters(designs: Designs, ratio: float, is_right: bool) -> None:
    assert (discs(designs, 10.0, 20.0, ratio) == []) is is_right


@pytest.mark.parametrize("broken", [axle("b", "ghost", 20.1), axle("b", "q", 20.1, axis_z=0.0)], ids=["part", "axis"])
def test_broken_joint_has_a_finding_of_its_own_and_its_coupling_none(designs: Designs, broken: Joint) -> None:
    plate = designs.part("plate", (140, 80, 10), (30, 0, 5))
    wheels = [designs.as_part(name, Pos(x, 0, 13) * Cylinder(10, 6)) for name, x in (("p", 0.0), ("q", 20.1))]
    couple = Coupling(kind="gear", first="a", second="b", ratio=-1 / 150)
    found = designs.rules(plate, *wheels, mechanism=[bond("plate", "floor"), axle("a", "p", 0.0), broken, couple])
    assert "b" in {label for _, label in found}
    assert "invalid_coupling" not in {rule for rule, _ in found}


def test_wheel_as_wide_as_long_is_never_tilted(designs: Designs) -> None:
    """Its moments about all axes are the same, so they do not show its axis."""
    wide = 10 * 3**0.5
    sizes = (("p", 0.0), ("q", 20.1))
    wheels = [designs.as_part(name, Pos(x, 0, 10.1 + wide / 2) * Cylinder(10, wide)) for name, x in sizes]
    couple = Coupling(kind="gear", first="a", second="b", ratio=-1.0)
    assert details(designs, wheels, [axle("a", "p", 0.0), axle("b", "q", 20.1)], couple) == []


def racked(designs: Designs, mm_per_deg: float, *, length_mm: float = 120.0) -> list[str]:
    """Return the details about a disc of 10 mm that moves a bar along a rail."""
    disc = designs.as_part("p", Pos(0, 0, 13) * Cylinder(10, 6))
    bar = designs.part("bar", (length_mm, 6, 6), (0, 13.1, 13.1))
    joints = [
        axle("a", "p", 0.0),
        Joint(
            label="b", kind="linear", parent="plate", child="bar", anchor_mm=(0.0, 13.1, 10.0), axis=(1.0, 0.0, 0.0),
            travel_range_mm=(-30.0, 40.0),
        ),
    ]  # fmt: skip
    return details(designs, [disc, bar], joints, Coupling(kind="rack", first="a", second="b", ratio=mm_per_deg))


def test_rack_moves_by_the_rim_of_its_wheel(designs: Designs) -> None:
    assert racked(designs, -radians(10.0)) == []
    assert "write mm_per_deg=-0.1" in racked(designs, radians(10.0))[0]
    assert "give -0.17" in racked(designs, -radians(2.5))[0]


@pytest.mark.parametrize(("apart_mm", "meshes"), [(2.9, True), (3.1, False), (6.9, False)])
def test_discs_mesh_over_half_of_their_width(designs: Designs, apart_mm: float, meshes: bool) -> None:
    wheels = [
        designs.as_part("p", Pos(0, 0, 13) * Cylinder(10, 6)),
        designs.as_part("q", Pos(20.1, 0, 13 + apart_mm) * Cylinder(10, 6)),
    ]
    couple = Coupling(kind="gear", first="a", second="b", ratio=-1.0)
    found = details(designs, wheels, [axle("a", "p", 0.0), axle("b", "q", 20.1)], couple)
    assert ([] if meshes else [True]) == ["at least 3.00 mm are needed, half of the narrower" in each for each in found]
