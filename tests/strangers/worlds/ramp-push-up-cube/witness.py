"""A trolley whose rail lies on the ramp pushes the cube up to the table."""

from math import atan2, degrees

from build123d import Axis, Box, Compound, Cylinder, LinearJoint, Pos, RigidJoint, Rot
from utils import ManufacturingMethod, Positions, bond_contacts, bonded, catalog_part, drive

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


def pusher(frame, payload, stroke, height, nose=0.0, end=0.0, low=4.0, speed=100.0):
    """A trolley on the wall of a channel, in a frame with the payload's foot at the origin and the way along +x."""
    inside, face = payload / 2 + 8, -payload / 2 - 12 - nose
    shaft, back, tip = face - 22.5, face - 39, stroke + payload + end
    rail = add("rail", frame * block((back, inside, GAP), (tip, inside + 4, height)))
    add("wall", frame * block((back, -inside - 4, GAP), (tip, -inside, height)))
    if end:
        add("end", frame * block((tip - 4, -inside + GAP, GAP), (tip, inside - GAP, height)))
    bore = Pos(shaft, inside - 10 - GAP, height) * Cylinder(4, 40)
    deck = block((back, -inside - 4, height + 1), (face, inside + 4, height + 7)) - bore
    deck += block((face - 6, -inside + 2, low), (face, inside - 2, height + 2))
    if nose:
        deck += block((face - 1, -8, 4), (face + nose, 8, 20))
    deck = add("carriage", frame * deck, moving)
    motor = frame * Pos(shaft, inside - 10 - GAP, height + 7 + GAP) * Rot(180, 0, 0) * catalog_part("pololu-25d-hp-47")
    motor.label = "motor"
    pinion = add("pinion", frame * Pos(shaft, inside - 10 - GAP, height - 3.5) * Cylinder(10, 8), moving)
    seat = frame * Pos((back + face) / 2, inside + 2, height + 0.5)
    ahead = (frame * Pos(1, 0, 0)).position - frame.position
    slide = LinearJoint("slide", rail, axis=Axis(seat.position, ahead), linear_range=(-1, stroke + 17))
    slide.connect_to(RigidJoint("seat", deck, seat), position=0)
    shares = [step / 24 for step in range(25)]  # a gentle start and end: the rotor is heavy
    times = [0.5 + share * 1.5 * (stroke + 12) / speed for share in shares]
    targets = [(stroke + 12) * (3 * share**2 - 2 * share**3) for share in shares]
    control = Positions(times_s=times, targets=targets)
    return motor, deck, drive(motor, joint="slide", control=control, pinion=pinion, rack=rail)


moving = []
slope = degrees(atan2(100, 400))
frame = Pos(216.85, 0, 54.2125) * Rot(0, -slope, 0)
motor, deck, driven = pusher(frame, 40, 240, 31)

assembly = Compound(label="machine", children=[*parts, motor, *moving])
assembly.metadata = {"mechanism": [*bond_contacts(*parts, to=environment), bonded(motor, deck), driven]}
