"""Chutes from the start to the goal, for witnesses: the route of the fewest chutes that has room and height.

Each chute ends above the side of the next one, and a pocket in the goal zone stops the payload. A witness with the line
`# include: chutes.py` gets this text in its place, since a witness is one script. Before it, the witness names `WALL`,
the thickness of panels, `LEG`, the edge of a leg, whose glue bears a moment that grows with its cube, and `MOST_SPAN`,
the distance from leg to leg; after it, it calls `build_run` and binds `assembly` to `glued_machine()`.
Runs in a kernel, where `benchmark` is the variant at hand. Lengths in mm, angles in degrees.
"""

from itertools import product, starmap
from math import atan, atan2, ceil, cos, degrees, hypot, radians, sin, sqrt, tan

from build123d import Box, Compound, Plane, Polygon, Pos, Rot, extrude
from utils import ManufacturingMethod, bond_contacts

LONGEST = 900.0  # floor or wall in plan: a printer's bed is 1000 mm long
GAP = 0.01  # parts that touch keep this distance: contact, but no overlap
CLEAR = 6.0  # from zones
LEAST_DROP = 25.0  # on to the first chute
DROPS = ((260.0, 150.0), (420.0, 340.0), (560.0, 460.0))  # most of the first drop, and from chute to chute beyond what the floors need

payload, goal, build = benchmark.payload, benchmark.goal_zone, benchmark.build_zone
start_x, start_y, start_z = payload.start_mm
size = max(payload.extents_mm)
rolls = payload.shape == "ball"
slides_at = degrees(atan(1.2 * sqrt(payload.friction * 0.4)))  # on PLA, which has 0.4
SLOPES, STEEPEST = ((6.5, 4.0, 2.5), 9.0) if rolls else ((slides_at + 4,), slides_at + 12)
width = size + 16 if rolls else 1.75 * size  # inside a channel
outer = width / 2 + GAP + WALL  # from the centre line to the outside of a wall
corner = outer + GAP  # from a corner's back panel to the centre line of the chute that ends above it
behind = 0.9 * size  # from the first back panel to the payload above it
side_wall, far_wall, end_wall = (0.8 * size, 1.6 * size, 1.1 * size) if rolls else (1.2 * size, 2.6 * size, 1.5 * size)
lip, pocket_length = (0.5 * size, size + 14) if rolls else (0.6 * size, 1.8 * size)
step = WALL + GAP + (3 if rolls else 20)

zones = [zone.box for zone in benchmark.forbid_zones] + [each.box for each in benchmark.obstacles]
boxes = [(tuple(box.min_mm), tuple(box.max_mm)) for box in zones]
solids = [(tuple(box.min), tuple(box.max)) for box in (solid.bounding_box() for solid in environment.solids())]
closed = [(zone.box.min_mm, zone.box.max_mm) for zone in benchmark.forbid_zones]  # to legs
beside_legs = []  # solids that legs keep clear of
parts = []


