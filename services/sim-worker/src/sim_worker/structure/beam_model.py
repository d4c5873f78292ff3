"""One part as a beam: from forces and moments at its sections to stress, buckling and deflection.

Units are N, mm and MPa. Sources: Euler-Bernoulli beams and Euler buckling with effective lengths of 1 between supports
and 2 beyond the last one; local buckling of a long flat wall held at both edges, 4 pi² E / (12 (1 - nu²)) (t / b)², as
in Roark's Formulas for Stress and Strain.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from contracts.criteria import BUCKLING_SAFETY
from contracts.models.scene import Beam

from sim_worker.structure.supports import LEAST_CLAMP_MM, Support
from sim_worker.units import Floats

WALL_FACTOR = 3.6
"""4 pi² / (12 (1 - nu²)) for a Poisson's ratio of 0.3."""


@dataclass(frozen=True)
class BeamModel:
    """The sections of a beam as arrays over its `k` sections."""

    beam: Beam
    modulus_mpa: float
    areas_mm2: Floats
    """(k,)"""
    axes: Floats
    """(k, 2, 3), principal axes in the sections, the weaker first."""
    second_moments_mm4: Floats
    """(k, 2)"""
    moduli_mm3: Floats
    """(k, 2)"""
    buckling_n: Floats
    """(k,) compression at which the beam buckles at that section, as a whole or in a wall."""
    bending: Floats
    """(s, k) displacement of `s` points, from end to end, for the curvatures of the sections."""

    @classmethod
    def of(cls, beam: Beam, modulus_mpa: float, supports: list[Support]) -> "BeamModel":
        """Return the model of a beam that is held at supports."""
        sections = beam.sections
        axis = np.array(beam.axis)
        places = np.array([section.center_mm for section in sections]) @ axis
        areas = np.array([section.area_mm2 for section in sections])
        second_moments = np.array([section.second_moments_mm4 for section in sections])
        held_mm = np.sort(np.concatenate([support.points_mm @ axis for support in supports] or [np.zeros(0)]))
        lengths_mm = effective_lengths_mm(places, held_mm, beam.start_mm, beam.end_mm)
        walls = np.array([section.wall_mm / section.width_mm for section in sections])
        euler_n = np.pi**2 * modulus_mpa * second_moments[:, 0] / np.maximum(lengths_mm, 1e-9) ** 2
        return cls(
            beam=beam,
            modulus_mpa=modulus_mpa,
            areas_mm2=areas,
            axes=np.array([section.axes for section in sections]),
            second_moments_mm4=second_moments,
            moduli_mm3=np.array([section.moduli_mm3 for section in sections]),
            buckling_n=np.minimum(euler_n, WALL_FACTOR * modulus_mpa * walls**2 * areas),
            bending=_bending(beam, places, supports),
        )

    @property
    def length_mm(self) -> float:
        """From end to end."""
        return self.beam.end_mm - self.beam.start_mm

    def stresses_mpa(self, forces: Floats, moments: Floats) -> Floats:
        """Return (n, k) largest stresses, from forces (n, k) along the beam and moments (n, 2, k) about the axes."""
        bending = np.abs(moments) / self.moduli_mm3.T
        stresses: Floats = np.abs(forces) / self.areas_mm2 + bending[:, 0] + bending[:, 1]
        return stresses

    def energy_n_mm(self, forces: Floats, moments: Floats, free: Floats) -> float:
        """Return the elastic energy of forces (k,) along the beam and moments (2, k) about the axes.

        `free` (k,): share of each slice that counts.
        """
        slice_mm = self.length_mm / len(self.areas_mm2)
        each = forces**2 / self.areas_mm2 + (moments**2 / self.second_moments_mm4.T).sum(axis=0)
        return float(each @ free) * slice_mm / (2 * self.modulus_mpa)

    def buckling_uses(self, forces: Floats) -> Floats:
        """Return (n, k) compressions as shares of what the beam bears without buckling, safety included."""
        uses: Floats = BUCKLING_SAFETY * np.maximum(-forces, 0.0) / self.buckling_n
        return uses

    def deflections_mm(self, moments: Floats) -> Floats:
        """Return (n, s) distances by which the beam bends away from where its supports hold it."""
        bent = (moments.reshape(len(moments), -1) @ self._displacements).reshape(len(moments), 3, -1)
        distances: Floats = np.sqrt((bent**2).sum(axis=1))
        return distances

    @cached_property
    def _displacements(self) -> Floats:
        """(2 k, 3 s) displacements of the `s` points, which bend about vectors, for the moments of the sections."""
        curvatures = self.axes / (self.modulus_mpa * self.second_moments_mm4)[:, :, None]
        displacements = np.einsum("sk,kac->akcs", self.bending, curvatures)
        return np.ascontiguousarray(displacements.reshape(2 * len(self.areas_mm2), -1))


