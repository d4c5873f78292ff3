"""Solids drawn at random from a grammar of operations: a base, then up to four features. The seed decides."""

# pyright: reportArgumentType=false, reportUnknownVariableType=false
# The annotations of build123d name its own classes where its functions take every shape.

from collections.abc import Callable
from math import cos, pi, sin
from random import Random
from typing import Any

from build123d import (
    Axis,
    Box,
    BuildPart,
    Circle,
    Cone,
    Cylinder,
    GeomType,
    GridLocations,
    Helix,
    Locations,
    Plane,
    PolarLocations,
    Polygon,
    Polyline,
    Pos,
    Rectangle,
    RegularPolygon,
    Rot,
    Solid,
    Sphere,
    Text,
    Torus,
    Vector,
    chamfer,
    extrude,
    fillet,
    insert,
    loft,
    make_face,
    mirror,
    offset,
    revolve,
    sweep,
)
from build123d.topology import Shape
from catalog_shapes.bought_parts import bought_part
from geometry.occt.brep import OCCT_ERRORS, Contents
from geometry.single_solid import InvalidSolidError, single_solid

from perf.workpieces.redrawn import REDRAWINGS

Body = Shape[Any]
ATTEMPTS = 20
MOST_FACES = 120


def draw_solid(seed: int) -> tuple[Solid, str]:
    """Return a solid and the names of its operations."""
    random = Random(seed)  # noqa: S311 - a campaign, not a secret
    for _ in range(ATTEMPTS):
        name = random.choice(sorted(BASES))
        body, names = BASES[name](random), [name]
        for name in random.choices(sorted(FEATURES), k=random.randint(0, 4)):
            changed = _changed(body, FEATURES[name], random)
            if changed is not None:
                body, names = changed, [*names, name]
        solid = _solid(body)
        if solid is not None:
            return solid, " + ".join(names)
    raise RuntimeError(f"no valid solid for seed {seed}")


def _solid(body: Body) -> Solid | None:
    solids = tuple(body.solids())
    try:
        return single_solid(Contents(solids, 0)) if len(solids) == 1 and len(solids[0].faces()) <= MOST_FACES else None
    except InvalidSolidError:
        return None


def _changed(body: Body, feature: Callable[[Random, Body], Body], random: Random) -> Body | None:
    """Return the body with a feature; None where there is no room for it."""
    try:
        changed = feature(random, body)
    except (ValueError, RuntimeError, IndexError, *OCCT_ERRORS):
        return None
    return changed if _solid(changed) is not None else None


def _size(random: Random, low: float, high: float) -> float:
    """Return a length as people choose them: halves of millimetres three times in four, or any."""
    value = random.uniform(low, high)
    return max(low, round(2 * value) / 2) if random.random() < 0.75 else value


def _plate(random: Random) -> Body:
    return Box(_size(random, 30, 90), _size(random, 20, 60), _size(random, 2, 20))


def _shaft(random: Random) -> Body:
    thick, thin = _size(random, 8, 20), _size(random, 3, 7)
    length = _size(random, 15, 50)
    return Cylinder(thick, length) + Pos(0, 0, length / 2 + 8) * Cylinder(thin, 16)


def _turned(random: Random) -> Body:
    radius, height, neck = _size(random, 12, 30), _size(random, 15, 40), _size(random, 4, 9)
    profile = Polyline(
        (0, 0), (radius, 0), (radius, height / 3), (neck, height / 2), (neck, height), (0, height), close=True
    )
    return revolve(make_face(Plane.XZ * profile), Axis.Z)


def _lofted(random: Random) -> Body:
    base = Rectangle(_size(random, 25, 60), _size(random, 20, 50))
    return loft([base, Pos(0, 0, _size(random, 15, 40)) * Circle(_size(random, 6, 16))])


def _swept(random: Random) -> Body:
    path = fillet(Polyline((0, 0, 0), (0, 0, 30), (_size(random, 20, 40), 0, 30)).vertices()[1:2], _size(random, 8, 14))
    radius = _size(random, 3, 6)
    return sweep(Circle(radius) - Circle(radius - _size(random, 0.5, 2)), path=path)


def _shelled(random: Random) -> Body:
    box = Box(_size(random, 30, 70), _size(random, 25, 50), _size(random, 12, 30))
    return offset(box, -_size(random, 0.5, 3), openings=box.faces().sort_by(Axis.Z)[-1:])


def _drafted(random: Random) -> Body:
    taper, wall = random.choice((0.5, 1.0, 2.0, 3.0)), _size(random, 1, 3)
    length, width, height = _size(random, 30, 70), _size(random, 25, 50), _size(random, 10, 30)
    top = Plane.XY.offset(height)
    outer = extrude(top * Rectangle(length, width), -height, taper=taper)
    return outer - extrude(top * Rectangle(length - 2 * wall, width - 2 * wall), -(height - wall), taper=taper)


