"""The check that precedes all others: a part is exactly one closed, finite solid of moderate complexity."""

from math import isfinite

from build123d import Solid
from contracts.models.geometry import Vector

from geometry.display_mesh import MAX_FACES
from geometry.formatting import format_place, format_point
from geometry.occt.brep import OCCT_ERRORS, Contents, UnreadableBrepError, is_valid, read_brep
from geometry.occt.crossings import crossed_axis, crossed_outline
from geometry.occt.measures import bounding_box, face_count, first_vertex
from geometry.self_intersection import self_intersection

MAX_SIZE_MM = 1e5
"""Beyond this, rounding exceeds the tolerances of all checks."""


class InvalidSolidError(ValueError):
    """The geometry is not one usable solid; the message continues a sentence about the part, with advice."""


def read_single_solid(brep: bytes) -> Solid:
    """Return the only solid of a B-rep; raise `InvalidSolidError` if there is anything else."""
    try:
        return single_solid(read_brep(brep))
    except UnreadableBrepError as error:
        raise InvalidSolidError(f"has no readable geometry ({error}); pass a Part or a Solid") from error


def single_solid(contents: Contents) -> Solid:
    """Return the only solid of a shape's contents; raise `InvalidSolidError` if there is anything else."""
    try:
        solid = only_solid(contents)
        _check(solid)
    except OCCT_ERRORS as error:
        raise InvalidSolidError("has inconsistent geometry; rebuild it") from error
    return solid


def only_solid(contents: Contents) -> Solid:
    """Return the only solid, unchecked; raise `InvalidSolidError` if there is anything else."""
    if len(contents.solids) == 1 and not contents.others:
        return contents.solids[0]
    fix = _PIECES if len(contents.solids) > 1 else "pass a Part or a Solid, such as the result of extrude"
    raise InvalidSolidError(f"{_holds(contents)}, exactly 1 is needed; {fix}")


_PIECES = (
    "a cut that goes right through, or a sum of shapes that do not touch, leaves pieces: let them touch, or make each "
    "a part of its own with label and metadata"
)
MOST_PIECES = 3
"""Listed in a message."""


def _holds(contents: Contents) -> str:
    """Return what a shape holds instead of one solid, with the place and size of the first pieces."""
    loose = f" and {contents.others} loose faces or edges" if contents.others else ""
    text = f"holds {len(contents.solids)} solids{loose}"
    if len(contents.solids) < 2:
        return text
    places = [format_place(bounds) for solid in contents.solids[:MOST_PIECES] if (bounds := bounding_box(solid))]
    return f"{text} ({'; '.join(places)}{'; ...' if len(contents.solids) > MOST_PIECES else ''})"


def _check(solid: Solid) -> None:
    """Do the cheap checks first: a broken or huge solid must not cost minutes."""
    faces = face_count(solid)
    if faces > MAX_FACES:
        vertex = first_vertex(solid)
        place = f" at {format_point(vertex)}" if vertex else ""
        raise InvalidSolidError(
            f"has {faces} faces{place}, at most {MAX_FACES} can be judged; model it with exact surfaces instead of "
            "triangles"
        )
    bounds = bounding_box(solid)
    if not _is_finite(solid) or bounds is None or max(map(abs, (*bounds.min_mm, *bounds.max_mm))) > MAX_SIZE_MM:
        raise InvalidSolidError(
            f"has coordinates that are not finite or beyond {MAX_SIZE_MM:g} mm; look for NaN and inf in its numbers"
        )
    crossing = self_intersection(solid, bounds) or crossed_axis(solid)
    if crossing is not None:
        raise _crossing(crossing)
    volume = solid.volume
    if not isfinite(volume) or volume <= 0:
        raise InvalidSolidError(f"has a volume of {volume:.3g} mm³, more than 0 is needed; rebuild it")
    if not is_valid(solid):
        crossing = crossed_outline(solid)
        if crossing is not None:
            raise _crossing(crossing)
        raise InvalidSolidError(
            f"around {format_point(bounds.center_mm)} is not closed, or its faces cross each other; rebuild it from "
            "simpler steps, with outlines that do not cross themselves"
        )


def _crossing(point_mm: Vector) -> InvalidSolidError:
    return InvalidSolidError(
        f"intersects itself near {format_point(point_mm)}, so that its volume is undefined; keep outlines from "
        "crossing themselves, and sweeps and coils from running through themselves"
    )


def _is_finite(solid: Solid) -> bool:
    return all(isfinite(value) for vertex in solid.vertices() for value in (vertex.X, vertex.Y, vertex.Z))
