"""Height maps: the part's height above a plane, on a grid, as seen from one direction."""

# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false
# scipy.ndimage leaves most of its types open; everything that this module exports is typed.

from dataclasses import dataclass

import numpy as np
from geometry.arrays import BoolArray, FloatArray
from scipy import ndimage

from workbenches.part_mesh import PartMesh
from workbenches.round_faces import RoundFace

MOST_CELLS = 60_000
PART_OF_CELL = 0.01
"""What rounding may add to a length without a further row of cells."""
PARALLEL = 0.999
ODD = 0.9793
"""Of a cell: walls lie at round lengths, and the middle of a cell should not lie on one."""


@dataclass(frozen=True, eq=False)
class HeightMap:
    """Heights above the part's lowest point along `up`; 0 in cells without material."""

    heights_mm: FloatArray
    """(rows, columns)"""
    cell_mm: float
    origin_mm: FloatArray
    """(3,), the middle of cell 0, 0 at height 0."""
    across: FloatArray
    """(2, 3), unit vectors along rows and along columns."""
    up: FloatArray
    """(3,), unit vector."""

    def point_mm(self, row: int, column: int) -> FloatArray:
        """Return the point (3,) on the surface of a cell."""
        flat = self.origin_mm + self.cell_mm * (row * self.across[0] + column * self.across[1])
        return flat + self.heights_mm[row, column] * self.up

    def is_near(self, points_mm: FloatArray, distance_mm: float) -> BoolArray:
        """Return (rows, columns): which cells are within a distance of any of these points (n, 3), seen from above."""
        rows, columns = np.indices(self.heights_mm.shape)
        near = np.zeros(self.heights_mm.shape, dtype=np.bool_)
        for row, column in (points_mm - self.origin_mm) @ self.across.T / self.cell_mm:
            near |= np.hypot(rows - row, columns - column) * self.cell_mm <= distance_mm
        return near

    def is_under(self, points_mm: FloatArray, cells: BoolArray) -> BoolArray:
        """Return (n,): which of these points (n, 3) are in a mask's cells, seen from above."""
        places = np.rint((points_mm - self.origin_mm) @ self.across.T / self.cell_mm).astype(np.intp)
        rows, columns = np.clip(places, 0, np.array(self.heights_mm.shape) - 1).T
        return cells[rows, columns]

    def residual_mm(self, tool_mm: float) -> FloatArray:
        """Return (rows, columns): the height of the material that a round tool of this diameter leaves."""
        footprint = _disk(tool_mm / self.cell_mm)
        edge = len(footprint)
        padded = np.pad(self.heights_mm, edge)  # with the ground around the part
        closed = np.asarray(ndimage.grey_closing(padded, footprint=footprint))[edge:-edge, edge:-edge]
        return closed - self.heights_mm


def height_map(mesh: PartMesh, up: FloatArray, across: FloatArray, cell_mm: float) -> HeightMap:
    """Map a part as seen from `up`; the cells are larger than requested where there would be too many."""
    low, high = np.array([mesh.range_mm(direction) for direction in across]).T
    size, (bottom, top) = high - low, mesh.range_mm(up)
    cell_mm = max(ODD * cell_mm, float(np.sqrt(size.prod() / MOST_CELLS)))
    rows, columns = (max(int(np.ceil(length / cell_mm - PART_OF_CELL)), 1) for length in size)
    middle = (low + high) / 2 - cell_mm * (np.array([rows, columns]) - 1) / 2  # a mirrored part has the same cells
    origin = middle @ across + bottom * up
    grid = np.stack(np.meshgrid(np.arange(rows), np.arange(columns), indexing="ij"), axis=-1).reshape(-1, 2)
    starts = origin + cell_mm * grid @ across + (top - bottom + 1.0) * up
    hits = mesh.first_hits(starts, np.tile(-up, (len(starts), 1)), through=None)
    heights = np.where(hits.is_hit, top - bottom + 1.0 - hits.distance_mm, 0.0)
    return HeightMap(heights.reshape(rows, columns), cell_mm, origin, across, up)


def without_holes(seen: HeightMap, rounds: list[RoundFace]) -> HeightMap:
    """Fill drilled holes: no mill has to reach into them."""
    heights = seen.heights_mm.copy()
    rows, columns = np.indices(heights.shape)
    for face in rounds:
        if not (face.is_hole and abs(float(face.axis @ seen.up)) > PARALLEL):
            continue
        middle = seen.across @ (face.axis_point_mm - seen.origin_mm) / seen.cell_mm
        distance = np.hypot(rows - middle[0], columns - middle[1]) * seen.cell_mm
        rim = (distance > face.radius_mm + seen.cell_mm) & (distance < face.radius_mm + 3 * seen.cell_mm)
        if rim.any():
            heights[distance <= face.radius_mm + seen.cell_mm] = float(np.median(heights[rim]))
    return HeightMap(heights, seen.cell_mm, seen.origin_mm, seen.across, seen.up)


def blobs(mask: BoolArray) -> list[BoolArray]:
    """Return the connected regions of a mask that contain a square of two by two cells, each as a mask."""
    opened = ndimage.binary_opening(mask, np.ones((2, 2)))
    labels, count = ndimage.label(opened)  # pyright: ignore[reportGeneralTypeIssues] - a tuple without `output`
    return [labels == number for number in range(1, count + 1)]


def grown(mask: BoolArray) -> BoolArray:
    """Return a mask and the cells around it, where the walls of what it covers are."""
    return np.asarray(ndimage.binary_dilation(mask, np.ones((3, 3))), dtype=np.bool_)


def _disk(diameter_cells: float) -> BoolArray:
    reach = int(diameter_cells / 2)
    rows, columns = np.indices((2 * reach + 1, 2 * reach + 1)) - reach
    return np.asarray(np.hypot(rows, columns) <= diameter_cells / 2)
