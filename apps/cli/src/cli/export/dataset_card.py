"""The dataset card of an export: what its files hold, in Markdown with the metadata that dataset hubs read."""

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

from contracts.settings import COMMAND
from pydantic import BaseModel

from cli.export.rows import RunRow
from cli.export.tables import TABLES, Format


def dataset_card(runs: Sequence[RunRow], counts: Mapping[str, int], form: Format) -> str:
    """Return README.md of an export with these runs and this number of rows per table."""
    outcomes = Counter(run.outcome for run in runs)
    benchmarks = Counter(f"{run.benchmark} (level {run.level})" for run in runs)
    configs = "".join(
        f"  - config_name: {name}\n    data_files: {name}.{form}\n" for name in TABLES if counts.get(name)
    )
    sections = [
        f"---\npretty_name: Millwright runs\ntags: [cad, robotics, agents, physics]\nconfigs:\n{configs}---",
        "# Millwright runs",
        f"Written {datetime.now(UTC):%Y-%m-%d %H:%M} UTC by `{COMMAND} export`: {len(runs)} runs, "
        + ", ".join(f"{count} {outcome}" for outcome, count in sorted(outcomes.items()))
        + ". A reward of 1 means that physics proved the delivered design: the nominal run and at least 90 % of its "
        "jittered replicas reached the goal.",
        "| benchmark | runs |\n|---|---:|\n" + "\n".join(f"| {name} | {n} |" for name, n in sorted(benchmarks.items())),
        "Models' words and code are in these files as they were written: run no code of theirs outside a sandbox.",
        *(_table(name, row, counts.get(name, 0)) for name, row in TABLES.items()),
    ]
    return "\n\n".join(sections) + "\n"


def _table(name: str, row: type[BaseModel], count: int) -> str:
    about = (row.__doc__ or "").partition(": ")[2].replace("\n    ", " ").strip()
    columns = [f"| `{field}` | {_cell(info.description)} |" for field, info in row.model_fields.items()]
    return f"## {name}\n{count} rows. {about[:1].upper()}{about[1:]}\n\n| column | |\n|---|---|\n" + "\n".join(columns)


def _cell(text: str | None) -> str:
    return " ".join((text or "").split()).replace("|", "\\|")
