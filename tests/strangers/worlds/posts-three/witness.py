"""A straight lane between the posts."""

from itertools import pairwise
from math import atan2, ceil, degrees

from build123d import Compound, Plane, Polygon, Pos, Rot, extrude
from utils import ManufacturingMethod, bond_contacts

GAP = 0.01  # parts that touch keep this distance: contact, but no overlap
parts = []


def add(label, part):
    part.label = label
    part.metadata = {"manufacturing_method": ManufacturingMethod.PRINTING_3D, "material_id": "pla"}
    parts.append(part)
    return part


def lane(label, at, to, floor, inside, high, foot, wall=2.5, deck=3.0, ends=(True, True)):
    """Add a channel of panels on the ground, from `at` towards `to` in plan; its floor has points (way, z)."""
    place = Pos(*at, 0) * Rot(0, 0, degrees(atan2(to[1] - at[1], to[0] - at[0])))

    def panel(name, aside, *points):
        plate = extrude(Plane.XZ * Polygon(*points, align=None), (aside[1] - aside[0]) / 2, both=True)
        add(f"{label}-{name}", place * Pos(0, sum(aside) / 2, 0) * plate)

    half, count = inside / 2, 0
    for (begin, top), (end, bottom) in pairwise(floor):
        pieces = ceil((end - begin) / 245)
        for piece in range(pieces):
            low, far = (begin + (end - begin) * share / pieces for share in (piece, piece + 1))
            up, down = (top + (bottom - top) * (way - begin) / (end - begin) - 0.4 * count for way in (low, far))
            far, count = far - GAP, count + 1  # each floor is a little lower than the one before it
            if end - begin < 5:  # a riser
                box = (low, foot), (far, foot), (far, top), (low, top)
                panel(f"riser-{count}", (-half - wall, half + wall), *box)
                continue
            under = (far, max(down - deck, foot)), (low, max(up - deck, foot))
            panel(f"floor-{count}", (-half + GAP, half - GAP), (low, up), (far, down), *under)
            for name, aside in (("left", (half, half + wall)), ("right", (-half - wall, -half))):
                panel(f"{name}-{count}", aside, (low, foot), (far, foot), (far, down + high), (low, up + high))
    for name, way, z in (("back", floor[0][0] - 2 * wall - GAP, floor[0][1]), ("end", floor[-1][0], floor[-1][1])):
        if ends[name == "end"]:
            far = way + 2 * wall
            panel(name, (-half - wall, half + wall), (way, foot), (far, foot), (far, z + high), (way, z + high))


lane("lane", (35, 97), (440, 390), [(0, 78), (40, 74), (440, 20)], 50, 24, 10 + GAP)

assembly = Compound(label="machine", children=parts)
assembly.metadata = {"mechanism": [*bond_contacts(*parts, to=environment)]}
