"""Which solids are equal: moved, turned and drawn otherwise, but neither mirrored nor of another size."""

from build123d import (
    Axis,
    Box,
    Circle,
    Cone,
    Cylinder,
    Part,
    Plane,
    Pos,
    Rot,
    Solid,
    Sphere,
    Torus,
    extrude,
    fillet,
    mirror,
)
from build123d.topology import Shape
from geometry.congruence import equal_groups


def solids(*shapes: Shape[object]) -> list[Solid]:
    found = [shape.solids()[0] for shape in shapes]
    assert all(isinstance(each, Solid) for each in found)
    return found  # pyright: ignore[reportReturnType] - asserted


def plate() -> Shape[object]:
    """A plate without any symmetry."""
    blank = Box(50, 30, 10) - Pos(15, 5, 0) * Cylinder(3, 40) - Pos(-10, -8, 5) * Box(6, 4, 10)
    return fillet(blank.edges().filter_by(Axis.Z).sort_by(Axis.X)[:1], 3)


def test_moved_and_turned_copies_are_equal() -> None:
    assert equal_groups(solids(plate(), Pos(10, 20, 30) * Rot(20, 30, 40) * plate(), Rot(180, 0, 0) * plate())) == [
        0,
        0,
        0,
    ]


def test_mirrored_copy_is_another_part() -> None:
    assert equal_groups(solids(plate(), mirror(Part(plate().wrapped), about=Plane.XZ))) == [0, 1]


def test_same_shape_drawn_otherwise_is_equal() -> None:
    pin = extrude(Circle(6), 30)
    assert equal_groups(solids(Cylinder(6, 30), Rot(90, 0, 45) * pin, Box(1, 2, 3), Box(3, 2, 1))) == [0, 0, 2, 2]


def test_solids_of_revolution_are_equal_in_any_direction() -> None:
    shapes = (Sphere(5), Pos(1, 1, 1) * Sphere(5), Cone(5, 2, 10), Rot(180, 0, 0) * Cone(5, 2, 10), Torus(9, 2))
    assert equal_groups(solids(*shapes, Rot(0, 70, 0) * Torus(9, 2))) == [0, 0, 2, 2, 4, 4]


def test_holes_at_other_angles_make_other_parts() -> None:
    def drilled(angle: float) -> Shape[object]:
        across = Rot(90, 0, 0) * Cylinder(2, 30)
        return Cylinder(6, 30) - Pos(0, 0, 5) * across - Pos(0, 0, -5) * Rot(0, 0, angle) * across

    assert equal_groups(solids(drilled(60), drilled(90), drilled(-60), Rot(0, 0, 77) * drilled(60))) == [0, 1, 2, 0]


def test_another_size_is_another_part() -> None:
    assert equal_groups(solids(Box(10, 20, 30), Box(10, 20, 30.01))) == [0, 1]
