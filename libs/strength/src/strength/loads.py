"""Actions on a mesh: which nodes are held, which move as one, and the forces on the rest."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from strength.elements import GAUSS, shapes, volume_shares
from strength.models import Action, FixedRegion, Load, Pressure
from strength.surface import Covered, covered_by, is_inside
from strength.system import Motions, StiffRegion, free_motions
from strength.tetrahedra import Floats, Ints, Tetrahedra

MIDDLES: Floats = np.array([(0.0, 0.5, 0.5), (0.5, 0.0, 0.5), (0.5, 0.5, 0.0)])
"""Barycentric places in a triangle, each with the same share of its area: the middles of its edges."""
Acting = tuple[Action, Covered]
"""An action, and the surface that it is on."""
PARTS = 6
"""Of a triangle's sides, when it is cut into small ones."""


@dataclass(frozen=True)
class Contact:
    """The surface of a contact, and by how much more stress counts as admissible around it."""

    covered: Covered
    spot: float


@dataclass(frozen=True)
class Actions:
    """All that acts on a mesh."""

    held: NDArray[np.bool_]
    """(3 n,)"""
    regions: tuple[StiffRegion, ...]
    pulls: Floats
    """(r, 6) force and moment on each stiff region, about its centre."""
    forces: Floats
    """(n, 3) on the nodes, inertia included."""
    seats: NDArray[np.bool_]
    """(n,) nodes from whose place deflection is measured."""
    covered: tuple[Covered, ...]
    """The surface of each action."""
    points_of_load: tuple[Covered, ...]
    """That of supports and loads, where linear elasticity has no finite stress."""
    contacts: tuple[Contact, ...]

    @property
    def tied(self) -> NDArray[np.bool_]:
        """(3 n,) directions of nodes of stiff regions."""
        found = np.zeros((len(self.forces), 3), dtype=np.bool_)
        for region in self.regions:
            found[region.nodes] = True
        return found.reshape(-1)


def actions_on(mesh: Tetrahedra, actions: tuple[Action, ...], density_kg_m3: float) -> Actions:
    """Return what acts on a mesh, with the inertia that balances what no support bears."""
    acting = [(action, covered_by(mesh, action.region)) for action in actions]
    held, seats = _supported(mesh, acting)
    regions, pulls, forces = _loaded(mesh, acting)
    found = Actions(
        held=held.reshape(-1),
        regions=tuple(regions),
        pulls=np.array(pulls).reshape(-1, 6),
        forces=forces,
        seats=seats,
        covered=tuple(covered for _, covered in acting),
        points_of_load=tuple(
            covered for action, covered in acting if not isinstance(action, Pressure) and not _is_contact(action)
        ),
        contacts=tuple(
            Contact(covered, action.spot)
            for action, covered in acting
            if isinstance(action, Load) and action.is_contact
        ),
    )
    forces += _inertia(mesh, found, free_motions(mesh, found.held), density_kg_m3)
    return found


