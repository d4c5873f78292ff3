"""The parting direction of a mould, and rules for the undercuts that remain."""

from dataclasses import dataclass

import numpy as np
from contracts.models.design import Finding
from geometry.arrays import BoolArray, FloatArray, as_vector
from geometry.formatting import format_direction, format_point

from workbenches.findings import Measurement, Position, make_finding
from workbenches.part_frame import own_axes, six_directions
from workbenches.part_mesh import PartMesh, Samples

SAMPLES = 4000
UNDERCUT = 0.02
"""Share of a face's samples above which hidden ones count; below it they may be in a seam."""


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


def best_opening(mesh: PartMesh) -> MouldOpening:
    """Return the opening along one of the part's own axes that traps least, then with the fewest side actions."""
    samples = mesh.samples(SAMPLES)
    directions = six_directions(own_axes(mesh))
    seen = np.array([mesh.is_visible(samples, direction) for direction in directions])
    openings = [_opening(samples, directions, seen, axis) for axis in (2, 1, 0)]
    upright = [_upright_share(mesh, opening.pull) for opening in openings]
    order = sorted(range(3), key=lambda n: (int(openings[n].trapped.sum()), len(openings[n].side_actions), upright[n]))
    return openings[order[0]]


def undercuts(label: str, opening: MouldOpening) -> list[Finding]:
    """Report all side actions in one warning, and every face that stays trapped as an error."""
    return [*_side_actions(label, opening), *_trapped_faces(label, opening)]


def _opening(samples: Samples, directions: FloatArray, seen: BoolArray, axis: int) -> MouldOpening:
    free = seen[axis] | seen[axis + 3]
    caught = _in_undercut_faces(samples, ~free)
    sides = [index for index in range(6) if index % 3 != axis]
    left, actions = caught.copy(), list[int]()
    while left.any():
        best = max(sides, key=lambda side: int((left & seen[side]).sum()))
        if not (left & seen[best]).any():
            break
        actions.append(best)
        left &= ~seen[best]
    left = _in_undercut_faces(samples, left)
    chosen = tuple(directions[action] for action in actions)
    return MouldOpening(samples, directions[axis], chosen, caught & ~left, left)


def _in_undercut_faces(samples: Samples, hidden: BoolArray) -> BoolArray:
    undercut = np.zeros(len(hidden), dtype=np.bool_)
    for face in np.unique(samples.faces[hidden]):
        on_face = samples.faces == face
        if hidden[on_face].mean() > UNDERCUT:
            undercut |= on_face & hidden
    return undercut


def _upright_share(mesh: PartMesh, pull: FloatArray) -> float:
    """Return the share of the surface that is parallel to the pull, without any draft."""
    upright = np.abs(mesh.normals @ pull) < 1e-3
    return float(mesh.areas_mm2[upright].sum() / mesh.areas_mm2.sum())


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
        share = float((opening.trapped & on_face).sum() / on_face.sum())
        point_mm = as_vector(opening.samples.points_mm[opening.trapped & on_face][0])
        detail = (
            f"{label} has a face at {format_point(point_mm)} of which {share:.0%} is out of reach of both mould halves "
            "and of straight side actions, the maximum is 0%; open it, or split the part"
        )
        at = Position(int(face), point_mm)
        findings.append(make_finding("mould_undercut", label, detail, at=at, measurement=Measurement(share, 0.0)))
    return findings
