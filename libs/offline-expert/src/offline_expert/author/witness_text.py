"""The witness.py of a world: a straight chute on two legs, which takes its measures from the world of each seed."""

WITNESS = '''\
"""Expected solution: a straight chute above everything that is in the way, and a pocket in the goal zone.

Runs in a kernel, where `benchmark` is the variant at hand; binds `assembly`. Lengths in mm, angles in degrees.
"""

from math import atan2, cos, degrees, hypot, radians, sin, tan

from build123d import Box, Compound, Plane, Polygon, Pos, Rot, extrude
from utils import ManufacturingMethod, bond_contacts

GAP = 0.01  # parts that touch keep this distance: contact, but no overlap
LEG = 21.0  # the glue under a leg bears a moment that grows with the cube of this

ball = benchmark.payload.size_mm
start_x, start_y, start_z = benchmark.payload.start_mm
goal = benchmark.goal_zone
width = ball + 16  # inside the channel
behind = 0.9 * ball  # from the back panel to the ball above it
side_wall = 0.8 * ball
lip = 0.5 * ball  # step down into the pocket
pocket_length = ball + 14

# The route: straight from the start to the middle of the goal zone.
away_x, away_y = goal.center_mm[0] - start_x, goal.center_mm[1] - start_y
yaw = degrees(atan2(away_y, away_x))
length = behind + hypot(away_x, away_y) - pocket_length / 2  # of the chute, in plan
WALL = min(max(3.0, length / 65), 7.0)  # a long floor bends under its own weight
outer = width / 2 + GAP + WALL  # from the centre line to the outside of a wall

# The height: some 90 mm of free fall, the rest as slope, which must neither stop the ball nor shoot it out.
pocket_z = (goal.min_mm[2] + goal.max_mm[2]) / 2 - ball / 4
fall = start_z - ball / 2 - lip - pocket_z
slope = min(max(degrees(atan2(fall - 90, length - behind)), 6.0), 20.0)
catch_z = pocket_z + lip + (length - behind) * tan(radians(slope))
drop = start_z - ball / 2 - catch_z

parts = []


def add(label, shape, along, aside, z, pitch=0.0):
    """Place a box by its centre: distance along the chute, distance to its left, height."""
    x = start_x + (along - behind) * cos(radians(yaw)) - aside * sin(radians(yaw))
    y = start_y + (along - behind) * sin(radians(yaw)) + aside * cos(radians(yaw))
    part = Pos(x, y, z) * Rot(0, 0, yaw) * Rot(0, pitch, 0) * shape
    part.label = label
    part.metadata = {"manufacturing_method": ManufacturingMethod.PRINTING_3D, "material_id": "pla"}
    parts.append(part)


def upright(label, along, aside, z):
    """A box between two distances along the chute, to its left, and two heights."""
    shape = Box(along[1] - along[0], aside[1] - aside[0], z[1] - z[0])
    add(label, shape, sum(along) / 2, sum(aside) / 2, sum(z) / 2)


def floor_z(along):
    """Height of the chute's floor."""
    return catch_z - (along - behind) * tan(radians(slope))


def tilted(label, along, aside, above):
    """A box that lies as the floor does, reaching exactly from one distance to the other."""
    height, middle, angle = above[1] - above[0], sum(above) / 2, radians(slope)
    shape = Box((along[1] - along[0] - height * sin(angle)) / cos(angle), aside[1] - aside[0], height)
    center = sum(along) / 2
    z = floor_z(center - middle * sin(angle)) + middle * cos(angle)
    add(label, shape, center, sum(aside) / 2, z, slope)


left, right = (width / 2 + GAP, outer), (-outer, -width / 2 - GAP)

# Catcher: upright panels, because a panel that leans with the floor would hide it from the falling ball.
panels = behind + ball + 0.25 * drop
panels_z = (floor_z(panels) - WALL / cos(radians(slope)), catch_z + max(1.5 * ball, ball / 2 + 0.15 * drop + 14))
upright("catcher-back", (-WALL, 0), (-outer, outer), panels_z)
upright("catcher-left", (GAP, panels), left, panels_z)
upright("catcher-right", (GAP, panels), right, panels_z)

# Chute.
tilted("chute-floor", (GAP, length - GAP), (-width / 2, width / 2), (-WALL, 0))
tilted("chute-left", (panels + GAP, length - GAP), left, (-WALL, side_wall))
tilted("chute-right", (panels + GAP, length - GAP), right, (-WALL, side_wall))

# Pocket: its lip carries the end of the chute.
bottom, mouth_z = pocket_z - WALL, pocket_z + lip
end = length + pocket_length
lip_z = floor_z(length - GAP) - WALL * cos(radians(slope)) - GAP
upright("pocket-lip", (length - WALL, length), (-outer, outer), (bottom, lip_z))
upright("pocket-floor", (length + GAP, end), (-width / 2, width / 2), (bottom, pocket_z))
upright("pocket-left", (length + GAP, end), left, (bottom, mouth_z + side_wall))
upright("pocket-right", (length + GAP, end), right, (bottom, mouth_z + side_wall))
upright("pocket-end", (end + GAP, end + GAP + WALL), (-outer, outer), (bottom, mouth_z + 1.1 * ball))

# Legs under the catcher and the pocket, away from what is between them: each on the ground, or on a block below it.


def top_below(x, y):
    """Height of what a leg stands on."""
    tops = [0.0]
    for obstacle in benchmark.obstacles:
        low, high = obstacle.box.min_mm, obstacle.box.max_mm
        if low[0] < x < high[0] and low[1] < y < high[1]:
            tops.append(high[2])
    return max(tops)


def leg(label, along, top, tilt=0.0):
    """A square leg up to `top` in its middle; it falls with the floor on it: glue needs an area, not an edge."""
    x = start_x + (along - behind) * cos(radians(yaw))
    y = start_y + (along - behind) * sin(radians(yaw))
    foot, rise = top_below(x, y) + GAP, LEG / 2 * tan(radians(tilt))
    side = Polygon((-LEG / 2, foot), (LEG / 2, foot), (LEG / 2, top - rise), (-LEG / 2, top + rise), align=None)
    add(label, extrude(Plane.XZ * side, LEG / 2, both=True), along, 0.0, 0.0)


leg("catcher-leg", behind, floor_z(behind) - WALL / cos(radians(slope)) - GAP, slope)
leg("pocket-leg", length + pocket_length / 2, bottom - GAP)

assembly = Compound(label="machine", children=parts)
assembly.metadata = {"mechanism": [*bond_contacts(*parts, to=environment)]}  # whatever touches is glued
'''
