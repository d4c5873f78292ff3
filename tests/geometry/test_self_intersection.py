"""Solids that run through themselves: found with a place, and never where a solid is sound."""

from collections.abc import Callable
from math import cos, dist, pi, sin
from typing import Any

import pytest
from build123d import (
    Axis,
    Box,
    Cylinder,
    Face,
    Helix,
    Plane,
    Pos,
    Rectangle,
    Rot,
    Solid,
    Sphere,
    Spline,
    Torus,
    Wire,
    revolve,
    sweep,
)
from build123d import Circle as Disc
from build123d.topology import Shape
from geometry.occt.brep import Contents
from geometry.single_solid import InvalidSolidError, single_solid

from perf.workpieces.single_parts import solids


def prism(*corners: tuple[float, float]) -> Shape[Any]:
    return Solid.extrude(Face(Wire.make_polygon([(x, y, 0) for x, y in corners])), (0, 0, 10))


def bow_tie(left_mm: float, right_mm: float) -> Shape[Any]:
    return prism((0, 0), (40, right_mm), (40, 0), (0, left_mm))


def coil(pitch_mm: float, wire_mm: float, turns: float = 3) -> Shape[Any]:
    path = Helix(pitch_mm, pitch_mm * turns, 10)
    return sweep(Plane(path @ 0, z_dir=path % 0) * Disc(wire_mm / 2), path=path)


def looped_tube(lift_mm: float) -> Shape[Any]:
    path = Spline((0, 0, 0), (40, 0, 0), (50, 20, lift_mm / 2), (20, 30, lift_mm), (20, -30, lift_mm))
    return sweep(Plane(path @ 0, z_dir=path % 0) * (Disc(4) - Disc(3)), path=path)


def pentagram() -> Shape[Any]:
    return prism(*((20 * cos(0.8 * pi * k), 20 * sin(0.8 * pi * k)) for k in range(5)))


CROSSING: dict[str, tuple[Callable[[], Shape[Any]], tuple[float, float, float] | None]] = {
    "even bow-tie": (lambda: bow_tie(30, 30), (20, 15, 5)),
    "uneven bow-tie": (lambda: bow_tie(10, 30), (10, 7.5, 5)),
    "slim lobe": (lambda: bow_tie(2, 30), (2.5, 1.875, 5)),
    "pentagram": (pentagram, None),
    "turned bow-tie": (lambda: Rot(20, 30, 40) * bow_tie(10, 30), None),
    "coil whose turns overlap": (lambda: coil(3, 4), None),
    "coil whose turns overlap by a little": (lambda: coil(3.6, 4), None),
    "tube through itself": (lambda: looped_tube(3), None),
    "torus through its axis": (lambda: Solid.make_torus(8, 9), (0, 0, 17**0.5)),
    "lemon of a turned torus": (lambda: Rot(0, 90, 0) * Solid.make_torus(5, 5.5), None),
}
SOUND: dict[str, Callable[[], Shape[Any]]] = {
    "coil": lambda: coil(5, 4),
    "coil of close turns": lambda: coil(4.3, 4),
    "looped tube": lambda: looped_tube(14),
    "torus": lambda: Torus(20, 6),
    "ball of a revolved outline": lambda: revolve(
        (Plane.XZ * Disc(6) & Plane.XZ * Pos(3, 0) * Rectangle(6, 12)).face(), Axis.Z
    ),
    "thin tube": lambda: Cylinder(15, 30) - Cylinder(14.9, 30),
    "nested voids": lambda: Box(40, 40, 40) - Sphere(10) - Pos(0, 0, 15) * Box(30, 30, 2),
    "thin plate": lambda: Box(200, 100, 0.3),
}


def read(shape: Shape[Any]) -> Solid:
    return single_solid(Contents(tuple(shape.solids()), 0))


@pytest.mark.parametrize("name", CROSSING)
def test_solid_through_itself_is_refused_with_its_place(name: str) -> None:
    shape, place = CROSSING[name]
    with pytest.raises(InvalidSolidError, match="intersects itself near") as refused:
        read(shape())
    if place is not None:
        found = str(refused.value).split("(")[1].split(")")[0].split(",")
        assert dist([float(each) for each in found][:2], place[:2]) < 1.5


@pytest.mark.parametrize("name", SOUND)
def test_sound_solid_is_accepted(name: str) -> None:
    assert read(SOUND[name]()).volume > 0


def test_usual_workpieces_are_accepted() -> None:
    for solid in solids().values():
        assert single_solid(Contents((solid,), 0)) is solid
