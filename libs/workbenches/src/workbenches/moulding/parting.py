"""The parting direction of a mould, and rules for the undercuts that remain."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from contracts.models.design import Finding
from geometry.arrays import BoolArray, FloatArray, as_vector
from geometry.formatting import format_direction, format_point

from workbenches.findings import Measurement, Position, make_finding
from workbenches.part_frame import six_directions
from workbenches.part_mesh import RIM_MM2, PartMesh, Samples

UNDERCUT = 0.02
"""Share of a face above which its hidden part counts; below it that may be in a seam."""
EQUAL = 1e-3
"""Shares and lengths that differ by less are equal."""


@dataclass(frozen=True)
class MouldOpening:
    """A mould that opens along one axis."""

    samples: Samples
    pull: FloatArray
    """(3,), unit vector; the halves move apart along it and against it."""
    side_actions: tuple[FloatArray, ...]
    """Directions (3,) in which side actions move out before the mould opens."""
    by_side_action: BoolArray
    """(n,), samples that only a side action frees."""
    trapped: BoolArray
    """(n,), samples that nothing frees."""


@lru_cache(maxsize=2)
def best_opening(mesh: PartMesh) -> MouldOpening:
    """Return the opening along one of the part's own axes that traps least, then with the fewest side actions."""
    samples, directions = mesh.samples, six_directions(mesh.axes)
    seen = np.array([mesh.is_visible(samples, direction) for direction in directions])
    openings = [_opening(samples, directions, seen, axis) for axis in (2, 1, 0)]
    return min(openings, key=lambda opening: _drawbacks(mesh, opening))


def undercuts(label: str, opening: MouldOpening) -> list[Finding]:
    """Report all side actions in one warning, and every face that stays trapped as an error."""
    return [*_side_actions(label, opening), *_trapped_faces(label, opening)]


def _opening(samples: Samples, directions: FloatArray, seen: BoolArray, axis: int) -> MouldOpening:
    free = seen[axis] | seen[axis + 3]
    caught = _in_undercut_faces(samples, ~free)
    sides = [index for index in range(6) if index % 3 != axis]
    _, left = _with_actions(samples, caught, seen, sides)
    trapped = _in_undercut_faces(samples, left)
    freed = caught & ~np.isin(samples.faces, samples.faces[trapped])
    actions, _ = _with_actions(samples, freed, seen, sides)  # none is made for a part of a face that stays trapped
    return MouldOpening(samples, directions[axis], tuple(directions[each] for each in actions), freed, trapped)


def _with_actions(
    samples: Samples, caught: BoolArray, seen: BoolArray, sides: list[int]
) -> tuple[list[int], BoolArray]:
    """Return the side actions that free most, and (n,) what is left. Those for a seam are not made."""
    left, actions = caught.copy(), list[int]()
    while left.any():
        best = max(sides, key=lambda side: round(float(samples.areas_mm2[left & seen[side]].sum()) / EQUAL))
        if samples.areas_mm2[left & seen[best]].sum() < RIM_MM2:
            break
        actions.append(best)
        left &= ~seen[best]
    return actions, left


def _drawbacks(mesh: PartMesh, opening: MouldOpening) -> tuple[int, int, int, int]:
    """Return what to minimise: the trapped share, side actions, the share without any draft, the length to pull."""
    areas = mesh.samples.areas_mm2
    upright = np.abs(mesh.samples.normals @ opening.pull) < EQUAL
    shares = (float(areas[chosen].sum() / areas.sum()) for chosen in (opening.trapped, upright))
    trapped, undrafted = (round(share / EQUAL) for share in shares)
    length = float(mesh.extents_mm[int(np.argmax(np.abs(mesh.axes @ opening.pull)))])
    return trapped, len(opening.side_actions), undrafted, round(length / EQUAL)


def projected_mm2(mesh: PartMesh, pull: FloatArray) -> float:
    """Return the area of a part's shadow, with what covers another part of it counted again."""
    return float((mesh.samples.areas_mm2 * np.abs(mesh.samples.normals @ pull)).sum() / 2)


def _in_undercut_faces(samples: Samples, hidden: BoolArray) -> BoolArray:
    undercut = np.zeros(len(hidden), dtype=np.bool_)
    for face in np.unique(samples.faces[hidden]):
        if not samples.are_most(int(face), ~hidden, 1 - UNDERCUT):
            undercut |= (samples.faces == face) & hidden
    return undercut


def _side_actions(label: str, opening: MouldOpening) -> list[Finding]:
    count = len(opening.side_actions)
    if not count:
        return []
    first = int(np.flatnonzero(opening.by_side_action)[0])
    point_mm = as_vector(opening.samples.points_mm[first])
    directions = ", ".join(format_direction(as_vector(direction)) for direction in opening.side_actions)
    detail = (
        f"{label} has an undercut at {format_point(point_mm)} that needs {count} side action(s) towards {directions}, "
        "each of which makes the mould more expensive; open the undercut in the pull direction "
        f"{format_direction(as_vector(opening.pull))}"
    )
    at, measurement = Position(int(opening.samples.faces[first]), point_mm), Measurement(count, 0, "count")
    return [make_finding("mould_undercut", label, detail, at=at, measurement=measurement, severity="warning")]


def _trapped_faces(label: str, opening: MouldOpening) -> list[Finding]:
    findings: list[Finding] = []
    for face in np.unique(opening.samples.faces[opening.trapped]):
        on_face = opening.samples.faces == face
        share = opening.samples.share_of(int(face), opening.trapped)
        point_mm = as_vector(opening.samples.points_mm[opening.trapped & on_face][0])
        detail = (
            f"{label} has a face at {format_point(point_mm)} of which {share:.0%} is out of reach of both mould halves "
            f"and of straight side actions, the maximum is {UNDERCUT:.0%}; open it, or split the part"
        )
        at = Position(int(face), point_mm)
        findings.append(make_finding("mould_undercut", label, detail, at=at, measurement=Measurement(share, UNDERCUT)))
    return findings
