"""Quadratic tetrahedra of an exact solid, by Netgen."""

# pyright: basic, reportMissingTypeStubs=false, reportAttributeAccessIssue=false, reportOptionalSubscript=false
# pyright: reportCallIssue=false, reportArgumentType=false, reportReturnType=false
# Netgen ships no stubs, so strict checking would see unknowns. Every function is fully annotated.

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import netgen.meshing
import netgen.occ
import numpy as np
import pyngcore
from netgen.meshing import NgException
from numpy.typing import NDArray

from strength.elements import GAUSS, volume_shares
from strength.tetrahedra import EDGES, Floats, Ints, Tetrahedra

FAST = {"optsteps2d": 2, "optsteps3d": 1, "optimize3d": "cus"}
"""Netgen's defaults take more than twice the time; moving nodes ("m") gains quadratic elements little."""
STEP_HEADER = "ISO-10303-21"
GRADING, COARSE_GRADING = 0.3, 0.8
"""By how much neighbouring elements may differ in size."""


class UnreadableSolidError(ValueError):
    """The text holds no solid."""


class MeshError(RuntimeError):
    """The solid could not be meshed."""


@dataclass(frozen=True)
class Spot:
    """A point near which elements have at most a size."""

    point_mm: tuple[float, float, float]
    size_mm: float


class ExactSolid:
    """A solid as its B-rep describes it."""

    def __init__(self, brep: str) -> None:
        netgen.meshing.SetMessageImportance(0)
        pyngcore.SetNumThreads(1)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / ("solid.step" if brep.lstrip().startswith(STEP_HEADER) else "solid.brep")
            path.write_text(brep)
            try:
                self._geometry = netgen.occ.OCCGeometry(str(path))
            except (RuntimeError, NgException) as error:
                raise UnreadableSolidError(f"the B-rep cannot be read: {error}") from error
        if len(self._geometry.shape.solids) != 1:
            raise UnreadableSolidError(f"the B-rep holds {len(self._geometry.shape.solids)} solids; one is needed")

    @property
    def volume_mm3(self) -> float:
        """Exact volume."""
        return float(self._geometry.shape.mass)

    @property
    def area_mm2(self) -> float:
        """Exact surface."""
        return float(sum(face.mass for face in self._geometry.shape.faces))

    @property
    def diagonal_mm(self) -> float:
        """Of the bounding box."""
        low, high = self._geometry.shape.bounding_box
        return float(np.linalg.norm([high[axis] - low[axis] for axis in range(3)]))

    def mesh(self, size_mm: float, spots: Sequence[Spot] = (), grading: float = GRADING) -> "SolidMesh":
        """Return a mesh with tetrahedra of about this size, smaller at the spots; raise `MeshError`."""
        parameters = netgen.meshing.MeshingParameters(maxh=size_mm, grading=grading, **FAST)
        for spot in spots:
            parameters.RestrictH(*spot.point_mm, h=spot.size_mm)
        try:
            found = self._geometry.GenerateMesh(mp=parameters)
        except (RuntimeError, NgException) as error:
            raise MeshError(f"the solid cannot be meshed: {error}") from error
        if not len(found.Elements3D()):
            raise MeshError("the solid cannot be meshed: no elements")
        return SolidMesh(found)


class SolidMesh:
    """A mesh that Netgen can refine: halving a few elements takes a hundredth of the time of another mesh."""

    def __init__(self, found: netgen.meshing.Mesh) -> None:
        self._found = found

    def __len__(self) -> int:
        return len(self._found.Elements3D())

    def tetrahedra(self) -> Tetrahedra:
        """Return the quadratic tetrahedra, in the order of the mesh."""
        straight, curved = _straight(self._found), self._found.Copy()
        curved.SecondOrder()
        return _curved(curved, straight)

    def halve(self, chosen: NDArray[np.bool_]) -> None:
        """Halve the edges of the chosen tetrahedra (e,), and cut those beside them where that needs it."""
        for element, is_chosen in zip(self._found.Elements3D(), chosen.tolist(), strict=True):
            element.refine = is_chosen
        for triangle in self._found.Elements2D():  # they are chosen from the start
            triangle.refine = False
        self._found.Refine(adaptive=True)


