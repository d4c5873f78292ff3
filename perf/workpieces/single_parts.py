"""Twenty typical workpieces: plates, brackets, trays, shafts, gears."""

from collections.abc import Callable
from math import cos, pi, sin
from typing import Any

from build123d import (
    Axis,
    Box,
    Cone,
    Cylinder,
    Plane,
    Polygon,
    Pos,
    Rectangle,
    Rot,
    Solid,
    Sphere,
    chamfer,
    extrude,
    fillet,
)
from build123d.topology import Shape


def _holes(plate: Shape[Any], places: list[tuple[float, float]], radius: float) -> Shape[Any]:
    for x, y in places:
        plate = plate - Pos(x, y, 0) * Cylinder(radius, 100)
    return plate


def _grid(columns: int, rows: int, pitch: float) -> list[tuple[float, float]]:
    return [
        ((x - columns / 2 + 0.5) * pitch, (y - rows / 2 + 0.5) * pitch) for x in range(columns) for y in range(rows)
    ]


def _pocketed(radius: float) -> Shape[Any]:
    pocket = fillet(Box(50, 30, 12).edges().filter_by(Axis.Z), radius)
    return Box(80, 60, 20) - Pos(0, 0, 6) * pocket


def _bracket() -> Shape[Any]:
    angle = Box(60, 40, 6) + Pos(-27, 0, 22) * Box(6, 40, 50)
    return _holes(angle, [(10, 10), (10, -10)], 3) - Pos(-27, 0, 30) * Rot(0, 90, 0) * Cylinder(4, 20)


def _tray(wall: float, taper: float) -> Shape[Any]:
    outer = extrude(Plane.XY.offset(20) * Rectangle(80, 60), -20, taper=taper)
    return outer - extrude(Plane.XY.offset(20) * Rectangle(80 - 2 * wall, 60 - 2 * wall), wall - 20, taper=taper)


def _gear(teeth: int, radius: float, thick: float) -> Shape[Any]:
    points: list[tuple[float, float]] = []
    for number in range(4 * teeth):
        turn, reach = 2 * pi * number / (4 * teeth), radius + (2 if number % 4 in (1, 2) else -2)
        points.append((reach * cos(turn), reach * sin(turn)))
    return extrude(Plane.XY * Polygon(*points), thick) - Cylinder(4, 4 * thick)


def _channel(length: float) -> Shape[Any]:
    return Box(length, 60, 35) - Pos(0, 0, 3) * Box(length, 54, 35)


PARTS: dict[str, Callable[[], Shape[Any]]] = {
    "block": lambda: Box(60, 40, 20),
    "plate with 12 holes": lambda: _holes(Box(120, 90, 6), _grid(4, 3, 28), 3),
    "plate with 48 holes": lambda: _holes(Box(160, 120, 6), _grid(8, 6, 19), 2.5),
    "pocket, r 2": lambda: _pocketed(2),
    "pocket, r 5": lambda: _pocketed(5),
    "bracket": _bracket,
    "tray 2 mm": lambda: _tray(2, 1.5),
    "tray 3 mm": lambda: _tray(3, 2),
    "gear of 24 teeth": lambda: _gear(24, 30, 8),
    "gear of 60 teeth": lambda: _gear(60, 60, 8),
    "channel": lambda: _channel(200),
    "channel, tilted": lambda: Rot(0, 12, 30) * _channel(200),
    "tube": lambda: Cylinder(20, 80) - Cylinder(16, 80),
    "stepped shaft": lambda: Cylinder(6, 80) + Pos(0, 0, 20) * Cylinder(10, 30),
    "funnel": lambda: Cone(40, 8, 50) - Cone(37, 5, 50.001),
    "dome with a bore": lambda: (Sphere(30) & Pos(0, 0, 20) * Box(80, 80, 40)) - Cylinder(6, 100),
    "T-slot": lambda: Box(60, 150, 25) - Pos(0, 0, 9) * Box(6, 150, 10) - Pos(0, 0, 2) * Box(14, 150, 6),
    "chamfered block": lambda: chamfer(Box(60, 40, 30).edges(), 3),
    "filleted block": lambda: fillet(Box(60, 40, 30).edges(), 4),
    "cross-drilled block": lambda: Box(60, 40, 30) - Rot(0, 90, 0) * Cylinder(5, 80) - Rot(90, 0, 0) * Cylinder(5, 80),
}
"""Each under its name."""


def solids() -> dict[str, Solid]:
    """Build all of them."""
    return {name: build().solids()[0] for name, build in PARTS.items()}
