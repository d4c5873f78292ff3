"""Natural frequency and buckling of a solid: the lowest solutions of two eigenvalue problems."""

# pyright: basic, reportMissingTypeStubs=false, reportAttributeAccessIssue=false, reportOptionalSubscript=false
# pyright: reportCallIssue=false, reportArgumentType=false, reportReturnType=false
# scipy's sparse matrices have no types, so strict checking would see unknowns. Every function is fully annotated.

import numpy as np
from scipy.sparse import csr_matrix
from scipy.sparse.linalg import LinearOperator, eigsh

from strength import elements
from strength.loads import Actions
from strength.models import ElasticMaterial
from strength.system import Unknowns, factors_of, free_motions
from strength.tetrahedra import Floats, Tetrahedra

SHIFT = 1e-3
"""Below zero, over the ratio of stiffness and mass: rigid motions have the frequency zero."""
LEAST_FACTOR = 1e-9


def natural_frequency_hz(mesh: Tetrahedra, actions: Actions, material: ElasticMaterial) -> float:
    """Return the lowest natural frequency; that of a solid which nothing holds is its lowest one as a free solid."""
    moves = Unknowns(mesh, actions.regions, actions.held).moves
    stiff = csr_matrix(moves.T @ elements.stiffness(mesh, material.modulus_mpa, material.poisson) @ moves)
    heavy = csr_matrix(moves.T @ elements.mass(mesh, material.density_kg_m3) @ moves)
    rigid = free_motions(mesh, actions.held).shares.shape[1]
    shift = SHIFT * _first_guess(mesh, material)
    inverse = factors_of(csr_matrix(stiff + shift * heavy)).solve
    operator = LinearOperator(stiff.shape, matvec=inverse, dtype=np.float64)
    values = eigsh(stiff, k=rigid + 1, M=heavy, sigma=-shift, OPinv=operator, return_eigenvectors=False, tol=1e-6)
    return float(np.sqrt(np.sort(values)[-1])) / (2 * np.pi)


def buckling_factor(mesh: Tetrahedra, unknowns: Unknowns, stresses: Floats, material: ElasticMaterial) -> float | None:
    """Return by which factor the loads that cause stresses (e, 4, 3, 3) may grow until the solid buckles."""
    moves = unknowns.moves
    stiff = csr_matrix(moves.T @ elements.stiffness(mesh, material.modulus_mpa, material.poisson) @ moves)
    added = csr_matrix(moves.T @ elements.geometric_stiffness(mesh, stresses) @ moves)
    inverse = LinearOperator(stiff.shape, matvec=factors_of(stiff).solve, dtype=np.float64)
    values = eigsh(-added, k=1, M=stiff, Minv=inverse, which="LA", return_eigenvectors=False, tol=1e-4)
    largest = float(values[0])
    return 1 / largest if largest > LEAST_FACTOR else None


def _first_guess(mesh: Tetrahedra, material: ElasticMaterial) -> float:
    """Return the square of the angular frequency of a wave as long as the solid."""
    length_mm = float(np.linalg.norm(np.ptp(mesh.points, axis=0)))
    return material.modulus_mpa / (material.density_kg_m3 * 1e-12) * (np.pi / length_mm) ** 2
