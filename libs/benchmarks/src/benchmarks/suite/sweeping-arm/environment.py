"""The ground slab, and an arm with a blade below it that a servo on a column swings through the obstacle."""

from math import asin, degrees

from build123d import Axis, Box, Compound, Pos, RevoluteJoint, RigidJoint
from utils import Oscillation, bond_contacts, catalog_part, drive

SERVOS = {"mg996r": (42.9, 66.0), "sg90": (31.0, 36.0)}
"""Height of a servo's housing below its shaft's beginning, and the edge of the column that carries it, in mm."""
ABOVE_MM = 19.1
"""From the shaft's beginning to the top of what is free for the arm."""


def servo_for(width, depth, height):
    """Return the servo whose column and arm fit into an obstacle."""
    return "mg996r" if width > 105 and depth > 150 and height > 73 else "sg90"


def build(variant) -> Compound:
    """Return the solids of one variant, in millimetres."""
    low, high = variant.bounds.min_mm, variant.bounds.max_mm
    width, depth, thickness = high[0] - low[0], high[1] - low[1], -low[2]
    ground = Pos((low[0] + high[0]) / 2, (low[1] + high[1]) / 2, -thickness / 2) * Box(width, depth, thickness)
    ground.label = "ground"
    (sweep,) = variant.obstacles
    low, high = sweep.box.min_mm, sweep.box.max_mm
    x = (low[0] + high[0]) / 2
    size = tuple(end - begin for begin, end in zip(low, high))
    servo_id = servo_for(*size)
    housing, edge = SERVOS[servo_id]
    inset, inner = edge / 2 + 7, edge - 6  # from the obstacle's face to the hinge, and from there to the blade
    towards = 1 if abs(low[1]) >= abs(high[1]) else -1  # the hinge is at the side that is farther out
    y = low[1] + inset if towards > 0 else high[1] - inset
    foot = max(high[2] - housing - ABOVE_MM, 5.0)
    length = size[1] - inset - 4
    amplitude = degrees(asin(min(size[0] / 2 - 8, 0.7 * length) / length))

    column = Pos(x, y, foot / 2) * Box(edge, edge, foot)
    column.label = "column"
    servo = Pos(x, y, foot + housing) * catalog_part(servo_id)
    servo.label = "servo"
    servo.metadata = {**servo.metadata, "mountable": False}
    arm_z = foot + housing + 8
    arm = Pos(x, y + towards * (length / 2 - 5), arm_z) * Box(6, length + 10, 10)
    bottom = low[2] + 15
    blade = Pos(x, y + towards * (length + inner) / 2, (arm_z + bottom) / 2) * Box(6, length - inner, arm_z - bottom)
    arm = arm + blade
    arm.label = "arm"
    arm.metadata = {"material_id": "pom", "mountable": False}
    hinge = RevoluteJoint("hinge", column, axis=Axis((x, y, arm_z), (0, 0, 1)), angular_range=(-80, 80))
    hinge.connect_to(RigidJoint("pin", arm, Pos(x, y, arm_z)), angle=0)

    world = Compound(label="environment", children=[ground, column, servo, arm])
    swing = Oscillation(amplitude=amplitude, frequency_hz=0.25)
    world.metadata = {"mechanism": [*bond_contacts(servo, to=column), drive(servo, joint=hinge, control=swing)]}
    return world
