"""The rule for what is bought: it is in the catalog, and it looks like that."""

from collections.abc import Iterable

from contracts.models.design import Finding
from geometry.formatting import format_mm, format_point
from parts_catalog.parts import UnknownPartError, part

from cad_worker.catalog_shapes.bought_parts import is_unmodified
from cad_worker.validation.bodies import Block


def component_findings(bodies: Iterable[Block]) -> list[Finding]:
    """Report bodies that claim to be bought and are not what is sold."""
    return [found for body in bodies if body.catalog_id is not None and (found := _finding(body, body.catalog_id))]


def _finding(body: Block, catalog_id: str) -> Finding | None:
    where = f"{body.label} around {format_point(body.around.center_mm)}"
    try:
        sold = part(catalog_id)
        is_as_sold = is_unmodified(body.solid, catalog_id)
    except UnknownPartError as error:
        return Finding(rule="unknown_component", label=body.label, detail=f"{where}: {error}")
    if is_as_sold:
        return None
    form = sold.recipe.class_name.lower() if sold.recipe else sold.name
    size = " x ".join(format_mm(edge) for edge in sold.size_mm or ())
    detail = (
        f"{where} claims to be {catalog_id} and measures {body.volume_mm3:.1f} mm³ within "
        f"{' x '.join(format_mm(edge) for edge in body.around.size_mm)}; it is sold as a {form} of {size}: "
        "take catalog.part(id) as it is, moved and turned only"
    )
    return Finding(rule="unknown_component", label=body.label, detail=detail)
