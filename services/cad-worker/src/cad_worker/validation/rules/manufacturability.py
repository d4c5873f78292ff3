"""Rules for each part by itself: one labelled solid, a method, a material, and what its workbench finds."""

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from contracts.models.design import BillOfMaterials, Finding, Method
from geometry.single_solid import InvalidSolidError, read_single_solid
from parts_catalog.materials import Material
from parts_catalog.pricing.configuration import ToleranceClass
from workbenches.interface import PartOrder
from workbenches.quote import (
    InvalidChoiceError,
    PartQuote,
    choose_material,
    choose_method,
    choose_tolerance_class,
    quote_part,
)

from cad_worker.bodies.multibody import MultibodySystem
from cad_worker.bodies.solid_bodies import Part
from cad_worker.job_protocol import DesignData, PartData, solid_source
from cad_worker.validation.bill import bill_of

LABEL = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,63}")
MAX_PARTS = 500
"""A bill of more parts, with a file for each, would not fit into an event."""
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

    def bill(self, quantity: int, system: MultibodySystem) -> BillOfMaterials | None:
        """Return the bill of the design, whose parts are bodies of `system`; None unless every child has a price."""
        return bill_of(self.parts, self.quotes, quantity, system) if self.is_complete else None


def inspect(design: DesignData, quantity: int) -> Inspection:
    """Check every part by itself, and price it for an order of `quantity`."""
    if not design.parts:
        fix = "put labelled Parts into it: Compound(label='machine', children=[...])"
        empty = Finding(rule="empty", detail=f"the assembly has 0 parts, at least 1 is needed; {fix}")
        return Inspection((), (empty,), {})
    if len(design.parts) > MAX_PARTS:
        detail = f"the machine has {len(design.parts)} parts, the maximum is {MAX_PARTS}; join parts"
        return Inspection((), (Finding(rule="too_many_parts", detail=detail),), {})
    parts: list[Part] = []
    findings = _duplicate_labels(design)
    for number, data in enumerate(design.parts, start=1):
        part, found = _inspect_part(number, data)
        findings += found
        if part is not None and part.label not in {known.label for known in parts}:
            parts.append(part)
    quotes = {part.label: quote for part in parts if (quote := _quote(part, quantity)) is not None}
    unmakeable = tuple(error for quote in quotes.values() for error in quote.errors)
    advice = tuple(each for quote in quotes.values() for each in quote.advice)
    is_complete = len(parts) == len(design.parts)
    return Inspection(tuple(parts), tuple(findings), quotes, is_complete, unmakeable, advice)


def _quote(part: Part, quantity: int) -> PartQuote | None:
    if part.method is None or part.material is None:
        return None
    order = PartOrder(label=part.label, material=part.material, quantity=quantity, tolerance_class=part.tolerance_class)
    return quote_part(part.solid, part.method, order)


def _duplicate_labels(design: DesignData) -> list[Finding]:
    counts = Counter(part.label for part in design.parts if LABEL.fullmatch(part.label))
    return [
        Finding(
            rule="duplicate_label",
            label=label,
            detail=f"{count} parts have the label {label!r}, only 1 may; number them: {label}_1, {label}_2, ...",
        )
        for label, count in counts.items()
        if count > 1
    ]


def _inspect_part(number: int, data: PartData) -> tuple[Part | None, list[Finding]]:
    name = f"child {number} ({data.kind if data.kind.isidentifier() else 'object'})"[:100]
    if not LABEL.fullmatch(data.label):
        detail = (
            f"{name} has the label {data.label[:80]!r}; a label starts with a letter and has at most 64 letters, "
            "digits, _, - or blanks, which count as _; set part.label"
        )
        return None, [Finding(rule="not_a_part", detail=detail)]
    findings: list[Finding] = []
    method, material = (None, None) if data.catalog_id is not None else _method_and_material(data, findings)
    tolerance_class: ToleranceClass = "medium"
    try:
        tolerance_class = choose_tolerance_class(data.tolerance_class)
    except InvalidChoiceError as error:
        findings.append(_invalid_choice(data, error))
    try:
        solid, source = read_single_solid(data.brep), solid_source(data.brep)
    except InvalidSolidError as error:
        return None, [*findings, Finding(rule="not_a_part", label=data.label, detail=f"{name} {data.label} {error}")]
    return Part(data.label, solid, material, data.catalog_id, source, method, tolerance_class), findings


def _method_and_material(data: PartData, findings: list[Finding]) -> tuple[Method | None, Material | None]:
    """Return method and material of a made part, None where invalid; add findings about them."""
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
