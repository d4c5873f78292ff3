"""Round parts, known to be makeable or not."""

from typing import Any

from build123d import (
    Axis,
    Box,
    Cone,
    Cylinder,
    Helix,
    Plane,
    Pos,
    Rectangle,
    RegularPolygon,
    Rot,
    Sphere,
    extrude,
    fillet,
    sweep,
)
from build123d.topology import Shape


def shaft() -> Shape[Any]:
    """Return a shaft of 20 with a collar of 30, 60 long."""
    return Cylinder(10, 60) + Pos(0, 0, 20) * Cylinder(15, 10)


def grooved(width_mm: float, depth_mm: float = 2.0) -> Shape[Any]:
    return Cylinder(30, 60) - (Cylinder(30, width_mm) - Cylinder(30 - depth_mm, width_mm))


def bored(diameter_mm: float, depth_mm: float) -> Shape[Any]:
    """Return a round part with a blind bore on its axis."""
    return Cylinder(15, depth_mm + 10) - Pos(0, 0, 5) * Cylinder(diameter_mm / 2, depth_mm)


def cross_drilled(diameter_mm: float) -> Shape[Any]:
    return Cylinder(10, 40) - Rot(0, 90, 0) * Cylinder(diameter_mm / 2, 40)


def flange(diameter_mm: float) -> Shape[Any]:
    """Return a flange with four holes along its axis."""
    holes = [Rot(0, 0, turn) * Pos(20, 0, 0) * Cylinder(diameter_mm / 2, 8) for turn in (0, 90, 180, 270)]
    return Cylinder(30, 8) - holes - Cylinder(6, 8)


def necked(diameter_mm: float) -> Shape[Any]:
    return Cylinder(5, 10) + Pos(0, 0, 6) * Cylinder(diameter_mm / 2, 2) + Pos(0, 0, 9) * Cylinder(5, 4)


def cup(wall_mm: float) -> Shape[Any]:
    return Cylinder(20, 40) - Pos(0, 0, 2) * Cylinder(20 - wall_mm, 36) - Pos(0, 0, 5) * Cylinder(20 - wall_mm, 36)


def polygon_bar(sides: int) -> Shape[Any]:
    """Return a bar of a regular outline with a bore through it."""
    return extrude(RegularPolygon(10, sides), 20, both=True) - Cylinder(4, 40)


def rounded_shoulder(radius_mm: float) -> Shape[Any]:
    """Return a shaft with one shoulder and a fillet at its foot."""
    stepped = Cylinder(10, 40) + Pos(0, 0, -25) * Cylinder(15, 10)
    foot = min(stepped.edges(), key=lambda edge: (abs(edge.center().Z + 20), edge.length))
    return fillet([foot], radius_mm)


def keyed() -> Shape[Any]:
    return Cylinder(10, 60) - Pos(0, 8.5, 0) * Box(5, 5, 20)


def inner_groove(bore_mm: float) -> Shape[Any]:
    return Cylinder(15, 30) - Cylinder(bore_mm / 2, 30) - Cylinder(9, 6)


def filleted_box() -> Shape[Any]:
    return fillet(Box(40, 40, 20).edges().filter_by(Axis.Z), 2)


def leaning_hole() -> Shape[Any]:
    return Cylinder(10, 40) - Rot(0, 45, 0) * Cylinder(2, 80)


def sealed() -> Shape[Any]:
    return Cylinder(15, 40) - Cylinder(8, 20)


def knob() -> Shape[Any]:
    return Cone(12, 6, 10) + Pos(0, 0, 12) * Sphere(8) - Pos(0, 0, -2) * Cylinder(3, 16)


def coil() -> Shape[Any]:
    """Return a shaft with a ridge that winds about it, as a drawn thread does."""
    path = Helix(3, 12, 10)
    ridge = sweep(Plane(path @ 0, x_dir=(1, 0, 0), z_dir=path % 0) * Rectangle(2, 1.2), path, is_frenet=True)
    return Cylinder(10, 40) + Pos(0, 0, -6) * ridge
