"""Boxes, axis-aligned or turned and tilted, and the distances between them. Millimetres, degrees."""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

Vec = tuple[float, float, float]


class Bounds(NamedTuple):
    """An axis-aligned box."""

    low: Vec
    high: Vec

    @property
    def center(self) -> Vec:
        """Centre of the box."""
        (x0, y0, z0), (x1, y1, z1) = self
        return ((x0 + x1) / 2, (y0 + y1) / 2, (z0 + z1) / 2)

    def grown(self, by_mm: float) -> "Bounds":
        """Return the box with every face moved outwards."""
        (x0, y0, z0), (x1, y1, z1) = self
        return Bounds((x0 - by_mm, y0 - by_mm, z0 - by_mm), (x1 + by_mm, y1 + by_mm, z1 + by_mm))

    def gap_mm(self, other: "Bounds") -> float:
        """Return the largest distance along an axis; negative if the boxes overlap in all three."""
        (x0, y0, z0), (x1, y1, z1) = self
        (u0, v0, w0), (u1, v1, w1) = other
        return max(x0 - u1, u0 - x1, y0 - v1, v0 - y1, z0 - w1, w0 - z1)

    def overhangs_mm(self, other: "Bounds") -> dict[str, float]:
        """Return by axis how far the other box reaches beyond this one; without the axes along which it does not."""
        axes = zip("xyz", *self, *other, strict=True)
        found = {axis: max(low - begin, end - high) for axis, low, high, begin, end in axes}
        return {axis: depth for axis, depth in found.items() if depth > 0}

    def contains(self, other: "Bounds") -> bool:
        """Tell whether the other box is inside."""
        (x0, y0, z0), (x1, y1, z1) = self
        (u0, v0, w0), (u1, v1, w1) = other
        return x0 <= u0 and u1 <= x1 and y0 <= v0 and v1 <= y1 and z0 <= w0 and w1 <= z1


@dataclass(frozen=True)
class TurnedBox:
    """A box, first pitched (its length slopes down forward), then turned by `yaw_deg` about the vertical."""

    center: Vec
    size: Vec
    """Length, width, height along its own axes."""
    yaw_deg: float = 0.0
    pitch_deg: float = 0.0

    @cached_property
    def axes(self) -> tuple[Vec, Vec, Vec]:
        """Unit vectors of length, width and height."""
        yaw, pitch = math.radians(self.yaw_deg), math.radians(self.pitch_deg)
        cos_yaw, sin_yaw, cos_pitch, sin_pitch = math.cos(yaw), math.sin(yaw), math.cos(pitch), math.sin(pitch)
        return (
            (cos_yaw * cos_pitch, sin_yaw * cos_pitch, -sin_pitch),
            (-sin_yaw, cos_yaw, 0.0),
            (cos_yaw * sin_pitch, sin_yaw * sin_pitch, cos_pitch),
        )

    @cached_property
    def bounds(self) -> Bounds:
        """The axis-aligned box around it."""
        reach = [
            sum(abs(axis[index]) * edge / 2 for axis, edge in zip(self.axes, self.size, strict=True))
            for index in range(3)
        ]
        x, y, z = self.center
        return Bounds((x - reach[0], y - reach[1], z - reach[2]), (x + reach[0], y + reach[1], z + reach[2]))


def upright(bounds: Bounds) -> TurnedBox:
    """Return an axis-aligned box as a turned one."""
    size = (bounds.high[0] - bounds.low[0], bounds.high[1] - bounds.low[1], bounds.high[2] - bounds.low[2])
    return TurnedBox(bounds.center, size)


def gap_mm(one: TurnedBox, other: TurnedBox) -> float:
    """Return the distance of two boxes along the best separating axis; negative depth if they overlap.

    Zero means contact. For boxes apart it is at most their true distance.
    """
    rough = one.bounds.gap_mm(other.bounds)
    if rough > 1.0:
        return rough
    offset = _minus(other.center, one.center)
    products = (_unit_cross(a, b) for a in one.axes for b in other.axes)
    axes = [*one.axes, *other.axes, *(axis for axis in products if axis is not None)]
    return max(abs(_dot(offset, axis)) - _reach(one, axis) - _reach(other, axis) for axis in axes)


def _reach(box: TurnedBox, direction: Vec) -> float:
    return sum(abs(_dot(axis, direction)) * edge / 2 for axis, edge in zip(box.axes, box.size, strict=True))


def _dot(a: Vec, b: Vec) -> float:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def _minus(a: Vec, b: Vec) -> Vec:
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


def _unit_cross(a: Vec, b: Vec) -> Vec | None:
    x, y, z = a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]
    length = math.sqrt(x * x + y * y + z * z)
    return None if length < 1e-6 else (x / length, y / length, z / length)
