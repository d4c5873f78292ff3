"""Tables of skills and trials, and what a trial says before and after."""

from collections.abc import Iterable, Sequence

from contracts.skills import Estimate, TrialFigures
from contracts.text import one_line
from documents.shipped_skills import ShippedSkill
from rich.table import Table
from rich.text import Text
from store.skills.trials import StoredTrial
from store.skills.versions import LearnedSkill

_STYLES = {"adopted": "green", "proposed": "cyan", "rejected": "red", "reverted": "red", "parked": "yellow"}
DESCRIPTION_CHARS = 100


def skills_table(
    shipped: Iterable[ShippedSkill], learned: Sequence[LearnedSkill], trials: Sequence[StoredTrial]
) -> Table:
    """Return a row for each shipped skill and each version of a learned one, with what its last trial has found."""
    verdicts = {(each.request.name, each.request.version): _verdict(each) for each in trials}
    table = plain_table("skill", "version", "for", "status", "trial", "description")
    for each in shipped:
        description = one_line(each.description, DESCRIPTION_CHARS)
        table.add_row(each.name, "", ", ".join(each.roles), "shipped", each.trial.partition(".")[0], description)
    for version in learned:
        status = Text(version.status, style=_STYLES[version.status])
        description = Text(one_line(version.description, DESCRIPTION_CHARS))
        trial = verdicts.get((version.name, version.version), "")
        table.add_row(version.name, str(version.version), version.for_role, status, trial, description)
    return table


def trials_table(trials: Sequence[StoredTrial]) -> Table:
    """Return a row for each trial."""
    table = plain_table("trial", "skill", "version", "against", "verdict", "pairs", "solved", "avoided", "why")
    for trial in trials:
        request, _, outcome = trial
        base = "none" if request.base_version is None else str(request.base_version)
        if outcome is None:
            table.add_row(str(request.run_id), request.name, str(request.version), base, "running")
            continue
        figures = outcome.figures
        table.add_row(
            str(request.run_id),
            request.name,
            str(request.version),
            base,
            _verdict(trial),
            str(figures.pairs),
            interval_text(figures.solved),
            interval_text(figures.avoided) if request.target else "",
            Text(one_line(outcome.detail, DESCRIPTION_CHARS)),
        )
    return table


def figures_table(figures: TrialFigures) -> Table:
    """Return what the runs of both arms did, before and after the change, and the paired difference."""
    table = plain_table("runs with", "runs", "solved", "failures per run", "target failures per run")
    for name, arm in (("the current version", figures.current), ("the proposed version", figures.proposed)):
        cells = (f"{arm.failures_per_run:.2f}", f"{arm.target_failures_per_run:.2f}")
        table.add_row(name, str(arm.runs), str(arm.solved), *cells)
    table.add_row(
        "paired difference", str(figures.pairs), interval_text(figures.solved), "", interval_text(figures.avoided)
    )
    return table


def _verdict(trial: StoredTrial) -> str:
    return "running" if trial.outcome is None else trial.outcome.verdict.replace("_", " ")


def interval_text(estimate: Estimate) -> str:
    """Return the mean with its interval."""
    return f"{estimate.mean:+.2f} ({estimate.low:+.2f} to {estimate.high:+.2f})"


def plain_table(*columns: str) -> Table:
    """Return a table without lines."""
    table = Table(box=None, pad_edge=False)
    for column in columns:
        table.add_column(column, no_wrap=True)
    return table
