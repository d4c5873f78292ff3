"""What became of a design, as data and as text."""

from typing import Literal

from contracts.models.benchmark import Limits
from contracts.models.design import BillOfMaterials, Finding
from contracts.models.observation import Observation
from contracts.models.simulation import SimulationResult
from documents.observation import observation_markdown
from documents.quote import errors_of, findings_markdown, pricing_markdown
from pydantic import BaseModel, ConfigDict, computed_field

Outcome = Literal["solved", "not_solved", "refused", "script_failed"]


class DesignVerdict(BaseModel):
    """The verdict that a submission of the same script would get from validation, physics and the critic's limits."""

    model_config = ConfigDict(frozen=True)

    benchmark: str
    seed: int
    outcome: Outcome
    headline: str
    """One line: the outcome with price and mass, or with the first reason against it."""
    limits: Limits = Limits()
    observation: Observation | None = None
    """Of the script when it failed: its error, traceback and output."""
    findings: tuple[Finding, ...] = ()
    """Of validation; errors refuse the design."""
    bill: BillOfMaterials | None = None
    """None when the script failed or a part could not be priced."""
    result: SimulationResult | None = None
    """None when nothing was simulated."""
    overloads: tuple[str, ...] = ()
    """For which the critic rejects a design that reaches the goal."""

    @property
    def is_solved(self) -> bool:
        """Whether the design is valid, reaches the goal in its replicas too, and overloads nothing."""
        return self.outcome == "solved"

    @computed_field
    @property
    def success_rate(self) -> float:
        """The share of replicas that reached the goal, 0 to 1; 0 for a design that was not simulated."""
        return 0.0 if self.result is None else self.result.success_rate

    @property
    def terms(self) -> dict[str, float]:
        """What a reward may be made of, each 0 to 1: the script runs, the design is valid, replicas at the goal."""
        return {
            "runs": float(self.outcome != "script_failed"),
            "makeable": float(self.outcome in {"solved", "not_solved"}),
            "replicas": self.success_rate,
        }

    def markdown(self) -> str:
        """Return the whole verdict as a document."""
        sections = [f"# {self.headline}", f"Benchmark `{self.benchmark}`, seed {self.seed}."]
        if self.observation is not None:
            sections.append(f"## Script\n\n{observation_markdown(self.observation)}")
        if self.bill is not None:
            sections.append(f"## Parts and price\n\n{pricing_markdown(self.findings, self.bill, self.limits).strip()}")
        elif self.findings:
            sections.append(f"## Findings\n\n{findings_markdown(self.findings)}")
        if self.overloads:
            sections.append("## Overloads\n\n" + "\n".join(f"- {each}" for each in self.overloads))
        if self.result is not None:
            sections.append(f"## Simulation\n\n{self.result.summary_md.strip()}")
        return "\n\n".join(sections) + "\n"

    def _repr_markdown_(self) -> str:
        """Show the document in notebooks."""
        return self.markdown()


def headline_of(
    findings: tuple[Finding, ...],
    bill: BillOfMaterials | None,
    result: SimulationResult | None,
    overloads: tuple[str, ...],
) -> tuple[Outcome, str]:
    """Return outcome and headline of a design that the script built."""
    errors = errors_of(findings)
    if errors and errors[0].rule == "script_failed":
        return "script_failed", f"SCRIPT FAILED: {errors[0].detail.partition(chr(10))[0]}"
    if errors or result is None or bill is None:
        first = f": {errors[0].rule}, {errors[0].detail}" if errors else ""
        count = "1 finding" if len(errors) == 1 else f"{len(errors)} findings"
        return "refused", f"REFUSED with {count}{first}"
    cost = f"{bill.unit_price_usd:.2f} USD, {bill.mass_kg:.3f} kg, {bill.part_count} parts"
    share = f"{100 * result.success_rate:.0f} % of {len(result.replicas)} replicas"
    if not result.is_proven:
        failed = next((each for each in (result.nominal, *result.replicas) if each.ending != "reached_goal"), None)
        cause = f"; {failed.cause or failed.ending}" if failed is not None else ""
        return "not_solved", f"NOT SOLVED: {result.verdict} and {result.stability}, {share}; {cost}{cause}"
    if overloads:
        return "not_solved", f"NOT SOLVED: it reaches the goal, but {overloads[0]}; {cost}"
    return "solved", f"SOLVED: {cost}; {share}"
