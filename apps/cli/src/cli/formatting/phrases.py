"""Phrases that several events are told with."""

from contracts.models.design import BillOfMaterials
from contracts.models.simulation import SimulationResult

from cli.formatting.event_line import Severity


def bill_text(bill: BillOfMaterials) -> str:
    """Return price, mass and number of parts."""
    return f"{bill.unit_price_usd:.2f} USD, {bill.mass_kg:.3f} kg, {bill.part_count} parts"


def mood_of(result: SimulationResult) -> Severity:
    """Return whether physics was kind."""
    return "good" if result.verdict == "solved" else "bad"


def success(result: SimulationResult) -> str:
    """Return the verdict, how stable it is, and how it ended."""
    ending = f"{words(result.nominal.ending)} after {result.nominal.time_s:.1f} s"
    if not result.replicas:
        return f"{result.verdict}, {ending}"
    return f"{result.verdict} and {result.stability}, {result.success_rate:.0%} of {len(result.replicas)}; {ending}"


def words(reason: str) -> str:
    """Return a code of the language as words."""
    return reason.replace("_", " ")
