"""An arm at the edge of the pit lifts the ball to a trough that leads to the goal."""

from math import atan2, degrees, hypot

from build123d import Axis, Box, Compound, Plane, Polygon, Pos, RevoluteJoint, RigidJoint, Rot, extrude
from utils import ManufacturingMethod, Positions, bond_contacts, catalog_part, drive

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


def tilter(frame, ball, long, start, end, servo_id="mg996r", wall=3.0):
    """An open arm that hangs from a servo's shaft at the frame's origin and turns up, so that the ball rolls to +x."""
    inside = ball / 2 + 7
    outer, tall, hang = inside + wall, 0.9 * ball, frame * Rot(0, -start, 0)
    servo = frame * Pos(0, -outer - 4, 0) * Rot(-90, 0, 0) * catalog_part(servo_id)
    servo.label = "servo"
    add("arm-floor", hang * block((-long, -inside + GAP, -6), (8, inside - GAP, -2)), moving)
    for name, y in (("arm-left", inside), ("arm-right", -outer)):
        add(name, hang * block((-long, y, -6), (8, y + wall, tall)), moving)
    add("arm-end", hang * block((-long - 4, -outer, -6), (-long - GAP, outer, tall)), moving)
    at = (frame * Pos(0, -outer - 2, 0)).position
    axis = (frame * Pos(0, 1, 0)).position - frame.position
    hinge = RevoluteJoint("hinge", servo, axis=Axis(at, axis), angular_range=(-3, start + end + 5))
    hinge.connect_to(RigidJoint("hub", moving[2], hinge.location), angle=0)
    turn = Positions(times_s=[1.2, 1.2 + (start + end) / 45], targets=[0, start + end])
    return servo, drive(servo, joint="hinge", control=turn)


def lane(frame, inside, begin, end, low, high, thick=4.0):
    """Fences beside and at the end of the way behind the hinge."""
    for name, y in (("fence-left", inside), ("fence-right", -inside - 3)):
        add(name, frame * block((begin, y, low + GAP), (end, y + 3, high)))
    add("fence-end", frame * block((end + GAP, -inside - 3, low + GAP), (end + thick, inside + 3, high)))


moving = []
frame = Pos(-8, 0, 60)
servo, motor = tilter(frame, 25, 148, 60, 14)
add("stand", block((1, -69, GAP), (22, -27, 60 - 9.85 - GAP)))
trough("trough", (8, 0, 48), (255, 0, 20), 40, 20, 0.0, [30, 215], front=35)

assembly = Compound(label="machine", children=[*parts, servo, *moving])
glued = [*bond_contacts(*parts, servo, to=environment), *bond_contacts(*moving)]
assembly.metadata = {"mechanism": [*glued, motor]}
