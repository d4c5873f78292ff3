"""All rules for the mechanism of a design or of a benchmark's environment, and for bought bodies."""

from collections.abc import Iterable

from catalog_shapes.bought_parts import is_unmodified
from contracts.models.design import Finding
from geometry.formatting import format_mm, format_point
from parts_catalog.aliases import canonical
from parts_catalog.parts import UnknownPartError, is_flexible, part, parts

from design_rules.bodies.multibody import MultibodySystem
from design_rules.bodies.solid_bodies import EnvironmentSolid, SolidBody
from design_rules.rules.connections import connection_findings
from design_rules.rules.couplings import coupling_findings
from design_rules.rules.joints import joint_findings, loop_findings
from design_rules.rules.motors import motor_findings
from design_rules.rules.screws import screw_findings


def mechanism_findings(system: MultibodySystem) -> list[Finding]:
    """Report everything that could not be built, could not move, or could not be simulated."""
    is_environment = system.environment_mechanism is None
    own = [body for body in system.bodies.values() if is_environment or not isinstance(body, EnvironmentSolid)]
    return [
        *modified_components(own),
        *flexible_components(own),
        *connection_findings(system),
        *screw_findings(system),
        *joint_findings(system),
        *loop_findings(system),
        *motor_findings(system),
        *coupling_findings(system),
    ]


def modified_components(bodies: Iterable[SolidBody]) -> list[Finding]:
    """Report bought bodies that are not in the catalog or do not have the catalog's shape."""
    checked = (_modified_component(body, body.catalog_id) for body in bodies if body.catalog_id is not None)
    return [finding for finding in checked if finding is not None]


def _modified_component(body: SolidBody, catalog_id: str) -> Finding | None:
    name = f"{body.label} around {format_point(body.bounds.center_mm)}"
    try:
        catalog_part = part(catalog_id)
        if is_unmodified(body.solid, catalog_id):
            return None
    except UnknownPartError as error:
        return Finding(rule="unknown_component", label=body.label, detail=f"{name}: {error}")
    shape = catalog_part.recipe.class_name.lower() if catalog_part.recipe else catalog_part.name
    detail = (
        f"{name} has the catalog id {catalog_id} but measures {body.volume_mm3:.1f} mm³ within "
        f"{_size(body.bounds.size_mm)}, the catalog's is a {shape} of {_size(catalog_part.size_mm or ())}; use "
        "catalog.part(id) as it is, only moved and rotated"
    )
    return Finding(rule="unknown_component", label=body.label, detail=detail)


def flexible_components(bodies: Iterable[SolidBody]) -> list[Finding]:
    """Report springs and belts, which physics would take for rigid posts that never break."""
    bought = ((body, parts().get(canonical(body.catalog_id))) for body in bodies if body.catalog_id is not None)
    return [
        Finding(
            rule="unknown_component",
            label=body.label,
            detail=(
                f"{body.label} around {format_point(body.bounds.center_mm)} is a {found.name}: it gives way under load "
                "and would be simulated as rigid; leave it out, and carry loads by made parts, shafts or extrusions"
            ),
        )
        for body, found in bought
        if found is not None and is_flexible(found)
    ]


def _size(edges_mm: Iterable[float]) -> str:
    return " x ".join(format_mm(edge) for edge in edges_mm)
