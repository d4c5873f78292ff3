"""How a quote reads to an agent."""

from collections.abc import Sequence

from contracts.models.benchmark import Limits
from contracts.models.design import BillLine, BillOfMaterials, Finding

MOST_ADVICE = 20


def pricing_markdown(findings: Sequence[Finding], bill: BillOfMaterials | None, limits: Limits) -> str:
    """Return a Markdown report: what is wrong, then what every part weighs and costs against the limits."""
    sections = [_verdict(findings)]
    if bill is None:
        sections.append("No price: not every part could be priced, see above.")
    else:
        sections += [*([_table(bill)] if bill.lines else []), *([_hardware(bill)] if bill.hardware else [])]
        sections.append(_sums(bill, limits))
    return "\n\n".join(sections) + "\n"


def findings_markdown(findings: Sequence[Finding]) -> str:
    """Return one bullet per finding: rule, part, what was measured and what to do."""
    return "\n".join(
        f"- **{finding.rule}**" + (f" `{finding.label}`" if finding.label else "") + f": {finding.detail}"
        for finding in findings
    )


def prices_by_label(bill: BillOfMaterials) -> dict[str, float]:
    """Return the unit price of every part by its label, and of all that is bought by its catalog id; in US dollars."""
    prices = {line.label: line.unit_price_usd for line in bill.lines}
    for line in bill.hardware:
        prices[line.catalog_id] = prices.get(line.catalog_id, 0.0) + line.count * line.unit_price_usd
    return prices


def masses_by_label(bill: BillOfMaterials) -> dict[str, float]:
    """Return the mass of every part by its label, and of all that is bought by its catalog id; in kilograms."""
    masses = {line.label: line.mass_kg for line in bill.lines}
    for line in bill.hardware:
        masses[line.catalog_id] = masses.get(line.catalog_id, 0.0) + line.count * line.mass_kg
    return masses


def errors_of(findings: Sequence[Finding]) -> list[Finding]:
    """Return the findings that must be mended."""
    return [finding for finding in findings if finding.severity == "error"]


def _verdict(findings: Sequence[Finding]) -> str:
    errors = errors_of(findings)
    advice = [finding for finding in findings if finding.severity != "error"]
    said = "**Makeable.** No finding that must be mended."
    if errors:
        said = f"**Not acceptable yet.** {len(errors)} finding(s):\n\n{findings_markdown(errors)}"
    if not advice:
        return said
    told = findings_markdown(advice[:MOST_ADVICE])
    more = f"\n- and {len(advice) - MOST_ADVICE} more" if len(advice) > MOST_ADVICE else ""
    return f"{said}\n\nIt may stay so, and costs money or quality:\n\n{told}{more}"


def _table(bill: BillOfMaterials) -> str:
    head = (
        "| part | method | material | size mm | volume cm³ | mass g | unit price USD | why |\n"
        "|---|---|---|---|---|---|---|---|\n"
    )
    return head + "\n".join(_row(line) for line in bill.lines)


def _row(line: BillLine) -> str:
    size = " x ".join(f"{edge:.1f}" for edge in line.box.size_mm)
    return (
        f"| {line.label} | {line.method} | {line.material_id} | {size} | {line.volume_mm3 / 1000:.2f} "
        f"| {line.mass_kg * 1000:.1f} | {line.unit_price_usd:.2f} | {_why(line)} |"
    )


def _why(line: BillLine) -> str:
    return "; ".join(line.breakdown.notes) if line.breakdown is not None else ""


def _hardware(bill: BillOfMaterials) -> str:
    head = "| bought | what | count | mass g | price USD |\n|---|---|---|---|---|\n"
    return head + "\n".join(
        f"| {line.catalog_id} | {line.what} | {line.count} | {line.count * line.mass_kg * 1000:.1f} "
        f"| {line.count * line.unit_price_usd:.2f} |"
        for line in bill.hardware
    )


def _sums(bill: BillOfMaterials, limits: Limits) -> str:
    return "\n".join(
        [
            f"- parts: {bill.part_count}" + _limit(limits.max_parts, "d", ""),
            f"- mass: {bill.mass_kg * 1000:.1f} g" + _limit(_grams(limits.max_mass_kg), ".1f", " g"),
            f"- unit price at a quantity of {bill.quantity}: {bill.unit_price_usd:.2f} USD"
            + _limit(limits.max_unit_price_usd, ".2f", " USD"),
        ]
    )


def _limit(value: float | None, style: str, unit: str) -> str:
    return "" if value is None else f" (limit {value:{style}}{unit})"


def _grams(mass_kg: float | None) -> float | None:
    return None if mass_kg is None else mass_kg * 1000
