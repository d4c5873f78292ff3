"""Holes with many flat sides, as polygon and mesh modellers draw round ones."""

from collections import Counter
from dataclasses import dataclass
from math import cos, pi

import numpy as np
from contracts.models.design import Finding
from geometry.arrays import FloatArray, as_vector
from geometry.formatting import format_mm, format_point

from workbenches.edges import Edge
from workbenches.findings import Measurement, Position, make_finding
from workbenches.part_mesh import PartMesh

LEAST_CORNERS = 7
"""A polygon of fewer is meant as one, such as the seat of a nut."""
PARALLEL = 0.9999
ROUND = 0.02
"""Relative difference of the corners' distances from the axis up to which they lie on a circle."""
TOLERANCE_MM = 0.1
"""[S] ISO 2768, medium, up to 6 mm: a round hole that differs by less from the polygon serves as well."""


@dataclass(frozen=True)
class PolygonHole:
    """A ring of flat faces around an axis."""

    faces: tuple[int, ...]
    diameter_mm: float
    """Of the circle through its corners."""
    length_mm: float
    middle_mm: FloatArray
    """(3,), on its axis."""

    @property
    def sagitta_mm(self) -> float:
        """How far its sides lie inside that circle."""
        return self.diameter_mm / 2 * (1 - cos(pi / len(self.faces)))


def polygon_holes(mesh: PartMesh, inner: list[Edge]) -> list[PolygonHole]:
    """Return the rings of flat faces that turn by the same inner edges all round."""
    straight = [edge for edge in inner if edge.is_straight and all(_is_flat(mesh, face) for face in edge.faces)]
    found: list[PolygonHole] = []
    for ring in _rings(straight):
        middles = np.array([edge.middle_mm for edge in ring])
        axis = ring[0].direction
        middle = middles.mean(axis=0)
        aside = (middles - middle) - np.outer((middles - middle) @ axis, axis)
        radii = np.linalg.norm(aside, axis=1)
        if len(ring) >= LEAST_CORNERS and np.ptp(radii) <= ROUND * radii.mean():
            faces = tuple(sorted({face for edge in ring for face in edge.faces}))
            length_mm = max(edge.length_mm for edge in ring)
            found.append(PolygonHole(faces, 2 * float(radii.mean()), length_mm, middle))
    return found


def polygon_finding(label: str, hole: PolygonHole) -> Finding:
    """Report a polygon where a round hole is cheaper, or all that a mill can cut."""
    is_error = hole.sagitta_mm > TOLERANCE_MM
    fix = (
        f"a round hole differs by {format_mm(hole.sagitta_mm)}, more than the {format_mm(TOLERANCE_MM)} of a medium "
        "tolerance, and a round mill cuts no sharp corners: make it round"
        if is_error
        else "a round hole is cheaper: draw it as a circle"
    )
    detail = (
        f"{label} has a polygon of {len(hole.faces)} corners of diameter {format_mm(hole.diameter_mm)} at "
        f"{format_point(as_vector(hole.middle_mm))} instead of a round hole; {fix}"
    )
    return make_finding(
        "cnc_sharp_corner",
        label,
        detail,
        at=Position(hole.faces[0], as_vector(hole.middle_mm)),
        measurement=Measurement(hole.sagitta_mm, TOLERANCE_MM, "mm"),
        severity="error" if is_error else "warning",
    )


def _is_flat(mesh: PartMesh, face: int) -> bool:
    return mesh.surfaces[face].kind == "plane"


def _rings(edges: list[Edge]) -> list[list[Edge]]:
    """Return the closed chains of parallel edges in which each face has two of them."""
    rings: list[list[Edge]] = []
    for parallel in _parallel(edges):
        uses = Counter(face for edge in parallel for face in edge.faces)
        left = [edge for edge in parallel if all(uses[face] == 2 for face in edge.faces)]
        while left:
            ring, faces = [left.pop()], set[int]()
            while new := [edge for edge in left if faces.union(ring[0].faces).intersection(edge.faces)]:
                faces.update(face for edge in (*ring, *new) for face in edge.faces)
                ring += new
                left = [edge for edge in left if edge not in new]
            if len(ring) == len({face for edge in ring for face in edge.faces}):
                rings.append(ring)
    return rings


def _parallel(edges: list[Edge]) -> list[list[Edge]]:
    groups: list[list[Edge]] = []
    for edge in edges:
        for group in groups:
            if abs(float(edge.direction @ group[0].direction)) > PARALLEL:
                group.append(edge)
                break
        else:
            groups.append([edge])
    return groups
