"""Convex regions inside a solid, each grown from a seed until the surface stops it.

A region starts as the solid's convex hull. The place outside the solid that is nearest to the seed, among those that
the region still holds, is cut off by a plane that touches the surface there; so on until none is left. Where the
surface is hollow such a plane lies in the material: a bore never gets narrower. After R. Deits and R. Tedrake,
Computing large convex regions of obstacle-free space, 2015, with a ball in the place of their ellipsoid.
"""

from dataclasses import dataclass

import numpy as np

from geometry.convexity import Array, Indexes, corners_between

SEED_MARGIN_MM = 0.02
"""How far a plane must stay away from the seed."""

MAX_CORNERS = 900
"""Of a region; a geom may have a thousand."""


@dataclass(frozen=True, eq=False)
class Obstacles:
    """Places just outside a solid that no region may hold."""

    probes_mm: Array
    """(n, 3)."""
    places_mm: Array
    """(n, 3): where on the surface each belongs."""
    normals: Array
    """(n, 3): the surface's own, outward."""

    def __add__(self, other: "Obstacles") -> "Obstacles":
        """Return both."""
        return Obstacles(
            np.vstack([self.probes_mm, other.probes_mm]),
            np.vstack([self.places_mm, other.places_mm]),
            np.vstack([self.normals, other.normals]),
        )


@dataclass(frozen=True, eq=False)
class Growth:
    """The planes between a seed and the obstacles around it."""

    seed_mm: Array
    """(3,)."""
    normals: Array
    """(m, 3), outward."""
    offsets_mm: Array
    """(m,): `normals @ x <= offsets_mm` inside."""
    gained: Indexes
    """The wanted targets that lie inside."""


@dataclass(frozen=True, eq=False)
class Region:
    """A convex polyhedron."""

    corners_mm: Array
    """(k, 3)."""
    normals: Array
    """(m, 3), outward."""
    offsets_mm: Array
    """(m,): `normals @ x <= offsets_mm` inside."""
    seed_mm: Array
    """A place well inside."""
    covered: Indexes
    """The targets that lie inside."""


@dataclass(frozen=True, eq=False)
class Room:
    """What regions grow in."""

    obstacles: Obstacles
    targets_mm: Array
    """(n, 3): places in the material that regions are to cover."""
    hull_normals: Array
    hull_offsets_mm: Array
    """Of the solid's convex hull."""


def bounded(room: Room, growth: Growth) -> Region:
    """Return the region that a growth makes of the solid's convex hull."""
    low, high = room.targets_mm.min(axis=0) - 10.0, room.targets_mm.max(axis=0) + 10.0
    normals = np.vstack([np.eye(3), -np.eye(3), growth.normals])
    offsets = np.concatenate([high, -low, growth.offsets_mm])
    corners = corners_between(normals, offsets, growth.seed_mm)
    # planes of the hull that no corner violates would change nothing
    cutting = (corners @ room.hull_normals.T > room.hull_offsets_mm).any(axis=0)
    normals = np.vstack([room.hull_normals[cutting], growth.normals])
    offsets = np.concatenate([room.hull_offsets_mm[cutting], growth.offsets_mm])
    return Region(
        corners_mm=corners_between(normals, offsets, growth.seed_mm),
        normals=normals,
        offsets_mm=offsets,
        seed_mm=growth.seed_mm,
        # targets are known to lie in the hull
        covered=inside(room.targets_mm, growth.normals, growth.offsets_mm),
    )


def trimmed(region: Region, needed_mm: Array, margin_mm: float) -> Array:
    """Return the corners (k, 3) of the part of a region around the places that it alone has to cover.

    Where regions sprawl far into each other, physics looks for contacts that are none.
    """
    around = np.vstack([needed_mm, region.seed_mm])
    axes = np.linalg.svd(around - around.mean(axis=0), full_matrices=False)[2] if len(around) > 3 else np.eye(3)
    spread = around @ axes.T
    normals = np.vstack([axes, -axes, region.normals])
    offsets = np.concatenate([spread.max(axis=0) + margin_mm, margin_mm - spread.min(axis=0), region.offsets_mm])
    corners = corners_between(normals, offsets, region.seed_mm)
    return corners if len(corners) <= MAX_CORNERS else _outermost(corners)


def _outermost(corners: Array) -> Array:
    """Return the corners that lie outermost in one of many even directions: the rest hardly shows."""
    turns = np.arange(MAX_CORNERS) + 0.5
    heights, angles = 1 - 2 * turns / MAX_CORNERS, np.pi * (1 + 5**0.5) * turns
    widths = np.sqrt(1 - heights**2)
    directions = np.column_stack([widths * np.cos(angles), widths * np.sin(angles), heights])
    return corners[np.unique(np.argmax(corners @ directions.T, axis=0))]


def grow(room: Room, seed: Array, wanted: Indexes) -> Growth:
    """Cut all obstacles off around a seed (3,); `wanted` targets decide where a cut can be made in several ways."""
    obstacles = room.obstacles
    normals: list[Array] = []
    offsets: list[float] = []
    away = obstacles.probes_mm - seed
    squares = np.einsum("ni,ni->n", away, away)
    alive = np.arange(len(squares))
    while len(alive):
        nearest = int(alive[np.argmin(squares[alive])])
        normal, offset = _plane(obstacles, nearest, seed, room.targets_mm[wanted])
        normals.append(normal)
        offsets.append(offset)
        # the nearest lies on or beyond its plane, but for rounding
        alive = alive[(obstacles.probes_mm[alive] @ normal < offset) & (alive != nearest)]
        wanted = wanted[room.targets_mm[wanted] @ normal < offset]
    return Growth(seed, np.array(normals).reshape(-1, 3), np.array(offsets), wanted)


def _plane(obstacles: Obstacles, index: int, seed: Array, targets: Array) -> tuple[Array, float]:
    """Cut one obstacle off: along the surface, or across the line to the seed, whichever leaves more targets."""
    probe, place, normal = (each[index] for each in (obstacles.probes_mm, obstacles.places_mm, obstacles.normals))
    across = (probe - seed) / np.linalg.norm(probe - seed)
    across_offset = float(max(across @ (probe + place) / 2, across @ seed + SEED_MARGIN_MM))
    across_offset = min(across_offset, float(across @ probe))
    along_offset = float(normal @ place)
    if normal @ seed > along_offset - SEED_MARGIN_MM or normal @ probe < along_offset:
        return across, across_offset
    left_along = np.count_nonzero(targets @ normal < along_offset)
    left_across = np.count_nonzero(targets @ across < across_offset)
    return (normal, along_offset) if left_along >= left_across else (across, across_offset)


def inside(points: Array, normals: Array, offsets: Array) -> Indexes:
    """Return the indexes (k,) of the points (n, 3) inside a polyhedron."""
    found = np.arange(len(points))
    for normal, offset in zip(normals, offsets, strict=True):
        found = found[points[found] @ normal <= offset]
    return found
