"""How a quote reads to an agent."""

from collections.abc import Sequence

from contracts.benchmark import Limits
from contracts.design import BillLine, BillOfMaterials, Finding


def pricing_markdown(findings: Sequence[Finding], bill: BillOfMaterials | None, limits: Limits) -> str:
    """Return a Markdown report: what is wrong, then what every part weighs and costs against the limits."""
    sections = [_verdict(findings)]
    if bill is None:
        sections.append("No price: not every part could be priced, see above.")
    else:
        sections += [_table(bill), _sums(bill, limits)]
    return "\n\n".join(sections) + "\n"


def findings_markdown(findings: Sequence[Finding]) -> str:
    """Return one bullet per finding: rule, part, what was measured and what to do."""
    return "\n".join(
        f"- **{finding.rule}**" + (f" `{finding.label}`" if finding.label else "") + f": {finding.detail}"
        for finding in findings
    )


def prices_by_label(bill: BillOfMaterials) -> dict[str, float]:
    """Return the unit price of every part in US dollars."""
    return {line.label: line.unit_price_usd for line in bill.lines}


def _verdict(findings: Sequence[Finding]) -> str:
    if not findings:
        return "**Makeable.** No finding."
    return f"**Not acceptable yet.** {len(findings)} finding(s):\n\n{findings_markdown(findings)}"


def _table(bill: BillOfMaterials) -> str:
    head = (
        "| part | method | material | size mm | volume cm³ | mass g | unit price USD |\n|---|---|---|---|---|---|---|\n"
    )
    return head + "\n".join(_row(line) for line in bill.lines)


def _row(line: BillLine) -> str:
    size = " x ".join(f"{edge:.1f}" for edge in line.box.size_mm)
    return (
        f"| {line.label} | {line.method} | {line.material_id} | {size} | {line.volume_mm3 / 1000:.2f} "
        f"| {line.mass_kg * 1000:.1f} | {line.unit_price_usd:.2f} |"
    )


def _sums(bill: BillOfMaterials, limits: Limits) -> str:
    parts = len(bill.lines)
    return "\n".join(
        [
            f"- parts: {parts}" + _limit(limits.max_parts, "d", ""),
            f"- mass: {bill.mass_kg * 1000:.1f} g" + _limit(_grams(limits.max_mass_kg), ".1f", " g"),
            f"- unit price at a quantity of {bill.quantity}: {bill.unit_price_usd:.2f} USD"
            + _limit(limits.max_unit_price_usd, ".2f", " USD"),
        ]
    )


def _limit(value: float | None, style: str, unit: str) -> str:
    return "" if value is None else f" (limit {value:{style}}{unit})"


def _grams(mass_kg: float | None) -> float | None:
    return None if mass_kg is None else mass_kg * 1000
