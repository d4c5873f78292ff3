"""What OCCT integrates over a solid, with the error it is asked for."""

# pyright: basic, reportMissingTypeStubs=false, reportAttributeAccessIssue=false
# OCP ships no stubs, so strict checking would see nothing but unknowns here. Every function is fully annotated.

from dataclasses import dataclass

from build123d import Solid
from contracts.models.geometry import Vector
from OCP.BRepGProp import BRepGProp
from OCP.GProp import GProp_GProps

RELATIVE_ERROR = 1e-9
"""Asked of the adaptive integration; the plain one takes a fixed number of points on each face."""


@dataclass(frozen=True)
class VolumeIntegrals:
    """Moments of a solid of density one, in millimetres."""

    volume_mm3: float
    center_mm: Vector
    inertia_mm5: tuple[float, float, float, float, float, float]
    """xx, yy, zz, xy, xz, yz of the inertia tensor about the centre, along the world's axes."""


def volume_integrals(solid: Solid) -> VolumeIntegrals:
    """Integrate volume, centre and inertia over the exact B-rep."""
    found = GProp_GProps()
    BRepGProp.VolumeProperties_s(solid.wrapped, found, RELATIVE_ERROR, False, False)
    center, tensor = found.CentreOfMass(), found.MatrixOfInertia()
    places = ((1, 1), (2, 2), (3, 3), (1, 2), (1, 3), (2, 3))
    xx, yy, zz, xy, xz, yz = (float(tensor.Value(row, column)) for row, column in places)
    return VolumeIntegrals(float(found.Mass()), (center.X(), center.Y(), center.Z()), (xx, yy, zz, xy, xz, yz))
