"""The ground slab, a post beside the way, and a servo on it that lifts a bar across the way and lowers it again."""

from build123d import Axis, Box, Compound, Cylinder, Pos, RevoluteJoint, RigidJoint, Rot
from utils import Positions, bond_contacts, catalog_part, drive

BAR = (6.0, 12.0)
"""Edges of the bar along the way and upwards."""
OPEN_DEG, SWING_S = 80.0, 0.5
"""How far, and in which time, the bar is lifted."""
CYCLES = {1: None, 2: (6.5, 3.5), 3: (5.5, 2.5)}
"""By level: from one opening to the next, and how long the gate is open, in seconds; None: it stays open."""


def build(variant) -> Compound:
    """Return the solids of one variant, in millimetres."""
    low, high = variant.bounds.min_mm, variant.bounds.max_mm
    ground = block("ground", low, (*high[:2], 0.0))

    start_x, start_y, _ = variant.payload.start_mm
    size = variant.payload.size_mm
    ahead = 1 if variant.goal_zone.center_mm[0] > start_x else -1
    (obstacle,) = variant.obstacles
    (x0, y0, _), (x1, y1, _) = obstacle.box.min_mm, obstacle.box.max_mm
    side = 1 if obstacle.box.center_mm[1] > start_y else -1
    # The hinge is at the post's edge next to the way. The bar leaves three quarters of the payload's height free.
    hinge_y = y0 + 12.0 if side > 0 else y1 - 12.0
    hinge_z = 0.75 * size + 4.0 + BAR[1] / 2
    middle = obstacle.box.center_mm[0]
    servo = Pos(middle + 21.45 * ahead, hinge_y, hinge_z) * Rot(0, 90 * ahead, 0) * catalog_part("mg996r")
    servo.label = "servo"
    servo.metadata = {**servo.metadata, "mountable": False}
    post = block("post", (x0, y0, 0.0), (x1, y1, servo.bounding_box().min.Z))

    gate_x = middle + (21.45 + 4.0) * ahead
    reach = abs(hinge_y - start_y) + size / 2 + 10.0
    bar = Pos(gate_x, hinge_y - side * reach / 2, hinge_z) * Box(BAR[0], reach, BAR[1])
    gate = bar + Pos(gate_x, hinge_y, hinge_z) * Rot(0, 90, 0) * Cylinder(8.0, BAR[0])
    gate.label = "gate"
    gate.metadata = {"material_id": "pom", "mountable": False}
    axis = Axis((gate_x, hinge_y, hinge_z), (-side, 0, 0))
    hinge = RevoluteJoint("hinge", post, axis=axis, angular_range=(-5, OPEN_DEG + 5))
    hinge.connect_to(RigidJoint("pin", gate, hinge.location), angle=0)

    world = Compound(label="environment", children=[ground, post, servo, gate])
    times, targets = program(variant)
    swing = Positions(times_s=times, targets=targets)
    world.metadata = {
        "mechanism": [*bond_contacts(post, servo, to=ground), drive(servo, joint=hinge, control=swing)],
    }
    return world


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
