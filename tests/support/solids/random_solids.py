"""Random parts with holes, fillets and sweeps, on which nothing was tuned."""

# pyright: basic, reportArgumentType=false, reportReturnType=false
# build123d names its operators' results too widely: Part - Part may be a Compound to it.

import random

from build123d import (
    Axis,
    Box,
    Circle,
    Cone,
    Cylinder,
    Edge,
    GeomType,
    Part,
    Plane,
    Polyline,
    Pos,
    Rectangle,
    RegularPolygon,
    Rot,
    Solid,
    Sphere,
    Vector,
    Wire,
    extrude,
    fillet,
    make_face,
    sweep,
)
from build123d.topology import Shape

COUNT = 24


def heldout(number: int) -> tuple[str, Solid]:
    """Return a name and one valid solid; the same for the same number."""
    chance = random.Random(9000 + number)
    kinds = (_block, _bracket, _turned, _pipe, _prism, _ribbed)
    kind = kinds[number % len(kinds)]
    while True:
        solid = _single(kind(chance))
        if solid is not None:
            return f"{number}-{kind.__name__.strip('_')}", solid


def _single(shape: Shape[object] | None) -> Solid | None:
    if shape is None:
        return None
    solids = shape.solids()
    return solids[0] if len(solids) == 1 and solids[0].is_valid and solids[0].volume > 500 else None


def _block(chance: random.Random) -> Part:
    """A block with one to three holes from any side, and round edges."""
    size = [chance.uniform(25, 80) for _ in range(3)]
    part = Box(*size)
    for _ in range(chance.randint(1, 3)):
        turned = Rot(chance.choice((0, 90)), chance.choice((0, 0, 25)), chance.choice((0, 90)))
        place = Pos(*(chance.uniform(-0.25, 0.25) * side for side in size))
        part = part - place * turned * Cylinder(chance.uniform(3, 9), 300)
    return _rounded(part, chance)


def _bracket(chance: random.Random) -> Part:
    """An angle with holes in both legs and a round inner edge."""
    thick, width = chance.uniform(3, 8), chance.uniform(20, 50)
    long, high = chance.uniform(30, 80), chance.uniform(30, 80)
    profile = Polyline((0, 0), (long, 0), (long, thick), (thick, thick), (thick, high), (0, high), close=True)
    part = extrude(make_face(profile), width)
    corner = Vector(thick, thick, width / 2)
    inner = part.edges().filter_by(Axis.Z).sort_by(lambda edge: (edge.center() - corner).length)
    part = fillet(inner[:1], chance.uniform(2, 6))
    part = part - Pos((long + thick) / 2, 0, width / 2) * Rot(90, 0, 0) * Cylinder(chance.uniform(2, 6), 100)
    return part - Pos(0, (high + thick) / 2, width / 2) * Rot(0, 90, 0) * Cylinder(chance.uniform(2, 6), 100)


def _turned(chance: random.Random) -> Part:
    """A turned part: a flange, a neck, a bore with a cone, sometimes cross-drilled."""
    radius, neck = chance.uniform(18, 35), chance.uniform(9, 15)
    flange, length = chance.uniform(4, 10), chance.uniform(25, 60)
    bore = neck - chance.uniform(2.5, 5)
    part = Pos(0, 0, flange / 2) * Cylinder(radius, flange) + Pos(0, 0, length / 2) * Cylinder(neck, length)
    part = part - Pos(0, 0, length / 2) * Cylinder(bore, 2 * length)
    part = part - Pos(0, 0, length - 2) * Cone(bore, bore + 2, 4)
    if chance.random() < 0.5:
        part = part - Pos(0, 0, (flange + length) / 2) * Rot(90, 0, 0) * Cylinder(chance.uniform(2, 4), 100)
    seam = [edge for edge in part.edges().filter_by(GeomType.CIRCLE) if abs(edge.radius - neck) < 1e-6]
    low = [edge for edge in seam if abs(edge.center().Z - flange) < 1e-6]
    return fillet(low, chance.uniform(1, 3)) if low else part


def _pipe(chance: random.Random) -> Part:
    """A bent rod or pipe along a smooth path."""
    bend, angle = chance.uniform(25, 60), chance.uniform(40, 120)
    outer = chance.uniform(5, 12)
    path = Wire([Edge.make_circle(bend, start_angle=0, end_angle=angle)])
    section = Plane(origin=(bend, 0, 0), z_dir=(0, 1, 0)) * Circle(outer)
    if chance.random() < 0.5:
        section = section - Plane(origin=(bend, 0, 0), z_dir=(0, 1, 0)) * Circle(outer - chance.uniform(2, 3))
    return sweep(section, path)


def _prism(chance: random.Random) -> Part:
    """A prism with a pocket and a hole through its floor, rounded."""
    radius, height = chance.uniform(20, 45), chance.uniform(15, 40)
    part = extrude(RegularPolygon(radius, chance.randint(3, 8)), height)
    pocket = extrude(Rectangle(radius * chance.uniform(0.4, 0.7), radius * chance.uniform(0.4, 0.7)), height)
    part = part - Pos(0, 0, chance.uniform(4, 8)) * pocket - Cylinder(chance.uniform(2, radius / 6), 200)
    return _rounded(part, chance)


def _ribbed(chance: random.Random) -> Part:
    """A plate with ribs, a ball-shaped dent and a boss."""
    length, width = chance.uniform(50, 100), chance.uniform(40, 80)
    part = Box(length, width, 10)
    for index in range(chance.randint(1, 3)):
        part = part + Pos((index - 1) * length / 4, 0, 9) * Box(chance.uniform(3, 6), width, 8)
    dent = chance.uniform(10, 16)
    part = part - Pos(chance.uniform(-10, 10), chance.uniform(-10, 10), dent) * Sphere(dent + chance.uniform(0, 2))
    return part + Pos(-length / 3, -width / 3, 10) * Cylinder(chance.uniform(4, 8), 20)


def _rounded(part: Part, chance: random.Random) -> Part:
    edges = part.edges()
    chosen = chance.sample(list(edges), k=min(len(edges), chance.randint(2, 6)))
    radius = chance.uniform(0.5, 2.5)
    try:
        return fillet(chosen, radius)
    except ValueError:  # build123d's word for edges that are too short or too near for the radius
        return part
