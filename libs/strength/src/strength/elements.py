"""Ten-node tetrahedra: shape functions, stiffness, mass and stress, vectorised over all elements.

Curved elements are mapped by their own shape functions. Four Gauss points integrate the stiffness of straight ones
exactly, and are where their stresses are most accurate. Source: Zienkiewicz and Taylor, The Finite Element Method.
"""

# pyright: basic, reportMissingTypeStubs=false, reportAttributeAccessIssue=false, reportOptionalSubscript=false
# pyright: reportCallIssue=false, reportArgumentType=false, reportReturnType=false
# scipy's sparse matrices have no types, so strict checking would see unknowns. Every function is fully annotated.

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import bsr_matrix, csr_matrix
from scipy.special import roots_jacobi

from strength.tetrahedra import EDGES, Floats, Ints, Tetrahedra

_NEAR, _FAR = 0.5854101966249685, 0.1381966011250105
GAUSS: Floats = np.full((4, 4), _FAR) + (_NEAR - _FAR) * np.eye(4)
"""(4, 4) barycentric coordinates of the Gauss points, each with a quarter of the volume."""
TO_CORNERS: Floats = np.asarray(np.linalg.inv(GAUSS), dtype=np.float64)
"""(4, 4) values at the corners for values at the Gauss points, linear within an element."""
UPPER: tuple[Ints, Ints] = np.triu_indices(10)
"""Pairs of nodes of an element, each once."""
STRAIGHT = 1e-9
"""Of an element's size, by how much a node may miss the middle of its edge."""


def shapes(places: Floats) -> Floats:
    """Return (q, 10) shape functions at barycentric places (q, 4)."""
    first, second = EDGES.T
    return np.concatenate([places * (2 * places - 1), 4 * places[:, first] * places[:, second]], axis=1)


def gradients(points: Floats, elements: Ints, places: Floats) -> tuple[Floats, Floats]:
    """Return gradients (e, q, 10, 3) of the shape functions, and shares (e, q) of the elements' volumes."""
    jacobians = _jacobians(points, elements, places)
    slopes = np.matmul(_derivatives(places)[None], np.linalg.inv(jacobians).swapaxes(-1, -2))
    return slopes, np.linalg.det(jacobians) / 6 / len(places)


def volume_shares(points: Floats, elements: Ints, places: Floats) -> Floats:
    """Return shares (e, q) of the elements' volumes."""
    found: Floats = np.linalg.det(_jacobians(points, elements, places)) / 6 / len(places)
    return found


def _jacobians(points: Floats, elements: Ints, places: Floats) -> Floats:
    return np.einsum("qna,enx->eqax", _derivatives(places), points[elements], optimize=True)


def stiffness(mesh: Tetrahedra, modulus_mpa: float, poisson: float) -> bsr_matrix:
    """Return the stiffness matrix (3 n, 3 n) in N/mm.

    Of each element, only the blocks above the diagonal are made: with its nodes in ascending order, they are above the
    diagonal of the whole matrix. Those of straight elements are one product of matrices.
    """
    lame = lame_parameters(modulus_mpa, poisson)
    nodes = np.sort(mesh.elements, axis=1)
    edges = mesh.points[nodes[:, 1:4]] - mesh.points[nodes[:, :1]]
    slopes = np.linalg.inv(edges).swapaxes(1, 2)
    materials = _materials(slopes, np.abs(np.linalg.det(edges)) / 6, *lame)
    first, second = UPPER
    places = _derivatives(GAUSS)
    products = np.einsum("qpa,qpb->pab", places[:, first], places[:, second]) / len(GAUSS)
    blocks: Floats = np.matmul(products.reshape(-1, 9), materials.reshape(-1, 9, 9))
    curved = _curved(mesh.points, nodes)
    if curved.any():
        blocks[curved] = _curved_blocks(mesh.points, nodes[curved], *lame)
    return _symmetric(nodes, blocks, len(mesh.points))


def _materials(slopes: Floats, volumes: Floats, lame: float, shear: float) -> Floats:
    """Return (e, a, a, 3, 3) stiffness between slopes (e, a, 3) that are constant in elements of these volumes (e,)."""
    return _stiffened(np.einsum("e,eai,ebj->eabij", volumes, slopes, slopes, optimize=True), lame, shear)


