"""Scenes for measurements. Sizes in mm; every payload is a 40 mm ball of POM."""

from itertools import product
from math import cos, pi, radians, sin

from contracts.models.benchmark import Payload, Zone
from contracts.models.geometry import Box, Vector
from contracts.models.scene import Body, BoxGeom, HullGeom, MassProperties, Scene

TILT_DEG = 12.0
STAVES, RINGS = 50, 6
PARTS = 10
RGBA = (0.6, 0.6, 0.6, 1.0)
Placed = tuple[str, Vector, Vector]
"""Label, middle and size of a box."""


def chute() -> Scene:
    """A ball rolls down a chute of primitives into a pocket in the goal zone and rests there until the end."""
    upright: tuple[Placed, ...] = (
        ("pocket_floor", (250, 0, 97), (100, 80, 6)),
        ("pocket_end", (303, 0, 127), (6, 80, 66)),
        ("pocket_left", (250, 43, 127), (100, 6, 66)),
        ("pocket_right", (250, -43, 127), (100, 6, 66)),
    )
    tilted: tuple[Placed, ...] = (
        ("floor", (0, 0, 170), (420, 54, 6)),
        ("wall_left", (2.8, 30, 183), (420, 6, 32)),
        ("wall_right", (2.8, -30, 183), (420, 6, 32)),
    )
    bodies = (*(_box(*placed) for placed in upright), *(_box(*placed, tilt_deg=TILT_DEG) for placed in tilted))
    return _scene(bodies, (-150, 0, 240), Box(min_mm=(190, -60, 90), max_mm=(320, 60, 200)))


def funnel() -> Scene:
    """A ball circles in a bowl of `STAVES` x `RINGS` hulls and comes to lie over its hole."""
    hulls = tuple(_stave(ring, stave) for ring, stave in product(range(RINGS), range(STAVES)))
    return _scene((_fixed("bowl", hulls),), (120, 0, 130), Box(min_mm=(-60, -60, 0), max_mm=(60, 60, 80)))


def parts_of_hulls() -> Scene:
    """Ten fixed parts, each an arch of 30 hulls, in a row; a ball rolls through a bowl made of all of them."""
    staves = list(product(range(RINGS), range(STAVES)))
    share = len(staves) // PARTS
    bodies = [
        _fixed(f"part_{part}", tuple(_stave(*place) for place in staves[part * share : (part + 1) * share]))
        for part in range(PARTS)
    ]
    return _scene(tuple(bodies), (120, 0, 130), Box(min_mm=(-60, -60, 0), max_mm=(60, 60, 80)))


def loose_parts() -> Scene:
    """Ten boxes that stand freely on a table, and a ball that rests among them."""
    table = _box("table", (0, 0, -10), (900, 900, 20))
    boxes = [_loose(f"box_{part}", (80.0 * (part % 5) - 160, 90.0 * (part // 5) + 40, 30.0)) for part in range(PARTS)]
    return _scene((table, *boxes), (0, -40, 20.5), Box(min_mm=(-60, -60, 0), max_mm=(60, 0, 80)))


def _scene(bodies: tuple[Body, ...], start_mm: Vector, goal: Box) -> Scene:
    far = Box(min_mm=(-400, -400, -300), max_mm=(-300, -300, -200))
    near = Box(min_mm=(-20, 120, 100), max_mm=(60, 200, 200))
    return Scene(
        bodies=bodies,
        payload=Payload(shape="ball", size_mm=40, start_mm=start_mm, density_kg_m3=1410, friction=0.3),
        goal_zone=goal,
        forbid_zones=(Zone(label="far", box=far), Zone(label="near", box=near)),
        build_zone=Box(min_mm=(-500, -500, -20), max_mm=(500, 500, 400)),
        bounds=Box(min_mm=(-800, -800, -500), max_mm=(800, 800, 800)),
        hold_s=9.9,
        duration_s=10.0,
    )


def _box(label: str, center_mm: Vector, size_mm: Vector, tilt_deg: float = 0.0) -> Body:
    half = radians(tilt_deg) / 2
    geom = BoxGeom(center_mm=center_mm, quaternion=(cos(half), 0.0, sin(half), 0.0), size_mm=size_mm)
    return _fixed(label, (geom,))


def _fixed(label: str, geoms: tuple[BoxGeom | HullGeom, ...]) -> Body:
    return Body(label=label, origin="environment", geoms=geoms, friction=0.3, color_rgba=RGBA)


def _loose(label: str, center_mm: Vector) -> Body:
    kg = 0.05 * 0.04 * 0.06 * 1200
    xx, yy, zz = (kg / 12 * (a * a + b * b) for a, b in ((0.04, 0.06), (0.05, 0.06), (0.05, 0.04)))
    mass = MassProperties(mass_kg=kg, center_mm=center_mm, inertia_kg_m2=(xx, yy, zz, 0.0, 0.0, 0.0))
    box = _box(label, center_mm, (50, 40, 60))
    return box.model_copy(update={"mass": mass, "origin": "design"})


def _stave(ring: int, stave: int) -> HullGeom:
    """One of the pieces of a bowl, 5 mm thick, that opens upwards like a parabola."""
    inner = [15.0 + 30.0 * ring, 15.0 + 30.0 * (ring + 1)]
    turns = [2 * pi * stave / STAVES, 2 * pi * (stave + 1) / STAVES]
    corners = [
        (radius * cos(turn), radius * sin(turn), radius**2 / 300.0 + 10.0 + lift)
        for radius, turn, lift in product(inner, turns, (0.0, -5.0))
    ]
    return HullGeom(vertices_mm=tuple(corners))
