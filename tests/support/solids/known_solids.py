"""Parts that a ball lies in, rolls through or falls through."""

# pyright: basic, reportArgumentType=false, reportReturnType=false
# build123d names its operators' results too widely: Part - Part may be a Compound to it.

from itertools import product
from math import cos, pi, sin

from build123d import (
    Axis,
    Box,
    Circle,
    Cylinder,
    Edge,
    GeomType,
    Plane,
    Polyline,
    Pos,
    Rot,
    Solid,
    Sphere,
    Torus,
    Vector,
    Wire,
    extrude,
    fillet,
    make_face,
    revolve,
    sweep,
)


def bowl(radius_mm: float = 30.0, thickness_mm: float = 4.0) -> Solid:
    """Return half a hollow ball, open above, its middle in the origin."""
    shell = Sphere(radius_mm + thickness_mm) - Sphere(radius_mm)
    return (shell - Pos(0, 0, radius_mm) * Box(200, 200, 2 * radius_mm)).solid()


def rounded_bowl() -> Solid:
    """Return a bowl with a round rim."""
    shape = bowl()
    rim = [edge for edge in shape.edges().filter_by(GeomType.CIRCLE) if abs(edge.center().Z) < 1 and edge.length > 100]
    return fillet(rim, 1).solid()


def channel() -> Solid:
    """Return a U along x, 25 mm wide inside, its floor at z = 0."""
    return (Pos(0, 0, 5) * Box(150, 35, 20) - Pos(0, 0, 10) * Box(160, 25, 20)).solid()


def rounded_channel() -> Solid:
    """Return the same with round inner edges."""
    shape = channel()
    inner = [edge for edge in shape.edges().filter_by(Axis.X) if abs(edge.center().Z) < 1e-6]
    return fillet(inner, 3).solid()


def tube() -> Solid:
    """Return a tube along x with a bore of 30 mm."""
    return (Rot(0, 90, 0) * (Cylinder(19, 120) - Cylinder(15, 120))).solid()


def rounded_tube() -> Solid:
    """Return the same with round rims."""
    shape = tube()
    return fillet(shape.edges().filter_by(GeomType.CIRCLE), 1).solid()


def funnel() -> Solid:
    """Return a funnel whose neck has a bore of 20 mm."""
    profile = Polyline((10, 0), (10, 20), (30, 45), (34, 45), (14, 20), (14, 0), close=True)
    return revolve(Plane.XZ * make_face(profile), Axis.Z).solid()


def rounded_funnel() -> Solid:
    """Return the same with a round edge between cone and neck, inside and out."""
    shape = funnel()
    bends = [edge for edge in shape.edges().filter_by(GeomType.CIRCLE) if abs(edge.center().Z - 20) < 1e-6]
    return fillet(bends, 4).solid()


def ring() -> Solid:
    """Return a ring of 60 mm, 12 mm thick, about the vertical through the origin."""
    return Torus(30, 6).solid()


def flanged_tube() -> Solid:
    """Return an upright tube with a bore of 20 mm and a flange at both ends."""
    tube = Cylinder(13, 60) + Pos(0, 0, 27) * Cylinder(24, 6) + Pos(0, 0, -27) * Cylinder(24, 6)
    return (tube - Cylinder(10, 100)).solid()


def gear(teeth: int = 16, module_mm: float = 2.5) -> Solid:
    """Return a spur gear with straight flanks and a bore."""
    radius = teeth * module_mm / 2
    flank = [(-0.25, -1.25), (-0.14, 0.0), (-0.07, 1.0), (0.07, 1.0), (0.14, 0.0), (0.25, -1.25)]
    corners = [
        (reach * cos(angle), reach * sin(angle))
        for tooth in range(teeth)
        for share, depth in flank
        for angle, reach in [(2 * pi * (tooth + share) / teeth, radius + depth * module_mm)]
    ]
    return (extrude(make_face(Polyline(*corners, close=True)), 8) - Cylinder(4, 50)).solid()


def plate() -> Solid:
    """Return a plate 8 mm thick with a hole of 30 mm in its middle and a small one beside it."""
    return (Box(90, 60, 8) - Cylinder(15, 20) - Pos(30, 15, 0) * Cylinder(4, 20)).solid()


def rounded_plate() -> Solid:
    """Return the same with round mouths."""
    shape = plate()
    return fillet(shape.edges().filter_by(GeomType.CIRCLE), 1).solid()


def perforated_plate() -> Solid:
    """Return a plate with 48 holes of 6 mm."""
    places = (Pos(20 * column - 70, 20 * row - 50, 0) for column, row in product(range(8), range(6)))
    return (Box(160, 120, 6) - [place * Cylinder(3, 20) for place in places]).solid()


def bracket() -> Solid:
    """Return an angle with a round inner edge."""
    shape = (Box(60, 40, 6) + Pos(-27, 0, 25) * Box(6, 40, 50)).solid()
    corner = Vector(-24, 0, 3)
    inner = [edge for edge in shape.edges().filter_by(Axis.Y) if (edge.center() - corner).length < 1e-6]
    return fillet(inner, 5).solid()


def hook() -> Solid:
    """Return a bent rod."""
    straight = Edge.make_line((0, 0, 0), (0, 0, 40))
    bend = Edge.make_three_point_arc((0, 0, 40), (20, 0, 60), (40, 0, 40))
    return sweep(Plane.XY * Circle(6), Wire([straight, bend])).solid()
