"""The parts of a file side by side, as surfaces for a page: each has coordinates of its own, so they would overlap."""

from collections.abc import Iterator, Sequence

from build123d import Location
from contracts.quotes import DrawnPart
from geometry.cad_files.contents import NamedSolid
from geometry.display_mesh import TooManyTrianglesError, display_surface
from geometry.occt.brep import OCCT_ERRORS
from geometry.occt.measures import bounding_box

GAP_SHARE = 0.15
"""Of the length of a part, between it and the next."""
MOST_BYTES = 16 << 20
"""Of all surfaces of a file; what is beyond is not shown."""


def parts_in_a_row(solids: Sequence[NamedSolid]) -> Iterator[DrawnPart]:
    """Yield the parts along x, as many as can be shown."""
    end_mm: float | None = None
    held = 0
    for named in solids:
        bounds = bounding_box(named.solid)
        if bounds is None:
            continue
        low, high = bounds.min_mm, bounds.max_mm
        gap_mm = GAP_SHARE * max(bounds.size_mm)
        shift = (0.0, 0.0, 0.0) if end_mm is None else (end_mm + gap_mm - low[0], -low[1], -low[2])
        try:
            surface = display_surface(named.solid.moved(Location(shift)))
        except (TooManyTrianglesError, *OCCT_ERRORS):
            continue
        held += len(surface.vertices_mm) + len(surface.triangles)
        if held > MOST_BYTES:
            return
        end_mm = high[0] + shift[0] + gap_mm
        yield DrawnPart(name=named.name, surface=surface, offset_mm=shift)
