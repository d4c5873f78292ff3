"""The ground slab, a post beside the way, and a servo on it that lifts a bar across the way and lowers it again."""

from build123d import Axis, Box, Compound, Cylinder, Pos, RevoluteJoint, RigidJoint, Rot
from utils import Positions, bond_contacts, catalog_part, drive

BAR = (6.0, 12.0)
"""Edges of the bar along the way and upwards."""
SERVOS = {"mg996r": (21.45, 12.0), "sg90": (15.5, 8.0)}
"""Half the length of a servo along its shaft, and from the post's edge to its shaft, in mm."""
OPEN_DEG, SWING_S = 80.0, 0.5
"""How far, and in which time, the bar is lifted."""
CYCLES = {1: None, 2: (6.5, 3.5), 3: (5.5, 2.5)}
"""By level: from one opening to the next, and how long the gate is open, in seconds; None: it stays open."""


def servo_for(width, depth, hinge_z):
    """Return the servo for which a post of this width and depth has room below its hinge."""
    return "mg996r" if width > 30 and depth > 24 and hinge_z > 36 else "sg90"


def build(variant) -> Compound:
    """Return the solids of one variant, in millimetres."""
    low, high = variant.bounds.min_mm, variant.bounds.max_mm
    ground = block("ground", low, (*high[:2], 0.0))
    (obstacle,) = variant.obstacles
    (x0, y0, _), (x1, y1, _) = obstacle.box.min_mm, obstacle.box.max_mm
    start_x, start_y, _ = variant.payload.start_mm
    ahead = 1 if variant.goal_zone.center_mm[0] > start_x else -1
    side = 1 if obstacle.box.center_mm[1] > start_y else -1

    # The hinge is at the post's edge next to the way. The bar leaves three quarters of the payload's height free.
    hinge_z = 0.75 * variant.payload.size_mm + 4.0 + BAR[1] / 2
    servo_id = servo_for(x1 - x0, y1 - y0, hinge_z)
    half, inset = SERVOS[servo_id]
    shaft = (obstacle.box.center_mm[0] + half * ahead, y0 + inset if side > 0 else y1 - inset, hinge_z)
    servo = Pos(*shaft) * Rot(0, 90 * ahead, 0) * catalog_part(servo_id)
    servo.label = "servo"
    servo.metadata = {**servo.metadata, "mountable": False}
    # The post ends at the servo's front, beyond which the bar turns.
    x0, x1 = (x0, min(x1, shaft[0])) if ahead > 0 else (max(x0, shaft[0]), x1)
    post = block("post", (x0, y0, 0.0), (x1, y1, servo.bounding_box().min.Z))

    at = (shaft[0] + 4.0 * ahead, *shaft[1:])
    gate = gate_at(at, side, abs(shaft[1] - start_y) + variant.payload.size_mm / 2 + 10.0)
    hinge = RevoluteJoint("hinge", post, axis=Axis(at, (-side, 0, 0)), angular_range=(-5, OPEN_DEG + 5))
    hinge.connect_to(RigidJoint("pin", gate, hinge.location), angle=0)

    times, targets = program(variant)
    motor = drive(servo, joint=hinge, control=Positions(times_s=times, targets=targets))
    world = Compound(label="environment", children=[ground, post, servo, gate])
    world.metadata = {"mechanism": [*bond_contacts(post, servo, to=ground), motor]}
    return world


def gate_at(at, side, reach):
    """Return the closed bar, which reaches so far across the way from its hinge."""
    bar = Pos(at[0], at[1] - side * reach / 2, at[2]) * Box(BAR[0], reach, BAR[1])
    gate = bar + Pos(*at) * Rot(0, 90, 0) * Cylinder(8.0, BAR[0])
    gate.label = "gate"
    gate.metadata = {"material_id": "pom", "mountable": False}
    return gate


def program(variant) -> tuple[list[float], list[float]]:
    """Return the gate's times in seconds and angles in degrees. It is closed until 4.5 to 6.5 s, depending on the seed."""
    cycle = CYCLES[variant.level]
    opens = 4.5 + 0.25 * (variant.seed % 9)
    if cycle is None:
        return [0.0, opens, opens + SWING_S], [0.0, 0.0, OPEN_DEG]
    period, stays = cycle
    times, targets = [0.0], [0.0]
    while opens < variant.duration_s:
        times += [opens, opens + SWING_S, opens + SWING_S + stays, opens + 2 * SWING_S + stays]
        targets += [0.0, OPEN_DEG, OPEN_DEG, 0.0]
        opens += period
    return times, targets


def block(label, low, high) -> Box:
    """Return a box between two corners."""
    x, y, z = ((a + b) / 2 for a, b in zip(low, high))
    solid = Pos(x, y, z) * Box(*(b - a for a, b in zip(low, high)))
    solid.label = label
    return solid
