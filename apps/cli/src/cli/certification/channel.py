"""An open channel along a polyline as collision shapes of the world, with mitred walls and level corners."""

from dataclasses import dataclass
from itertools import pairwise
from math import atan2, cos, hypot, pi, sin, tan

import numpy as np
from contracts.models.geometry import Quaternion, Vector
from contracts.models.scene import BoxGeom

THICKNESS_MM = 4.0
SHARPEST = 2 * pi / 3
"""Turn of a corner above which its walls would have no end."""


@dataclass(frozen=True)
class BentChannel:
    """Floor and walls along points of the floor, each x, y and z in mm."""

    points: tuple[Vector, ...]
    half_width_mm: float
    height_mm: float
    behind_mm: float
    """Length before the first point, where a wall closes it."""
    beyond_mm: float
    """The same after the last one."""

    @property
    def sharpest_turn(self) -> float:
        """The largest change of direction in plan, in radians."""
        return max(map(abs, self._turns), default=0.0)

    def geoms(self) -> tuple[BoxGeom, ...]:
        """Return its boxes; the upper side of the floor passes through the points."""
        offsets = [0.0, *(self.half_width_mm * tan(min(abs(turn), SHARPEST) / 2) for turn in self._turns), 0.0]
        signs = [0.0, *(float(np.sign(turn)) for turn in self._turns), 0.0]
        boxes: list[BoxGeom] = []
        for number, (start, end) in enumerate(pairwise(self.points)):
            piece = _Piece(start, end, offsets[number], offsets[number + 1])
            boxes += self._piece(piece, number == 0, number == len(self.points) - 2, signs[number : number + 2])
        return (*boxes, *(self._corner(*ends) for ends in zip(self.points[1:-1], offsets[1:-1], strict=True)))

    @property
    def _turns(self) -> list[float]:
        headings = [atan2(end[1] - start[1], end[0] - start[0]) for start, end in pairwise(self.points)]
        return [(after - before + pi) % (2 * pi) - pi for before, after in pairwise(headings)]

    def _piece(self, piece: "_Piece", is_first: bool, is_last: bool, signs: list[float]) -> list[BoxGeom]:
        low = -self.behind_mm if is_first else piece.first
        high = piece.length + self.beyond_mm if is_last else piece.length - piece.last
        wide = self.half_width_mm + THICKNESS_MM
        boxes = [piece.box((low, high), (-wide, wide), (-THICKNESS_MM, 0.0))]
        for side in (-1.0, 1.0):  # the wall outside of a turn is longer by the mitre, the one inside is shorter
            begin = low if is_first else side * signs[0] * piece.first
            end = high if is_last else piece.length - side * signs[1] * piece.last
            across = sorted((side * self.half_width_mm, side * wide))
            boxes.append(piece.box((begin, end), (across[0], across[1]), (-THICKNESS_MM, self.height_mm)))
        ends = [(low - THICKNESS_MM, low)] * is_first + [(high, high + THICKNESS_MM)] * is_last
        return boxes + [piece.box(each, (-wide, wide), (-THICKNESS_MM, self.height_mm)) for each in ends]

    def _corner(self, point: Vector, offset: float) -> BoxGeom:
        edge = 2 * hypot(self.half_width_mm + THICKNESS_MM, offset)
        center = (point[0], point[1], point[2] - THICKNESS_MM / 2)
        return BoxGeom(center_mm=center, quaternion=(1.0, 0.0, 0.0, 0.0), size_mm=(edge, edge, THICKNESS_MM))


@dataclass(frozen=True)
class _Piece:
    """A straight piece between two points; level within its corners."""

    start: Vector
    end: Vector
    first: float
    """Length of the corner at its start."""
    last: float

    @property
    def length(self) -> float:
        """In plan."""
        return hypot(self.end[0] - self.start[0], self.end[1] - self.start[1])

    def box(self, along: tuple[float, float], across: tuple[float, float], up: tuple[float, float]) -> BoxGeom:
        """Return a box between distances along the piece in plan, across it to the left, and above its floor."""
        heading = atan2(self.end[1] - self.start[1], self.end[0] - self.start[0])
        sloped = max(self.length - self.first - self.last, 1.0)
        drop = atan2(self.start[2] - self.end[2], sloped)
        middle, aside, above = (sum(along) / 2, sum(across) / 2, sum(up) / 2)
        floor_z = self.start[2] - (middle - self.first) * tan(drop)
        forward = middle + above * sin(drop)
        center = (
            self.start[0] + forward * cos(heading) - aside * sin(heading),
            self.start[1] + forward * sin(heading) + aside * cos(heading),
            floor_z + above * cos(drop),
        )
        size = (max(along[1] - along[0], 0.1) / cos(drop), across[1] - across[0], up[1] - up[0])
        return BoxGeom(center_mm=center, quaternion=_turned(heading, drop), size_mm=size)


def _turned(heading: float, drop: float) -> Quaternion:
    """Return the turn about y by the drop, then about z by the heading."""
    half_z, half_y = heading / 2, drop / 2
    return (
        cos(half_z) * cos(half_y),
        -sin(half_z) * sin(half_y),
        cos(half_z) * sin(half_y),
        sin(half_z) * cos(half_y),
    )