class Chute:
    """A floor from where the payload drops on (`at`) to where it leaves (`to`)."""

    def __init__(self, name, at, to, is_first, is_last):
        dx, dy = to[0] - at[0], to[1] - at[1]
        self.name, self.at, self.is_last = name, at, is_last
        self.back = behind if is_first else corner
        self.yaw = degrees(atan2(dy, dx))
        self.length = self.back + hypot(dx, dy) - (pocket_length if is_last else width) / 2 - GAP
        self.panels = 2 * corner  # length of the upright panels at its beginning
        self.slope = self.floor_at = self.top = 0.0

    @property
    def end(self):
        """Distance from the back panel to the end of everything that belongs to the chute."""
        return self.length + (pocket_length + 2 * WALL if self.is_last else width)

    def floor_z(self, along):
        return self.floor_at - (along - self.back) * tan(radians(self.slope))

    @property
    def mouth_z(self):
        return self.floor_z(self.length)

    @property
    def rest_z(self):
        """Top of a panel that carries the end of the floor."""
        return self.mouth_z - WALL * cos(radians(self.slope)) - GAP

    def place(self, along, aside):
        forward, yaw = along - self.back, radians(self.yaw)
        x = self.at[0] + forward * cos(yaw) - aside * sin(yaw)
        return x, self.at[1] + forward * sin(yaw) + aside * cos(yaw)

    def covers(self, x, y, by=0.0):
        """Whether a point in plan is within some distance of the chute."""
        yaw = radians(self.yaw)
        dx, dy = x - self.at[0], y - self.at[1]
        along, aside = dx * cos(yaw) + dy * sin(yaw) + self.back, dy * cos(yaw) - dx * sin(yaw)
        return -WALL - by < along < self.end + by and abs(aside) < outer + by

    def samples(self):
        """Points all over the chute in plan, with the lowest and the highest z there."""
        count = int((self.end + WALL) / 12) + 2
        for number, aside in product(range(count), (-outer, 0.0, outer)):
            along = -WALL + (self.end + WALL) * number / (count - 1)
            bottom = self.floor_z(min(along, self.length)) - 1.1 * WALL - (lip if self.is_last else 0.0)
            high = self.top if along < self.panels + WALL else self.floor_z(along) + 1.2 * size
            yield *self.place(along, aside), bottom, high

    def add(self, label, shape, along, aside, z, pitch=0.0):
        """Place a box by its centre: distance along the chute, distance to its left, height."""
        part = Pos(*self.place(along, aside), z) * Rot(0, 0, self.yaw) * Rot(0, pitch, 0) * shape
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

    def stand(self, back_top, left_top, right_top, lintel_top=None):
        """Build floor, upright panels where the payload lands, and walls behind them."""
        left, right = (width / 2 + GAP, outer), (-outer, -width / 2 - GAP)
        bottom = self.floor_z(self.panels) - WALL / cos(radians(self.slope))
        for number, along in enumerate(pieces(GAP, self.length)):
            self.tilted(f"floor-{number + 1}", along, (-width / 2, width / 2), (-WALL, 0))
        self.upright("back", (-WALL, 0), (-outer, outer), (bottom, back_top))
        self.upright("panel-left", (GAP, self.panels), left, (bottom, left_top))
        self.upright("panel-right", (GAP, self.panels), right, (bottom, right_top))
        exit_z = self.floor_z(self.panels) + (1.7 if rolls else 2.2) * size
        if lintel_top is not None and lintel_top - exit_z > size / 2:
            self.upright("lintel", (self.panels - WALL, self.panels), (-width / 2, width / 2), (exit_z, lintel_top))
        for number, along in enumerate(pieces(self.panels + GAP, self.length, shift=0.5)):
            self.tilted(f"wall-left-{number + 1}", along, left, (-WALL, side_wall))
            self.tilted(f"wall-right-{number + 1}", along, right, (-WALL, side_wall))

    def pocket(self):
        """A flat floor a step below the mouth, and an end panel; its lip carries the end of the chute."""
        begin, bottom, sides_top = self.length + GAP, self.mouth_z - lip - WALL, self.mouth_z + side_wall
        end = begin + pocket_length
        self.upright("lip", (begin - WALL, begin), (-outer, outer), (bottom, self.rest_z))
        self.upright("pocket-floor", (begin + GAP, end), (-width / 2, width / 2), (bottom, bottom + WALL))
        self.upright("pocket-left", (begin + GAP, end), (width / 2 + GAP, outer), (bottom, sides_top))
        self.upright("pocket-right", (begin + GAP, end), (-outer, -width / 2 - GAP), (bottom, sides_top))
        z = (bottom, self.mouth_z + end_wall)
        self.upright("pocket-end", (end + GAP, end + GAP + WALL), (-outer, outer), z)

    def footing(self, places, tilt, edge, others):
        """Along, aside, foot and top of a leg at the first place that is free; None if no place is."""
        for along, aside in places:
            x, y = self.place(along, aside)
            top = (self.floor_z(along) - WALL / cos(radians(tilt)) if tilt else self.mouth_z - lip - WALL) - GAP
            foot = foothold(x, y, top, edge)
            if foot is not None and not any(other.covers(x, y, edge) for other in others):
                return along, aside, foot, top
        return None

    def leg(self, label, footing, tilt, edge):
        """A square leg; its top falls with the floor on it, since glue needs an area."""
        along, aside, foot, top = footing
        half, height, rise = edge / 2, top - foot - GAP, edge / 2 * tan(radians(tilt))
        *lower, (highest, end) = pieces(0.0, height - rise)
        for number, (low, high) in enumerate(lower):
            self.add(f"{label}-{number + 1}", Box(edge, edge, high - low), along, aside, foot + GAP + (low + high) / 2)
        side = Polygon((-half, 0), (half, 0), (half, end - highest), (-half, end - highest + 2 * rise), align=None)
        self.add(label, extrude(Plane.XZ * side, half, both=True), along, aside, foot + GAP + highest)


