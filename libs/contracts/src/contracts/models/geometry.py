"""Axis-aligned boxes and vectors, in millimetres."""

from typing import Self

from pydantic import FiniteFloat, model_validator

from contracts.model import Model

Vector = tuple[FiniteFloat, FiniteFloat, FiniteFloat]
"""x, y, z; the unit is in the name of the field."""

Quaternion = tuple[FiniteFloat, FiniteFloat, FiniteFloat, FiniteFloat]
"""w, x, y, z; unit length."""


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
