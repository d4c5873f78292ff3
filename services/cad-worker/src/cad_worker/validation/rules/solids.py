"""What a child of an assembly must be before anything else is said of it: one closed, finite, plain solid."""

from math import isfinite

from build123d import Solid
from geometry.display_mesh import MAX_FACES
from geometry.occt.distances import box_around, face_count, first_place
from geometry.occt.shapes import OCCT_ERRORS, UnreadableBrepError, is_valid, read_brep
from workbenches.finding_text import point

MAX_SIZE_MM = 1e5
"""Beyond, rounding exceeds the tolerances of all rules."""


class UnfitSolidError(ValueError):
    """The geometry is no usable solid; the message says what it is and what to do."""


def single_solid(brep: bytes) -> Solid:
    """Return the only solid of a B-rep; raise `UnfitSolidError` with what is there instead."""
    try:
        contents = read_brep(brep)
        if len(contents.solids) != 1 or contents.others:
            loose = f" and {contents.others} loose faces or edges" if contents.others else ""
            raise UnfitSolidError(
                f"holds {len(contents.solids)} solids{loose}, exactly 1 is needed; make each solid a labelled child of "
                "the assembly's own"
            )
        _examine(contents.solids[0])
    except UnreadableBrepError as error:
        raise UnfitSolidError(f"has no readable geometry ({error}); hand in a Part or a Solid") from error
    except OCCT_ERRORS as error:
        raise UnfitSolidError("has no consistent geometry; build it anew") from error
    return contents.solids[0]


def _examine(solid: Solid) -> None:
    """Ask the cheap questions first: a broken or huge solid must not cost minutes."""
    faces = face_count(solid)
    if faces > MAX_FACES:
        somewhere = first_place(solid)
        where = f" at {point(somewhere)}" if somewhere else ""
        raise UnfitSolidError(
            f"has {faces} faces{where}, at most {MAX_FACES} can be judged; model it of true surfaces, not of triangles"
        )
    around = box_around(solid)
    if not _is_finite(solid) or around is None or max(map(abs, (*around.min_mm, *around.max_mm))) > MAX_SIZE_MM:
        raise UnfitSolidError(
            f"has coordinates that are not finite or beyond {MAX_SIZE_MM:g} mm; look for NaN and inf in its numbers"
        )
    volume = solid.volume
    if not isfinite(volume) or volume <= 0:
        raise UnfitSolidError(f"has a volume of {volume:.3g} mm³, more than 0 is needed; build it anew")
    if not is_valid(solid):
        raise UnfitSolidError(
            f"around {point(around.center_mm)} is not closed or crosses itself; build it anew of simpler steps"
        )


def _is_finite(solid: Solid) -> bool:
    return all(isfinite(value) for vertex in solid.vertices() for value in (vertex.X, vertex.Y, vertex.Z))
