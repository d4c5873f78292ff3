"""Solids of a file that lie in each other: each is priced by itself, though they cannot all be there."""

# pyright: basic, reportMissingTypeStubs=false, reportAttributeAccessIssue=false
# OCP ships no stubs, so strict checking would see nothing but unknowns here. Every function is fully annotated.

from collections.abc import Iterator, Sequence
from itertools import combinations, islice

import numpy as np
from build123d import Solid
from contracts.models.geometry import Box
from OCP.TopoDS import TopoDS, TopoDS_Shape

from geometry.cad_files.contents import NamedSolid
from geometry.cad_files.explored import pieces_of
from geometry.formatting import format_point
from geometry.occt.brep import OCCT_ERRORS, GeometryFailedError, is_valid
from geometry.occt.distances import Intersection, intersection
from geometry.occt.measures import bounding_box

LEAST_MM = 0.05
"""Mean thickness of what two solids share; a press fit has less."""
MOST_SOLIDS = 200
MOST_PAIRS = 100
"""Whose boxes overlap; more are not compared."""


def overlap_note(roots: Sequence[TopoDS_Shape], named: Sequence[NamedSolid]) -> str | None:
    """Return a sentence about the solids that lie in each other as the file places them; None if none do."""
    names = {each.solid.wrapped.TShape(): each.name for each in named if each.fault is None}
    solids = [Solid(TopoDS.Solid(piece)) for root in roots for piece in pieces_of(root, "SOLID")]
    if len(solids) > MOST_SOLIDS:
        return None
    found = [
        (common, one, other)
        for one, other in islice(_near(solids), MOST_PAIRS)
        if (common := _common(one, other)) is not None and common.thickness_mm > LEAST_MM
    ]
    if not found:
        return None
    common, *pair = max(found, key=lambda each: each[0].volume_mm3)
    one, other = (names.get(solid.wrapped.TShape(), "a solid") for solid in pair)
    which = f"two solids of the name {one}" if one == other else f"{one} and {other}"
    more = f", and {len(found) - 1} more pairs do" if len(found) > 1 else ""
    return (
        f"{which} overlap by {common.volume_mm3:.0f} mm3 around {format_point(common.center_mm)}{more}; they are "
        "priced as separate parts, which do not fit into each other: cut one out of the other, or join them to one"
    )


def _near(solids: Sequence[Solid]) -> Iterator[tuple[Solid, Solid]]:
    boxes = [(solid, box) for solid in solids if (box := bounding_box(solid)) is not None]
    return ((one, other) for (one, first), (other, second) in combinations(boxes, 2) if _share(first, second))


def _share(first: Box, second: Box) -> bool:
    low, high = np.maximum(first.min_mm, second.min_mm), np.minimum(first.max_mm, second.max_mm)
    return bool((high - low > LEAST_MM).all())


def _common(one: Solid, other: Solid) -> Intersection | None:
    """Return the common volume; None of broken solids, which are named by themselves."""
    try:
        return intersection(one, other) if is_valid(one) and is_valid(other) else None
    except (*OCCT_ERRORS, GeometryFailedError):
        return None
