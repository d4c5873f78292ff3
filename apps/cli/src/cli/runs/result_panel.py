"""The panel at the end of a run."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from agent.model.prices import OFFLINE, tokens_of
from contracts.events.run import EngineeringRequested, RunFailed, RunSucceeded
from contracts.models.conversation import Usage
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from cli.runs.delivery import by_process
from cli.text import one_line

DETAIL_CHARS = 2000


@dataclass(frozen=True)
class Delivered:
    """What a user was given."""

    folder: Path
    files: Sequence[str]


def solved_panel(
    asked: EngineeringRequested, ended: RunSucceeded, delivered: Delivered, spent: Usage, elapsed_s: float
) -> Panel:
    """Return the verdict, what the machine costs and weighs against its limits, and where it lies."""
    bill, limits, result = ended.bill, asked.assignment.limits, ended.result
    table = _table()
    table.add_row("price", against(f"{bill.unit_price_usd:.2f}", limits.max_unit_price_usd, "USD"))
    for process, count, _, price_usd in by_process(bill):
        table.add_row("", Text(f"{price_usd:8.2f} USD  {process}, {count}"))
    table.add_row("mass", against(f"{bill.mass_kg:.3f}", limits.max_mass_kg, "kg"))
    table.add_row("parts", against(str(bill.part_count), limits.max_parts, ""))
    stable = sum(replica.ending == "reached_goal" for replica in result.replicas)
    table.add_row(
        "replicas",
        f"{stable} of {len(result.replicas)} reached the goal ({result.success_rate:.0%}, {result.stability})",
    )
    table.add_row("run", str(ended.run_id))
    table.add_row("model", Text(_model(asked.model)))
    _add_spent(table, asked, spent)
    table.add_row("time", f"{elapsed_s:.1f} s")
    table.add_row("folder", Text(str(delivered.folder)))
    table.add_row("", Text(shown(delivered.files)))
    return Panel(
        table, title=Text(f" SOLVED  {_world(asked)} ", style="bold green"), border_style="green", expand=False
    )


def failed_panel(asked: EngineeringRequested, ended: RunFailed, spent: Usage, elapsed_s: float) -> Panel:
    """Return why the run failed, and how to read the whole story."""
    table = _table()
    table.add_row("reason", ended.reason.replace("_", " "))
    table.add_row("", Text(one_line(ended.detail, DETAIL_CHARS)))
    table.add_row("run", str(ended.run_id))
    _add_spent(table, asked, spent)
    table.add_row("time", f"{elapsed_s:.1f} s")
    table.add_row("story", f"millwright events {ended.run_id}")
    return Panel(table, title=Text(f" FAILED  {_world(asked)} ", style="bold red"), border_style="red", expand=False)


def against(value: str, limit: float | None, unit: str) -> str:
    """Return a measure beside its limit."""
    measure = f"{value} {unit}".strip()
    return f"{measure} (no limit)" if limit is None else f"{measure} of at most {limit:g} {unit}".strip()


def shown(files: Sequence[str]) -> str:
    """Return the file names, the many parts in one word."""
    parts = [name for name in files if name.startswith("parts/")]
    others = [one_line(name) for name in files if not name.startswith("parts/")]
    return ", ".join([*others, f"parts/*.step ({len(parts)})"])


def _add_spent(table: Table, asked: EngineeringRequested, spent: Usage) -> None:
    """Show what the model calls used, beside what they might; the offline expert uses nothing."""
    budget = asked.budget
    if asked.model == OFFLINE and budget.max_tokens is None and budget.max_cost_usd is None:
        return
    used = f"{tokens_of(spent):,}"
    table.add_row("tokens", used if budget.max_tokens is None else f"{used} of at most {budget.max_tokens:,}")
    cost = "not known" if spent.cost_usd is None else f"{spent.cost_usd:.4f}"
    table.add_row("model cost", cost if spent.cost_usd is None else against(cost, budget.max_cost_usd, "USD"))


def _table() -> Table:
    table = Table.grid(padding=(0, 2))
    table.add_column(style="dim")
    table.add_column()
    return table


def _model(model: str) -> str:
    return "offline: a rule-based expert, no language model" if model == "offline" else one_line(model)


def _world(asked: EngineeringRequested) -> str:
    variant = asked.assignment.variant
    return f"{variant.benchmark}, seed {variant.seed}"
