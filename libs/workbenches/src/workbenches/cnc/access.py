"""Tool access: which sides of a part a tool reaches from six directions, and the fewest set-ups for it."""

from dataclasses import dataclass
from itertools import combinations

import numpy as np
from geometry.arrays import BoolArray, FloatArray
from parts_catalog.methods.workshop_figures import CncRules

from workbenches.part_frame import six_directions
from workbenches.part_mesh import PartMesh, Samples
from workbenches.round_faces import RoundFace

FLANK = 0.1
"""Below this cosine a face is cut with the tool's side, and the tool must be as long as the face is deep."""
WORTHWHILE = 0.002
"""Least share of the surface for which a set-up is added."""
IN_ORDER = (2, 5, 0, 1, 3, 4)
UNREACHED = 100.0
EQUAL = 1e-3
"""Mean slenderness of tools that counts as equal."""


@dataclass(frozen=True)
class Access:
    """The samples that tools reach from the part's own six directions."""

    samples: Samples
    directions: FloatArray
    """(6, 3), from the part to the spindle."""
    reached: BoolArray
    """(6, n), whether a tool from there reaches a sample."""
    seen: BoolArray
    """(6, n), whether the sample is visible from there."""
    slenderness_from: FloatArray
    """(6, n), length over diameter of the tool that reaches a sample from there; inf behind material."""
    setups: tuple[int, ...]
    """The set-ups that are needed, as indexes of their directions."""

    @property
    def slenderness(self) -> FloatArray:
        """(n,), length over diameter of the tool that reaches a sample from its best side; inf if none does."""
        return self.slenderness_from.min(axis=0)

    def is_best_from(self, setup: int) -> BoolArray:
        """Return (n,): whether no other needed set-up reaches a sample with a stouter tool."""
        return self.slenderness_from[setup] <= self.slenderness_from[list(self.setups)].min(axis=0)

    def slenderest(self, face: int, share: float) -> int:
        """Return the sample of a face with the most slender tool among those that reach this share of what is seen."""
        on_face = np.flatnonzero((self.samples.faces == face) & np.isfinite(self.slenderness))
        order = on_face[np.argsort(self.slenderness[on_face], kind="stable")]
        areas: FloatArray = np.cumsum(self.samples.areas_mm2[order])
        return int(order[min(int((areas < share * areas[-1]).sum()), len(order) - 1)])

    @property
    def covered(self) -> BoolArray:
        """(n,), whether a sample is reached from any side."""
        return np.logical_or.reduce(self.reached)


def access_of(mesh: PartMesh, axes: FloatArray, rounds: list[RoundFace], rules: CncRules) -> Access:
    """Compute the access from six sides, and choose the fewest set-ups that reach all that can be reached."""
    samples = mesh.samples
    directions = six_directions(axes)
    gap_mm = mesh.first_hits(samples.points_mm, samples.normals, through="air").distance_mm
    longest = np.full(len(gap_mm), rules.reach_error)
    for face in rounds:
        if face.is_hole:
            longest[samples.faces == face.face] = np.inf  # drilled; holes have rules of their own
    slender = np.array([_slenderness(mesh, samples, direction, gap_mm, rules) for direction in directions])
    reached = np.isfinite(slender) & (slender <= longest)
    return Access(
        samples, directions, reached, np.isfinite(slender), slender, _setups(samples.areas_mm2, reached, slender)
    )


def _slenderness(
    mesh: PartMesh, samples: Samples, direction: FloatArray, gap_mm: FloatArray, rules: CncRules
) -> FloatArray:
    """Return (n,): length over diameter of the tool from one side; 0 where only its end cuts, inf behind material."""
    along = mesh.vertices_mm @ direction
    depth = along.max() - samples.points_mm @ direction
    thickest = np.clip(gap_mm, 1e-6, rules.tools_mm[0])
    slender = np.where(samples.normals @ direction < FLANK, depth / thickest, 0.0)
    return np.where(mesh.is_visible(samples, direction), slender, np.inf)


def _setups(areas_mm2: FloatArray, reached: BoolArray, slender: FloatArray) -> tuple[int, ...]:
    """Choose the fewest set-ups; among as few those with the stoutest tools, then from above, below and the sides."""
    most_missed = WORTHWHILE * areas_mm2.sum()
    reachable = reached.any(axis=0)
    clipped = np.minimum(slender, UNREACHED)
    for count in range(len(reached) + 1):
        choices: list[tuple[int, tuple[int, ...]]] = []
        for chosen in combinations(IN_ORDER, count):
            missed = reachable & ~reached[list(chosen)].any(axis=0)
            if areas_mm2[missed].sum() <= most_missed:
                tools = float((areas_mm2 * clipped[list(chosen)].min(axis=0, initial=UNREACHED)).sum())
                choices.append((round(tools / areas_mm2.sum() / EQUAL), chosen))
        if choices:
            return min(choices, key=lambda choice: choice[0])[1]
    raise AssertionError("all six set-ups together reach all that any of them reaches")
