"""Quotes as agents read them: findings, parts list and totals against the limits."""

from collections.abc import Sequence

from contracts.models.benchmark import Limits
from contracts.models.design import BillLine, BillOfMaterials, Finding

from documents.markdown import inline_or_fenced, one_line, table

MAX_WARNINGS = 20
MAX_LABELS = 4
"""In a row of like parts."""
_LEAST_ROWS = 3
"""From here on a method and material of all parts are named once."""


def pricing_markdown(findings: Sequence[Finding], bill: BillOfMaterials | None, limits: Limits) -> str:
    """Return a report: the findings, then mass and price of every part, then the totals against the limits."""
    sections = [_verdict(findings)]
    if bill is None:
        sections.append("No price: some parts could not be priced, see above.")
    else:
        sections += [_made_parts(bill)] if bill.lines else []
        sections += [_bought_parts(bill)] if bill.hardware else []
        sections.append(_totals(bill, limits))
    return "\n\n".join(sections) + "\n"


def findings_markdown(findings: Sequence[Finding]) -> str:
    """Return one bullet per finding: rule, part, measured value and fix."""
    labels = [f" `{one_line(finding.label)}`" if finding.label else "" for finding in findings]
    return "\n".join(
        f"- **{finding.rule}**{label}:{inline_or_fenced(finding.detail)}"
        for finding, label in zip(findings, labels, strict=True)
    )


def prices_by_label(bill: BillOfMaterials) -> dict[str, float]:
    """Return the unit price of each made part by its label, and of all bought pieces by catalog id; in USD."""
    prices = {line.label: line.unit_price_usd for line in bill.lines}
    for line in bill.hardware:
        prices[line.catalog_id] = prices.get(line.catalog_id, 0.0) + line.count * line.unit_price_usd
    return prices


def masses_by_label(bill: BillOfMaterials) -> dict[str, float]:
    """Return the mass of each made part by its label, and of all bought pieces by catalog id; in kilograms."""
    masses = {line.label: line.mass_kg for line in bill.lines}
    for line in bill.hardware:
        masses[line.catalog_id] = masses.get(line.catalog_id, 0.0) + line.count * line.mass_kg
    return masses


def errors_of(findings: Sequence[Finding]) -> list[Finding]:
    """Return the findings that must be fixed."""
    return [finding for finding in findings if finding.severity == "error"]


def _verdict(findings: Sequence[Finding]) -> str:
    errors = errors_of(findings)
    warnings = [finding for finding in findings if finding.severity != "error"]
    verdict = "**Makeable.** The workshop finds nothing that must be fixed."
    if errors:
        verdict = f"**Not acceptable yet.** {len(errors)} finding(s):\n\n{findings_markdown(errors)}"
    if not warnings:
        return verdict
    listed = findings_markdown(warnings[:MAX_WARNINGS])
    more = f"\n- and {len(warnings) - MAX_WARNINGS} more" if len(warnings) > MAX_WARNINGS else ""
    return f"{verdict}\n\nWarnings, which are acceptable but cost money or quality:\n\n{listed}{more}"


def _made_parts(bill: BillOfMaterials) -> str:
    header = ("part", "method", "material", "size mm", "mass g", "unit price USD", "why")
    alike: dict[tuple[str, ...], list[str]] = {}
    for lines in bill.kinds:
        alike.setdefault(_made_part(lines[0]), []).extend(line.label for line in lines)
    rows = [(_labels(labels), *row) for row, labels in alike.items()]
    if len(rows) < _LEAST_ROWS or len({row[1:3] for row in rows}) > 1:
        return table(header, rows)
    method, material = rows[0][1:3]
    listed = table((header[0], *header[3:]), [(row[0], *row[3:]) for row in rows])
    return f"All parts are of {material} by {method}.\n\n{listed}"


def _labels(labels: Sequence[str]) -> str:
    """Return the labels of like parts; of many, the first and the last."""
    if len(labels) == 1:
        return labels[0]
    shown = ", ".join(labels) if len(labels) <= MAX_LABELS else f"{labels[0]}, …, {labels[-1]}"
    return f"{shown} ({len(labels)} alike, each)"


def _made_part(line: BillLine) -> tuple[str, ...]:
    return (
        line.method,
        line.material_id,
        " x ".join(f"{edge:.1f}" for edge in line.box.size_mm),
        f"{line.mass_kg * 1000:.1f}",
        f"{line.unit_price_usd:.2f}",
        "; ".join(line.breakdown.notes) if line.breakdown is not None else "",
    )


def _bought_parts(bill: BillOfMaterials) -> str:
    rows = [
        (
            line.catalog_id,
            line.what,
            str(line.count),
            f"{line.count * line.mass_kg * 1000:.1f}",
            f"{line.count * line.unit_price_usd:.2f}",
        )
        for line in bill.hardware
    ]
    return table(("bought", "what", "count", "mass g", "price USD"), rows)


def _totals(bill: BillOfMaterials, limits: Limits) -> str:
    max_mass_g = None if limits.max_mass_kg is None else limits.max_mass_kg * 1000
    return "\n".join(
        [
            f"- parts: {bill.part_count}" + _limit(limits.max_parts, "d", ""),
            f"- mass: {bill.mass_kg * 1000:.1f} g" + _limit(max_mass_g, ".1f", " g"),
            f"- unit price at a quantity of {bill.quantity}: {bill.unit_price_usd:.2f} USD"
            + _limit(limits.max_unit_price_usd, ".2f", " USD"),
        ]
    )


def _limit(value: float | None, style: str, unit: str) -> str:
    return "" if value is None else f" (limit {value:{style}}{unit})"
