"""A part as it looks from one side: how high it stands at every place of a grid."""

from dataclasses import dataclass

import numpy as np

from workbenches.grids import closed
from workbenches.part_mesh import Flags, Floats, PartMesh
from workbenches.round_faces import RoundFace

MOST_CELLS = 60_000
PARALLEL = 0.999


@dataclass(frozen=True, eq=False)
class HeightMap:
    """Heights along `way`, above the part's lowest point; where there is nothing, that lowest point."""

    heights_mm: Floats
    """(rows, columns)"""
    cell_mm: float
    origin_mm: Floats
    """(3,), the middle of cell 0, 0 at height 0."""
    across: Floats
    """(2, 3), unit vectors along rows and along columns."""
    way: Floats
    """(3,), unit vector up."""

    def place_mm(self, row: int, column: int) -> Floats:
        """Return the place (3,) on the surface of a cell."""
        flat = self.origin_mm + self.cell_mm * (row * self.across[0] + column * self.across[1])
        return flat + self.heights_mm[row, column] * self.way

    def near(self, places_mm: Floats, distance_mm: float) -> Flags:
        """Return (rows, columns): which cells lie within a distance of any of these places (n, 3), seen from above."""
        rows, columns = np.indices(self.heights_mm.shape)
        close = np.zeros(self.heights_mm.shape, dtype=np.bool_)
        for row, column in (places_mm - self.origin_mm) @ self.across.T / self.cell_mm:
            close |= np.hypot(rows - row, columns - column) * self.cell_mm <= distance_mm
        return close

    def filled(self, tool_mm: float) -> Floats:
        """Return (rows, columns): how much a round tool of this diameter leaves standing, in mm of height."""
        return closed(self.heights_mm, _disk(tool_mm / self.cell_mm)) - self.heights_mm


def height_map(mesh: PartMesh, way: Floats, across: Floats, cell_mm: float) -> HeightMap:
    """Look at a part from `way`; the cells are larger than asked for where there would be too many."""
    flat = mesh.vertices_mm @ across.T
    low, size = flat.min(axis=0), np.ptp(flat, axis=0)
    cell_mm = max(cell_mm, float(np.sqrt(size.prod() / MOST_CELLS)))
    rows, columns = (max(int(np.ceil(length / cell_mm)), 1) for length in size)
    along = mesh.vertices_mm @ way
    bottom, top = float(along.min()), float(along.max())
    origin = (low + cell_mm / 2) @ across + bottom * way
    grid = np.stack(np.meshgrid(np.arange(rows), np.arange(columns), indexing="ij"), axis=-1).reshape(-1, 2)
    starts = origin + cell_mm * grid @ across + (top - bottom + 1.0) * way
    hits = mesh.first_hits(starts, np.tile(-way, (len(starts), 1)))
    heights = np.where(hits.struck, top - bottom + 1.0 - hits.distance_mm, 0.0)
    return HeightMap(heights.reshape(rows, columns), cell_mm, origin, across, way)


def without_holes(seen: HeightMap, rounds: list[RoundFace]) -> HeightMap:
    """Fill what a drill makes: no mill has to reach into it."""
    heights = seen.heights_mm.copy()
    rows, columns = np.indices(heights.shape)
    for hole in rounds:
        if not (hole.is_inner and hole.is_all_round and abs(float(hole.axis @ seen.way)) > PARALLEL):
            continue
        middle = seen.across @ (hole.axis_point_mm - seen.origin_mm) / seen.cell_mm
        distance = np.hypot(rows - middle[0], columns - middle[1]) * seen.cell_mm
        rim = (distance > hole.radius_mm + seen.cell_mm) & (distance < hole.radius_mm + 3 * seen.cell_mm)
        if rim.any():
            heights[distance <= hole.radius_mm + seen.cell_mm] = float(np.median(heights[rim]))
    return HeightMap(heights, seen.cell_mm, seen.origin_mm, seen.across, seen.way)


def _disk(diameter_cells: float) -> Flags:
    reach = int(diameter_cells / 2)
    rows, columns = np.indices((2 * reach + 1, 2 * reach + 1)) - reach
    return np.asarray(np.hypot(rows, columns) <= diameter_cells / 2)
