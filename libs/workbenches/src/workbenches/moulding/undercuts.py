"""Undercuts: what a slider frees costs money, what nothing frees cannot be moulded."""

import numpy as np
from contracts.models.design import Finding
from geometry.formatting import format_direction, format_point

from workbenches.moulding.parting import Opening
from workbenches.part_frame import vector_of
from workbenches.report import Measure, Spot, report


def undercuts(label: str, opening: Opening) -> list[Finding]:
    """Report sliders, all in one warning, and every face that stays trapped."""
    return [*_sliders(label, opening), *_trapped(label, opening)]


def _sliders(label: str, opening: Opening) -> list[Finding]:
    if not opening.side_actions:
        return []
    first = int(np.flatnonzero(opening.by_slider)[0])
    spot = vector_of(opening.samples.places_mm[first])
    ways = ", ".join(format_direction(vector_of(way)) for way in opening.side_actions)
    detail = (
        f"{label} has an undercut at {format_point(spot)} that needs {len(opening.side_actions)} side action(s), leaving "
        f"towards {ways}; each makes the mould dearer: open the undercut in the direction of pull "
        f"{format_direction(vector_of(opening.pull))}"
    )
    return [
        report(
            "mould_undercut",
            label,
            detail,
            at=Spot(int(opening.samples.faces[first]), spot),
            measure=Measure(len(opening.side_actions), 0, "count"),
            severity="warning",
        )
    ]


def _trapped(label: str, opening: Opening) -> list[Finding]:
    found: list[Finding] = []
    for face in np.unique(opening.samples.faces[opening.trapped]):
        on_face = opening.samples.faces == face
        share = float((opening.trapped & on_face).sum() / on_face.sum())
        spot = vector_of(opening.samples.places_mm[opening.trapped & on_face][0])
        detail = (
            f"{label} has a face at {format_point(spot)} of which {share:.0%} is out of reach of both halves of a mould and "
            "of straight side actions; nothing of it may be: open it, or split the part"
        )
        found.append(report("mould_undercut", label, detail, at=Spot(int(face), spot), measure=Measure(share, 0.0)))
    return found
