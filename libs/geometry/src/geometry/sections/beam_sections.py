"""Plane sections of a solid along its two longest principal axes: area, second moments and section moduli.

The sections are those of a triangle mesh. The integrals over a polygon are sums over its directed edges (Green's
theorem), so that the edges need not be put in order. Sections that fall into several islands count as one.
"""

from dataclasses import dataclass

import numpy as np
from build123d import Solid

from geometry.arrays import FloatArray, crossed
from geometry.boxes import OrientedBox
from geometry.display_mesh import ANGLE_RAD, CHORD_MM
from geometry.occt.measures import volume_integrals
from geometry.occt.meshes import closed_mesh
from geometry.sections.cores import NO_CORE, CoreShares, core_shares

SECTIONS = 12
"""Along each axis: in the middle of as many slices of equal thickness."""
LEAST_AREA_MM2 = 1e-6
"""Smaller sections are rounding errors of the mesh."""
IN_PLANE_MM = 1e-6

EQUAL = 1e-3
"""Moments that differ by a smaller share have no principal axes: then the axes follow the longest edge."""


@dataclass(frozen=True, eq=False)
class PlaneSection:
    """One section."""

    center_mm: FloatArray
    """(3,), centroid in the world."""
    area_mm2: float
    perimeter_mm: float
    """Of all outlines, those of holes included."""
    axes: FloatArray
    """(2, 3), principal axes; the least moment is needed to bend it about the first."""
    second_moments_mm4: FloatArray
    """(2,), about the axes through the centroid; the smaller first."""
    extents_mm: FloatArray
    """(2,), the largest distance of the section from each axis."""
    width_mm: float
    """Its larger extent along the two axes."""
    core: CoreShares
    """Of area and second moments, what lies deeper than the shell; nothing without a shell."""

    @property
    def moduli_mm3(self) -> FloatArray:
        """(2,), section moduli: second moments over the distances of the outermost fibres."""
        return self.second_moments_mm4 / self.extents_mm


@dataclass(frozen=True, eq=False)
class SectionedAxis:
    """The sections of a solid along one axis."""

    axis: FloatArray
    """(3,), unit."""
    start_mm: float
    """Position of the solid's first point along the axis, measured from the world's origin."""
    end_mm: float
    sections: tuple[PlaneSection, ...]


def sections_mesh(solid: Solid) -> FloatArray:
    """Return the triangles (m, 3, 3) whose sections are those of a solid."""
    return closed_mesh(solid, CHORD_MM, ANGLE_RAD).corners_mm


def sectioned_axes(
    corners_mm: FloatArray, axes: FloatArray, shell_mm: float | None = None
) -> tuple[SectionedAxis, ...]:
    """Return the sections of a solid along the longest two of its principal axes (3, 3), the longest first.

    `shell_mm` is of what is not solid throughout.
    """
    extents = [np.ptp(corners_mm.reshape(-1, 3) @ axis) for axis in axes]
    longest = np.argsort(extents, kind="stable")[::-1][:2]
    return tuple(_sectioned(corners_mm, axes[index], shell_mm) for index in longest)


def principal_axes(solid: Solid, box: OrientedBox | None) -> FloatArray:
    """Return (3, 3) axes, one a row. A box has its own; those of inertia are arbitrary where moments are equal."""
    if box is not None:
        return box.axes
    xx, yy, zz, xy, xz, yz = volume_integrals(solid).inertia_mm5
    _, columns = np.linalg.eigh(np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]))
    return columns.T


def _sectioned(corners_mm: FloatArray, axis: FloatArray, shell_mm: float | None) -> SectionedAxis:
    heights = corners_mm @ axis
    normals = crossed(corners_mm[:, 1] - corners_mm[:, 0], corners_mm[:, 2] - corners_mm[:, 0])
    forward = crossed(axis, normals)
    across = crossed(axis, np.eye(3)[int(np.argmin(np.abs(axis)))])
    across /= np.linalg.norm(across)
    plane = np.array([across, crossed(axis, across)])
    start, end = float(heights.min()), float(heights.max())
    places = start + (np.arange(SECTIONS) + 0.5) * (end - start) / SECTIONS
    found = (_section(_segments(corners_mm, _above(heights, place), forward), plane, shell_mm) for place in places)
    return SectionedAxis(axis, start, end, tuple(section for section in found if section is not None))