def _supported(mesh: Tetrahedra, acting: list[Acting]) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return the directions (n, 3) in which nodes are held, and whether (n,) each is a seat."""
    held, seats = np.zeros((len(mesh.points), 3), dtype=np.bool_), np.zeros(len(mesh.points), dtype=np.bool_)
    for action, covered in acting:
        if isinstance(action, FixedRegion):
            held[covered.nodes] |= np.array(action.holds)
        if isinstance(action, FixedRegion) or (isinstance(action, Load) and action.is_seat):
            seats[covered.nodes] = True
    return held, seats


def _loaded(mesh: Tetrahedra, acting: list[Acting]) -> tuple[list[StiffRegion], list[Floats], Floats]:
    """Return stiff regions, the force and moment (6,) on each, and the forces (n, 3) on all other nodes."""
    forces, tied = np.zeros((len(mesh.points), 3)), np.zeros(len(mesh.points), dtype=np.bool_)
    regions, pulls = list[StiffRegion](), list[Floats]()
    for action, covered in acting:
        if isinstance(action, Pressure):
            forces += _pressed(mesh, covered.triangles, action.mpa)
        elif isinstance(action, Load):
            own = covered.nodes[~tied[covered.nodes]]
            if action.is_stiff and len(own) > 2:
                tied[own] = True
                regions.append(StiffRegion(own, np.array(action.region.center_mm)))
                pulls.append(np.array([*action.force_n, *action.moment_n_mm]))
            else:
                forces += _spread(mesh, covered.triangles, action)
    return regions, pulls, forces


def _is_contact(action: Action) -> bool:
    return isinstance(action, Load) and action.is_contact


def _inertia(mesh: Tetrahedra, actions: Actions, motions: Motions, density_kg_m3: float) -> Floats:
    """Return the forces (n, 3) of the mass that balance the work of all others in the free motions."""
    kinds = motions.shares.shape[1]
    if not kinds:
        return np.zeros_like(actions.forces)
    modes = motions.at(mesh.points)
    work = modes.T @ actions.forces.reshape(-1)
    for region, pull in zip(actions.regions, actions.pulls, strict=True):
        work += motions.of_region(region.center_mm).T @ pull
    values, shares = shapes(GAUSS), volume_shares(mesh.points, mesh.elements, GAUSS)
    moved = np.einsum("qn,enxk->eqxk", values, modes.reshape(-1, 3, kinds)[mesh.elements], optimize=True)
    nodal = np.einsum("eq,qn,eqxk->enxk", shares * density_kg_m3, values, moved, optimize=True)
    whole = np.zeros((len(mesh.points), 3, kinds))
    np.add.at(whole, mesh.elements, nodal)
    flat = whole.reshape(-1, kinds)
    found: Floats = -(flat @ np.linalg.solve(modes.T @ flat, work)).reshape(-1, 3)
    return found


def _pressed(mesh: Tetrahedra, triangles: Ints, mpa: float) -> Floats:
    nodes = mesh.triangles[triangles]
    values, normals = _shapes(MIDDLES), _normals(mesh, nodes, MIDDLES) / len(MIDDLES)
    forces = np.zeros((len(mesh.points), 3))
    np.add.at(forces, nodes, -mpa * np.einsum("qn,tqx->tnx", values, normals))
    return forces


def _spread(mesh: Tetrahedra, triangles: Ints, load: Load) -> Floats:
    """Return the forces (n, 3) of a traction that is linear over a surface and has the load's force and moment.

    Of triangles at the edge of a contact, only what lies in it counts: its stress depends on its size.
    """
    rule = MIDDLES
    if load.is_contact:
        rule, reach_mm = _small_triangles(), np.linalg.norm(mesh.points[mesh.triangles[:, 0]] - mesh.centers, axis=1)
        near = np.flatnonzero(is_inside(load.region, mesh.centers, float(reach_mm.max())))
        triangles = np.union1d(triangles, near)
    nodes = mesh.triangles[triangles]
    places = np.einsum("qn,tnx->tqx", _shapes(rule), mesh.points[nodes])
    areas: Floats = np.linalg.norm(_normals(mesh, nodes, rule), axis=2) / len(rule)
    inside = is_inside(load.region, places.reshape(-1, 3), 0.0).reshape(areas.shape)
    if load.is_contact and inside.any():
        areas = areas * inside
    whole = areas.sum()
    middle = np.einsum("tq,tqx->x", areas, places) / whole
    arms = places - middle
    force = np.array(load.force_n)
    moment = np.array(load.moment_n_mm) + np.cross(np.array(load.region.center_mm) - middle, force)
    products = np.einsum("tq,tqx,tqy->xy", areas, arms, arms)
    inertia = np.trace(products) * np.eye(3) - products
    turn: Floats = np.asarray(np.linalg.pinv(inertia, rcond=1e-6), dtype=np.float64) @ moment
    tractions = force / whole + np.cross(turn, arms)
    forces = np.zeros((len(mesh.points), 3))
    np.add.at(forces, nodes, np.einsum("tq,qn,tqx->tnx", areas, _shapes(rule), tractions))
    return forces


def _small_triangles() -> Floats:
    """Return the barycentric middles (q, 3) of the small triangles into which one can be cut."""
    rows, columns = np.divmod(np.arange(PARTS**2), PARTS)
    pairs = (np.stack([rows, columns], axis=1) + 1 / 3) / PARTS
    pairs = np.where(pairs.sum(axis=1, keepdims=True) > 1, 1 - pairs, pairs)
    return np.column_stack([1 - pairs.sum(axis=1), pairs])


def _normals(mesh: Tetrahedra, nodes: Ints, places: Floats) -> Floats:
    """Return (t, q, 3) normals, as long as the area, at barycentric places (q, 3) of curved triangles (t, 6)."""
    tangents = np.einsum("qnd,tnx->tqdx", _derivatives(places), mesh.points[nodes], optimize=True)
    normals: Floats = np.cross(tangents[:, :, 0], tangents[:, :, 1]) / 2
    return normals


def _shapes(places: Floats) -> Floats:
    """Return (q, 6) shape functions of a quadratic triangle at barycentric places (q, 3)."""
    return np.concatenate([places * (2 * places - 1), 4 * places[:, [1, 0, 0]] * places[:, [2, 2, 1]]], axis=1)


def _derivatives(places: Floats) -> Floats:
    """Return (q, 6, 2) derivatives of these by the last two barycentric coordinates."""
    first, second, third = places.T
    none = np.zeros(len(places))
    by_second = [1 - 4 * first, 4 * second - 1, none, 4 * third, -4 * third, 4 * (first - second)]
    by_third = [1 - 4 * first, none, 4 * third - 1, 4 * second, 4 * (first - third), -4 * second]
    return np.stack([np.stack(by_second, axis=1), np.stack(by_third, axis=1)], axis=2)
