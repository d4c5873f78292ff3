"""The surface of a mesh: which of it a region covers, how thick the solid is there, and where it has sharp corners."""

# pyright: basic, reportMissingTypeStubs=false, reportAttributeAccessIssue=false, reportOptionalSubscript=false
# pyright: reportCallIssue=false, reportArgumentType=false, reportReturnType=false
# scipy's trees have no types, so strict checking would see unknowns. Every function is fully annotated.

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from strength.models import BallRegion, BoxRegion, Region, RodRegion
from strength.tetrahedra import Floats, Ints, Tetrahedra

SHARP = float(np.cos(np.radians(40.0)))
"""Cosine between two triangles' normals: meshes of round faces have flatter edges."""
BESIDE = 1.3
"""Distance over that of the nearest triangle, of those that a region beside the surface covers."""
SPOT_REACH = 3.0
"""Thicknesses from a contact, at which its spot ends: there, the stress of a plate has fallen to half."""
BAR, PLATE = 2.0, 6.0
"""Widths over thickness, from a bar, in which a contact has no spot, to a plate, in which it has the whole one."""
WAYS = 8
"""In which the width at a contact is measured."""
CLOSED = 0.5
"""Sum of a region's normals over their lengths, below which it goes around something."""
ALONG = 0.7
"""Least cosine between the normals of a flat box and of the surface in it."""
NEIGHBOR_MM, EDGE = 0.3, 1e-6
"""Distance of a neighbour's triangles from the surface on them, and how far beyond their edges, as a share."""
FEW = 5
"""Nodes, that hold no face: a neighbour that is smaller than a triangle holds all of it."""
LINE = 1e-3
"""Width over length, below which a region is a line and the thickness alone counts."""
RAYS = 150
"""Through the solid, at most so many for all corners, and for each region."""
ON_SURFACE = 1e-4
"""Share of the diagonal by which a region may miss the surface."""


def is_inside(region: Region, points: Floats, slack_mm: float) -> NDArray[np.bool_]:
    """Tell which points (n, 3) a region contains."""
    offsets = points - np.array(region.center_mm)
    if isinstance(region, BallRegion):
        return np.linalg.norm(offsets, axis=1) <= region.radius_mm + slack_mm
    if isinstance(region, RodRegion):
        axis = np.array(region.axis) / np.linalg.norm(region.axis)
        along = offsets @ axis
        across = np.linalg.norm(offsets - along[:, None] * axis, axis=1)
        return (np.abs(along) <= region.half_length_mm + slack_mm) & (across <= region.radius_mm + slack_mm)
    return np.all(np.abs(offsets @ np.array(region.axes).T) <= np.array(region.half_mm) + slack_mm, axis=1)


def triangles_in(mesh: Tetrahedra, region: Region) -> Ints:
    """Return the numbers of the surface's triangles with their centre in a region; of a flat box, those along it."""
    if isinstance(region, BoxRegion) and region.neighbor_mm:
        lies = _lie_on(_neighbor(region), mesh.centers, mesh.normals)
        near = is_inside(region, mesh.centers, NEIGHBOR_MM + 2 * max(region.half_mm))
        if (lies & near).any():
            return np.flatnonzero(lies & near)
    inside = is_inside(region, mesh.centers, _slack_mm(mesh))
    if isinstance(region, BoxRegion) and (flat := _flat_normal(region)) is not None:
        inside &= np.abs(_units(mesh.normals) @ flat) > ALONG
    return np.flatnonzero(inside)


def _neighbor(region: BoxRegion) -> Floats:
    return np.frombuffer(region.neighbor_mm, dtype="<f4").reshape(-1, 3, 3).astype(np.float64)


def _lie_on(triangles: Floats, points: Floats, normals: Floats) -> NDArray[np.bool_]:
    """Tell which points (p, 3) of a surface with these normals lie on triangles (n, 3, 3) that face them."""
    found = np.zeros(len(points), dtype=np.bool_)
    units = _units(normals)
    for first, second, third in triangles:
        normal = np.cross(second - first, third - first)
        double = float(normal @ normal)
        if double < 1e-18:
            continue
        offsets = points - first
        high = np.abs(offsets @ normal) <= NEIGHBOR_MM * np.sqrt(double)
        near = np.flatnonzero(high & (units @ normal < -ALONG * np.sqrt(double)))
        u = np.cross(offsets[near], third - first) @ normal / double
        v = np.cross(second - first, offsets[near]) @ normal / double
        found[near[(u >= -EDGE) & (v >= -EDGE) & (u + v <= 1 + EDGE)]] = True
    return found