def _stiffened(products: Floats, lame: float, shear: float) -> Floats:
    """Return (..., 3, 3) stiffness for products (..., 3, 3) of slopes."""
    found: Floats = lame * products + shear * products.swapaxes(-1, -2)
    along = shear * np.einsum("...ii->...", products)
    for axis in range(3):
        found[..., axis, axis] += along
    return found


def _curved(points: Floats, nodes: Ints) -> NDArray[np.bool_]:
    """Tell which elements have a node that is not in the middle of its edge."""
    middles, places = points[nodes[:, EDGES]].mean(axis=2), points[nodes]
    size = np.ptp(places, axis=1).max(axis=1)
    found: NDArray[np.bool_] = np.abs(middles - places[:, 4:]).max(axis=(1, 2)) > STRAIGHT * size
    return found


def _curved_blocks(points: Floats, nodes: Ints, lame: float, shear: float) -> Floats:
    """Return (e, u, 9) blocks above the diagonal."""
    slopes, shares = gradients(points, nodes, GAUSS)
    flat = slopes.reshape(len(nodes), len(GAUSS), -1)
    products = np.matmul((flat * np.abs(shares)[..., None]).swapaxes(1, 2), flat).reshape(-1, 10, 3, 10, 3)
    above = products.transpose(0, 1, 3, 2, 4)[:, UPPER[0], UPPER[1]]
    return _stiffened(above, lame, shear).reshape(len(nodes), -1, 9)


def _symmetric(nodes: Ints, blocks: Floats, count: int) -> bsr_matrix:
    """Return the sum of element matrices, given as blocks (e, u, 9) above the diagonal, of ascending nodes (e, 10)."""
    keys = (nodes[:, UPPER[0]] * count + nodes[:, UPPER[1]]).reshape(-1)
    order = np.argsort(keys, kind="stable")
    ordered = keys[order]
    starts = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]]))
    pointers = np.append(starts, len(order))
    sums = csr_matrix((np.ones(len(order)), order, pointers), shape=(len(starts), len(order))) @ blocks.reshape(-1, 9)
    above = sums.reshape(-1, 3, 3)
    rows, columns = np.divmod(ordered[starts], count)
    beside = np.flatnonzero(rows < columns)
    both = np.concatenate([rows, columns[beside]]), np.concatenate([columns, rows[beside]])
    order = np.argsort(both[0] * count + both[1], kind="stable")
    data = np.concatenate([above, above[beside].swapaxes(1, 2)])[order]
    pointers = np.searchsorted(both[0][order], np.arange(count + 1))
    return bsr_matrix((data, both[1][order], pointers), shape=(3 * count, 3 * count))


def linear_stiffness(mesh: Tetrahedra, modulus_mpa: float, poisson: float) -> bsr_matrix:
    """Return the stiffness matrix (3 corners, 3 corners) of the tetrahedra with four nodes: far too stiff, but fast."""
    lame, shear = lame_parameters(modulus_mpa, poisson)
    tets = mesh.elements[:, :4]
    edges = mesh.points[tets[:, 1:]] - mesh.points[tets[:, :1]]
    inverse = np.linalg.inv(edges)
    slopes = np.concatenate([-inverse.sum(axis=2, keepdims=True), inverse], axis=2).swapaxes(1, 2)
    volumes = np.linalg.det(edges) / 6
    matrices = _materials(slopes, volumes, lame, shear)
    return assembled(tets, matrices.reshape(-1, 3, 3), mesh.corners)


def mass(mesh: Tetrahedra, density_kg_m3: float) -> bsr_matrix:
    """Return the mass matrix (3 n, 3 n) in t: tonnes, mm and N go together with seconds."""
    places, weights = _mass_rule()
    values = shapes(places)
    shares = volume_shares(mesh.points, mesh.elements, places)
    scaled = shares * (len(places) * weights) * density_kg_m3 * 1e-12
    matrices = np.einsum("eq,qn,qm->enm", scaled, values, values, optimize=True)
    blocks = matrices.reshape(-1, 1, 1) * np.eye(3)
    return assembled(mesh.elements, blocks, len(mesh.points))


