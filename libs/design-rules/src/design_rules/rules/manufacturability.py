"""Rules for each part by itself: one labelled solid, a method, a material, and what its workbench finds."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from contracts.models.benchmark import Assignment
from contracts.models.design import BillOfMaterials, Finding, Method
from contracts.models.label import LABEL_ADVICE, is_part_label
from geometry.congruence import equal_groups
from geometry.formatting import format_place
from geometry.single_solid import InvalidSolidError, read_single_solid
from kernel.api.new_shapes import SET_LAST
from parts_catalog.materials import Material
from parts_catalog.methods.workshop_figures import ToleranceClass
from workbenches.interface import PartOrder
from workbenches.quote import (
    InvalidChoiceError,
    PartQuote,
    choose_material,
    choose_method,
    choose_tolerance_class,
    quote_part,
)

from design_rules.bill import bill_of
from design_rules.bodies.multibody import MultibodySystem
from design_rules.bodies.solid_bodies import Part
from design_rules.design_data import DesignData, PartData, solid_source

MAX_PARTS = 500
"""A bill of more parts, with a file for each, would not fit into an event."""
MOST_PLACES = 3
"""Of parts with the same label, in a finding."""
_GROUP = "; Compound([a, b]) makes one shape of its parts: a group of parts is Compound(label=..., children=[a, b])"
METADATA_KEYS = {
    "missing_method": "manufacturing_method",
    "missing_material": "material_id",
    "unknown_material": "material_id",
    "unknown_tolerance": "tolerance_class",
}


@dataclass(frozen=True)
class Inspection:
    """The parts of a design, each checked and priced by itself."""

    parts: tuple[Part, ...]
    """Every child that is exactly one solid with a valid label, each label once."""
    faults: tuple[Finding, ...]
    """Errors of children that cannot be simulated: not a part, or without method or material."""
    quotes: Mapping[str, PartQuote]
    """By label."""
    kinds: Mapping[str, str]
    """By label the label of the first equal part."""
    is_complete: bool = False
    """Whether every child is one of the parts."""
    unmakeable: tuple[Finding, ...] = ()
    """Errors that the workbenches found."""
    advice: tuple[Finding, ...] = ()
    """Findings that cost money or quality and may stay."""

    @property
    def findings(self) -> tuple[Finding, ...]:
        """All errors."""
        return (*self.faults, *self.unmakeable)

    def bill(
        self, assignment: Assignment, system: MultibodySystem, drawn_teeth: Mapping[str, int]
    ) -> BillOfMaterials | None:
        """Return the bill of the design, whose parts are bodies of `system`; None unless every child has a price."""
        if not self.is_complete:
            return None
        return bill_of(self.parts, self.quotes, self.kinds, assignment, system, drawn_teeth)


def inspect(design: DesignData, quantity: int) -> Inspection:
    """Check every part by itself, and price it for an order of `quantity`."""
    if not design.parts:
        fix = "put labelled Parts into it: Compound(label='machine', children=[...])"
        empty = Finding(rule="empty", detail=f"the assembly has 0 parts, at least 1 is needed; {fix}")
        return Inspection((), (empty,), {}, {})
    if len(design.parts) > MAX_PARTS:
        detail = f"the machine has {len(design.parts)} parts, the maximum is {MAX_PARTS}; join parts"
        return Inspection((), (Finding(rule="too_many_parts", detail=detail),), {}, {})
    inspected = [_inspect_part(number, data) for number, data in enumerate(design.parts, start=1)]
    valid = [part for part, _ in inspected if part is not None]
    findings = [*_duplicate_labels(valid), *(finding for _, found in inspected for finding in found)]
    by_label: dict[str, Part] = {}
    for part in valid:
        by_label.setdefault(part.label, part)
    parts = list(by_label.values())
    kinds = part_kinds(parts)
    counts = Counter(kinds.values())
    quotes = {
        part.label: quote for part in parts if (quote := _quote(part, quantity * counts[kinds[part.label]])) is not None
    }
    unmakeable = tuple(error for quote in quotes.values() for error in quote.errors)
    advice = tuple(each for quote in quotes.values() for each in quote.advice)
    is_complete = len(parts) == len(design.parts)
    return Inspection(tuple(parts), tuple(findings), quotes, kinds, is_complete, unmakeable, advice)


def part_kinds(parts: Sequence[Part]) -> dict[str, str]:
    """Return by label the label of the first part that is equal: the same solid, made in the same way.

    They share moulds, programs and set-ups.
    """
    orders: dict[tuple[object, ...], list[Part]] = {}
    for part in parts:
        made = part.method is not None and part.material is not None
        key = (
            (part.method, part.material.id if part.material else None, part.tolerance_class) if made else (part.label,)
        )
        orders.setdefault(key, []).append(part)
    return {
        part.label: alike[first].label
        for alike in orders.values()
        for part, first in zip(alike, equal_groups([each.solid for each in alike]), strict=True)
    }


def _quote(part: Part, quantity: int) -> PartQuote | None:
    if part.method is None or part.material is None:
        return None
    order = PartOrder(label=part.label, material=part.material, quantity=quantity, tolerance_class=part.tolerance_class)
    return quote_part(part.solid, part.method, order)


def _duplicate_labels(parts: Sequence[Part]) -> list[Finding]:
    return [
        Finding(
            rule="duplicate_label",
            label=label,
            detail=(
                f"{count} parts have the label {label!r}, only 1 may: "
                + "; ".join([format_place(part.bounds) for part in parts if part.label == label][:MOST_PLACES])
                + f"; number them: {label}_1, {label}_2, ..."
            ),
        )
        for label, count in Counter(part.label for part in parts).items()
        if count > 1
    ]


def _inspect_part(number: int, data: PartData) -> tuple[Part | None, list[Finding]]:
    name = f"child {number} ({data.kind if data.kind.isidentifier() else 'object'})"[:100]
    if data.label and not is_part_label(data.label):
        return None, [_not_a_part(data, f"{name} has the label {data.label[:80]!r}; {LABEL_ADVICE}")]
    try:
        solid, source = read_single_solid(data.brep), solid_source(data.brep)
    except InvalidSolidError as error:
        return None, [
            _not_a_part(data, f"{name} {data.label}".rstrip() + f" {error}{_GROUP if data.kind == 'Compound' else ''}")
        ]
    part = Part(data.label, solid, catalog_id=data.catalog_id, source=source)
    if not data.label:
        return None, [_not_a_part(data, f"{name} of {format_place(part.bounds)} has no label; {SET_LAST}")]
    findings: list[Finding] = []
    method, material = (None, None) if data.catalog_id is not None else _method_and_material(part, data, findings)
    tolerance_class: ToleranceClass = "medium"
    try:
        tolerance_class = choose_tolerance_class(data.tolerance_class)
    except InvalidChoiceError as error:
        findings.append(_invalid_choice(data, error))
    return replace(part, material=material, method=method, tolerance_class=tolerance_class), findings


def _not_a_part(data: PartData, detail: str) -> Finding:
    return Finding(rule="not_a_part", label=data.label if is_part_label(data.label) else "", detail=detail)


def _method_and_material(part: Part, data: PartData, findings: list[Finding]) -> tuple[Method | None, Material | None]:
    """Return method and material of a made part, None where invalid; add findings about them."""
    if data.manufacturing_method is None and data.material_id is None:
        detail = (
            f"{data.label}, {format_place(part.bounds)}, has no manufacturing method and no material: set metadata = "
            f"{{'manufacturing_method': ..., 'material_id': ...}}; {SET_LAST}"
        )
        findings.append(Finding(rule="missing_method", label=data.label, detail=detail))
        return None, None
    method: Method | None = None
    material: Material | None = None
    try:
        method = choose_method(data.manufacturing_method)
    except InvalidChoiceError as error:
        findings.append(_invalid_choice(data, error))
    try:
        material = choose_material(data.material_id, method)
    except InvalidChoiceError as error:
        findings.append(_invalid_choice(data, error))
    return method, material


def _invalid_choice(data: PartData, error: InvalidChoiceError) -> Finding:
    key = METADATA_KEYS[error.rule]
    detail = f"{data.label} {error.problem}; set metadata[{key!r}] to one of {error.choices}"
    return Finding(rule=error.rule, label=data.label, detail=detail)