def _slack_mm(mesh: Tetrahedra) -> float:
    return ON_SURFACE * float(np.linalg.norm(np.ptp(mesh.points, axis=0)))


def _flat_normal(region: BoxRegion) -> Floats | None:
    """Return the direction in which a box has almost no extent, if there is one."""
    thin = int(np.argmin(region.half_mm))
    others = [region.half_mm[axis] for axis in range(3) if axis != thin]
    return np.array(region.axes[thin]) if region.half_mm[thin] < 0.2 * min(others) else None


@dataclass(frozen=True)
class Covered:
    """What a region covers of the surface."""

    triangles: Ints
    nodes: Ints


def covered_by(mesh: Tetrahedra, region: Region) -> Covered:
    """Return the surface in a region: triangles with their centre in it, and their nodes.

    A line or a point covers nodes, and the triangles at them. A region beside the surface covers the nearest triangles.
    A neighbour covers no nodes beyond its edge: it would hold more than it touches.
    """
    triangles = triangles_in(mesh, region)
    if len(triangles):
        nodes = mesh.triangles[triangles]
        if isinstance(region, BoxRegion) and region.neighbor_mm:
            normals = np.repeat(mesh.normals[triangles], nodes.shape[1], axis=0)
            lies = _lie_on(_neighbor(region), mesh.points[nodes].reshape(-1, 3), normals)
            if len(own := np.unique(nodes.reshape(-1)[lies])) > FEW:
                return Covered(triangles, own)
        return Covered(triangles, np.unique(nodes))
    nodes = np.unique(mesh.triangles)
    inside = nodes[is_inside(region, mesh.points[nodes], _slack_mm(mesh))]
    if len(inside):
        return Covered(np.flatnonzero(np.isin(mesh.triangles, inside).any(axis=1)), inside)
    far = np.linalg.norm(mesh.centers - np.array(region.center_mm), axis=1)
    near = np.flatnonzero(far <= BESIDE * far.min())
    return Covered(near, np.unique(mesh.triangles[near]))


@dataclass(frozen=True)
class Blur:
    """Nodes at which stress is a mean over a ball: near supports, loads and sharp inner corners.

    There, linear elasticity has no finite stress. They are up to the solid's thickness away, and the ball's radius is
    half of it.
    """

    nodes: Ints
    """Of the surface."""
    radii_mm: Floats


def thickness_at(mesh: Tetrahedra, triangles: Ints) -> Floats:
    """Return (t,) how far it is from triangles straight through the solid to the other side."""
    return _exits(mesh, mesh.centers[triangles], -_units(mesh.normals[triangles]))


def _exits(mesh: Tetrahedra, origins: Floats, ways: Floats) -> Floats:
    """Return (t,) how far it is from origins (t, 3) along ways (t, 3) to the surface; infinite past it."""
    corners = mesh.points[mesh.triangles[:, :3]] - origins.mean(axis=0)
    origins = origins - origins.mean(axis=0)
    first, edge, other = corners[:, 0], corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
    normal = np.cross(edge, other)
    by_other, by_edge = np.cross(other, normal), np.cross(normal, edge)
    slopes, square = ways @ normal.T, (normal**2).sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        far = ((first * normal).sum(axis=1) - origins @ normal.T) / slopes
        u = (origins @ by_other.T + far * (ways @ by_other.T) - (first * by_other).sum(axis=1)) / square
        v = (origins @ by_edge.T + far * (ways @ by_edge.T) - (first * by_edge).sum(axis=1)) / square
        hits = (u >= -1e-9) & (v >= -1e-9) & (u + v <= 1 + 1e-9) & (far > 1e-6)
    found: Floats = np.where(hits, far, np.inf).min(axis=1)
    return found


def thickness_mm(mesh: Tetrahedra, covered: Covered) -> float:
    """Return how thick the solid is at a region."""
    return float(np.median(thickness_at(mesh, _sample(covered.triangles))))


def inner_corners(mesh: Tetrahedra) -> tuple[Ints, Ints]:
    """Return the edges (k, 2) and triangles (k, 2) at which two faces of the solid meet in a sharp inner corner."""
    sides = mesh.triangles[:, :3]
    edges = np.sort(sides[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2), axis=1)
    owners = np.repeat(np.arange(len(sides)), 3)
    order = np.lexsort(edges.T[::-1])
    first, second = order[:-1], order[1:]
    shared = (edges[first] == edges[second]).all(axis=1)
    pairs = np.stack([owners[first[shared]], owners[second[shared]]], axis=1)
    lines = edges[first[shared]]
    units = _units(mesh.normals)
    sharp = (units[pairs[:, 0]] * units[pairs[:, 1]]).sum(axis=1) < SHARP
    sharp &= mesh.faces[pairs[:, 0]] != mesh.faces[pairs[:, 1]]
    towards = mesh.centers[pairs[:, 1]] - mesh.centers[pairs[:, 0]]
    inner = sharp & ((units[pairs[:, 0]] * towards).sum(axis=1) > 0)
    return lines[inner], pairs[inner]


