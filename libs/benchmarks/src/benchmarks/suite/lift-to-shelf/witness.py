"""Expected solution: a lift whose sloped floor leans the ball against a fixed wall, over which it rolls at the top.

A chute leads from the wall down to a pocket on the shelf. The lift's motor rides with it, away from any column, and
climbs along a rack.
Runs in a kernel, where `benchmark` is the variant at hand; binds `assembly`. Lengths in mm, angles in degrees.
"""

from math import atan, cos, degrees, radians, tan

from build123d import Axis, Box, Compound, Cylinder, LinearJoint, Location
from build123d import Plane, Polygon, Pos, RigidJoint, Rot, extrude
from utils import ManufacturingMethod, Positions, bond_contacts, bonded, catalog_part, drive

GAP = 0.01  # parts that touch keep this distance: contact, but no overlap
PANEL = 3.0
PINION, PINION_WIDTH = 10.0, 8.0  # pitch radius, width
MOTOR = "pololu-25d-hp-47"
MOTOR_RADIUS = 12.5
POST = 16.0 if benchmark.level == 3 else 12.0  # its depth: the glue below it bears the blow of a steel ball
DIP = 12.0  # of the lift's floor, in degrees
FALL = 10.0  # of the ball to the lift's floor, which does not begin lower
THICK = 7.0 if benchmark.level == 3 else PANEL  # of what a steel ball hits

ball = benchmark.payload.size_mm
start_x, start_y, start_z = benchmark.payload.start_mm
goal = benchmark.goal_zone
ahead = 1 if goal.center_mm[0] > start_x else -1
near = goal.min_mm[0] if ahead > 0 else goal.max_mm[0]
is_beside = bool(benchmark.obstacles) and benchmark.obstacles[0].box.center_mm[1] > start_y
hand = -1 if is_beside else 1  # the side of the motor: +y or -y
shelf_z = next(solid.bounding_box().max.Z for solid in environment.children if solid.label == "shelf")

inside = ball / 2 + 8.0  # from the middle to the sides
outer = inside + GAP + PANEL
wall = ball / 2 + 10.0  # where the fixed wall stands
back = -ball / 2 - 10.0  # where the lift's back plate is

parts, moving = [], []


def world(along, aside):
    """Return x and y of a point from its distances along the way and to its side."""
    return start_x + ahead * along, start_y + hand * aside


def add(label, part):
    part.label = label
    part.metadata = {"manufacturing_method": ManufacturingMethod.PRINTING_3D, "material_id": "pla"}
    parts.append(part)
    return part


def block(along, aside, z):
    """Return a box between two distances along the way, to its side, and two heights."""
    x, y = world(sum(along) / 2, sum(aside) / 2)
    return Pos(x, y, sum(z) / 2) * Box(along[1] - along[0], aside[1] - aside[0], z[1] - z[0])


# Fixed: wall, chute and pocket.
pocket = abs(near - start_x) + 6.0
pocket_end = pocket + ball + 11.0 + THICK
slope = max(3.0, min(6.0, degrees(atan(25.0 / (pocket - wall - 4.0)))))  # of the chute: gentle where it is long
lip_z = shelf_z + ball / 2
wall_z = lip_z + (pocket - wall - 4.0) * tan(radians(slope))
add("wall", block((wall, wall + 4.0), (-outer, outer), (GAP, wall_z)))
length = (pocket - wall - 4.0 - 2 * GAP) / cos(radians(slope)) - PANEL * tan(radians(slope))
x, y = world((wall + 4.0 + pocket) / 2, 0)
z = (lip_z + wall_z) / 2 - PANEL / 2 / cos(radians(slope))
add("chute", Pos(x, y, z) * Rot(0, 0, 0 if ahead > 0 else 180) * Rot(0, slope, 0) * Box(length, 2 * inside, PANEL))
for name, side in (("left", 1), ("right", -1)):
    aside = (inside + GAP, outer) if side > 0 else (-outer, -inside - GAP)
    add(f"chute-{name}", block((wall + 4.0 + GAP, pocket_end), aside, (shelf_z + GAP, wall_z + 0.8 * ball)))
add("pocket-end", block((pocket_end - THICK, pocket_end), (-inside, inside), (shelf_z + GAP, lip_z + 1.2 * ball)))

# The lift: a wedge between side panels on a back plate, which also carries the motor.
front = wall - 3.0
rise = (front - back) * tan(radians(DIP))
bottom = max(2.0, start_z - ball / 2 - FALL - rise - 4.0)
low_z, high_z = bottom + 4.0, bottom + 4.0 + rise
wedge = Polygon((back + GAP, bottom), (front, bottom), (front, low_z), (back + GAP, high_z), align=None)
x, y = world(0, 0)
add("floor", Pos(x, y, 0) * Rot(0, 0, 0 if ahead > 0 else 180) * extrude(Plane.XZ * wedge, inside, both=True))
for name, side in (("left", 1), ("right", -1)):
    aside = (inside + GAP, outer) if side > 0 else (-outer, -inside - GAP)
    add(f"side-{name}", block((back + GAP, front), aside, (bottom, high_z + 0.8 * ball)))
motor_aside, motor_z = outer + 3.0 + MOTOR_RADIUS, bottom + 18.0
shaft_x, shaft_y = world(back, motor_aside)
bore = Pos(shaft_x, shaft_y, motor_z) * Rot(0, 90, 0) * Cylinder(4.0, 40.0)
plate = block((back - 6.0, back), (-outer, motor_aside + MOTOR_RADIUS + 2.0), (bottom, high_z + 0.8 * ball))
carrier = add("carrier", plate - bore)
motor_x, _ = world(back + GAP, 0)
motor = Pos(motor_x, shaft_y, motor_z) * Rot(0, -90 * ahead, 0) * catalog_part(MOTOR)
motor.label = "motor"
# A toothed wheel, modelled as a disc of its pitch diameter, on the shaft behind the back plate.
pinion_x, _ = world(back - 6.5 - PINION_WIDTH / 2, 0)
pinion = Pos(pinion_x, shaft_y, motor_z) * Rot(0, 90, 0) * Cylinder(PINION, PINION_WIDTH)
pinion.label = "pinion"
pinion.metadata = {"manufacturing_method": ManufacturingMethod.PRINTING_3D, "material_id": "pla"}

stroke = wall_z + 6.0 - low_z
rack = motor_aside - PINION - GAP
post = add("post", block((back - 7.0 - POST, back - 7.0), (rack - 28.0, rack), (GAP, stroke + motor_z + 20.0)))

seat = (*world(back - 6.5, rack - 14.0), motor_z)
slide = LinearJoint("slide", post, axis=Axis(seat, (0, 0, 1)), linear_range=(-1, stroke + 5.0))
slide.connect_to(RigidJoint("seat", carrier, Location(seat)), position=0)

# A gentle start and end: the rotor behind its gears is as heavy as 13 kg on the rack.
duration = 1.5 * stroke / 100.0  # at most 100 mm/s
shares = [step / 24 for step in range(25)]
times = [1.0 + share * duration for share in shares]
targets = [stroke * (3 * share**2 - 2 * share**3) for share in shares]

assembly = Compound(label="machine", children=[*parts, motor, pinion])
assembly.metadata = {
    "mechanism": [
        *bond_contacts(*parts, to=environment),
        bonded(motor, carrier),
        drive(motor, joint="slide", control=Positions(times_s=times, targets=targets), pinion=pinion, rack=post),
    ]
}
