"""Wall thickness: measured straight through the material to a face that looks the other way."""

from dataclasses import dataclass

import numpy as np
from contracts.models.design import Finding, WorkbenchRule
from geometry.arrays import BoolArray, FloatArray, IntArray, as_vector
from geometry.formatting import format_mm, format_point
from parts_catalog.pricing.configuration import WallLimits

from workbenches.findings import Measurement, Position, make_finding
from workbenches.part_mesh import OFF_SURFACE_MM, PartMesh, Samples

OPPOSED = -0.7
"""Largest cosine between the two faces of a wall: near an edge a ray leaves through a neighbouring face."""
SLACK_MM = 0.01
"""Thickness that the triangulation may take from a wall."""


@dataclass(frozen=True)
class Thickness:
    """Wall thickness at points on the surface."""

    samples: Samples
    thickness_mm: FloatArray
    """(n,), inf at points without an opposite face."""
    is_wall: BoolArray
    """(n,), whether there is an opposite face."""
    opposite_faces: IntArray
    """(n,), the face on the other side, -1 without one."""

    def thinnest(self, share: float = 0.01) -> tuple[float, int] | None:
        """Return the thickness that `share` of all walls do not exceed, and its sample; None without walls.

        A share and not the minimum: where faces meet, every solid becomes thin.
        """
        walls = np.flatnonzero(self.is_wall)
        if not len(walls):
            return None
        order = walls[np.argsort(self.thickness_mm[walls], kind="stable")]
        sample = int(order[min(int(share * len(order)), len(order) - 1)])
        return float(self.thickness_mm[sample]), sample


def measure_thickness(mesh: PartMesh, samples: Samples) -> Thickness:
    """Measure the thickness of the material below every sample."""
    hits = mesh.first_hits(samples.points_mm - samples.normals * OFF_SURFACE_MM, -samples.normals)
    is_opposed = hits.is_hit & (np.einsum("nx,nx->n", hits.normals, samples.normals) < OPPOSED)
    thickness = np.where(is_opposed, hits.distance_mm + OFF_SURFACE_MM, np.inf)
    return Thickness(samples, thickness, is_opposed, np.where(is_opposed, hits.faces, -1).astype(np.int64))


def thin_walls(label: str, rule: WorkbenchRule, thickness: Thickness, limits: WallLimits) -> list[Finding]:
    """Report the thinnest wall if it is below a limit."""
    thinnest = thickness.thinnest()
    if thinnest is None or thinnest[0] >= limits.warning_below_mm - SLACK_MM:
        return []
    thin_mm, sample = thinnest
    is_error = thin_mm < limits.error_below_mm - SLACK_MM
    limit_mm = limits.error_below_mm if is_error else limits.warning_below_mm
    point_mm = as_vector(thickness.samples.points_mm[sample])
    detail = (
        f"{label} has a wall of {format_mm(thin_mm)} at {format_point(point_mm)}, the "
        f"{'minimum' if is_error else 'recommended minimum'} is {format_mm(limit_mm)}; make it "
        f"{format_mm(limit_mm - thin_mm)} thicker"
    )
    return [
        make_finding(
            rule,
            label,
            detail,
            at=Position(int(thickness.samples.faces[sample]), point_mm),
            measurement=Measurement(thin_mm, limit_mm, "mm"),
            severity="error" if is_error else "warning",
        )
    ]