def geometric_stiffness(mesh: Tetrahedra, stresses: Floats) -> bsr_matrix:
    """Return the stiffness (3 n, 3 n) that stresses (e, q, 3, 3) at the Gauss points add: negative in compression."""
    slopes, weights = gradients(mesh.points, mesh.elements, GAUSS)
    matrices = np.einsum("eq,eqni,eqij,eqmj->enm", weights, slopes, stresses, slopes, optimize=True)
    return assembled(mesh.elements, matrices.reshape(-1, 1, 1) * np.eye(3), len(mesh.points))


def stresses_of(mesh: Tetrahedra, displacements: Floats, modulus_mpa: float, poisson: float) -> Floats:
    """Return the stresses (e, q, 3, 3) at the Gauss points for displacements (n, 3)."""
    lame, shear = lame_parameters(modulus_mpa, poisson)
    slopes, _ = gradients(mesh.points, mesh.elements, GAUSS)
    moved = np.einsum("enx,eqny->eqxy", displacements[mesh.elements], slopes, optimize=True)
    strains = (moved + moved.swapaxes(-1, -2)) / 2
    trace = np.trace(strains, axis1=-2, axis2=-1)
    found: Floats = 2 * shear * strains + lame * trace[..., None, None] * np.eye(3)
    return found


def von_mises(stresses: Floats) -> Floats:
    """Return (...,) equivalent stresses of (..., 3, 3)."""
    trace = np.trace(stresses, axis1=-2, axis2=-1)[..., None, None]
    deviator = stresses - trace / 3 * np.eye(3)
    found: Floats = np.sqrt(1.5 * (deviator**2).sum(axis=(-1, -2)))
    return found


def lame_parameters(modulus_mpa: float, poisson: float) -> tuple[float, float]:
    """Return Lamé's two parameters in MPa."""
    return modulus_mpa * poisson / ((1 + poisson) * (1 - 2 * poisson)), modulus_mpa / (2 * (1 + poisson))


def assembled(elements: Ints, blocks: Floats, count: int) -> bsr_matrix:
    """Return the sum of element matrices: `blocks` (e k k, 3, 3) between the `k` nodes of each element (e, k)."""
    nodes = elements.shape[1]
    keys = (elements[:, :, None] * count + elements[:, None, :]).reshape(-1)
    order = np.argsort(keys, kind="stable")
    ordered = keys[order]
    starts = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]]))
    sums = np.add.reduceat(blocks.reshape(-1, 9)[order], starts).reshape(-1, 3, 3)
    rows, columns = np.divmod(ordered[starts], count)
    pointers = np.searchsorted(rows, np.arange(count + 1))
    assert nodes * nodes * len(elements) == len(blocks)
    return bsr_matrix((sums, columns, pointers), shape=(3 * count, 3 * count))


def _derivatives(places: Floats) -> Floats:
    """Return (q, 10, 3) derivatives of the shape functions by the last three barycentric coordinates."""
    by_all = np.zeros((len(places), 10, 4))
    for corner in range(4):
        by_all[:, corner, corner] = 4 * places[:, corner] - 1
    for node, (first, second) in enumerate(EDGES, start=4):
        by_all[:, node, first] = 4 * places[:, second]
        by_all[:, node, second] = 4 * places[:, first]
    return by_all[:, :, 1:] - by_all[:, :, :1]


def _mass_rule() -> tuple[Floats, Floats]:
    """Return barycentric places (27, 4) and weights (27,), of sum 1, exact to degree 5: Stroud's conical product."""
    rules = [roots_jacobi(3, power, 0) for power in (2, 1, 0)]
    x, y, z = ((np.asarray(nodes) + 1) / 2 for nodes, _ in rules)
    weights = [np.asarray(each) / np.sum(each) for _, each in rules]
    a, b, c = (grid.reshape(-1) for grid in np.meshgrid(x, y, z, indexing="ij"))
    second, third, fourth = a, b * (1 - a), c * (1 - a) * (1 - b)
    places = np.stack([1 - second - third - fourth, second, third, fourth], axis=1)
    return places, np.einsum("i,j,k->ijk", *weights).reshape(-1)
