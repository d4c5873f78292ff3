"""Plates: the printed parts of one machine, laid out on beds by printer, material and accuracy."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import groupby

import numpy as np
from geometry.arrays import FloatArray

from build_package.printing.bed import BedPart

GAP_MM = 6.0
"""Between parts, and between parts and the edge of the bed: room for a brim."""


@dataclass(frozen=True, eq=False)
class Placed:
    """A piece at its place on a plate."""

    bed_part: BedPart
    label: str
    corner_mm: tuple[float, float]
    """Of its box, the lower left one, from that of the bed."""
    is_turned: bool = False
    """By a quarter turn, counter-clockwise seen from above."""

    @property
    def footprint_mm(self) -> tuple[float, float]:
        """Width and depth on the bed."""
        width, depth, _ = map(float, self.bed_part.size_mm)
        return (depth, width) if self.is_turned else (width, depth)

    @property
    def vertices_mm(self) -> FloatArray:
        """(n, 3), on the bed."""
        x, y, z = self.bed_part.vertices_mm.T
        turned = np.column_stack([float(self.bed_part.size_mm[1]) - y, x, z] if self.is_turned else [x, y, z])
        return turned + np.array([*self.corner_mm, 0.0])


@dataclass(frozen=True, eq=False)
class Plate:
    """Pieces that are printed together."""

    name: str
    pieces: tuple[Placed, ...]

    @property
    def beyond(self) -> tuple[str, ...]:
        """Labels of pieces that lie beyond the bed as their price assumed; they fit when they stand or lie askew."""
        room = self.first.printer.build_volume_mm
        sizes = ((each.label, (*each.footprint_mm, float(each.bed_part.size_mm[2]))) for each in self.pieces)
        return tuple(label for label, size in sizes if any(a > b for a, b in zip(size, room, strict=True)))

    @property
    def first(self) -> BedPart:
        """One of its parts: they share printer, material and accuracy."""
        return self.pieces[0].bed_part


def plates_of(parts: Sequence[BedPart]) -> list[Plate]:
    """Lay out all pieces, the largest first, in rows; a piece that lies beyond its bed gets a plate of its own."""
    groups = groupby(sorted(parts, key=_group), key=_group)
    layers = [pieces for _, each in groups for pieces in _layouts(list(each))]
    return [
        Plate(f"plate-{number}-{pieces[0].bed_part.part.material.id}", tuple(pieces))
        for number, pieces in enumerate(layers, start=1)
    ]


def _group(each: BedPart) -> tuple[str, str, tuple[float, ...]]:
    return each.part.material.id, each.part.tolerance_class, each.printer.build_volume_mm


@dataclass
class _Row:
    """A row of pieces on a bed, the deepest first."""

    start_mm: float
    depth_mm: float
    end_mm: float
    """Where the next piece begins."""
    pieces: list[Placed]


def _layouts(parts: Sequence[BedPart]) -> list[list[Placed]]:
    """Return the pieces of each bed: first fit, by decreasing depth (Coffman and others, 1980)."""
    width_mm, depth_mm, _ = parts[0].printer.build_volume_mm
    pieces = [_fitting(each, label, width_mm, depth_mm) for each in parts for label in each.part.labels]
    beds: list[list[_Row]] = []
    for piece in sorted(pieces, key=_depth, reverse=True):
        width, depth = piece.footprint_mm
        row = next((row for bed in beds for row in bed if row.end_mm + width <= width_mm - GAP_MM), None)
        if row is None:
            start = _start(width, width_mm)
            bed = next((bed for bed in beds if _end(bed) + depth <= depth_mm - GAP_MM), None)
            row = _Row(_start(depth, depth_mm) if bed is None else _end(bed), depth, start, [])
            if bed is None:
                beds.append([row])
            else:
                bed.append(row)
        row.pieces.append(replace(piece, corner_mm=(row.end_mm, row.start_mm)))
        row.end_mm += width + GAP_MM
    return [[piece for row in bed for piece in row.pieces] for bed in beds]


def _end(rows: Sequence[_Row]) -> float:
    """Return where the next row of a bed begins."""
    return rows[-1].start_mm + rows[-1].depth_mm + GAP_MM


def _start(edge_mm: float, bed_mm: float) -> float:
    """Return where the first piece of a row begins: away from the edge as far as it leaves room."""
    return min(GAP_MM, max(0.0, (bed_mm - edge_mm) / 2))


def _depth(piece: Placed) -> float:
    return piece.footprint_mm[1]


def _fitting(part: BedPart, label: str, width_mm: float, depth_mm: float) -> Placed:
    """Return a piece, turned if it fits only by a quarter turn."""
    width, depth, _ = map(float, part.size_mm)
    fits, fits_turned = (width <= width_mm and depth <= depth_mm), (depth <= width_mm and width <= depth_mm)
    return Placed(part, label, (0.0, 0.0), is_turned=fits_turned and not fits)
