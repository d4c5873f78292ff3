# Appended to an environment.py: one straight open chute from below each payload's start to the middle of the goal zone.
# It knows nothing of the task but its boxes, costs nothing, and is a fixed part of the world.
from math import atan2 as _atan2
from math import degrees as _degrees
from math import hypot as _hypot

from build123d import Box as _Box
from build123d import Plane as _Plane
from build123d import Polygon as _Polygon
from build123d import Pos as _Pos
from build123d import Rot as _Rot
from build123d import extrude as _extrude

_build_world = build

_WALL, _CLEAR, _LEAST_MM3 = 4.0, 1.0, 1.0


def _filled(box, margin):
    low, high = (tuple(end + sign * margin for end in ends) for ends, sign in ((box.min_mm, -1), (box.max_mm, 1)))
    middle = (((a + b) / 2) for a, b in zip(low, high, strict=True))
    return _Pos(*middle) * _Box(*(b - a for a, b in zip(low, high, strict=True)))


def _between(low, high, floor, top, half):
    """Return the solid between two distances along the chute, from its floor up to a height above it."""
    corners = [(low, floor(low)), (high, floor(high)), (high, floor(high) + top), (low, floor(low) + top)]
    return _extrude(_Plane.XZ * _Polygon(*corners, align=None), half, both=True)


def _chute(variant, payload):
    """Return a chute with upright walls and the space inside, uncut; its floor is a line from start to goal."""
    goal = variant.goal_zone
    extent, jitter = max(payload.extents_mm), variant.replica_jitter_mm
    x, y, _ = payload.start_mm
    away_x, away_y = goal.center_mm[0] - x, goal.center_mm[1] - y
    along, beside = _hypot(away_x, away_y), extent / 2 + jitter + _CLEAR
    end_z = max(goal.center_mm[2] - extent / 2, goal.min_mm[2] + _WALL)
    below = payload.box.min_mm[2] - _CLEAR
    if below - end_z < along / 8:
        end_z = goal.min_mm[2] + _WALL  # as steep as it can be
    slope = (below - end_z) / (along + beside)  # the floor passes below the payload, also uphill of it

    def floor(distance):
        return end_z + slope * (along - distance)

    def thick(distance):
        return floor(distance) - _WALL

    behind, end, height = -beside - extent / 4, along + 0.8 * extent, 3 * extent
    outer = _between(behind - _WALL, end + _WALL, thick, height, beside + _WALL)
    inner = _between(behind, end, floor, 2 * height, beside)
    place = _Pos(x, y, 0) * _Rot(0, 0, _degrees(_atan2(away_y, away_x)))
    return place * outer, place * inner


def build(variant):
    """Return the world with the part of the chute that lies in the build zone, and in no solid or forbid zone."""
    world = _build_world(variant)
    (first, space), *others = [_chute(variant, payload) for payload in variant.payloads]
    chute = first
    for outer, _ in others:
        chute = chute + outer
    for inner in (space, *(inner for _, inner in others)):
        chute = chute - inner
    chute = chute & _filled(variant.build_zone, 0.0)
    for zone in variant.forbid_zones:
        if zone.binds != "payload":
            chute = chute - _filled(zone.box, _CLEAR)
    for solid in list(world.children) or world.solids():
        chute = chute - solid
    for payload in variant.payloads:
        chute = chute - _filled(payload.box, _CLEAR)
    pieces = [each for each in chute.solids() if each.volume > _LEAST_MM3]
    for number, piece in enumerate(pieces):
        piece.label = f"straight-chute-{number}"
    world.children = [*world.children, *pieces]
    return world