def pieces(begin, end, shift=0.0):
    """A span in equal pieces if it is longer than a printer's bed; `shift`, a share of a piece, moves the seams."""
    count = ceil((end - begin) / LONGEST)
    if count == 1:
        return [(begin, end)]
    seams = [begin + (number - shift) * (end - begin) / count for number in range(1, count + (shift > 0))]
    return list(zip([begin, *(seam + GAP for seam in seams)], [*seams, end]))


def foothold(x, y, top, edge):
    """Height of what a leg up to `top` would stand on; None if it cannot stand there."""
    reach = 0.75 * edge
    levels = [high[2] for low, high in solids if high[2] < top - 5 and is_near(x, y, low, high, -reach)]
    near = [(low[2], high[2]) for low, high in closed if is_near(x, y, low, high, reach + CLEAR)]
    near += [(low[2], high[2]) for low, high in beside_legs if is_near(x, y, low, high, reach + 1)]
    if not levels or any(low < top + CLEAR and high > max(levels) for low, high in near):
        return None
    return max(levels)


def is_near(x, y, low, high, by):
    return low[0] - by < x < high[0] + by and low[1] - by < y < high[1] + by


def lanes(axis):
    """Centre lines on which a chute passes boxes, or runs in the middle between two, or between one and a face."""
    aside = outer + CLEAR + 1
    lows, highs = [box[0][axis] for box in boxes], [box[1][axis] for box in boxes]
    found = [low - aside for low in lows] + [high + aside for high in highs]
    ends = [*highs, build.min_mm[axis]], [*lows, build.max_mm[axis]]
    found += [(end + begin) / 2 for end, begin in product(*ends) if begin - end > 2 * aside]
    return sorted({round(line, 1) for line in found if build.min_mm[axis] + aside < line < build.max_mm[axis] - aside})


def goal_points():
    """Places of the pocket's middle: the middle of the goal, then off it."""
    choices = []
    for axis in (0, 1):
        middle, half = goal.center_mm[axis], (goal.max_mm[axis] - goal.min_mm[axis]) / 2
        spare = max(half - pocket_length / 2 - 8, 0.0)
        choices.append((middle, middle - spare, middle + spare))
    (x, *_), (y, *_) = choices
    return sorted(product(*choices), key=lambda point: hypot(point[0] - x, point[1] - y))


def routes():
    """Places in plan that chutes lead through, the fewest chutes first."""
    begin, xs, ys = (start_x, start_y), lanes(0), lanes(1)
    ends = goal_points()
    yield from ((begin, end) for end in ends)
    for x, y in ends:
        yield from ((begin, (x, start_y), (x, y)), (begin, (start_x, y), (x, y)))
    for x, y in ends:
        yield from ((begin, (start_x, lane), (x, lane), (x, y)) for lane in ys)
        yield from ((begin, (lane, start_y), (lane, y), (x, y)) for lane in xs)
    for (x, y), lane_x, lane_y in product(ends, xs, ys):
        yield begin, (lane_x, start_y), (lane_x, lane_y), (x, lane_y), (x, y)
        yield begin, (start_x, lane_y), (lane_x, lane_y), (lane_x, y), (x, y)
    for (x, y), lane, one, other in product(ends[:1], xs, ys, ys):
        yield begin, (start_x, one), (lane, one), (lane, other), (x, other), (x, y)


