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
        for axis, low, high in zip("xyz", self.min_mm, self.max_mm, strict=True):
            if low >= high:
                raise ValueError(f"min_mm must be below max_mm, but {axis} runs from {low:g} to {high:g}")
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
