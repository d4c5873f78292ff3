"""Expected solution: three chutes at right angles round the open end of the wall, and a pocket in the goal zone.

Each chute ends above the side of the next one; the ball drops on to it, hits the tall far panel and rolls on.
Runs in a kernel, where `benchmark` is the variant at hand; binds `assembly`. Lengths in mm, angles in degrees.
"""

from math import atan2, cos, degrees, radians, sin, tan

from build123d import Box, Compound, Plane, Polygon, Pos, Rot, extrude
from utils import ManufacturingMethod, bond_contacts

GAP = 0.01  # parts that touch keep this distance: contact, but no overlap
WALL = {1: 4.0, 2: 3.0, 3: 3.4}[benchmark.level]  # the last floors of levels 1 and 3 are longer
LEG = 18.0  # the glue under a leg bears a moment that grows with its cube
SLOPE = 7.0

ball = benchmark.payload.size_mm
start_x, start_y, start_z = benchmark.payload.start_mm
goal, build = benchmark.goal_zone, benchmark.build_zone
closed = benchmark.forbid_zones[0].box
width = ball + 16  # inside a channel
outer = width / 2 + GAP + WALL  # from the centre line to the outside of a wall
corner = outer + GAP  # from a corner's back panel to the centre line of the chute that ends above it
behind = 0.9 * ball  # from the catcher's back panel to the ball above it
side_wall, far_wall, lip, pocket_length = 0.8 * ball, 1.6 * ball, 0.5 * ball, ball + 14

# The lane round the wall lies in the middle of the wider gap between the forbid zone and the build zone's faces.
gap_low, gap_high = closed.min_mm[1] - build.min_mm[1], build.max_mm[1] - closed.max_mm[1]
lane_y = (closed.max_mm[1] + build.max_mm[1]) / 2 if gap_high > gap_low else (closed.min_mm[1] + build.min_mm[1]) / 2
goal_x, goal_y = goal.center_mm[0], goal.center_mm[1]
places = [(start_x, start_y), (start_x, lane_y), (goal_x, lane_y), (goal_x, goal_y)]

parts = []


class Chute:
    """A floor from where the ball drops on (`at`) to where it leaves (`to`); it begins `back` behind that place."""

    def __init__(self, name, at, to, back, ends_before):
        dx, dy = to[0] - at[0], to[1] - at[1]
        self.name, self.at, self.back = name, at, back
        self.yaw = degrees(atan2(dy, dx))
        self.length = back + abs(dx) + abs(dy) - ends_before - GAP
        self.slope, self.floor_at = SLOPE, 0.0

    def drops_to(self, floor_at, slope):
        """Give the floor its height where the ball drops on, and its slope."""
        self.floor_at, self.slope = floor_at, slope

    def floor_z(self, along):
        return self.floor_at - (along - self.back) * tan(radians(self.slope))

    @property
    def mouth_z(self):
        return self.floor_z(self.length)

    @property
    def rest_z(self):
        """Top of a panel that carries the end of the floor."""
        return self.mouth_z - WALL * cos(radians(self.slope)) - GAP

    def add(self, label, shape, along, aside, z, pitch=0.0):
        """Place a box by its centre: distance along the chute, distance to its left, height."""
        forward, yaw = along - self.back, radians(self.yaw)
        x = self.at[0] + forward * cos(yaw) - aside * sin(yaw)
        y = self.at[1] + forward * sin(yaw) + aside * cos(yaw)
        part = Pos(x, y, z) * Rot(0, 0, self.yaw) * Rot(0, pitch, 0) * shape
        part.label = f"{self.name}-{label}"
        part.metadata = {"manufacturing_method": ManufacturingMethod.PRINTING_3D, "material_id": "pla"}
        parts.append(part)

    def upright(self, label, along, aside, z):
        """A box between two distances along the chute, to its left, and two heights."""
        shape = Box(along[1] - along[0], aside[1] - aside[0], z[1] - z[0])
        self.add(label, shape, sum(along) / 2, sum(aside) / 2, sum(z) / 2)

    def tilted(self, label, along, aside, above):
        """A box that lies as the floor does, reaching exactly from one distance to the other."""
        height, middle, angle = above[1] - above[0], sum(above) / 2, radians(self.slope)
        shape = Box((along[1] - along[0] - height * sin(angle)) / cos(angle), aside[1] - aside[0], height)
        center = sum(along) / 2
        z = self.floor_z(center - middle * sin(angle)) + middle * cos(angle)
        self.add(label, shape, center, sum(aside) / 2, z, self.slope)

    def stand(self, panels, back_top, left_top, right_top, lintel_top=None):
        """Build floor, upright panels over the first `panels` mm, walls behind them and a leg."""
        left, right = (width / 2 + GAP, outer), (-outer, -width / 2 - GAP)
        thick = WALL / cos(radians(self.slope))
        bottom = self.floor_z(panels) - thick
        self.tilted("floor", (GAP, self.length), (-width / 2, width / 2), (-WALL, 0))
        self.upright("back", (-WALL, 0), (-outer, outer), (bottom, back_top))
        self.upright("panel-left", (GAP, panels), left, (bottom, left_top))
        self.upright("panel-right", (GAP, panels), right, (bottom, right_top))
        exit_z = self.floor_z(panels) + 1.7 * ball
        if lintel_top is not None and lintel_top - exit_z > ball / 2:
            self.upright("lintel", (panels - WALL, panels), (-width / 2, width / 2), (exit_z, lintel_top))
        self.tilted("wall-left", (panels + GAP, self.length), left, (-WALL, side_wall))
        self.tilted("wall-right", (panels + GAP, self.length), right, (-WALL, side_wall))
        self.leg("leg", panels / 2, self.floor_z(panels / 2) - thick - GAP, self.slope)

    def leg(self, label, along, top, tilt=0.0):
        """A square leg up to `top` in its middle; it falls with the floor on it: glue needs an area."""
        rise = LEG / 2 * tan(radians(tilt))
        side = Polygon((-LEG / 2, GAP), (LEG / 2, GAP), (LEG / 2, top - rise), (-LEG / 2, top + rise), align=None)
        self.add(label, extrude(Plane.XZ * side, LEG / 2, both=True), along, 0.0, 0.0)


