"""Mass, centre and inertia of a body, as its exact shape has them."""

import numpy as np
from contracts.models.scene import Body, MassProperties

from sim_worker.rejection import SceneRejectedError

TRIANGLE_TOLERANCE = 1e-6
"""Share by which the largest principal moment may exceed the two others' sum: rounding, in a flat part."""


def refuse_impossible_mass(body: Body, mass: MassProperties) -> None:
    """Raise `SceneRejectedError` where no solid can have this mass and inertia."""
    xx, yy, zz, xy, xz, yz = mass.inertia_kg_m2
    tensor = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    if not np.isfinite([mass.mass_kg, *mass.center_mm, *mass.inertia_kg_m2]).all() or mass.mass_kg <= 0:
        problem = (
            f"its mass, centre or inertia is not a finite number: {mass.mass_kg:g} kg, {mass.center_mm} mm, {tensor}"
        )
        raise SceneRejectedError("scene_invalid", f"body {body.label}: {problem}")
    smallest, middle, largest = np.linalg.eigvalsh(tensor)
    if smallest <= 0:
        problem = f"the smallest principal moment of inertia is {smallest:.3g} kg m2; a solid has more than 0"
        raise SceneRejectedError("scene_invalid", f"body {body.label}: {problem}")
    if largest > (smallest + middle) * (1 + TRIANGLE_TOLERANCE):
        problem = (
            f"a principal moment of inertia of {largest:.3g} kg m2 exceeds the sum of the other two, "
            f"{smallest + middle:.3g} kg m2; no solid has that"
        )
        raise SceneRejectedError("scene_invalid", f"body {body.label}: {problem}")
