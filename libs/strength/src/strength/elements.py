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
LINEAR: Floats = np.concatenate([np.full((1, 1, 3), -1.0), np.eye(3)[None]], axis=1)
"""(1, 4, 3) derivatives of the shape functions of four nodes by the last three barycentric coordinates."""
STRAIGHT = 1e-9
"""Of an edge's length, by how much a node may miss its middle."""


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
    blocks = _straight_blocks(mesh.points, nodes, _derivatives(GAUSS), *lame)
    curved = _curved(mesh, nodes)
    if curved.any():
        blocks[curved] = _curved_blocks(mesh.points, nodes[curved], *lame)
    return _assembled(nodes, blocks, len(mesh.points))


def linear_stiffness(mesh: Tetrahedra, modulus_mpa: float, poisson: float) -> bsr_matrix:
    """Return the stiffness matrix (3 corners, 3 corners) of the tetrahedra with four nodes: far too stiff, but fast."""
    nodes = np.sort(mesh.elements[:, :4], axis=1)
    blocks = _straight_blocks(mesh.points, nodes, LINEAR, *lame_parameters(modulus_mpa, poisson))
    return _assembled(nodes, blocks, mesh.corners)


def _straight_blocks(points: Floats, nodes: Ints, derivatives: Floats, lame: float, shear: float) -> Floats:
    """Return (e, u, 9) blocks above the diagonal of straight elements, from derivatives (q, k, 3) at places."""
    edges = points[nodes[:, 1:4]] - points[nodes[:, :1]]
    slopes = np.linalg.inv(edges).swapaxes(1, 2)
    materials = _materials(slopes, np.abs(np.linalg.det(edges)) / 6, lame, shear)
    first, second = np.triu_indices(derivatives.shape[1])
    products = np.einsum("qpa,qpb->pab", derivatives[:, first], derivatives[:, second]) / len(derivatives)
    found: Floats = np.matmul(products.reshape(-1, 9), materials.reshape(-1, 9, 9))
    return found


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


def _curved(mesh: Tetrahedra, nodes: Ints) -> NDArray[np.bool_]:
    """Tell which elements, with these nodes (e, 10), have one that is not in the middle of its edge."""
    first, second = mesh.points[mesh.ends[:, 0]], mesh.points[mesh.ends[:, 1]]
    beside = np.abs(mesh.points[mesh.corners :] - (first + second) / 2).max(axis=1)
    bent = beside > STRAIGHT * np.abs(first - second).max(axis=1)
    found: NDArray[np.bool_] = bent[nodes[:, 4:] - mesh.corners].any(axis=1)
    return found


def _curved_blocks(points: Floats, nodes: Ints, lame: float, shear: float) -> Floats:
    """Return (e, u, 9) blocks above the diagonal."""
    slopes, shares = gradients(points, nodes, GAUSS)
    flat = slopes.reshape(len(nodes), len(GAUSS), -1)
    products = np.matmul((flat * np.abs(shares)[..., None]).swapaxes(1, 2), flat).reshape(-1, 10, 3, 10, 3)
    above = products.transpose(0, 1, 3, 2, 4)[:, UPPER[0], UPPER[1]]
    return _stiffened(above, lame, shear).reshape(len(nodes), -1, 9)


def _assembled(nodes: Ints, blocks: Floats, count: int) -> bsr_matrix:
    """Return the sum of element matrices: their blocks (e, u, 9) above the diagonal, between the nodes (e, k) of each.

    Nodes ascend, or blocks are symmetric. The matrix is the sum of its upper half and that transposed.
    """
    first, second = np.triu_indices(nodes.shape[1])
    pairs = nodes[:, first], nodes[:, second]
    keys = (np.minimum(*pairs) * count + np.maximum(*pairs)).reshape(-1)
    order = np.argsort(keys, kind="stable")
    ordered = keys[order]
    starts = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]]))
    pointers = np.append(starts, len(order))
    sums = csr_matrix((np.ones(len(order)), order, pointers), shape=(len(starts), len(order))) @ blocks.reshape(-1, 9)
    rows, columns = np.divmod(ordered[starts], count)
    sums[rows == columns] /= 2
    pointers = np.searchsorted(rows, np.arange(count + 1))
    half = bsr_matrix((sums.reshape(-1, 3, 3), columns, pointers), shape=(3 * count, 3 * count))
    return half + half.T


def mass(mesh: Tetrahedra, density_kg_m3: float) -> bsr_matrix:
    """Return the mass matrix (3 n, 3 n) in t: tonnes, mm and N go together with seconds."""
    places, weights = _mass_rule()
    values = shapes(places)
    shares = volume_shares(mesh.points, mesh.elements, places)
    scaled = shares * (len(places) * weights) * density_kg_m3 * 1e-12
    matrices = np.einsum("eq,qn,qm->enm", scaled, values, values, optimize=True)
    return _assembled(mesh.elements, _along_axes(matrices), len(mesh.points))


def geometric_stiffness(mesh: Tetrahedra, stresses: Floats) -> bsr_matrix:
    """Return the stiffness (3 n, 3 n) that stresses (e, q, 3, 3) at the Gauss points add: negative in compression."""
    slopes, weights = gradients(mesh.points, mesh.elements, GAUSS)
    matrices = np.einsum("eq,eqni,eqij,eqmj->enm", weights, slopes, stresses, slopes, optimize=True)
    return _assembled(mesh.elements, _along_axes(matrices), len(mesh.points))


def _along_axes(matrices: Floats) -> Floats:
    """Return (e, u, 9) blocks above the diagonal of matrices (e, k, k) that are the same along each axis."""
    first, second = np.triu_indices(matrices.shape[1])
    return matrices[:, first, second, None] * np.eye(3).reshape(-1)


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
