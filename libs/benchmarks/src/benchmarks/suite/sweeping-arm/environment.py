"""The ground slab, and an arm with a blade below it that a servo on a column swings through the obstacle."""

from math import asin, degrees

from build123d import Axis, Box, Compound, Pos, RevoluteJoint, RigidJoint
from utils import Oscillation, bond_contacts, catalog_part, drive

SERVO_MM = 42.9
"""Height of the servo below its shaft's beginning."""
HEAD_MM = 62.0
"""Height of servo and arm together."""
INSET_MM = 40.0
"""From a face of the obstacle to the hinge."""


def build(variant) -> Compound:
    """Return the solids of one variant, in millimetres."""
    low, high = variant.bounds.min_mm, variant.bounds.max_mm
    width, depth, thickness = high[0] - low[0], high[1] - low[1], -low[2]
    ground = Pos((low[0] + high[0]) / 2, (low[1] + high[1]) / 2, -thickness / 2) * Box(width, depth, thickness)
    ground.label = "ground"
    (sweep,) = variant.obstacles
    low, high = sweep.box.min_mm, sweep.box.max_mm
    x = (low[0] + high[0]) / 2
    towards = 1 if abs(low[1]) >= abs(high[1]) else -1  # the hinge is at the side that is farther out
    y = low[1] + INSET_MM if towards > 0 else high[1] - INSET_MM
    foot = max(high[2] - HEAD_MM, 5.0)
    length = high[1] - low[1] - INSET_MM - 4
    amplitude = degrees(asin(min((high[0] - low[0]) / 2 - 8, 0.7 * length) / length))

    column = Pos(x, y, foot / 2) * Box(66, 66, foot)
    column.label = "column"
    servo = Pos(x, y, foot + SERVO_MM) * catalog_part("mg996r")
    servo.label = "servo"
    servo.metadata = {**servo.metadata, "mountable": False}
    arm_z = foot + SERVO_MM + 8
    arm = Pos(x, y + towards * (length / 2 - 5), arm_z) * Box(6, length + 10, 10)
    blade = Pos(x, y + towards * (length + 60) / 2, (arm_z + 15) / 2) * Box(6, length - 60, arm_z - 15)
    arm = arm + blade
    arm.label = "arm"
    arm.metadata = {"material_id": "pom", "mountable": False}
    hinge = RevoluteJoint("hinge", column, axis=Axis((x, y, arm_z), (0, 0, 1)), angular_range=(-80, 80))
    hinge.connect_to(RigidJoint("pin", arm, Pos(x, y, arm_z)), angle=0)

    world = Compound(label="environment", children=[ground, column, servo, arm])
    swing = Oscillation(amplitude=amplitude, frequency_hz=0.4)
    world.metadata = {"mechanism": [*bond_contacts(servo, to=column), drive(servo, joint=hinge, control=swing)]}
    return world