def effective_lengths_mm(places: Floats, held_mm: Floats, start_mm: float, end_mm: float) -> Floats:
    """Return (k,) buckling lengths at places along a beam: between two supports their distance, beyond the last twice.

    `held_mm`: sorted positions of the supports; a beam without any counts as held at both ends.
    """
    if not len(held_mm):
        return np.full(len(places), end_mm - start_mm)
    above = np.searchsorted(held_mm, places)
    low = held_mm[np.maximum(above - 1, 0)]
    high = held_mm[np.minimum(above, len(held_mm) - 1)]
    lengths = np.where(above == 0, 2 * (held_mm[0] - start_mm), high - low)
    return np.where(above == len(held_mm), 2 * (end_mm - held_mm[-1]), lengths)


def _bending(beam: Beam, places: Floats, supports: list[Support]) -> Floats:
    """Return (s, k) displacements of the ends and sections of a beam for its curvatures.

    The curvatures are integrated twice, and of all positions of the bent beam, the one is taken that displaces and
    turns the supports least (least squares): between two supports their chord, beyond a single one its tangent.
    """
    nodes = np.concatenate([[beam.start_mm], places, [beam.end_mm]])
    nearest = np.clip(np.arange(-1, len(places) + 1), 0, len(places) - 1)
    slopes = _integral(nodes) @ np.eye(len(places))[nearest]
    displacements = _integral(nodes) @ slopes
    axis = np.array(beam.axis)
    middle = (beam.start_mm + beam.end_mm) / 2
    rows, targets = list[Floats](), list[Floats]()
    for points in [support.points_mm for support in supports] or [np.outer(nodes[[0, -1]], axis)]:
        along = points @ axis
        weight = 1 / np.sqrt(len(points))
        rows.append(weight * np.stack([np.ones(len(along)), along - middle], axis=1))
        targets.append(weight * _at(along, nodes, displacements))
        across = points - points.mean(axis=0)
        across = across - np.outer(across @ axis, axis)
        clamp = max(float(np.sqrt((across**2).sum(axis=1).mean())), LEAST_CLAMP_MM)
        rows.append(clamp * np.array([[0.0, 1.0]]))
        targets.append(clamp * _at(along.mean(keepdims=True), nodes, slopes))
    position = np.linalg.lstsq(np.concatenate(rows), np.concatenate(targets), rcond=None)[0]
    bending: Floats = displacements - np.stack([np.ones(len(nodes)), nodes - middle], axis=1) @ position
    return bending


def _integral(nodes: Floats) -> Floats:
    """Return (s, s) cumulative integrals over the nodes by the trapezium rule."""
    steps = np.diff(nodes)
    matrix = np.zeros((len(nodes), len(nodes)))
    for row, step in enumerate(steps, start=1):
        matrix[row] = matrix[row - 1]
        matrix[row, row - 1] += step / 2
        matrix[row, row] += step / 2
    return matrix


def _at(places: Floats, nodes: Floats, values: Floats) -> Floats:
    """Return (p, k) rows (s, k) of values, interpolated at places (p,)."""
    above = np.clip(np.searchsorted(nodes, places), 1, len(nodes) - 1)
    shares = np.clip((places - nodes[above - 1]) / (nodes[above] - nodes[above - 1]), 0.0, 1.0)[:, None]
    rows: Floats = (1 - shares) * values[above - 1] + shares * values[above]
    return rows
