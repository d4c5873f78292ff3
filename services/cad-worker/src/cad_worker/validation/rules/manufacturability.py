"""Rules that a part keeps or breaks by itself, wherever it stands: one named solid of a material by a method."""

import re
from collections import Counter
from dataclasses import dataclass
from typing import get_args

from contracts.models.design import BillOfMaterials, Finding, Method
from geometry.single_solid import InvalidSolidError, read_single_solid
from parts_catalog.materials import MATERIALS, Material, materials_for
from workbenches.registry import WORKBENCHES
from workbenches.configuration import ToleranceClass

from cad_worker.job_protocol import DesignData, PartData, solid_source
from cad_worker.validation.bill import bill_of, order_of
from cad_worker.validation.bodies import Part

LABEL = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,63}")
MAX_PARTS = 500
"""A bill of more, with the file of each part, would not fit into an event."""

_METHODS: dict[str, Method] = {method: method for method in WORKBENCHES}
_TOLERANCES: dict[str, ToleranceClass] = {name: name for name in get_args(ToleranceClass)}


@dataclass(frozen=True)
class Inspection:
    """What the shop makes of a design."""

    parts: tuple[Part, ...]
    """Every child that is exactly one solid under a usable label, each label once."""
    findings: tuple[Finding, ...]
    """What must be mended."""
    bill: BillOfMaterials | None
    """There when every child could be priced."""
    advice: tuple[Finding, ...] = ()
    """What costs money or quality, and may stay."""


def inspect(design: DesignData, quantity: int) -> Inspection:
    """Look at every part by itself, and price it for an order of `quantity`."""
    if not design.parts:
        advice = "put labelled Parts into it: Compound(label='machine', children=[...])"
        empty = Finding(rule="empty", detail=f"the assembly has 0 parts, at least 1 is needed; {advice}")
        return Inspection((), (empty,), None)
    if len(design.parts) > MAX_PARTS:
        detail = f"the machine has {len(design.parts)} parts, at most {MAX_PARTS} can be judged; join parts"
        return Inspection((), (Finding(rule="too_many_parts", detail=detail),), None)
    parts: list[Part] = []
    findings = _duplicates(design)
    for number, data in enumerate(design.parts, start=1):
        part, found = _inspect_part(number, data)
        findings += found
        if part is not None and part.label not in {known.label for known in parts}:
            parts.append(part)
    told = [finding for part in parts for finding in _on_its_bench(part, quantity)]
    findings += [finding for finding in told if finding.severity == "error"]
    bill = bill_of(parts, quantity, design.mechanism) if len(parts) == len(design.parts) else None
    advice = tuple(finding for finding in told if finding.severity != "error")
    return Inspection(tuple(parts), tuple(findings), bill, advice)


def _on_its_bench(part: Part, quantity: int) -> tuple[Finding, ...]:
    """Return what the workbench of its method has to say of a part."""
    if part.method is None or part.material is None:
        return ()
    return WORKBENCHES[part.method].findings(part.mesh, order_of(part, part.material, quantity))


def _duplicates(design: DesignData) -> list[Finding]:
    counts = Counter(part.label for part in design.parts if LABEL.fullmatch(part.label))
    return [
        Finding(
            rule="duplicate_label",
            label=label,
            detail=f"{count} parts are labelled {label!r}, only 1 may be; number them: {label}_1, {label}_2, ...",
        )
        for label, count in counts.items()
        if count > 1
    ]


def _inspect_part(number: int, data: PartData) -> tuple[Part | None, list[Finding]]:
    name = f"child {number} ({data.kind if data.kind.isidentifier() else 'object'})"[:100]
    if not LABEL.fullmatch(data.label):
        detail = (
            f"{name} is labelled {data.label[:80]!r}; a label starts with a letter and has at most 64 letters, "
            "digits, _ or -; set part.label"
        )
        return None, [Finding(rule="not_a_part", detail=detail)]
    method, material, findings = (None, None, []) if data.catalog_id is not None else _making(data)
    if data.tolerance_class not in (None, *_TOLERANCES):
        detail = f"asks for tolerance class {data.tolerance_class[:80]!r}; ISO 2768 has {', '.join(_TOLERANCES)}"
        findings.append(_finding(data, "unknown_tolerance", detail))
    tolerance = _TOLERANCES.get(data.tolerance_class or "medium", "medium")
    try:
        solid, source = read_single_solid(data.brep), solid_source(data.brep)
        return Part(data.label, solid, material, data.catalog_id, source, method, tolerance), findings
    except InvalidSolidError as error:
        return None, [*findings, Finding(rule="not_a_part", label=data.label, detail=f"{name} {data.label} {error}")]


def _making(data: PartData) -> tuple[Method | None, Material | None, list[Finding]]:
    method = _METHODS.get(data.manufacturing_method or "")
    material = MATERIALS.get(data.material_id or "")
    findings: list[Finding] = []
    if method is None:
        findings.append(_finding(data, "missing_method", _method_detail(data)))
    usable = ", ".join(materials_for(method)) if method else ", ".join(MATERIALS)
    if data.material_id is None:
        findings.append(
            _finding(data, "missing_material", f"names no material; set metadata['material_id'] to one of {usable}")
        )
    elif material is None:
        findings.append(
            _finding(
                data, "unknown_material", f"is of {data.material_id[:80]!r}, which nobody sells; take one of {usable}"
            )
        )
    elif method is not None and method not in material.methods:
        detail = (
            f"is of {material.id}, which {method} cannot use; take one of {usable}, or {' or '.join(material.methods)}"
        )
        return method, None, [*findings, _finding(data, "unknown_material", detail)]
    return method, material, findings


def _method_detail(data: PartData) -> str:
    said = "names no method" if data.manufacturing_method is None else f"names {data.manufacturing_method[:80]!r}"
    return f"{said}; set metadata['manufacturing_method'] to one of {', '.join(WORKBENCHES)}"


def _finding(data: PartData, rule: str, detail: str) -> Finding:
    return Finding.model_validate({"rule": rule, "label": data.label, "detail": f"{data.label} {detail}"})
