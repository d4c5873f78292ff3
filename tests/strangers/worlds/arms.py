"""What witnesses with servos, trolleys and troughs have in common: printed parts, fixed in `parts` or `moving`."""

from math import atan2, degrees, hypot

from build123d import Axis, Box, Cylinder, LinearJoint, Plane, Polygon, Pos, RevoluteJoint, RigidJoint, Rot, extrude
from utils import ManufacturingMethod, Positions, catalog_part, drive

GAP = 0.01  # parts that touch keep this distance: contact, but no overlap
parts = []


def add(label, shape, to=parts):
    shape.label = label
    shape.metadata = {"manufacturing_method": ManufacturingMethod.PRINTING_3D, "material_id": "pla"}
    to.append(shape)
    return shape


def block(low, high):
    x, y, z = ((a + b) / 2 for a, b in zip(low, high))
    return Pos(x, y, z) * Box(*(b - a for a, b in zip(low, high)))


def cup(low, high, floor=5.0, wall=4.0):
    """A box of plates without a lid."""
    (x0, y0, z0), (x1, y1, z1) = low, high
    add("cup-floor", block(low, (x1, y1, z0 + floor)))
    z0 += floor + GAP
    add("cup-left", block((x0, y0, z0), (x0 + wall, y1, z1)))
    add("cup-right", block((x1 - wall, y0, z0), (x1, y1, z1)))
    add("cup-front", block((x0 + wall + GAP, y0, z0), (x1 - wall - GAP, y0 + wall, z1)))
    add("cup-back", block((x0 + wall + GAP, y1 - wall, z0), (x1 - wall - GAP, y1, z1)))


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


def sweeper(at, housing, start, sweep, reach, blade, seconds=1.5, thick=6.0):
    """A servo on the solid below `at`, whose arm turns from one angle by another, with a blade below its outer part."""
    at = (at[0], at[1], at[2] + 42.9 + GAP)
    servo = Pos(*at) * Rot(0, 0, housing) * catalog_part("mg996r")
    servo.label = "servo"
    arm = block((-8, -8, 4), (reach, 8, 10)) + block((blade[0], -thick / 2, blade[1]), (reach, thick / 2, 6))
    arm = add("arm", Pos(*at) * Rot(0, 0, start) * arm, moving)
    hinge = RevoluteJoint(
        "hinge", servo, axis=Axis(at, (0, 0, 1)), angular_range=(min(sweep, 0) - 5, max(sweep, 0) + 5)
    )
    hinge.connect_to(RigidJoint("hub", arm, hinge.location), angle=0)
    turn = Positions(times_s=[1.0, 1.0 + seconds], targets=[0, sweep])
    return servo, drive(servo, joint="hinge", control=turn)


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
