"""A servo's blade pushes the ball along a lane on the shelf; it falls into a pen on the ground."""

from build123d import Axis, Box, Compound, Pos, RevoluteJoint, RigidJoint, Rot
from utils import ManufacturingMethod, Positions, bond_contacts, bonded, catalog_part, drive

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


def pen(low, high, foot, top, wall=3.0):
    """Add four walls around a rectangle in plan."""
    for label, a, b in (
        ("pen-left", (low[0] - wall, low[1]), (low[0], high[1])),
        ("pen-right", (high[0], low[1]), (high[0] + wall, high[1])),
        ("pen-front", (low[0] - wall, low[1] - wall), (high[0] + wall, low[1] - GAP)),
        ("pen-back", (low[0] - wall, high[1] + GAP), (high[0] + wall, high[1] + wall)),
    ):
        block(label, (*a, foot), (*b, top))


block("guide-left", (-115, 30, 220 + GAP), (-1, 33, 245))
block("guide-right", (-115, -33, 220 + GAP), (-1, -30, 245))
driven, servo = paddle((-118, 0), 0, 310, 224, 36, 54, 55, 1.0, 220 + GAP)
pen((2, -60), (170, 60), GAP, 95)

assembly = Compound(label="machine", children=[*parts, servo])
assembly.metadata = {"mechanism": [*bond_contacts(*parts, to=environment), *driven]}
