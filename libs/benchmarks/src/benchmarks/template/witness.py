"""A design that solves the benchmark under every seed: it proves that the task can be done within the limits.

Runs where an engineer's script runs: `benchmark` is the variant, `environment` its solids; binds `assembly`.
"""

from math import atan2, cos, degrees, hypot, radians, sin

from build123d import Box, Compound, Plane, Polygon, Pos, Rot, extrude
from utils import ManufacturingMethod, bond_contacts

GAP = 0.01  # parts that touch keep this distance: contact, but no overlap
ball, goal = benchmark.payload.size_mm, benchmark.goal_zone
start_x, start_y, _ = benchmark.payload.start_mm
goal_x, goal_y, _ = goal.center_mm
yaw, way = degrees(atan2(goal_y - start_y, goal_x - start_x)), hypot(goal_x - start_x, goal_y - start_y)

# A wedge under the ball, which rolls down towards the goal, into a pen of walls around the goal.
behind, foot, width, height = 1.2 * ball, way - ball, 2 * ball, 1.8 * ball
side = Polygon((-behind, GAP), (foot, GAP), (foot, 1.2), (-behind, height), align=None)
wedge = extrude(Plane.XZ * side, width / 2, both=True)
parts = [("wedge", Pos(start_x, start_y, 0) * Rot(0, 0, yaw) * wedge)]


def wall(label, along, aside, size):
    """Place a wall by the distance of its middle along the way and beside it; it is as high as the ball drops."""
    x = start_x + along * cos(radians(yaw)) - aside * sin(radians(yaw))
    y = start_y + along * sin(radians(yaw)) + aside * cos(radians(yaw))
    parts.append((label, Pos(x, y, size[2] / 2 + GAP) * Rot(0, 0, yaw) * Box(*size)))


far, wide, thick, high = way + 1.2 * ball, width + 2 * GAP, 3.0, 2.5 * ball
middle, length, beside = (far - behind) / 2, far + behind, wide / 2 + thick / 2
wall("wall-left", middle, beside, (length, thick, high))
wall("wall-right", middle, -beside, (length, thick, high))
wall("wall-back", -behind - thick / 2 - GAP, 0.0, (thick, wide + 2 * thick, high))
wall("wall-end", far + thick / 2 + GAP, 0.0, (thick, wide + 2 * thick, high))

for label, part in parts:
    part.label = label
    part.metadata = {"manufacturing_method": ManufacturingMethod.PRINTING_3D, "material_id": "pla"}
solids = [part for _, part in parts]
assembly = Compound(label="machine", children=solids)
assembly.metadata = {"mechanism": [*bond_contacts(*solids, to=environment)]}  # whatever touches is glued
