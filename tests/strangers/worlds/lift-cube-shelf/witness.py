"""An arm turns the cube up until it slides off over the hinge."""

from build123d import Axis, Box, Compound, Pos, RevoluteJoint, RigidJoint, Rot
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
frame = Pos(0, -232, 120 + 9.85 + GAP) * Rot(0, 0, 90)
servo, motor = tilter(frame, 28, 122, 50, 32)
lane(frame, 22, 24, 190, -9.85 - GAP, 25)

assembly = Compound(label="machine", children=[*parts, servo, *moving])
glued = [*bond_contacts(*parts, servo, to=environment), *bond_contacts(*moving)]
assembly.metadata = {"mechanism": [*glued, motor]}
