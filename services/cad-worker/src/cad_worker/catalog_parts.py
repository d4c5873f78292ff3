"""Geometry of what is bought: the housings of motors."""

from functools import cache

import numpy as np
from build123d import Box, Cylinder, Part, Pos, Solid
from kernel.hardware import motor

TOLERANCE = 1e-6
"""Relative, of volume, area and moments."""

_Shape = tuple[tuple[int, int, int], tuple[float, ...]]
"""Faces, edges, vertices; volume, area, principal moments. The same in every pose."""


def housing_of(motor_id: str) -> Part:
    """Return the housing of a motor, labelled by its id; raise `UnknownHardwareError`.

    The axis of the shaft is +z, and leaves the housing at the origin.
    """
    sheet = motor(motor_id).housing
    x, y, z = sheet.size_mm
    solid = Cylinder(x / 2, z) if sheet.shape == "cylinder" else Box(x, y, z)
    part: Part = Pos(*sheet.center_mm) * solid
    part.label = motor_id
    vars(part)["metadata"] = {"catalog_id": motor_id}
    return part


def is_unmodified(solid: Solid, catalog_id: str) -> bool:
    """Tell whether a solid is the catalog's, wherever it stands; raise `UnknownHardwareError`."""
    counts, measures = _shape_of(solid)
    wanted_counts, wanted = _wanted(catalog_id)
    return counts == wanted_counts and bool(np.allclose(measures, wanted, rtol=TOLERANCE, atol=0))


@cache
def _wanted(catalog_id: str) -> _Shape:
    return _shape_of(housing_of(catalog_id).solids()[0])


def _shape_of(solid: Solid) -> _Shape:
    moments = np.linalg.eigvalsh(np.array(solid.matrix_of_inertia))
    counts = len(solid.faces()), len(solid.edges()), len(solid.vertices())
    return counts, (solid.volume, solid.area, *(float(each) for each in moments))
