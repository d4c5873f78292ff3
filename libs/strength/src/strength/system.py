"""The linear system of a mesh under supports, stiff regions and pins, and its solution.

The unknowns are the displacements of the free nodes along the axes, and six of each stiff region: its translation and
its rotation about its centre. Large systems are solved by conjugate gradients, preconditioned on two levels: the
tetrahedra with four nodes, factorised, take the long waves, and a Chebyshev polynomial takes the short ones.
"""

# pyright: basic, reportMissingTypeStubs=false, reportAttributeAccessIssue=false, reportOptionalSubscript=false
# pyright: reportCallIssue=false, reportArgumentType=false, reportReturnType=false
# scipy's sparse matrices have no types, so strict checking would see unknowns. Every function is fully annotated.

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import bsr_matrix, coo_matrix, csr_matrix, eye_array, hstack, vstack
from scipy.sparse.linalg import LinearOperator, SuperLU, cg, splu

from strength.tetrahedra import Floats, Ints, Tetrahedra

DIRECT = 4000
"""Unknowns up to which the system is factorised."""
TOLERANCE = 1e-5
"""Of the residual, relative to the load: displacements differ from the exact ones of the mesh by less than 1e-5."""
SMOOTHINGS = 2
MAX_ITERATIONS = 300


class UnstableError(RuntimeError):
    """The system has no unique solution."""


@dataclass(frozen=True)
class StiffRegion:
    """Nodes that move as one rigid body."""

    nodes: Ints
    center_mm: Floats


@dataclass(frozen=True)
class Unknowns:
    """How the unknowns move the nodes."""

    mesh: Tetrahedra
    regions: tuple[StiffRegion, ...]
    held: NDArray[np.bool_]
    """(3 n,) directions of nodes that do not move."""

    @cached_property
    def moves(self) -> csr_matrix:
        """(3 n, m) displacements of all nodes for the unknowns."""
        return self._moves(len(self.mesh.points))

    @cached_property
    def free(self) -> Ints:
        """Directions of nodes that are unknowns."""
        return np.flatnonzero(self._is_free(len(self.mesh.points)))

    @cached_property
    def coarse_moves(self) -> csr_matrix:
        """(3 corners, c) the same for the corners alone."""
        return self._moves(self.mesh.corners)

    @cached_property
    def refinement(self) -> csr_matrix:
        """(m, c) unknowns for those of the corners: nodes on an edge move as the mean of its ends."""
        ends, corners = self.mesh.ends, self.mesh.corners
        rows = np.repeat(np.arange(len(ends)), 2)
        halves = coo_matrix((np.full(2 * len(ends), 0.5), (rows, ends.reshape(-1))), shape=(len(ends), corners))
        nodes = vstack([eye_array(corners), halves]).tocsr()
        directions = _expanded(nodes)
        moved = (directions @ self.coarse_moves).tocsr()[self.free]
        masters, coarse = 6 * len(self.regions), self.coarse_moves.shape[1]
        last = hstack([csr_matrix((masters, coarse - masters)), eye_array(masters)]) if masters else None
        return csr_matrix(moved if last is None else vstack([moved, last]))

    def _is_free(self, count: int) -> NDArray[np.bool_]:
        free = ~self.held[: 3 * count]
        for region in self.regions:
            nodes = region.nodes[region.nodes < count]
            free[(3 * nodes[:, None] + np.arange(3)).reshape(-1)] = False
        return free

    def _moves(self, count: int) -> csr_matrix:
        free = np.flatnonzero(self._is_free(count))
        own = coo_matrix((np.ones(len(free)), (free, np.arange(len(free)))), shape=(3 * count, len(free)))
        columns = [own]
        for region in self.regions:
            nodes = region.nodes[region.nodes < count]
            rigid = rigid_modes(self.mesh.points[nodes] - region.center_mm)
            rows = (3 * nodes[:, None] + np.arange(3)).reshape(-1)
            rigid[self.held[rows]] = 0.0
            places = np.repeat(rows, 6), np.tile(np.arange(6), len(rows))
            columns.append(coo_matrix((rigid.reshape(-1), places), shape=(3 * count, 6)))
        return csr_matrix(hstack(columns))


def rigid_modes(points: Floats) -> Floats:
    """Return (3 n, 6) displacements of points (n, 3) by three translations, and rotations about the origin."""
    modes = np.zeros((len(points), 3, 6))
    modes[:, :, :3] = np.eye(3)
    x, y, z = points.T
    modes[:, 1, 3], modes[:, 2, 3] = -z, y
    modes[:, 0, 4], modes[:, 2, 4] = z, -x
    modes[:, 0, 5], modes[:, 1, 5] = -y, x
    return modes.reshape(-1, 6)


@dataclass(frozen=True)
class Motions:
    """The `k` rigid motions of a mesh that nothing hinders."""

    center_mm: Floats
    shares: Floats
    """(6, k) translations, and rotations about the centre."""

    def at(self, points: Floats) -> Floats:
        """Return (3 n, k) displacements of points (n, 3)."""
        found: Floats = rigid_modes(points - self.center_mm) @ self.shares
        return found

    def of_region(self, center_mm: Floats) -> Floats:
        """Return (6, k) translations of a stiff region's centre, and rotations."""
        return np.concatenate([self.at(center_mm[None]), self.shares[3:]])


