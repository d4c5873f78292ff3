"""A steep chute of plates with an end wall."""

from math import atan2, degrees, hypot

from build123d import Box, Compound, Plane, Polygon, Pos, Rot, extrude
from utils import ManufacturingMethod, bond_contacts

GAP = 0.01  # parts that touch keep this distance
parts = []


def add(label, shape, to=parts):
    shape.label = label
    shape.metadata = {"manufacturing_method": ManufacturingMethod.PRINTING_3D, "material_id": "pla"}
    to.append(shape)
    return shape


def block(low, high):
    x, y, z = ((a + b) / 2 for a, b in zip(low, high))
    return Pos(x, y, z) * Box(*(b - a for a, b in zip(low, high)))


def trough(name, at, to, width, side, foot, legs, wall=4.0, back=0.0, front=0.0, edge=18.0):
    """An open channel of plates, from one end of its floor to the other, on legs that stand on `foot`."""
    long, half = hypot(to[0] - at[0], to[1] - at[1]), width / 2
    frame = Pos(at[0], at[1], 0) * Rot(0, 0, degrees(atan2(to[1] - at[1], to[0] - at[0])))

    def plate(label, low, high, span, y, end=GAP):
        points = [(end, at[2] + low), (long - end, to[2] + low), (long - end, to[2] + high), (end, at[2] + high)]
        solid = extrude(Plane.XZ * Polygon(*points, align=None), span / 2, both=True)
        add(f"{name}-{label}", frame * Pos(0, y, 0) * solid)

    plate("floor", -wall, 0, width - 2 * GAP, 0)
    plate("left", -wall, side, wall, half + wall / 2)
    plate("right", -wall, side, wall, -half - wall / 2)
    for number, along in enumerate(legs):
        tops = [at[2] - wall - GAP + (to[2] - at[2]) * (along + end) / long for end in (edge / 2, -edge / 2)]
        points = [
            (along - edge / 2, foot + GAP),
            (along + edge / 2, foot + GAP),
            *zip((along + edge / 2, along - edge / 2), tops),
        ]
        leg = extrude(Plane.XZ * Polygon(*points, align=None), edge / 2, both=True)
        add(f"{name}-leg{number}", frame * leg)
    if back:
        add(f"{name}-back", frame * block((-wall, -half - wall, at[2] - wall), (0, half + wall, at[2] + back)))
    if front:
        add(
            f"{name}-front",
            frame * block((long, -half - wall, to[2] - wall), (long + wall, half + wall, to[2] + front)),
        )


trough("chute", (-245, 0, 390), (215, 0, 110), 74, 42, 20.0, [60, 240, 430], back=40, front=60, edge=26.0)

assembly = Compound(label="machine", children=parts)
assembly.metadata = {"mechanism": [*bond_contacts(*parts, to=environment)]}