def blur_of(mesh: Tetrahedra, regions: list[Covered]) -> Blur:
    """Return the nodes near regions and sharp inner corners."""
    nodes = np.unique(mesh.triangles)
    reaches = np.zeros(len(nodes))
    for covered in regions:
        thick = thickness_at(mesh, _sample(covered.triangles))
        source = mesh.points[covered.nodes]
        width = _width_mm(source)
        is_line = width <= LINE * float(np.ptp(source, axis=0).max())
        reach = float(thick.min()) if is_line else min(float(np.median(thick)), width)
        _raise(reaches, mesh.points[nodes], source, np.full(len(source), reach))
    lines, pairs = inner_corners(mesh)
    if len(lines):
        chosen = _sample(np.arange(len(lines)))
        thick = np.minimum(*(thickness_at(mesh, pairs[chosen, side]) for side in range(2)))
        middles = mesh.points[lines].mean(axis=1)
        nearest = cKDTree(middles[chosen]).query(middles)[1]
        _raise(reaches, mesh.points[nodes], mesh.points[lines.T.reshape(-1)], np.tile(thick[nearest], 2))
    inside = reaches > 0
    return Blur(nodes[inside], reaches[inside] / 2)


def around(mesh: Tetrahedra, covered: Covered, spot: float) -> tuple[Ints, Ints, Floats]:
    """Return the nodes of the surface that a contact dents, others around it, and how much more stress counts there.

    Dented are those up to the solid's thickness away, on the contact's side; around a bore, up to the region's width.
    Around them, a plate may yield in a spot; a bar may not, for it has nothing beside the spot that bears its load.
    """
    nodes = np.unique(mesh.triangles)
    thick, source = thickness_mm(mesh, covered), mesh.points[covered.nodes]
    far, _ = cKDTree(source).query(mesh.points[nodes])
    areas = mesh.normals[covered.triangles]
    outwards, whole = areas.sum(axis=0), np.linalg.norm(areas, axis=1).sum()
    if np.linalg.norm(outwards) < CLOSED * whole:
        return nodes[far <= min(thick, _width_mm(source))], np.zeros(0, dtype=np.int64), np.zeros(0)
    outwards /= np.linalg.norm(outwards)
    middle = mesh.centers[covered.triangles].mean(axis=0)
    dented = (far <= thick) & ((middle - mesh.points[nodes]) @ outwards < thick / 2)
    width = _least_width_mm(mesh, middle - outwards * thick / 2, outwards) / thick
    most = (spot - 1) * float(np.clip((width - BAR) / (PLATE - BAR), 0, 1))
    shares = np.clip((SPOT_REACH - far / thick) / (SPOT_REACH - 1), 0, 1)
    others = ~dented & (shares > 0)
    return nodes[dented], nodes[others], 1 + most * shares[others]


def _least_width_mm(mesh: Tetrahedra, middle: Floats, axis: Floats) -> float:
    """Return the least width of the solid through a point, across an axis; 0 if the point is outside."""
    first = np.cross(axis, np.eye(3)[int(np.argmin(np.abs(axis)))])
    first /= np.linalg.norm(first)
    angles = (np.arange(2 * WAYS) + 0.5) * np.pi / WAYS
    ways = np.outer(np.cos(angles), first) + np.outer(np.sin(angles), np.cross(axis, first))
    exits = _exits(mesh, np.tile(middle, (2 * WAYS, 1)), ways)
    widths = exits[:WAYS] + exits[WAYS:]
    return float(widths.min()) if np.isfinite(widths).all() else 0.0


def _width_mm(points: Floats) -> float:
    """Return the width of a face: the second extent of its points along their principal axes."""
    axes = np.linalg.svd(points - points.mean(axis=0), full_matrices=False)[2]
    return float(np.sort(np.ptp(points @ axes.T, axis=0))[1])


def _raise(reaches: Floats, points: Floats, source: Floats, around: Floats) -> None:
    """Raise the reaches of points near source points to the reach there."""
    far, nearest = cKDTree(source).query(points)
    near = far <= around[nearest] * (1 + 1e-9)
    reaches[near] = np.maximum(reaches[near], around[nearest][near])


def _sample(numbers: Ints) -> Ints:
    return numbers[:: max(1, len(numbers) // RAYS)]


def _units(vectors: Floats) -> Floats:
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
