"""From judged solids to what physics needs to know."""

from contracts.models.benchmark import Variant
from contracts.models.scene import Body, MassProperties, Scene
from geometry.collision.results import CollisionGeometry
from geometry.display_mesh import display_surface
from geometry.mass_properties import mass_properties
from parts_catalog import parts as catalog
from parts_catalog.materials import ENVIRONMENT_FRICTION, ENVIRONMENT_RESTITUTION, MATERIALS, Material

from cad_worker.exports.colors import ENVIRONMENT, finish_of
from cad_worker.scene.mechanism import drives_of, loaded_joints_of, touching_pairs, welds_of
from cad_worker.validation.bodies import Block, Fixture
from cad_worker.validation.design_validation import ValidationReport

HOUSING = MATERIALS["aluminum-6061"]
"""What bodies that are bought feel and look like; their mass is the catalog's."""


def make_scene(variant: Variant, found: ValidationReport) -> Scene:
    """Return the world of a variant with a design in it, about which nothing blocking was found."""
    machine, geometry = found.machine, found.shaped.geometry
    return Scene(
        bodies=tuple(_body(body, geometry[body.label]) for body in machine.bodies.values()),
        welds=welds_of(machine),
        joints=loaded_joints_of(machine),
        drives=drives_of(machine),
        couplings=machine.whole.couplings,
        touching=touching_pairs(machine.whole),
        payload=variant.payload,
        goal_zone=variant.goal_zone,
        forbid_zones=variant.forbid_zones,
        build_zone=variant.build_zone,
        bounds=variant.bounds,
        hold_s=variant.hold_s,
        duration_s=variant.duration_s,
        supply_limit_w=variant.supply_limit_w,
    )


def _body(body: Block, geometry: CollisionGeometry) -> Body:
    material = HOUSING if body.catalog_id is not None else body.material
    finish = ENVIRONMENT if material is None else finish_of(material.id, body.label)
    return Body(
        label=body.label,
        origin="environment" if isinstance(body, Fixture) else "design",
        geoms=geometry.geoms,
        protrusion_mm=geometry.protrusion_mm,
        friction=ENVIRONMENT_FRICTION if material is None else material.friction,
        restitution=ENVIRONMENT_RESTITUTION if material is None else material.restitution,
        mass=_mass(body, material),
        surface=None if geometry.is_exact else display_surface(body.solid),
        color_rgba=finish.rgba,
    )


def _mass(body: Block, material: Material | None) -> MassProperties | None:
    """Return the exact mass. What is bought weighs what the catalog says, spread evenly over its shape."""
    if isinstance(body, Fixture) and body.is_fixed:
        return None
    if body.catalog_id is not None:
        return mass_properties(body.solid, catalog.part(body.catalog_id).mass_kg / (body.volume_mm3 * 1e-9))
    if material is None:
        raise ValueError(f"{body.label} is of no known material; judge the design before making a scene of it")
    return mass_properties(body.solid, material.density_kg_m3)