def _straight(found: netgen.meshing.Mesh) -> Tetrahedra:
    """Return the tetrahedra with nodes in the middle of their edges."""
    tets = found.Elements3D().NumPy()["nodes"][:, :4].astype(np.int64) - 1
    surface = found.Elements2D().NumPy()
    sides = surface["nodes"][:, :3].astype(np.int64) - 1
    used, renumbered = np.unique(tets, return_inverse=True)
    number = np.full(int(max(tets.max(), sides.max())) + 1, -1)
    number[used] = np.arange(len(used))
    points = np.asarray(found.Coordinates(), dtype=np.float64)[used]
    tets = _positive(points, renumbered.reshape(tets.shape))
    return _quadratic(points, tets, number[sides], surface["index"].astype(np.int64))


def _positive(points: Floats, tets: Ints) -> Ints:
    """Return the tetrahedra, all with positive volume."""
    first, second, third, fourth = (points[tets[:, corner]] for corner in range(4))
    volumes = np.einsum("ei,ei->e", np.cross(second - first, third - first), fourth - first)
    turned = tets.copy()
    turned[volumes < 0, 2:] = turned[volumes < 0, 3:1:-1]
    return turned


def _quadratic(points: Floats, tets: Ints, sides: Ints, faces: Ints) -> Tetrahedra:
    pairs = np.sort(tets[:, EDGES].reshape(-1, 2), axis=1)
    keys = pairs[:, 0] * len(points) + pairs[:, 1]
    unique, numbered = np.unique(keys, return_inverse=True)
    ends = np.stack([unique // len(points), unique % len(points)], axis=1)
    middles = numbered.reshape(-1, 6) + len(points)
    opposite = np.sort(sides[:, [[1, 2], [0, 2], [0, 1]]], axis=2)
    found = np.searchsorted(unique, opposite[..., 0] * len(points) + opposite[..., 1])
    triangles = np.concatenate([sides, found + len(points)], axis=1)
    whole = np.concatenate([points, points[ends].mean(axis=1)])
    return Tetrahedra(whole, np.concatenate([tets, middles], axis=1), len(points), _outward(whole, triangles), faces)


def _outward(points: Floats, triangles: Ints) -> Ints:
    """Return the triangles, all turned outwards: their volume about the origin is that of a solid."""
    first, second, third = (points[triangles[:, corner]] for corner in range(3))
    volume = np.einsum("fi,fi->", np.cross(second - first, third - first), first)
    return triangles if volume > 0 else triangles[:, [0, 2, 1, 3, 5, 4]]


def _curved(found: netgen.meshing.Mesh, straight: Tetrahedra) -> Tetrahedra:
    """Return the mesh with the nodes of its surface on the solid's surface, wherever no element is turned by that."""
    places = np.asarray(found.Coordinates(), dtype=np.float64)
    sides = found.Elements2D().NumPy()["nodes"][:, :6].astype(np.int64) - 1
    corners = places[sides[:, :3]]
    points = straight.points.copy()
    for node in range(3, 6):
        expected = corners[:, [[1, 2], [0, 2], [0, 1]][node - 3]].mean(axis=1)
        order = np.argmin(np.linalg.norm(places[sides[:, 3:]] - expected[:, None], axis=2), axis=1)
        column = straight.triangles[:, 3:][np.arange(len(sides)), _column(straight, expected)]
        points[column] = places[sides[:, 3:]][np.arange(len(sides)), order]
    return _untangled(straight, points)


def _column(straight: Tetrahedra, expected: Floats) -> Ints:
    """Return which of the three middle nodes of each triangle is at the expected place."""
    middles = straight.points[straight.triangles[:, 3:]]
    nearest: Ints = np.argmin(np.linalg.norm(middles - expected[:, None], axis=2), axis=1)
    return nearest


def _untangled(straight: Tetrahedra, points: Floats) -> Tetrahedra:
    plain = volume_shares(straight.points, straight.elements, GAUSS)
    for _ in range(10):
        weights = volume_shares(points, straight.elements, GAUSS)
        bad = (weights <= 0.2 * plain).any(axis=1)
        if not bad.any():
            break
        nodes = straight.elements[bad][:, 4:]
        points[nodes] = straight.points[nodes]
    return Tetrahedra(points, straight.elements, straight.corners, straight.triangles, straight.faces)
