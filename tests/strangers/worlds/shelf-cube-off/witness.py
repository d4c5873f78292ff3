"""A servo on the shelf sweeps the cube over the edge."""

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


moving = []
servo, motor = sweeper((110, 120, 150), 180, 120, -75, 115, (50, -36))

assembly = Compound(label="machine", children=[*parts, servo, *moving])
assembly.metadata = {"mechanism": [*bond_contacts(*parts, servo, to=environment), motor]}