def _bracket(random: Random) -> Body:
    thick, high = _size(random, 2, 6), _size(random, 20, 40)
    return Box(40, 30, thick) + Pos(-20 + thick / 2, 0, high / 2) * Box(thick, 30, high)


def _wedge(random: Random) -> Body:
    length, height = _size(random, 40, 110), _size(random, 8, 60)
    return extrude(Plane.XZ * Polygon((0, 0), (length, 0), (0, height), align=None), _size(random, 15, 40))


def _prism(random: Random) -> Body:
    return extrude(RegularPolygon(_size(random, 10, 25), random.randint(3, 12)), _size(random, 5, 30))


PUBLIC = ("608zz", "hub-4", "iso4762-m5x12", "nut-m5", "wash-m2", "gear-m1-z12", "rod-3x100", "bhcs-m6x16", "fnut-m5")
"""Bought parts whose shapes are public."""


def _public(random: Random) -> Body:
    return bought_part(random.choice(PUBLIC))


BASES: dict[str, Callable[[Random], Body]] = {
    "plate": _plate,
    "shaft": _shaft,
    "revolve": _turned,
    "loft": _lofted,
    "sweep": _swept,
    "shell": _shelled,
    "draft": _drafted,
    "bracket": _bracket,
    "wedge": _wedge,
    "prism": _prism,
    "public shape": _public,
}


def _top(body: Body) -> tuple[Vector, Vector]:
    box = body.bounding_box()
    return Vector((box.min.X + box.max.X) / 2, (box.min.Y + box.max.Y) / 2, box.max.Z), box.size


def _beside(random: Random, body: Body) -> tuple[float, float, float]:
    middle, size = _top(body)
    return middle.X + random.uniform(-0.3, 0.3) * size.X, middle.Y + random.uniform(-0.3, 0.3) * size.Y, middle.Z


def _hole(random: Random, body: Body) -> Body:
    x, y, z = _beside(random, body)
    return body - Pos(x, y, z) * Cylinder(_size(random, 0.5, 5), 300)


def _blind_hole(random: Random, body: Body) -> Body:
    x, y, z = _beside(random, body)
    radius, depth = _size(random, 1, 5), _size(random, 2, 12)
    tip = Pos(x, y, z - depth - 0.3 * radius) * Rot(180, 0, 0) * Cone(radius, 0, 0.6 * radius)
    return body - (Pos(x, y, z - depth / 2) * Cylinder(radius, depth) + tip)


def _side_hole(random: Random, body: Body) -> Body:
    middle, size = _top(body)
    at = Pos(middle.X, middle.Y + random.uniform(-0.3, 0.3) * size.Y, middle.Z - random.uniform(0.3, 0.7) * size.Z)
    return body - at * Rot(0, 90, 0) * Cylinder(_size(random, 1, 4), 300)


def _pocket(random: Random, body: Body) -> Body:
    x, y, z = _beside(random, body)
    depth = _size(random, 1, 8)
    pocket = Box(_size(random, 5, 25), _size(random, 5, 20), 2 * depth)
    if random.random() < 0.7:
        pocket = fillet(pocket.edges().filter_by(Axis.Z), _size(random, 0.5, 2.4))
    return body - Pos(x, y, z) * pocket


def _slot(random: Random, body: Body) -> Body:
    x, _, z = _beside(random, body)
    return body - Pos(x, 0, z) * Box(_size(random, 1, 6), 300, 2 * _size(random, 1, 8))


def _boss(random: Random, body: Body) -> Body:
    x, y, z = _beside(random, body)
    height = _size(random, 2, 10)
    return body + Pos(x, y, z + height / 2 - 0.5) * Cylinder(_size(random, 1, 5), height + 1)


def _rib(random: Random, body: Body) -> Body:
    x, y, z = _beside(random, body)
    _, size = _top(body)
    height = _size(random, 2, 8)
    return body + Pos(x, y, z + height / 2 - 0.5) * Box(size.X * 0.4, _size(random, 0.5, 3), height + 1)


def _fillet(random: Random, body: Body) -> Body:
    edges = body.edges().filter_by(GeomType.LINE)
    return fillet(random.sample(list(edges), min(len(edges), random.randint(1, 4))), _size(random, 0.5, 3))


def _chamfer(random: Random, body: Body) -> Body:
    edges = body.edges()
    return chamfer(random.sample(list(edges), min(len(edges), random.randint(1, 4))), _size(random, 0.5, 2))


