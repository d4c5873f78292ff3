"""Certified worlds and findings about the others as Markdown, for authors of benchmarks."""

from collections.abc import Sequence

from contracts.events.benchmark import DraftFinding, Stage, WorldCertificate

from documents.markdown import table

STAGES: dict[Stage, str] = {
    "environment": "environment.py",
    "witness": "witness.py",
    "world": "the world without a machine",
    "simulation": "the simulation of the witness",
}
_HEADER = ("seed", "verdict", "replicas", "reached after s", "price USD", "mass kg", "parts", "without a machine")


def certification_markdown(worlds: Sequence[WorldCertificate], findings: Sequence[DraftFinding]) -> str:
    """Return how many worlds are certified, a row of a table for each, and why the others have no certificate."""
    examined = len(worlds) + len(findings)
    summary = f"{len(worlds)} of {examined} {'world' if examined == 1 else 'worlds'} certified."
    certified = [(world.seed, _certified_row(world)) for world in worlds]
    refused = [(each.seed, (str(each.seed), f"refused: {STAGES[each.stage]}", *[""] * 6)) for each in findings]
    rows = [row for _, row in sorted([*certified, *refused])]
    return "\n\n".join(filter(None, [summary, table(_HEADER, rows), draft_findings_markdown(findings)]))


def draft_findings_markdown(findings: Sequence[DraftFinding]) -> str:
    """Return why worlds are not certified, each with its seed and the stage at which it failed."""
    return "\n\n".join(f"### Seed {each.seed}, {STAGES[each.stage]}\n\n{each.detail.strip()}" for each in findings)


def _certified_row(world: WorldCertificate) -> tuple[str, ...]:
    return (
        str(world.seed),
        "certified",
        f"{world.success_rate:.0%} of {world.replicas}",
        f"{world.reached_after_s:.2f}",
        f"{world.unit_price_usd:.2f}",
        f"{world.mass_kg:.3f}",
        str(world.parts),
        world.without_machine,
    )