def planned(places, slope_deg, most_drop, most_step):
    """The chutes along a route with their heights; None where they have no room, or too little or too much fall."""
    last = len(places) - 2
    chutes = [
        Chute(f"chute-{number + 1}", at, to, number == 0, number == last)
        for number, (at, to) in enumerate(zip(places, places[1:]))
    ]
    if any(chute.length < chute.panels + 25 for chute in chutes[1:]):
        return None
    run = sum(chute.length - chute.back for chute in chutes) + last * corner
    least = LEAST_DROP + run * tan(radians(slope_deg)) + last * step
    level = start_z - size / 2 - lip
    lowest = max(goal.min_mm[2] + 6, build.min_mm[2] + 15)
    pocket_z = min(max(level - least - 40, lowest), max(goal.max_mm[2] - 0.6 * size, lowest))
    spare = level - pocket_z - least
    if spare < 0:
        return None
    slope = min(degrees(atan(tan(radians(slope_deg)) + 0.5 * spare / run)), STEEPEST if last or not rolls else 22.0)
    spare -= run * (tan(radians(slope)) - tan(radians(slope_deg)))
    corner_drop = min(0.7 * spare / last, most_step) if last else 0.0
    drop = LEAST_DROP + spare - last * corner_drop
    chutes[0].panels = behind + size + 0.25 * drop
    if drop > most_drop or chutes[0].length < chutes[0].panels + 20:
        return None
    floor_at, top = start_z - size / 2 - drop, 0.0
    for chute in chutes:
        chute.slope, chute.floor_at = slope, floor_at
        chute.top = top or floor_at + max(1.5 * size, size / 2 + 0.15 * drop + 14)
        floor_at, top = chute.mouth_z - step - corner * tan(radians(slope)) - corner_drop, chute.mouth_z + far_wall
    if cross(chutes) or not all(is_clear(chute) for chute in chutes):
        return None
    held = {(chute.name, label == "pocket-leg") for chute, label, *_ in legs(chutes)}
    return chutes if len(held) == len(chutes) + 1 else None


def is_clear(chute):
    """Whether a chute is inside the build zone and clear of zones and solids."""
    for x, y, bottom, top in chute.samples():
        inside = is_near(x, y, build.min_mm, build.max_mm, -1.0)
        if not inside or bottom < build.min_mm[2] + 1 or top > build.max_mm[2]:
            return False
        near = [each for each in boxes if is_near(x, y, *each, CLEAR)]
        near += [each for each in solids if is_near(x, y, *each, 1)]
        if any(low[2] < top + CLEAR and high[2] > bottom - CLEAR for low, high in near):
            return False
    return True


def cross(chutes):
    """Whether a chute passes over or under one that does not follow it directly."""
    later = ((one, other) for number, one in enumerate(chutes) for other in chutes[number + 2 :])
    return any(one.covers(x, y, 2.0) for one, other in later for x, y, _, _ in other.samples())


def legs(chutes):
    """Chute, label, footing, tilt and edge of every leg that finds a place."""
    edge = min(LEG if len(chutes) > 1 else 1.5 * LEG, width)
    spare = (width - edge) / 2
    for number, chute in enumerate(chutes):
        spans, taken = 1 + int((chute.length - chute.back) / MOST_SPAN), []
        for span in range(spans):
            wanted = chute.back + span * (chute.length - chute.back) / spans  # the first one where the payload lands
            alongs = [wanted, *(wanted + sign * offset for offset in range(20, 161, 20) for sign in (1, -1))]
            alongs = [along for along in alongs if edge < along < chute.length - edge]
            alongs = [along for along in alongs if all(abs(along - other) > edge for other in taken)]
            places = list(product(alongs, (0.0,))) + list(product(alongs, (spare, -spare)))
            footing = chute.footing(places, chute.slope, edge, chutes[number + 1 :])
            if footing is not None:
                taken.append(footing[0])
                yield chute, f"leg-{span + 1}", footing, chute.slope, edge
    middle = chutes[-1].length + pocket_length / 2
    places = [(middle + along, aside) for aside in (0.0, -spare, spare) for along in (0.0, -12.0, 12.0)]
    footing = chutes[-1].footing(places, 0.0, edge, [])
    if footing is not None:
        yield chutes[-1], "pocket-leg", footing, 0.0, edge


def build_run():
    """Build the route of the fewest chutes, and the pocket at its end: flatter or with deeper drops only if needed."""
    ways = ((places, slope, *drops) for drops in DROPS for slope in SLOPES for places in routes())
    chutes = next(filter(None, starmap(planned, ways)))
    for upper, lower in zip([None, *chutes], chutes):
        if upper is None:
            lower.stand(lower.top, lower.top, lower.top)
            continue
        near, far = upper.rest_z, upper.mouth_z + far_wall
        tops = (near, far) if sin(radians(lower.yaw - upper.yaw)) > 0 else (far, near)
        lower.stand(upper.mouth_z + 1.2 * size, *tops, lintel_top=upper.mouth_z + side_wall)
    chutes[-1].pocket()
    for chute, *leg in legs(chutes):
        chute.leg(*leg)


def glued_machine():
    """All parts; whatever touches is glued."""
    machine = Compound(label="machine", children=parts)
    machine.metadata = {"mechanism": [*bond_contacts(*parts, to=environment)]}
    return machine
