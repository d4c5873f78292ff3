"""What witnesses of channels, pens and paddles have in common: panels of printed plastic, added to `parts`."""

from itertools import pairwise
from math import atan2, ceil, degrees

from build123d import Axis, Box, Plane, Polygon, Pos, RevoluteJoint, RigidJoint, Rot, extrude
from utils import ManufacturingMethod, Positions, bonded, catalog_part, drive

GAP = 0.01  # parts that touch keep this distance: contact, but no overlap
parts = []


def add(label, part):
    part.label = label
    part.metadata = {"manufacturing_method": ManufacturingMethod.PRINTING_3D, "material_id": "pla"}
    parts.append(part)
    return part


def block(label, low, high):
    """Add a box between two corners."""
    middle = [(a + b) / 2 for a, b in zip(low, high)]
    return add(label, Pos(*middle) * Box(*(b - a for a, b in zip(low, high))))


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


def pen(low, high, foot, top, wall=3.0):
    """Add four walls around a rectangle in plan."""
    for label, a, b in (
        ("pen-left", (low[0] - wall, low[1]), (low[0], high[1])),
        ("pen-right", (high[0], low[1]), (high[0] + wall, high[1])),
        ("pen-front", (low[0] - wall, low[1] - wall), (high[0] + wall, low[1] - GAP)),
        ("pen-back", (low[0] - wall, high[1] + GAP), (high[0] + wall, high[1] + wall)),
    ):
        block(label, (*a, foot), (*b, top))


def paddle(at, yaw, axis_z, low_z, aside, width, angle, seconds, foot):
    """Add a servo on a tower to the left; its blade hangs down and swings along `yaw`. Return drive and servo."""
    place = Pos(*at, 0) * Rot(0, 0, yaw)
    height = axis_z - 9.85 - GAP - foot
    tower = add("tower", place * Pos(10.35, aside + 21.45, foot + height / 2) * Box(40.7, 42.9, height))
    servo = place * Pos(0, aside, axis_z) * Rot(90, 0, 0) * catalog_part("mg996r")
    servo.label = "servo"
    bar = Pos(0, (aside - 1) / 2 - width / 4, axis_z) * Box(6, aside - 1 + width / 2, 12)
    blade = add("blade", place * (bar + Pos(0, 0, (axis_z + low_z) / 2) * Box(6, width, axis_z - low_z)))
    axis = Axis((place * Pos(0, aside - 1, axis_z)).position, (Rot(0, 0, yaw) * Pos(0, -1, 0)).position)
    swing = RevoluteJoint("swing", tower, axis=axis, angular_range=(-5, angle + 5))
    swing.connect_to(RigidJoint("hub", blade, swing.location), angle=0)
    shares = [step / 24 for step in range(25)]
    eased = [angle * (3 * share**2 - 2 * share**3) for share in shares]
    program = Positions(times_s=[0.8 + seconds * share for share in shares], targets=eased)
    return [bonded(servo, tower), drive(servo, joint=swing, control=program)], servo
