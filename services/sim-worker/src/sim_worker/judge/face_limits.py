"""Limits of glued faces: force and moments about the three axes of the face count together."""

from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np
from contracts.models.scene import GluedFace, Weld

from sim_worker.run.readings import Readings
from sim_worker.units import Floats


@dataclass(frozen=True)
class FaceLimits:
    """Limits of `c` glued faces."""

    labels: tuple[str, ...]
    columns: np.ndarray[tuple[int], np.dtype[np.intp]]
    """(c,) among the judged welds."""
    max_force_n: Floats
    """(c,)"""
    axes: Floats
    """(c, 3, 3), axes of each face, one a row."""
    max_moments_n_m: Floats
    """(c, 3), about the axes."""

    @classmethod
    def of(cls, welds: list[tuple[int, Weld]]) -> Self:
        """Return the limits of the welds that are glued faces, each given with its column."""
        faces: list[tuple[int, str, GluedFace]] = [
            (column, weld.label, weld.face) for column, weld in welds if weld.face is not None
        ]
        return cls(
            labels=tuple(label for _, label, _ in faces),
            columns=np.array([column for column, _, _ in faces], dtype=np.intp),
            max_force_n=np.array([face.strength_mpa * face.area_mm2 for _, _, face in faces]),
            axes=np.array([face.axes for _, _, face in faces]).reshape(-1, 3, 3),
            max_moments_n_m=np.array([face.max_moments_n_m for _, _, face in faces]).reshape(-1, 3),
        )

    def uses(self, readings: Readings) -> Floats:
        """Return (n, c) shares of what the faces hold: force over its limit plus each moment over its own."""
        loads = readings.weld_loads[:, self.columns]
        force = np.sqrt(loads[:, :, 0] ** 2 + loads[:, :, 1] ** 2 + loads[:, :, 2] ** 2) / self.max_force_n
        moments = np.abs(loads[:, :, 3:].swapaxes(0, 1) @ self._moment_uses)
        uses: Floats = force + moments.sum(axis=2).T
        return uses

    @cached_property
    def _moment_uses(self) -> Floats:
        """(c, 3, 3) matrices from a moment to its shares of the limits about the axes; `einsum` takes longer."""
        return (self.axes / self.max_moments_n_m[:, :, None]).swapaxes(1, 2)

    def describe(self, column: int) -> str:
        """Return what a face holds, in words."""
        weak, strong, third = self.max_moments_n_m[column]
        return (
            f"it holds {self.max_force_n[column]:.3g} N, or {weak:.3g}, {strong:.3g} or {third:.3g} N m about its axes"
        )
