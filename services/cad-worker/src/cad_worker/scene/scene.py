"""The scene for physics: bodies with masses and shapes, and the loads that connections, joints and motors can bear."""

from contracts.models.benchmark import Variant
from contracts.models.mechanism import Mechanism
from contracts.models.scene import Body, MassProperties, Scene
from design_rules.bodies.collision_shapes import CollisionShapes
from design_rules.bodies.multibody import MultibodySystem
from design_rules.bodies.solid_bodies import EnvironmentSolid, Part, SolidBody
from design_rules.design_validation import ValidationReport
from geometry.collision.results import CollisionGeometry
from geometry.display_mesh import TooManyTrianglesError, display_surface
from geometry.mass_properties import mass_properties
from geometry.occt.brep import GeometryFailedError
from parts_catalog import parts as catalog
from parts_catalog.materials import ENVIRONMENT_FRICTION, ENVIRONMENT_RESTITUTION, MATERIALS, Material
from parts_catalog.pricing.infill import made_share
from parts_catalog.pricing.tolerances import made_tolerance_mm

from cad_worker.exports.colors import ENVIRONMENT, finish_of
from cad_worker.scene.drives import drives_of, loaded_joints
from cad_worker.scene.part_strength import part_strength
from cad_worker.scene.welds import welds_of

HOUSING = MATERIALS["aluminum-6061"]
"""Friction and look of bought bodies; their mass is the catalog's."""


def make_scene(variant: Variant, report: ValidationReport) -> Scene:
    """Return the environment of a variant with a design in it; the design must have no blocking finding."""
    return scene_of_system(variant, report.system, report.shapes)


def scene_of_system(variant: Variant, system: MultibodySystem, shapes: CollisionShapes) -> Scene:
    """Return the scene of all bodies of a system, which all have a collision shape."""
    return Scene(
        bodies=tuple(_body(body, shapes.by_label[body.label]) for body in system.bodies.values()),
        welds=welds_of(system),
        joints=loaded_joints(system),
        drives=drives_of(system),
        couplings=system.whole_mechanism.couplings,
        touching=touching_pairs(system.whole_mechanism),
        payload=variant.payload,
        more_payloads=variant.more_payloads,
        must_arrive=variant.must_arrive,
        replica_jitter_mm=variant.replica_jitter_mm,
        goal_zone=variant.goal_zone,
        forbid_zones=variant.forbid_zones,
        build_zone=variant.build_zone,
        bounds=variant.bounds,
        hold_s=variant.hold_s,
        goal_rule=variant.goal_rule,
        duration_s=variant.duration_s,
        supply_limit_w=variant.supply_limit_w,
    )


def drawn_scene(variant: Variant, report: ValidationReport) -> Scene:
    """Return a refused design in its environment as it is drawn: whatever has a surface, and nothing that moves."""
    shapes = report.shapes.by_label
    bodies = (_drawn(body, shapes.get(body.label)) for body in report.system.bodies.values())
    drawn = MultibodySystem({}, Mechanism())
    scene = scene_of_system(variant, drawn, CollisionShapes({}, {}, ()))
    return scene.model_copy(update={"bodies": tuple(body for body in bodies if body is not None)})


def _drawn(body: SolidBody, geometry: CollisionGeometry | None) -> Body | None:
    """Return what is seen of a body; None if it has no surface."""
    finish = ENVIRONMENT if body.material is None else finish_of(body.material.id, body.label)
    is_exact = geometry is not None and geometry.is_exact
    try:
        surface = None if is_exact else display_surface(body.solid)
    except (TooManyTrianglesError, GeometryFailedError):
        return None
    return Body(
        label=body.label,
        origin="environment" if isinstance(body, EnvironmentSolid) else "design",
        geoms=geometry.geoms if geometry is not None and is_exact else (),
        friction=ENVIRONMENT_FRICTION,
        surface=surface,
        color_rgba=finish.rgba,
    )


def _body(body: SolidBody, geometry: CollisionGeometry) -> Body:
    material = HOUSING if body.catalog_id is not None else body.material
    finish = ENVIRONMENT if material is None else finish_of(material.id, body.label)
    return Body(
        label=body.label,
        origin="environment" if isinstance(body, EnvironmentSolid) else "design",
        geoms=geometry.geoms,
        protrusion_mm=geometry.protrusion_mm,
        surface_tolerance_mm=_surface_tolerance_mm(body),
        friction=ENVIRONMENT_FRICTION if material is None else material.friction,
        restitution=ENVIRONMENT_RESTITUTION if material is None else material.restitution,
        mass=_mass(body, material),
        is_moving=isinstance(body, EnvironmentSolid) and body.is_moving,
        strength=part_strength(body),
        surface=None if geometry.is_exact else display_surface(body.solid),
        color_rgba=finish.rgba,
    )


def _surface_tolerance_mm(body: SolidBody) -> float:
    """Return half of the tolerance of a made part's shortest side: each of its surfaces moves by as much."""
    if not isinstance(body, Part) or body.method is None or body.material is None:
        return 0.0
    shortest_mm = min(body.bounds.size_mm if body.box is None else body.box.size_mm)
    return made_tolerance_mm(body.method, body.material, body.tolerance_class, float(shortest_mm)) / 2


def _mass(body: SolidBody, material: Material | None) -> MassProperties | None:
    """Return the exact mass, that of a print with its infill, spread evenly over its shape as that of a bought body."""
    if isinstance(body, EnvironmentSolid) and body.is_fixed:
        return None
    if body.catalog_id is not None:
        return mass_properties(body.solid, catalog.part(body.catalog_id).mass_kg / (body.volume_mm3 * 1e-9))
    if material is None:
        raise ValueError(f"{body.label} has no known material; validate the design before making a scene")
    method = body.method if isinstance(body, Part) else None
    share = 1.0 if method is None else made_share(material, method, body.volume_mm3, body.solid.area)
    return mass_properties(body.solid, share * material.density_kg_m3)


def touching_pairs(mechanism: Mechanism) -> tuple[tuple[str, str], ...]:
    """Return pairs that touch by design: the sides of a joint, a motor and its joint's sides, meshing teeth."""
    joints = {joint.label: joint for joint in mechanism.joints}
    pairs = [(joint.parent, joint.child) for joint in mechanism.joints]
    for motor in mechanism.motors:
        driven = joints[motor.joint]
        pairs += [(motor.part, side) for side in (driven.parent, driven.child)]
        if motor.pinion is not None and motor.rack is not None:
            pairs.append((motor.pinion, motor.rack))
    for coupling in mechanism.couplings:
        first, second = joints[coupling.first], joints[coupling.second]
        pairs += [(one, other) for one in (first.parent, first.child) for other in (second.parent, second.child)]
    return tuple(dict.fromkeys((one, other) for one, other in (sorted(pair) for pair in pairs) if one != other))
