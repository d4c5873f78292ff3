"""Which solids are equal: the same shape, moved and turned but not mirrored, however it was drawn."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from build123d import CenterOf, Edge, Face, Solid

from geometry.arrays import FloatArray, crossed
from geometry.occt.measures import face_count, shared_edges, volume_integrals
from geometry.spatial import NearestNeighbours

APART_MM = 1e-3
"""Features of equal solids are at most this far apart."""
RELATIVE = 1e-6
"""Of areas, lengths and volumes."""
MOST_TRIES = 500
"""Ways of laying one solid onto another that are tried: more than a solid with many equal faces needs."""
MOST_FACES = 1000
"""More faces, such as those of an imported mesh, take seconds to compare."""


@dataclass(frozen=True, eq=False)
class _Features:
    """Middle and size of each face, and of each edge between two faces."""

    solid: Solid

    @cached_property
    def face_count(self) -> int:
        return face_count(self.solid)

    @cached_property
    def volume_mm3(self) -> float:
        return self.solid.volume

    @cached_property
    def center_mm(self) -> FloatArray:
        """(3,): the centre of mass."""
        return np.array(volume_integrals(self.solid).center_mm)

    @cached_property
    def faces(self) -> list[Face]:
        return list(self.solid.faces())

    @cached_property
    def edges(self) -> list[Edge]:
        """Without the seams of round faces, whose place is arbitrary."""
        return shared_edges(self.solid)

    @cached_property
    def sizes(self) -> FloatArray:
        """(n, 2): kind of curve or surface, and length or area."""
        rows = [(_code(face), face.area) for face in self.faces] + [(_code(edge), edge.length) for edge in self.edges]
        return np.array(rows)

    @cached_property
    def places_mm(self) -> FloatArray:
        """(n, 3), from the centre of mass."""
        middles = [each.center(CenterOf.MASS) for each in (*self.faces, *self.edges)]
        return np.array([tuple(middle) for middle in middles]) - self.center_mm


def equal_groups(solids: Sequence[Solid], most_faces: int = MOST_FACES) -> list[int]:
    """Return for each solid the position of the first one that is equal to it; one of more faces equals no other."""
    features = [_Features(solid) for solid in solids]
    first: list[int] = []
    for number, own in enumerate(features):
        known = dict.fromkeys(first)
        first.append(next((each for each in known if _are_equal(features[each], own, most_faces)), number))
    return first


def _are_equal(one: _Features, other: _Features, most_faces: int) -> bool:
    if one.face_count != other.face_count or one.face_count > most_faces:
        return False
    if not np.isclose(one.volume_mm3, other.volume_mm3, rtol=RELATIVE, atol=0):
        return False
    if one.sizes.shape != other.sizes.shape or not np.allclose(
        _sorted(one.sizes), _sorted(other.sizes), rtol=RELATIVE, atol=APART_MM
    ):
        return False
    return any(_match(one, other, turn) for turn in _turns(one, other))


def _match(one: _Features, other: _Features, turn: FloatArray) -> bool:
    """Tell whether each feature of a solid, turned (3, 3), lies on one of the other that has its size."""
    theirs, turned = np.hstack([other.places_mm, _scaled(other)]), np.hstack([one.places_mm @ turn.T, _scaled(one)])
    found = NearestNeighbours(theirs).query(turned, 1)[:, 0]
    apart_mm = np.linalg.norm(theirs[found] - turned, axis=1)
    return bool((apart_mm <= 2 * APART_MM).all()) and len(np.unique(found)) == len(found)


def _scaled(features: _Features) -> FloatArray:
    """Return the sizes (n, 2) as lengths that differ by less than the tolerance where the sizes are equal."""
    return features.sizes * np.array([1.0, RELATIVE])


def _turns(one: _Features, other: _Features) -> Iterator[FloatArray]:
    """Yield the rotations (3, 3) that lay two chosen features of a solid onto features of the other."""
    radii = np.linalg.norm(one.places_mm, axis=1)
    start = int(np.argmax(radii))
    if radii[start] <= APART_MM:
        yield np.eye(3)  # a ball
        return
    off_axis = np.linalg.norm(crossed(one.places_mm, one.places_mm[start]), axis=1) / radii[start]
    side = int(np.argmax(off_axis))
    tries = 0
    for first in _alike(one, other, start):
        if off_axis[side] <= APART_MM:
            yield _frame(other.places_mm[first], None) @ _frame(one.places_mm[start], None).T  # a solid of revolution
            continue
        frame = _frame(one.places_mm[start], one.places_mm[side])
        apart = np.linalg.norm(one.places_mm[side] - one.places_mm[start])
        for second in _alike(one, other, side):
            between = np.linalg.norm(other.places_mm[second] - other.places_mm[first])
            if abs(between - apart) > 2 * APART_MM:
                continue
            yield _frame(other.places_mm[first], other.places_mm[second]) @ frame.T
            tries += 1
            if tries == MOST_TRIES:
                return


def _alike(one: _Features, other: _Features, index: int) -> list[int]:
    """Return the features of the other solid with the size of one, as far from the centre."""
    same = np.isclose(other.sizes, one.sizes[index], rtol=RELATIVE, atol=APART_MM).all(axis=1)
    radius = np.linalg.norm(one.places_mm[index])
    near = np.abs(np.linalg.norm(other.places_mm, axis=1) - radius) <= APART_MM
    return np.flatnonzero(same & near).tolist()


def _frame(along: FloatArray, beside: FloatArray | None) -> FloatArray:
    """Return right-handed unit axes as columns (3, 3): the first along a vector, the second in the plane of both."""
    x = along / np.linalg.norm(along)
    z = crossed(x, np.eye(3)[int(np.argmin(np.abs(x)))] if beside is None else beside)
    z /= np.linalg.norm(z)
    return np.column_stack([x, crossed(z, x), z])


def _sorted(sizes: FloatArray) -> FloatArray:
    return sizes[np.lexsort((sizes[:, 1], sizes[:, 0]))]


def _code(shape: Face | Edge) -> float:
    """Return a number for the kind of a surface or curve; of edges a negative one."""
    code = list(type(shape.geom_type)).index(shape.geom_type) + 1
    return float(code if isinstance(shape, Face) else -code)
