"""An order in which parts can be put together, found by taking the machine apart.

A part, or a group that is put together first, is taken away if it can move straight out along some direction, or on any
way without turning. What one part blocks it still blocks with fewer parts around, so that no order is overlooked by
taking away whatever can be taken (R. Wilson and J.-C. Latombe, Geometric reasoning about mechanical assembly, 1994).
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from contracts.models.geometry import Vector
from contracts.models.scene import Geom

from geometry.arrays import BoolArray, FloatArray, as_vector
from geometry.assembly.mates import Mate
from geometry.assembly.shadows import SampledPart, blocking
from geometry.assembly.steps import AssemblyStep
from geometry.assembly.ways_out import Extent, has_way_out
from geometry.occt.meshes import TriangleMesh

FINEST_PIXEL_MM, COARSEST_PIXEL_MM, PIXELS = 0.5, 1.5, 400
"""Size of a pixel, and the number of them across the largest part."""
MOST_DIRECTIONS = 24
"""Of those that the shapes of parts suggest, once the axes do not suffice."""
MOST_GROUPS = 12
"""Parts whose ways out are sought on a grid, which takes about a second each."""


@dataclass(frozen=True, eq=False)
class AssemblyPart:
    """One part in its place in the machine."""

    label: str
    mesh: TriangleMesh
    geoms: tuple[Geom, ...]
    """Convex shapes that represent it."""
    directions: tuple[Vector, ...] = ()
    """Unit vectors along which its shape may slide: axes of holes and pins, straight edges."""

    @cached_property
    def box(self) -> Extent:
        """The box around it."""
        return self.mesh.vertices_mm.min(axis=0), self.mesh.vertices_mm.max(axis=0)


@dataclass(frozen=True)
class AssemblyOrder:
    """How parts are put together, or which of them cannot be."""

    steps: tuple[AssemblyStep, ...]
    """From the first; the first part is already there."""
    locked: tuple[str, ...] = ()
    """Parts that lock each other; none if there is an order."""


def merged(parts: Sequence[AssemblyPart]) -> AssemblyPart:
    """Return parts that are already in each other as one, with the label of the first."""
    counts = np.cumsum([0, *(len(part.mesh.vertices_mm) for part in parts)])
    mesh = TriangleMesh(
        np.vstack([part.mesh.vertices_mm for part in parts]),
        np.vstack([part.mesh.triangles + start for part, start in zip(parts, counts, strict=False)]),
        np.concatenate([part.mesh.faces for part in parts]),
    )
    directions = tuple(each for part in parts for each in part.directions)
    return AssemblyPart(parts[0].label, mesh, tuple(geom for part in parts for geom in part.geoms), directions)


@dataclass(frozen=True)
class Screwed:
    """Two parts that a screw joins, whose tool needs room in which a third one is: that one comes after the screw."""

    first: str
    second: str | None
    """None: what is there before the machine."""
    obstacle: str


def assembly_order(
    parts: Sequence[AssemblyPart],
    joined: Collection[tuple[str, str]] = (),
    screwed: Collection[Screwed] = (),
    mates: Collection[Mate] = (),
) -> AssemblyOrder:
    """Return an order of assembly of parts that do not overlap, or the parts that lock each other.

    Among parts that can be put in place next, it takes one that is `joined` to what is there, if there is one.
    """
    return _Machine(parts, joined, screwed, mates).order()


class _Machine:
    """Parts, and what is in whose way along each direction."""

    def __init__(
        self,
        parts: Sequence[AssemblyPart],
        joined: Collection[tuple[str, str]],
        screwed: Collection[Screwed],
        mates: Collection[Mate],
    ) -> None:
        self._parts = parts
        numbers = {part.label: number for number, part in enumerate(parts)}
        self._joined: dict[int, set[int]] = {number: set() for number in numbers.values()}
        for first, second in joined:
            if first in numbers and second in numbers:
                self._joined[numbers[first]].add(numbers[second])
                self._joined[numbers[second]].add(numbers[first])
        self._screwed = [
            (numbers[each.first], numbers.get(each.second or ""), numbers[each.obstacle])
            for each in screwed
            if {each.first, each.obstacle} <= numbers.keys() and (each.second is None or each.second in numbers)
        ]
        self._mates = [
            (numbers[each.first], numbers[each.second], each)
            for each in mates
            if {each.first, each.second} <= numbers.keys()
        ]
        largest = max((float(np.max(part.box[1] - part.box[0])) for part in parts), default=0.0)
        self._pixel_mm = min(max(largest / PIXELS, FINEST_PIXEL_MM), COARSEST_PIXEL_MM)
        self._sampled = [SampledPart.of(part.mesh, self._pixel_mm) for part in parts]
        self._shafts = [
            (second, SampledPart.of(mate.shaft, self._pixel_mm)) for _, second, mate in self._mates if mate.shaft
        ]
        self._blocking: dict[Vector, BoolArray] = {}

    def order(self) -> AssemblyOrder:
        steps: list[AssemblyStep] = []
        groups = [frozenset(range(len(self._parts)))]
        while groups:
            group = groups.pop()
            while len(group) > 1:
                found = self._removable(group)
                if found is None:
                    return AssemblyOrder((), self._labels(group))
                taken, direction = found
                inwards = None if direction is None else as_vector(-np.array(direction))
                group -= taken
                steps.append(AssemblyStep(self._labels(taken), self._labels(group), inwards))
                if len(taken) > 1:
                    groups.append(taken)
        return AssemblyOrder(tuple(reversed(steps)))

    def _labels(self, group: frozenset[int]) -> tuple[str, ...]:
        return tuple(self._parts[each].label for each in sorted(group))

    def _removable(self, group: frozenset[int]) -> tuple[frozenset[int], Vector | None] | None:
        """Return the fewest parts that can be taken away from a group at once, and the direction."""
        found: tuple[frozenset[int], Vector | None] | None = None
        clusters = self._clusters(group)
        for direction in self._directions(group):
            closures = list(self._closures(group, direction))
            single = [each for each in closures if len(each) == 1 < len(group)]
            kept = next(
                (each for each in self._ordered(single, clusters) if not self._parts_rest(each, clusters)), None
            )
            if kept is not None:
                return kept, direction
            taken = min(closures, key=len, default=group)
            if len(taken) < len(group) and (found is None or len(taken) < len(found[0])):
                found = (taken, direction)
        return found or next(self._freed(group), None)

    def _clusters(self, group: frozenset[int]) -> list[frozenset[int]]:
        """Return the parts of a group that are joined, directly or by others of it, the smallest cluster first."""
        left, clusters = set(group), list[frozenset[int]]()
        while left:
            start = min(left)
            cluster, queue = {start}, [start]
            while queue:
                ahead = (self._joined[queue.pop()] & left) - cluster
                cluster |= ahead
                queue += ahead
            left -= cluster
            clusters.append(frozenset(cluster))
        return sorted(clusters, key=len)

    def _ordered(
        self, single: Sequence[frozenset[int]], clusters: Sequence[frozenset[int]]
    ) -> Iterator[frozenset[int]]:
        """Yield single parts, those of the smallest cluster first: one is taken apart before the next."""
        for cluster in clusters:
            yield from (each for each in single if each <= cluster)

    def _parts_rest(self, taken: frozenset[int], clusters: Sequence[frozenset[int]]) -> bool:
        """Tell whether a cluster falls apart without a part."""
        cluster = next(each for each in clusters if taken <= each)
        return len(self._clusters(cluster - taken)) > 1

    def _directions(self, group: frozenset[int]) -> Iterator[Vector]:
        yield from ((0, 0, 1), (1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0), (0, 0, -1))
        suggested = [
            *(np.array(each) for *pair, mate in self._mates if {*pair} <= group for each in mate.ways),
            *(np.array(each) for index in sorted(group) for each in self._parts[index].directions),
        ]
        distinct: list[FloatArray] = [np.eye(3)[axis] for axis in range(3)]
        for each in suggested:
            if len(distinct) < MOST_DIRECTIONS and max(abs(float(each @ other)) for other in distinct) < 0.9999:
                distinct.append(each)
        for each in distinct[3:]:
            yield as_vector(each)
            yield as_vector(-each)

    def _closures(self, group: frozenset[int], direction: Vector) -> Iterator[frozenset[int]]:
        """Yield for each part the parts that must move with it along a direction: those in its way, and in theirs.

        Where an obstacle keeps the tool from a screw, both parts that it joins move as one.
        """
        rows = self._blockers(direction)
        pairs, held = self._held(group)
        for start in group:
            closure, queue = {start}, [start]
            while queue:
                last = queue.pop()
                ahead = [each for each in group - closure if rows[each, last] or frozenset((each, last)) in pairs]
                closure.update(ahead)
                queue += ahead
            if not closure & held:
                yield frozenset(closure)

    def _held(self, group: frozenset[int]) -> tuple[set[frozenset[int]], set[int]]:
        """Return the pairs whose screws cannot be reached, and the parts that are so held by what is there before."""
        held = [(first, second) for first, second, obstacle in self._screwed if obstacle in group]
        pairs = {frozenset((first, second)) for first, second in held if second is not None}
        return pairs, {first for first, second in held if second is None}

    def _blockers(self, direction: Vector) -> BoolArray:
        opposite = self._blocking.get(as_vector(-np.array(direction)))
        if direction not in self._blocking:
            # what is in the way of another has that in its own way back
            self._blocking[direction] = self._in_the_way(direction) if opposite is None else opposite.T
        return self._blocking[direction]

    def _in_the_way(self, direction: Vector) -> BoolArray:
        """Return what is in whose way, with the shafts that reach from a part to another, and what mates allow."""
        count, back = len(self._parts), as_vector(-np.array(direction))
        sampled = [*self._sampled, *(shaft for _, shaft in self._shafts)]
        whole = blocking(sampled, np.array(direction), self._pixel_mm)
        found = whole[:count, :count]
        for number, (owner, _) in enumerate(self._shafts, start=count):
            on_it = {owner, *(first for first, second, mate in self._mates if second == owner and mate.away is None)}
            others = [each for each in range(count) if each not in on_it]
            found[owner, others] |= whole[number, others]
            found[others, owner] |= whole[others, number]
        for first, second, mate in self._mates:
            found[second, first] |= not mate.parts_along(direction)
            found[first, second] |= not mate.parts_along(back)
        return found

    def _freed(self, group: frozenset[int]) -> Iterator[tuple[frozenset[int], None]]:
        """Yield parts of a group that have a way out that is not straight, the smallest first."""
        pairs, held = self._held(group)
        loose = group - held - {each for pair in pairs for each in pair if pair <= group}
        by_size = sorted(loose, key=lambda each: float(np.prod(self._parts[each].box[1] - self._parts[each].box[0])))
        for index in by_size[:MOST_GROUPS]:
            part, others = self._parts[index], [self._parts[each] for each in group if each != index]
            box = (
                np.min([each.box[0] for each in others], axis=0),
                np.max([each.box[1] for each in others], axis=0),
            )
            geoms = [geom for other in others for geom in other.geoms]
            if has_way_out(part.geoms, part.box, geoms, box):
                yield frozenset({index}), None
