"""Axis-aligned boxes, vectors and rotations, in millimetres."""

from collections.abc import Iterable, Sequence
from math import cos, hypot, radians, sin
from typing import Self

from pydantic import FiniteFloat, model_validator

from contracts.model import Model

Vector = tuple[FiniteFloat, FiniteFloat, FiniteFloat]
"""x, y, z; the unit is in the name of the field."""

Rgba = tuple[float, float, float, float]
"""Red, green, blue and opacity, from 0 to 1."""

Quaternion = tuple[FiniteFloat, FiniteFloat, FiniteFloat, FiniteFloat]
"""w, x, y, z; unit length."""

UPRIGHT: Quaternion = (1.0, 0.0, 0.0, 0.0)
"""No rotation."""


def rotated(vector: Vector, quaternion: Quaternion) -> Vector:
    """Return a vector turned by a unit quaternion."""
    (x, y, z), (w, a, b, c) = vector, quaternion
    u, v, t = 2 * (b * z - c * y), 2 * (c * x - a * z), 2 * (a * y - b * x)
    return (x + w * u + b * t - c * v, y + w * v + c * u - a * t, z + w * t + a * v - b * u)


def turned_by(angles_deg: Vector) -> Quaternion:
    """Return the rotation about a body's own x, then its y, then its z axis, as build123d's `Rotation`."""
    result = UPRIGHT
    for axis, angle in enumerate(angles_deg):
        half = radians(angle) / 2
        x, y, z = (sin(half) if each == axis else 0.0 for each in range(3))
        result = _product(result, (cos(half), x, y, z))
    return result


def _product(first: Quaternion, second: Quaternion) -> Quaternion:
    """Return the rotation that turns by `second`, then by `first`."""
    (w, x, y, z), (a, b, c, d) = first, second
    return (
        w * a - x * b - y * c - z * d,
        w * b + x * a + y * d - z * c,
        w * c - x * d + y * a + z * b,
        w * d + x * c - y * b + z * a,
    )


def mirrored(quaternion: Quaternion, signs: Sequence[float]) -> Quaternion:
    """Return the rotation as a mirror shows it that turns the axes with a sign of -1 around.

    A reflection turns an axis of rotation over: its component along the mirrored axis stays, the others change sign.
    """
    w, *parts = quaternion
    product = signs[0] * signs[1] * signs[2]
    x, y, z = (part * product * sign for part, sign in zip(parts, signs, strict=True))
    return (w, x, y, z)


def length_of(quaternion: Quaternion) -> float:
    """Return the length of a quaternion; that of a rotation is 1."""
    return hypot(*quaternion)


class Box(Model):
    """An axis-aligned box in millimetres."""

    min_mm: Vector
    max_mm: Vector

    @model_validator(mode="after")
    def _require_volume(self) -> Self:
        edges = zip("xyz", self.min_mm, self.max_mm, strict=True)
        wrong = [f"{axis} runs from {low:g} to {high:g}" for axis, low, high in edges if low >= high]
        if wrong:
            raise ValueError(f"min_mm must be below max_mm, but {' and '.join(wrong)}")
        return self

    @classmethod
    def around(cls, points_mm: Iterable[Vector], margin_mm: float = 0.0) -> Self:
        """Return the box around points, with a margin on all sides."""
        xs, ys, zs = zip(*points_mm, strict=True)
        return cls(
            min_mm=(min(xs) - margin_mm, min(ys) - margin_mm, min(zs) - margin_mm),
            max_mm=(max(xs) + margin_mm, max(ys) + margin_mm, max(zs) + margin_mm),
        )

    @property
    def size_mm(self) -> Vector:
        """Size along x, y and z."""
        (x0, y0, z0), (x1, y1, z1) = self.min_mm, self.max_mm
        return (x1 - x0, y1 - y0, z1 - z0)

    @property
    def center_mm(self) -> Vector:
        """The middle of the box."""
        (x0, y0, z0), (x1, y1, z1) = self.min_mm, self.max_mm
        return ((x0 + x1) / 2, (y0 + y1) / 2, (z0 + z1) / 2)

    def contains(self, other: "Box", tolerance_mm: float = 1e-6) -> bool:
        """Return whether `other` is inside this box."""
        return all(
            low - tolerance_mm <= other_low and other_high <= high + tolerance_mm
            for low, high, other_low, other_high in zip(
                self.min_mm, self.max_mm, other.min_mm, other.max_mm, strict=True
            )
        )


def overhang(inner: Box, outer: Box) -> str:
    """Return how far `inner` extends beyond `outer`, on the axis where it does most; empty if it does not."""
    if outer.contains(inner):
        return ""
    edges = list(zip("xyz", inner.min_mm, inner.max_mm, outer.min_mm, outer.max_mm, strict=True))
    axis, low, high, outer_low, outer_high = max(edges, key=lambda each: max(each[3] - each[1], each[2] - each[4]))
    return f"runs from {axis} = {low:g} to {high:g} mm, beyond {outer_low:g} to {outer_high:g} mm"
