"""The tables of metrics and alerts in docs/telemetry.md: `python -m tools.metrics_reference`."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml
from chassis.observability.declarations import METRICS

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "telemetry.md"
ALERTS = ROOT / "deploy" / "observability" / "prometheus" / "alerts.yaml"
BEGIN, END = "<!-- {}: written by `python -m tools.metrics_reference` -->", "<!-- end of {} -->"


def metrics_table() -> str:
    """Return one row for each declared metric."""
    rows = [
        f"| `{metric.prometheus_name}` | {metric.kind} | {', '.join(f'`{each}`' for each in metric.attributes)} "
        f"| {metric.description} |"
        for metric in METRICS
    ]
    return "\n".join(["| in Prometheus | kind | attributes | meaning |", "|---|---|---|---|", *rows])


def alerts_table() -> str:
    """Return one row for each alert."""
    rows = [
        f"| {rule['alert']} | {rule['labels']['severity']} | {_plain(rule['annotations']['action'])} |"
        for rule in _rules()
    ]
    return "\n".join(["| alert | severity | what to do |", "|---|---|---|", *rows])


def with_tables(page: str) -> str:
    """Return the page with up-to-date tables between their marks."""
    for name, table in (("metrics", metrics_table()), ("alerts", alerts_table())):
        begin, end = BEGIN.format(name), END.format(name)
        before, found, rest = page.partition(begin)
        _, closed, after = rest.partition(end)
        if not (found and closed):
            raise ValueError(f"{PAGE.name} has no lines `{begin}` and `{end}`")
        page = f"{before}{begin}\n{table}\n{end}{after}"
    return page


def _rules() -> Iterator[dict[str, Any]]:
    for group in yaml.safe_load(ALERTS.read_text("utf-8"))["groups"]:
        yield from group["rules"]


def _plain(text: str) -> str:
    """Return a text without Prometheus' templates."""
    return text.replace("{{ $labels.service_name }}", "SERVICE").replace("|", "\\|")


if __name__ == "__main__":
    PAGE.write_text(with_tables(PAGE.read_text("utf-8")), "utf-8")