first = Chute("first", places[0], places[1], behind, width / 2)
second = Chute("second", places[1], places[2], corner, width / 2)
third = Chute("third", places[2], places[3], corner, pocket_length / 2)

# The height: slopes and least steps take their part; what remains is burnt by free fall at the start and at the corners.
pocket_z = (goal.min_mm[2] + goal.max_mm[2]) / 2 - ball / 4
step = WALL + GAP + 3 + corner * tan(radians(SLOPE))
slopes = sum(chute.length - chute.back for chute in (first, second, third)) * tan(radians(SLOPE))
spare = start_z - ball / 2 - pocket_z - lip - slopes - 2 * step
catch_drop = min(max(spare - 60, 20.0), 200.0)
corner_drop = max((spare - catch_drop) / 2, 0.0)
first.drops_to(start_z - ball / 2 - catch_drop, SLOPE)
second.drops_to(first.mouth_z - step - corner_drop, SLOPE)
third_floor = second.mouth_z - step - corner_drop
third.drops_to(third_floor, degrees(atan2(third_floor - pocket_z - lip, third.length - third.back)))

catcher_top = first.floor_at + max(1.5 * ball, ball / 2 + 0.15 * catch_drop + 14)
first.stand(behind + ball + 0.25 * catch_drop, catcher_top, catcher_top, catcher_top)
for upper, lower in ((first, second), (second, third)):
    turns_left = sin(radians(lower.yaw - upper.yaw)) > 0
    near, far = upper.rest_z, upper.mouth_z + far_wall
    tops = (near, far) if turns_left else (far, near)
    lower.stand(2 * corner, upper.mouth_z + 1.2 * ball, *tops, lintel_top=upper.mouth_z + side_wall)

# Pocket: its lip carries the end of the third chute.
begin = third.length + GAP
end, bottom, mouth_z = begin + pocket_length, third.mouth_z - lip - WALL, third.mouth_z
sides_z = (bottom, mouth_z + side_wall)
third.upright("lip", (begin - WALL, begin), (-outer, outer), (bottom, third.rest_z))
third.upright("pocket-floor", (begin + GAP, end), (-width / 2, width / 2), (bottom, mouth_z - lip))
third.upright("pocket-left", (begin + GAP, end), (width / 2 + GAP, outer), sides_z)
third.upright("pocket-right", (begin + GAP, end), (-outer, -width / 2 - GAP), sides_z)
third.upright("pocket-end", (end + GAP, end + GAP + WALL), (-outer, outer), (bottom, mouth_z + 1.1 * ball))
third.leg("pocket-leg", begin + pocket_length / 2, bottom - GAP)

assembly = Compound(label="machine", children=parts)
assembly.metadata = {"mechanism": [*bond_contacts(*parts, to=environment)]}  # whatever touches is glued
