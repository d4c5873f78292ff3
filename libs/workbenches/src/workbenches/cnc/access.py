"""From which sides a tool reaches what, and how few clampings that takes."""

from dataclasses import dataclass

import numpy as np

from workbenches.configuration import CncRules
from workbenches.part_frame import six_ways
from workbenches.part_mesh import OFF_SURFACE_MM, Flags, Floats, PartMesh, Samples
from workbenches.round_faces import RoundFace

SAMPLES = 4000
FLANK = 0.1
"""Below this cosine a face is cut with the tool's side, and the tool must be as long as the face is deep."""
WORTH = 0.002
"""A clamping that reaches no more than this share of the surface is not made for it."""


@dataclass(frozen=True)
class Access:
    """What tools reach from the part's own six directions."""

    samples: Samples
    ways: Floats
    """(6, 3), where the spindle stands, seen from the part."""
    reached: Flags
    """(6, n), whether a tool from there reaches a sample."""
    seen: Flags
    """(6, n), whether nothing stands between."""
    slenderness: Floats
    """(n,), length over diameter of the tool that would get at a sample from its best side; inf where none can."""
    setups: tuple[int, ...]
    """The clampings that are needed, by the number of their way."""

    def share_seen(self, face: int, way: int) -> float:
        """Return which share of a face can be seen from one side, be it too deep for a tool or not."""
        return float(self.seen[way, self.samples.faces == face].mean())

    @property
    def covered(self) -> Flags:
        """(n,), whether a sample is reached at all."""
        return np.logical_or.reduce(self.reached)


def access_of(mesh: PartMesh, axes: Floats, rounds: list[RoundFace], rules: CncRules) -> Access:
    """Look from six sides, and choose as few of them as reach all that can be reached."""
    samples = mesh.samples(SAMPLES)
    ways = six_ways(axes)
    gap_mm = mesh.first_hits(samples.places_mm + samples.normals * OFF_SURFACE_MM, samples.normals).distance_mm
    longest = np.full(len(gap_mm), rules.reach_error)
    for hole in rounds:
        if hole.is_inner and hole.is_all_round:
            longest[samples.faces == hole.face] = np.inf  # drilled; holes have rules of their own
    slender = np.array([_slenderness(mesh, samples, way, gap_mm, rules) for way in ways])
    reached = np.isfinite(slender) & (slender <= longest)
    return Access(samples, ways, reached, np.isfinite(slender), slender.min(axis=0), _setups(reached))


def _slenderness(mesh: PartMesh, samples: Samples, way: Floats, gap_mm: Floats, rules: CncRules) -> Floats:
    """Return (n,): length over diameter of the tool from one side; 0 where only its end cuts, inf behind material."""
    along = mesh.vertices_mm @ way
    depth = along.max() - samples.places_mm @ way
    thickest = np.clip(gap_mm, 1e-6, rules.tools_mm[0])
    slender = np.where(samples.normals @ way < FLANK, depth / thickest, 0.0)
    return np.where(mesh.sees_sky(samples, way), slender, np.inf)


def _setups(reached: Flags) -> tuple[int, ...]:
    """Choose greedily, the part lying as it does first: from above, from below, then from its sides."""
    chosen: list[int] = []
    open_samples = reached.any(axis=0)
    needed = WORTH * reached.shape[1]
    order = (2, 5, 0, 1, 3, 4)
    while open_samples.sum() > needed:
        best = max(order, key=lambda way: int((reached[way] & open_samples).sum()))
        if (reached[best] & open_samples).sum() == 0:
            break
        chosen.append(best)
        open_samples = open_samples & ~reached[best]
    return tuple(chosen)
