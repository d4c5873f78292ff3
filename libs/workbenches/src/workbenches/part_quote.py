"""The quote of one solid: every method and quantity that is asked for, the cheapest way first."""

from collections.abc import Iterable, Sequence
from math import inf

from build123d import Solid
from contracts.models.design import Finding, Method
from contracts.quotes import FindingGroup, QuantityPrice, QuoteChoice, QuotedPart, Way
from geometry.occt.brep import Contents
from geometry.occt.measures import bounding_box
from geometry.single_solid import InvalidSolidError, single_solid
from parts_catalog.materials import MATERIALS, materials_for
from parts_catalog.methods.registry import METHODS
from parts_catalog.methods.workshop_figures import ToleranceClass
from parts_catalog.pricing.infill import made_mass_kg

from workbenches.interface import PartOrder
from workbenches.part_mesh import PartMesh
from workbenches.registry import WORKBENCHES

_SEVERITIES = ("error", "warning", "info")
_VERDICTS = ("makeable", "not_makeable", "not_judged")


def quote_solid(name: str, solid: Solid, count: int, choice: QuoteChoice, *, is_mesh: bool = False) -> QuotedPart:
    """Judge and price one solid by every way of the choice; a solid that cannot be judged has a problem instead."""
    try:
        single_solid(Contents((solid,), 0))
    except InvalidSolidError as error:
        return QuotedPart(name=name, count=count, verdict="unusable", problem=str(error))
    mesh, bounds = PartMesh.of(solid), bounding_box(solid)
    ways: list[Way] = []
    for method in choice.methods:
        if is_mesh and not METHODS[method].judges_meshes:
            ways.append(Way(method=method, verdict="not_judged", reason="a mesh has no exact surfaces; quote STEP"))
            continue
        materials = materials_of(method, choice.materials)
        if not materials:
            reason = f"no material that was asked for suits it; it uses {', '.join(materials_for(method))}"
            ways.append(Way(method=method, verdict="not_judged", reason=reason))
        ways += [_way(name, mesh, method, material, count, choice) for material in materials]
    first = choice.quantities[0]
    return QuotedPart(
        name=name,
        count=count,
        verdict="makeable" if any(way.verdict == "makeable" for way in ways) else "not_makeable",
        volume_mm3=mesh.volume_mm3,
        size_mm=None if bounds is None else bounds.size_mm,
        ways=tuple(sorted(ways, key=lambda way: (_VERDICTS.index(way.verdict), way.unit_price_usd(first) or inf))),
    )


def materials_of(method: Method, wanted: Sequence[str]) -> tuple[str, ...]:
    """Return the ids of the wanted materials that suit a method, or its usual one if none is wanted at all."""
    usable = materials_for(method)
    if not wanted:
        return (METHODS[method].usual_material,)
    return tuple(material for material in wanted if material in usable)


def grouped(findings: Iterable[Finding]) -> tuple[FindingGroup, ...]:
    """Return the findings of each rule together, errors first, then the most frequent."""
    by_rule: dict[str, list[Finding]] = {}
    for finding in findings:
        by_rule.setdefault(finding.rule, []).append(finding)
    groups: list[FindingGroup] = []
    for found in by_rule.values():
        worst = min(found, key=lambda each: (_SEVERITIES.index(each.severity), -_excess(each)))
        groups.append(
            FindingGroup.model_validate(
                {"rule": worst.rule, "severity": worst.severity, "count": len(found), "worst": worst}
            )
        )
    return tuple(sorted(groups, key=lambda group: (_SEVERITIES.index(group.severity), -group.count)))


def _way(  # noqa: PLR0913, PLR0917 - what a way depends on
    name: str, mesh: PartMesh, method: Method, material_id: str, count: int, choice: QuoteChoice
) -> Way:
    workbench = WORKBENCHES[method]
    tolerance_class: ToleranceClass = choice.tolerance_class

    def order(pieces: int) -> PartOrder:
        return PartOrder(label=name, material=MATERIALS[material_id], quantity=pieces, tolerance_class=tolerance_class)

    groups = grouped(workbench.findings(mesh, order(count)))
    return Way(
        method=method,
        material_id=material_id,
        verdict="not_makeable" if any(group.severity == "error" for group in groups) else "makeable",
        mass_g=1000 * made_mass_kg(MATERIALS[material_id], method, mesh.volume_mm3, mesh.area_mm2),
        findings=groups,
        prices=tuple(
            QuantityPrice(
                quantity=quantity, pieces=quantity * count, breakdown=workbench.price(mesh, order(quantity * count))
            )
            for quantity in choice.quantities
        ),
    )


def _excess(finding: Finding) -> float:
    """Return how many times a value is beyond its limit, upwards or downwards."""
    measured, limit = finding.measured, finding.limit
    if measured is None or limit is None:
        return 0.0
    small, large = sorted((abs(measured), abs(limit)))
    return large / small if small else inf
