"""The tables of metrics and alerts in docs/telemetry.md, and the alerts as an object of the Prometheus operator:
`python -m tools.metrics_reference`."""

import re
from collections.abc import Iterator
from pathlib import Path
from textwrap import indent
from typing import Any

import yaml
from chassis.observability.declarations import METRICS, PERCEPTION_METRICS

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "telemetry.md"
ALERTS = ROOT / "deploy" / "observability" / "prometheus" / "alerts.yaml"
RULE = ROOT / "deploy" / "k8s" / "components" / "monitoring" / "rules.yaml"
RULE_HEAD = """# Written by `python -m tools.metrics_reference`, from deploy/observability/prometheus/alerts.yaml.
apiVersion: monitoring.coreos.com/v1
kind: PrometheusRule
metadata: {name: millwright, labels: {release: kube-prometheus-stack}}
spec:
"""
BEGIN, END = "<!-- {}: written by `python -m tools.metrics_reference` -->", "<!-- end of {} -->"


def metrics_table() -> str:
    """Return one row for each declared metric."""
    rows = [
        f"| `{metric.prometheus_name}` | {metric.kind} | {', '.join(f'`{each}`' for each in metric.attributes)} "
        f"| {metric.description} |"
        for metric in (*METRICS, *PERCEPTION_METRICS)
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


def prometheus_rule() -> str:
    """Return the alerts as a PrometheusRule, with the label by which the operator's routes know them."""
    _, _, groups = ALERTS.read_text("utf-8").partition("groups:\n")
    labelled = re.sub(r"labels: \{(.+)\}", r"labels: {\1, namespace: millwright}", f"groups:\n{groups}")
    return RULE_HEAD + indent(labelled, "  ")


def _rules() -> Iterator[dict[str, Any]]:
    for group in yaml.safe_load(ALERTS.read_text("utf-8"))["groups"]:
        yield from group["rules"]


def _plain(text: str) -> str:
    """Return a text without Prometheus' templates."""
    return text.replace("{{ $labels.service_name }}", "SERVICE").replace("|", "\\|")


if __name__ == "__main__":
    RULE.write_text(prometheus_rule(), "utf-8")
    PAGE.write_text(with_tables(PAGE.read_text("utf-8")), "utf-8")