def _above(heights: FloatArray, place: float) -> FloatArray:
    """Return heights above a plane; corners of a face that lies in it are all in it, whatever the rounding."""
    above: FloatArray = heights - place
    return np.where(np.abs(above) < IN_PLANE_MM, 0.0, above)


def _section(segments: tuple[FloatArray, FloatArray], plane: FloatArray, shell_mm: float | None) -> PlaneSection | None:
    """Return the section with these edges; `plane` (2, 3) has two unit vectors in it, one a row."""
    starts, ends = segments
    if not len(starts):
        return None
    origin = starts.mean(axis=0)
    first, second = (starts - origin) @ plane.T, (ends - origin) @ plane.T
    twice = first[:, 0] * second[:, 1] - second[:, 0] * first[:, 1]
    area = float(twice.sum()) / 2
    if area < LEAST_AREA_MM2:
        return None
    middle = ((first + second) * twice[:, None]).sum(axis=0) / (6 * area)
    tensor = _second_moments(first - middle, second - middle)
    # The tensor holds the integrals of u², v², uv: its least eigenvalue is the least spread, along which it bends.
    found = np.linalg.eigh(tensor)
    spreads, columns = (np.asarray(each, dtype=np.float64) for each in found)
    if spreads[1] - spreads[0] < EQUAL * spreads[1]:
        columns = _longest_direction(second - first)
    along = np.asarray(
        columns.T @ plane, dtype=np.float64
    )  # rows: the direction of the least and of the greatest spread
    points: FloatArray = (first - middle) @ columns
    extents = np.abs(points).max(axis=0)
    core = core_shares(points, (second - middle) @ columns, shell_mm) if shell_mm else NO_CORE
    return PlaneSection(
        center_mm=origin + middle @ plane,
        area_mm2=area,
        perimeter_mm=float(np.linalg.norm(ends - starts, axis=1).sum()),
        axes=along[::-1],
        second_moments_mm4=spreads,
        extents_mm=extents,
        width_mm=float(np.ptp(points, axis=0).max()),
        core=core,
    )


def _longest_direction(edges: FloatArray) -> FloatArray:
    """Return (2, 2) the direction of the longest edge and the one across it, as columns."""
    lengths = np.linalg.norm(edges, axis=1)
    longest = int(np.argmax(lengths))
    x, y = edges[longest] / lengths[longest]
    return np.array([[x, -y], [y, x]])


def _segments(corners: FloatArray, heights: FloatArray, forward: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return starts and ends (n, 3) of the edges of the section at height 0.

    `corners` (m, 3, 3), `heights` (m, 3) and `forward` (m, 3) are of the mesh's triangles; along `forward`, an edge has
    the material on its left seen against the axis.
    """
    is_above = heights > 0
    is_cut = is_above.any(axis=1) & ~is_above.all(axis=1)
    corners, heights, is_above, forward = corners[is_cut], heights[is_cut], is_above[is_cut], forward[is_cut]
    count = is_above.sum(axis=1)
    # The corner that is alone on its side of the plane; both edges from it are cut.
    odd = is_above == (count == 1)[:, None]
    alone = np.asarray(np.argmax(odd, axis=1), dtype=np.int64)
    rows = np.arange(len(corners))
    points: list[FloatArray] = []
    for step in (1, 2):
        other = np.asarray((alone + step) % 3, dtype=np.int64)
        low, high = heights[rows, alone], heights[rows, other]
        share = (low / (low - high))[:, None]
        points.append(corners[rows, alone] + share * (corners[rows, other] - corners[rows, alone]))
    is_forward = ((points[1] - points[0]) * forward).sum(axis=1) > 0
    swap = is_forward[:, None]
    return np.where(swap, points[0], points[1]), np.where(swap, points[1], points[0])


def _second_moments(first: FloatArray, second: FloatArray) -> FloatArray:
    """Return (2, 2) integrals of u², uv and v² over the polygon with these directed edges."""
    twice = first[:, 0] * second[:, 1] - second[:, 0] * first[:, 1]
    squares = (first**2 + first * second + second**2) * twice[:, None]
    uu, vv = squares.sum(axis=0) / 12
    (u1, v1), (u2, v2) = first.T, second.T
    uv = float(((u1 * v2 + 2 * u1 * v1 + 2 * u2 * v2 + u2 * v1) * twice).sum()) / 24
    return np.array([[uu, uv], [uv, vv]])
