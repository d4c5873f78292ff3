"""Expected solution: a trolley on the wall of a channel pushes the payload; its motor's pinion climbs along it.

Runs in a kernel, where `benchmark` is the variant at hand; binds `assembly`. Lengths in mm.
"""

from build123d import Axis, Box, Compound, Cylinder, LinearJoint, Location, Pos, RigidJoint, Rot
from utils import ManufacturingMethod, Positions, bond_contacts, bonded, catalog_part, drive

GAP = 0.01  # parts that touch keep this distance: contact, but no overlap
WALL = 4.0
DECK = 6.0  # its thickness
ABOVE_FLOOR = 4.0  # of the plate, which must not touch the floor
PINION, PINION_WIDTH = 10.0, 8.0  # pitch radius, width
MOTOR = "pololu-25d-hp-47"
MOTOR_RADIUS = 12.5

cube = max(benchmark.payload.extents_mm)
WALL_HEIGHT = 0.75 * cube + 1.0
start_x, start_y, _ = benchmark.payload.start_mm
goal = benchmark.goal_zone
ahead = 1 if goal.center_mm[0] > start_x else -1
stroke = abs(goal.center_mm[0] - start_x) + 12.0 - 4.0  # the plate begins 12 mm behind the payload
inside = cube / 2 + 8.0  # from the middle of the channel to its walls
face = -cube / 2 - 12.0  # where the plate begins
motor_at = face - 6.0 - 4.0 - MOTOR_RADIUS
back = motor_at - MOTOR_RADIUS - 4.0

parts = []


def world(along, aside):
    """Return x and y of a point from its distances along the way and to its side."""
    return start_x + ahead * along, start_y + ahead * aside


def add(label, part):
    part.label = label
    part.metadata = {"manufacturing_method": ManufacturingMethod.PRINTING_3D, "material_id": "pla"}
    parts.append(part)
    return part


def block(along, aside, z):
    """Return a box between two distances along the way, to its side, and two heights."""
    x, y = world(sum(along) / 2, sum(aside) / 2)
    return Pos(x, y, sum(z) / 2) * Box(along[1] - along[0], aside[1] - aside[0], z[1] - z[0])


end = stroke + face + cube + 10.0
rail = add("rail", block((back, end), (inside, inside + WALL), (GAP, WALL_HEIGHT)))
add("wall", block((back, end), (-inside - WALL, -inside), (GAP, WALL_HEIGHT)))

deck_z = WALL_HEIGHT + 1.0
shaft_x, shaft_y = world(motor_at, inside - PINION - GAP)
bore = Pos(shaft_x, shaft_y, deck_z + DECK / 2) * Cylinder(4.0, 2 * DECK)
deck = add("deck", block((back, face), (-inside - WALL, inside + WALL), (deck_z, deck_z + DECK)) - bore)
plate = add("plate", block((face - 6.0, face), (-inside + 2.0, inside - 2.0), (ABOVE_FLOOR, deck_z - GAP)))
motor = Pos(shaft_x, shaft_y, deck_z + DECK + GAP) * Rot(180, 0, 0) * catalog_part(MOTOR)
motor.label = "motor"
# A toothed wheel, modelled as a disc of its pitch diameter, on the shaft below the deck.
pinion = Pos(shaft_x, shaft_y, deck_z - 0.5 - PINION_WIDTH / 2) * Cylinder(PINION, PINION_WIDTH)
pinion.label = "pinion"
pinion.metadata = {"manufacturing_method": ManufacturingMethod.PRINTING_3D, "material_id": "pla"}

# The trolley slides along the rail, on whose inner side the motor's pinion climbs.
seat = (*world((back + face) / 2, inside + WALL / 2), WALL_HEIGHT + 0.5)
slide = LinearJoint("slide", rail, axis=Axis(seat, (ahead, 0, 0)), linear_range=(-1, stroke + 5.0))
slide.connect_to(RigidJoint("seat", deck, Location(seat)), position=0)

# A gentle start and end: the rotor behind its gears is as heavy as 13 kg on the rack.
duration = 1.5 * stroke / 100.0  # at most 100 mm/s
shares = [step / 24 for step in range(25)]
times = [0.5 + share * duration for share in shares]
targets = [stroke * (3 * share**2 - 2 * share**3) for share in shares]

assembly = Compound(label="machine", children=[*parts, motor, pinion])
assembly.metadata = {
    "mechanism": [
        *bond_contacts(*parts, to=environment),
        bonded(motor, deck),
        drive(motor, joint="slide", control=Positions(times_s=times, targets=targets), pinion=pinion, rack=rail),
    ]
}