def _grid(random: Random, body: Body) -> Body:
    middle, size = _top(body)
    tool, places = Cylinder(_size(random, 0.5, 2), 300), GridLocations(size.X / 4, size.Y / 4, 3, 2)
    return body - [Pos(middle.X, middle.Y, middle.Z) * place * tool for place in places]


def _flange(random: Random, body: Body) -> Body:
    middle, size = _top(body)
    tool = Cylinder(_size(random, 0.5, 2), 300)
    places = PolarLocations(min(size.X, size.Y) * 0.35, random.randint(3, 8))
    return body - [Pos(middle.X, middle.Y, middle.Z) * place * tool for place in places]


def _ball_seat(random: Random, body: Body) -> Body:
    return body - Pos(*_beside(random, body)) * Sphere(_size(random, 2, 8))


def _void(random: Random, body: Body) -> Body:
    middle, size = _top(body)
    return body - Pos(middle.X, middle.Y, middle.Z - size.Z / 2) * Box(size.X / 5, size.Y / 5, size.Z / 5)


def _groove(random: Random, body: Body) -> Body:
    middle, size = _top(body)
    return body - Pos(middle.X, middle.Y, middle.Z) * Torus(min(size.X, size.Y) * 0.3, _size(random, 0.5, 2))


def _helix(random: Random, body: Body) -> Body:
    """Cut one turn and a half of a round groove around a boss, as a thread is."""
    x, y, z = _beside(random, body)
    path = Pos(x, y, z + 1) * Helix(3, 4.5, 4)
    core = body + Pos(x, y, z + 3) * Cylinder(4, 8)
    return core - sweep(Plane(path @ 0, z_dir=path % 0) * Circle(_size(random, 0.5, 1)), path=path)


def _text(random: Random, body: Body) -> Body:
    letter = extrude(Text(random.choice("ILTHE"), _size(random, 6, 12)), _size(random, 0.5, 2))
    return body + Pos(*_beside(random, body)) * letter


def _notch(random: Random, body: Body) -> Body:
    middle, size = _top(body)
    depth, half = _size(random, 1, 4), _size(random, 1, 4)
    tool = extrude(Plane.XZ * Polygon((0, -depth), (half, 0), (-half, 0), align=None), 300, both=True)
    return body - Pos(middle.X + random.uniform(-0.3, 0.3) * size.X, 0, middle.Z) * tool


def _polygon(random: Random, body: Body) -> Body:
    tool = extrude(RegularPolygon(_size(random, 2, 6), random.randint(6, 24)), 300, both=True)
    return body - Pos(*_beside(random, body)) * tool


def _twin(random: Random, body: Body) -> Body:
    """Join the body with its mirror image."""
    box = body.bounding_box()
    return body + mirror(body, Plane.YZ.offset(box.min.X + random.choice((0.0, 2.0))))


def _builder(random: Random, body: Body) -> Body:
    """Add a foot in builder mode."""
    box = body.bounding_box()
    with BuildPart() as part:
        insert(body)
        with Locations((box.center().X, box.center().Y, box.min.Z)):
            Box(box.size.X * 0.5, box.size.Y * 0.5, _size(random, 1, 5))
    assert part.part is not None
    return part.part


def _spokes(random: Random, body: Body) -> Body:
    """Add three ribs around the middle."""
    middle, size = _top(body)
    reach = min(size.X, size.Y) * 0.4
    for turn in range(3):
        angle = 2 * pi * turn / 3
        at = Pos(middle.X + cos(angle) * reach / 2, middle.Y + sin(angle) * reach / 2, middle.Z)
        body = body + at * Rot(0, 0, 120 * turn) * Box(reach, _size(random, 0.5, 2), 4)
    return body


def _split(random: Random, body: Body) -> Body:
    """Split faces by joining the body's halves again."""
    halves = REDRAWINGS["split faces"](body.solid(), random)
    if halves is None:
        raise ValueError("the body cannot be cut in two")
    return halves


FEATURES: dict[str, Callable[[Random, Body], Body]] = {
    "hole": _hole,
    "blind hole": _blind_hole,
    "side hole": _side_hole,
    "pocket": _pocket,
    "slot": _slot,
    "boss": _boss,
    "rib": _rib,
    "fillet": _fillet,
    "chamfer": _chamfer,
    "grid": _grid,
    "flange": _flange,
    "ball seat": _ball_seat,
    "void": _void,
    "groove": _groove,
    "helix": _helix,
    "text": _text,
    "notch": _notch,
    "polygon": _polygon,
    "mirror": _twin,
    "builder": _builder,
    "spokes": _spokes,
    "split faces": _split,
}
