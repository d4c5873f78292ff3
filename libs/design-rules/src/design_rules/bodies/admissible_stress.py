"""Admissible stress of any body: a made part, a bought one, or a solid of the environment."""

from parts_catalog.strength import ENVIRONMENT_MPA, METAL_HOUSING_MPA, max_stress_mpa

from design_rules.bodies.solid_bodies import EnvironmentSolid, Part, SolidBody


def admissible_mpa(body: SolidBody) -> float:
    """Return the tensile stress that a body may bear."""
    if body.catalog_id is not None:
        return METAL_HOUSING_MPA
    if isinstance(body, Part) and body.material is not None and body.method is not None:
        return max_stress_mpa(body.material, body.method)
    if isinstance(body, EnvironmentSolid) and body.material is not None:
        return max_stress_mpa(body.material, body.material.methods[0])
    return ENVIRONMENT_MPA
