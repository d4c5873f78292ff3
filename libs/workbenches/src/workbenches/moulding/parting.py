"""Which way a mould opens, and what keeps the part in it."""

from dataclasses import dataclass

import numpy as np

from workbenches.part_frame import own_axes, six_ways
from workbenches.part_mesh import Flags, Floats, PartMesh, Samples

SAMPLES = 4000
CATCHES = 0.02
"""Share of a face's samples that may be hidden before it counts: the rest is where samples lie in a seam."""


@dataclass(frozen=True)
class Opening:
    """A mould that opens along one axis."""

    samples: Samples
    pull: Floats
    """(3,), unit vector; the halves go apart along it and against it."""
    side_actions: tuple[Floats, ...]
    """Directions (3,) in which sliders leave before the mould opens."""
    by_slider: Flags
    """(n,), samples that only a slider frees."""
    trapped: Flags
    """(n,), samples that nothing frees."""


def best_opening(mesh: PartMesh) -> Opening:
    """Return the way to open along one of the part's own axes that traps least, then with the fewest sliders."""
    samples = mesh.samples(SAMPLES)
    axes = own_axes(mesh)
    ways = six_ways(axes)
    seen = np.array([mesh.sees_sky(samples, way) for way in ways])
    openings = [_opening(samples, ways, seen, number) for number in (2, 1, 0)]
    upright = [_upright_share(mesh, opening.pull) for opening in openings]
    order = sorted(range(3), key=lambda n: (int(openings[n].trapped.sum()), len(openings[n].side_actions), upright[n]))
    return openings[order[0]]


def _opening(samples: Samples, ways: Floats, seen: Flags, axis: int) -> Opening:
    free = seen[axis] | seen[axis + 3]
    caught = _in_faces_that_catch(samples, ~free)
    sides = [way for way in range(6) if way % 3 != axis]
    left, actions = caught.copy(), list[int]()
    while left.any():
        best = max(sides, key=lambda way: int((left & seen[way]).sum()))
        if not (left & seen[best]).any():
            break
        actions.append(best)
        left &= ~seen[best]
    left = _in_faces_that_catch(samples, left)
    chosen = tuple(ways[way] for way in actions)
    return Opening(samples, ways[axis], chosen, caught & ~left, left)


def _in_faces_that_catch(samples: Samples, hidden: Flags) -> Flags:
    kept = np.zeros(len(hidden), dtype=np.bool_)
    for face in np.unique(samples.faces[hidden]):
        on_face = samples.faces == face
        if hidden[on_face].mean() > CATCHES:
            kept |= on_face & hidden
    return kept


def _upright_share(mesh: PartMesh, pull: Floats) -> float:
    """Return the share of the surface that stands along the pull without any draft."""
    upright = np.abs(mesh.normals @ pull) < 1e-3
    return float(mesh.areas_mm2[upright].sum() / mesh.areas_mm2.sum())
