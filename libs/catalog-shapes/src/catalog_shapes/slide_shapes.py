"""Shapes of bought slides: rails, carriages and housed linear bearings, with their mounting holes.

A rail lies along x on the plane z = 0, and its carriage in its place on it, at the rail's middle. Grooves, balls and
seals are left out.
"""

from typing import cast

from build123d import Box, Cylinder, Part, Pos, Rot
from parts_catalog.mounts.hole_places import Sizes, hole_places, seat_mm


def rail(sizes: Sizes) -> Part:
    """Return a bar with counterbored holes from above."""
    height = sizes["height"]
    holes = [
        Pos(x, y, 0) * (_up(sizes["hole"], 0, height) + _up(sizes["counterbore"], seat_mm(sizes), height))
        for x, y in hole_places(sizes)
    ]
    return cast("Part", Pos(0, 0, height / 2) * Box(sizes["length"], sizes["width"], height) - holes)


def carriage(sizes: Sizes) -> Part:
    """Return a block that sits astride its rail, with tapped holes from above."""
    foot, top = sizes["foot"], sizes["top"]
    block = Pos(0, 0, (foot + top) / 2) * Box(sizes["length"], sizes["width"], top - foot)
    slot = Pos(0, 0, sizes["slot_top"] / 2) * Box(2 * sizes["length"], sizes["slot_width"], sizes["slot_top"])
    holes = [Pos(x, y, 0) * _up(sizes["core"], top - sizes["hole_depth"], top) for x, y in hole_places(sizes)]
    return cast("Part", block - [slot, *holes])


def housed_bearing(sizes: Sizes) -> Part:
    """Return a block with a linear bearing along x through its middle, and tapped holes through it."""
    width, height = sizes["width"], sizes["height"]
    bore = Rot(0, 90, 0) * Cylinder(sizes["bore"] / 2, 2 * sizes["length"])
    holes = [Pos(x, y, 0) * Cylinder(sizes["core"] / 2, 2 * height) for x, y in hole_places(sizes)]
    return cast("Part", Box(sizes["length"], width, height) - [bore, *holes])


def _up(diameter: float, low: float, high: float) -> Part:
    return Pos(0, 0, (low + high) / 2) * Cylinder(diameter / 2, high - low)
