"""The panel with the result of a run."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from agent.token_prices import RULE_BASED, tokens_of
from chassis.observability.model_conventions import OFFLINE, SEARCH
from contracts.events.run import EngineeringRequested, RunFailed, RunSucceeded
from contracts.models.conversation import Usage
from contracts.settings import COMMAND
from contracts.text import one_line
from rich.panel import Panel
from rich.table import Table
from rich.text import Text
from run_report.delivery import by_process

DETAIL_CHARS = 2000

_WITHOUT_LANGUAGE = {
    OFFLINE: "offline: a rule-based expert, no language model",
    SEARCH: "search: a black-box optimiser, no language model",
}


@dataclass(frozen=True)
class DeliveredFolder:
    """Where the delivery is, and the paths of its files."""

    folder: Path
    files: Sequence[str]


def delivered_panel(
    request: EngineeringRequested, end: RunSucceeded, delivered: DeliveredFolder, spent: Usage, elapsed_s: float
) -> Panel:
    """Return price, mass and parts with their limits, stability, model use, and the delivered files.

    Its title is the verdict of physics: a run may have ended as a success, as in an old log, without proof.
    """
    bill, limits, result = end.bill, request.assignment.limits, end.result
    table = _table()
    table.add_row("price", with_limit(f"{bill.unit_price_usd:.2f}", limits.max_unit_price_usd, "USD"))
    for process, count, _, price_usd in by_process(bill):
        table.add_row("", Text(f"{price_usd:8.2f} USD  {process}, {count}"))
    table.add_row("mass", with_limit(f"{bill.mass_kg:.3f}", limits.max_mass_kg, "kg"))
    table.add_row("parts", with_limit(str(bill.part_count), limits.max_parts, ""))
    reached = sum(replica.ending == "reached_goal" for replica in result.replicas)
    table.add_row(
        "replicas",
        f"{reached} of {len(result.replicas)} reached the goal ({result.success_rate:.0%}, {result.stability})",
    )
    if end.assessment is not None:
        table.add_row("reruns", str(end.assessment))
    if end.delivery.documents is not None:
        table.add_row("documents", end.delivery.documents.summary)
    table.add_row("run", str(end.run_id))
    table.add_row("model", Text(_model(request.model)))
    _add_usage(table, request, spent)
    table.add_row("time", f"{elapsed_s:.1f} s")
    table.add_row("folder", Text(str(delivered.folder)))
    table.add_row("", Text(file_list(delivered.files)))
    table.add_row(
        "next", Text(f"open {delivered.folder / 'report.html'} in a browser: the machine in motion, and its story")
    )
    word, color = ("SOLVED", "green") if result.is_proven else ("NOT PROVEN", "red")
    return _panel(table, f"{word}  {_variant(request)}", color)


def failed_panel(request: EngineeringRequested, end: RunFailed, spent: Usage, elapsed_s: float) -> Panel:
    """Return why the run failed, and the commands that show how."""
    table = _table()
    table.add_row("reason", end.reason.replace("_", " "))
    table.add_row("", Text(one_line(end.detail, DETAIL_CHARS)))
    table.add_row("run", str(end.run_id))
    _add_usage(table, request, spent)
    table.add_row("time", f"{elapsed_s:.1f} s")
    table.add_row("events", f"{COMMAND} events {end.run_id}")
    table.add_row("report", f"{COMMAND} report {end.run_id}")
    return _panel(table, f"FAILED  {_variant(request)}", "red")


def _panel(table: Table, title: str, color: str) -> Panel:
    return Panel(table, title=Text(f" {title} ", style=f"bold {color}"), border_style=color, expand=False)


def with_limit(value: str, limit: float | None, unit: str) -> str:
    """Return a measured value with its limit."""
    measured = f"{value} {unit}".strip()
    return f"{measured} (no limit)" if limit is None else f"{measured} of at most {limit:g} {unit}".strip()


def file_list(files: Sequence[str]) -> str:
    """Return the file names, with the parts and the build package as one entry each."""
    parts = [name for name in files if name.startswith("parts/")]
    package = [name for name in files if name.startswith("build/")]
    others = [one_line(name) for name in files if not name.startswith(("parts/", "build/"))]
    built = [f"build/ ({len(package)}, begin with README.md)"] if package else []
    return ", ".join([*others, *built, f"parts/*.step ({len(parts)})"])


def _add_usage(table: Table, request: EngineeringRequested, spent: Usage) -> None:
    """Add tokens and cost of the model calls with their limits; the offline expert uses none."""
    budget = request.budget
    if request.model in RULE_BASED and budget.max_tokens is None and budget.max_cost_usd is None:
        return
    used = f"{tokens_of(spent):,}"
    table.add_row("tokens", used if budget.max_tokens is None else f"{used} of at most {budget.max_tokens:,}")
    cost = "unknown" if spent.cost_usd is None else f"{spent.cost_usd:.4f}"
    table.add_row("model cost", cost if spent.cost_usd is None else with_limit(cost, budget.max_cost_usd, "USD"))


def _table() -> Table:
    table = Table.grid(padding=(0, 2))
    table.add_column(style="dim")
    table.add_column()
    return table


def _model(model: str) -> str:
    return _WITHOUT_LANGUAGE.get(model) or one_line(model)


def _variant(request: EngineeringRequested) -> str:
    variant = request.assignment.variant
    return f"{variant.benchmark}, seed {variant.seed}"