def free_motions(mesh: Tetrahedra, held: NDArray[np.bool_]) -> Motions:
    """Return the rigid motions that the held directions (3 n,) leave."""
    middle = mesh.points.mean(axis=0)
    scale = float(np.abs(mesh.points - middle).max())
    shares = np.diag([scale, scale, scale, 1.0, 1.0, 1.0])
    if held.any():
        _, singular, turned = np.linalg.svd(rigid_modes(mesh.points - middle)[held] @ shares, full_matrices=True)
        shares = shares @ turned[int((singular > 1e-6 * singular[0]).sum()) :].T
    return Motions(middle, shares)


def pinned(mesh: Tetrahedra, held: NDArray[np.bool_], tied: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return the held directions, and as few others, at corners that are not tied, as stop all rigid motions."""
    pins = held.copy()
    while (motions := free_motions(mesh, pins)).shares.shape[1]:
        moved = np.abs(motions.at(mesh.points[: mesh.corners])[:, 0])
        moved[(pins | tied)[: len(moved)]] = 0.0
        pins[int(np.argmax(moved))] = True
    return pins


class System:
    """The stiffness of a mesh for its unknowns, ready to be solved for loads."""

    def __init__(self, unknowns: Unknowns, whole: bsr_matrix, coarse: bsr_matrix) -> None:
        """`whole` (3 n, 3 n): the stiffness of all nodes; `coarse`: of the corners, with four nodes an element."""
        self.unknowns = unknowns
        self._whole, moves = whole, unknowns.moves
        self.count = moves.shape[1]
        if self.count <= DIRECT:
            self._factors = factors_of(csr_matrix(moves.T @ whole @ moves))
            return
        small = csr_matrix(unknowns.coarse_moves.T @ coarse @ unknowns.coarse_moves)
        self._factors = factors_of(small)
        self._inverse_diagonal = 1.0 / self._diagonal()
        self._back = csr_matrix(unknowns.refinement.T)
        self._largest = self._largest_eigenvalue()

    def solve(self, loads: Floats) -> Floats:
        """Return the displacements (3 n,) for loads (3 n,) on the nodes."""
        return self.solve_unknowns(self.unknowns.moves.T @ loads)

    def solve_unknowns(self, target: Floats) -> Floats:
        """Return the displacements (3 n,) for loads (m,) on the unknowns."""
        if self.count <= DIRECT:
            found = self._factors.solve(target)
        else:
            operator = LinearOperator((self.count, self.count), matvec=self.times, dtype=np.float64)
            improved = LinearOperator((self.count, self.count), matvec=self._improved, dtype=np.float64)
            found, status = cg(operator, target, rtol=TOLERANCE, maxiter=MAX_ITERATIONS, M=improved)
            if status:
                raise UnstableError(f"the system was not solved within {MAX_ITERATIONS} iterations")
        moved: Floats = self.unknowns.moves @ found
        if not np.isfinite(moved).all():
            raise UnstableError("the supports do not hold the solid")
        return moved

    def times(self, values: Floats) -> Floats:
        """Return the loads on the unknowns (m,) for their values."""
        moves = self.unknowns.moves
        product: Floats = self._back_moves @ (self._whole @ (moves @ values))
        return product

    @cached_property
    def _back_moves(self) -> csr_matrix:
        return csr_matrix(self.unknowns.moves.T)

    def _diagonal(self) -> Floats:
        free = self.unknowns.free
        masters = self.unknowns.moves[:, len(free) :]
        own = np.asarray((masters.multiply(self._whole @ masters)).sum(axis=0)).reshape(-1)
        return np.concatenate([self._whole.diagonal()[free], own])

    def _largest_eigenvalue(self) -> float:
        """Return an upper estimate of the largest eigenvalue of the matrix over its diagonal, by power iterations."""
        vector = np.random.default_rng(0).standard_normal(self.count)
        value = 1.0
        for _ in range(8):
            vector = self._inverse_diagonal * self.times(vector)
            value = float(np.linalg.norm(vector))
            vector /= value
        return 1.2 * value

    def _improved(self, residual: Floats) -> Floats:
        """Return an approximate solution: smooth, correct on the coarse level, smooth."""
        found = self._smoothed(residual)
        left = residual - self.times(found)
        found += self.unknowns.refinement @ self._factors.solve(self._back @ left)
        left = residual - self.times(found)
        return found + self._smoothed(left)

    def _smoothed(self, residual: Floats) -> Floats:
        """Return a Chebyshev polynomial in the matrix over its diagonal, for the upper part of its spectrum."""
        high, low = self._largest, self._largest / 8
        middle, half = (high + low) / 2, (high - low) / 2
        step = self._inverse_diagonal * residual / middle
        found, left, ratio = step.copy(), residual, half / middle / 1.0
        previous = ratio
        for _ in range(SMOOTHINGS - 1):
            left = left - self.times(step)
            current = 1.0 / (2 * middle / half - previous)
            step = current * previous * step + 2 * current / half * (self._inverse_diagonal * left)
            found += step
            previous = current
        return found


def factors_of(matrix: csr_matrix) -> SuperLU:
    """Return the factors of a symmetric, positive definite matrix; raise `UnstableError`."""
    try:
        return splu(matrix.tocsc(), permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options={"SymmetricMode": True})
    except RuntimeError as error:
        raise UnstableError(f"the supports do not hold the solid: {error}") from error


def _expanded(nodes: csr_matrix) -> csr_matrix:
    """Return a matrix between nodes as one between their directions."""
    found = nodes.tocoo()
    rows = (3 * found.row[:, None] + np.arange(3)).reshape(-1)
    columns = (3 * found.col[:, None] + np.arange(3)).reshape(-1)
    shape = (3 * nodes.shape[0], 3 * nodes.shape[1])
    return csr_matrix(coo_matrix((np.repeat(found.data, 3), (rows, columns)), shape=shape))
