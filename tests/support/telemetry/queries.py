"""The queries of dashboards and alerts, and what they name: metrics and labels of PromQL, attributes of the others."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import promql_parser
import yaml

from tests.architecture.repository import ROOT

OBSERVABILITY = ROOT / "deploy" / "observability"
ALERTS = OBSERVABILITY / "prometheus" / "alerts.yaml"
VARIABLES: Mapping[str, str] = {
    "$__rate_interval": "5m",
    "$__range": "1h",
    "$run": "00000000-0000-0000-0000-000000000000",
    "$trace": "0" * 32,
}
LOGQL = re.compile(r'\{(?P<stream>\w+="[^"]*")\}(?P<filters>( \| \w+(=|!=|=~|!~)"[^"]*")*)')
TRACEQL = re.compile(
    r"\{ (?P<conditions>[\w.]+ = (?:\"[^\"]*\"|\w+)(?: && [\w.]+ = (?:\"[^\"]*\"|\w+))*) \}"
    r"(?: \| select\((?P<selected>[\w., ]+)\))?"
)
"""The parts of both languages that the dashboards use: for neither is there a parser in Python."""


@dataclass(frozen=True)
class Query:
    """One query and its place."""

    place: str
    source: str
    """Type of the data source."""
    text: str
    """With values in place of Grafana's variables."""


@dataclass(frozen=True)
class Selector:
    """What a query reads: the series of one name, and the labels by which it chooses or groups them."""

    metric: str
    labels: frozenset[str]


def dashboard_queries() -> Iterator[Query]:
    """Yield all queries of all dashboards."""
    for path in sorted((OBSERVABILITY / "grafana" / "dashboards").glob("*.json")):
        for panel in json.loads(path.read_text("utf-8"))["panels"]:
            for target in panel["targets"]:
                place = f"{path.stem}: {panel['title']} {target['refId']}"
                text = str(target.get("expr") or target["query"])
                yield Query(place, panel["datasource"]["type"], filled_in(text))


def alert_rules() -> list[dict[str, Any]]:
    """Return all rules."""
    return [rule for group in yaml.safe_load(ALERTS.read_text("utf-8"))["groups"] for rule in group["rules"]]


def alert_queries() -> Iterator[Query]:
    """Yield the expression of each alert."""
    for rule in alert_rules():
        yield Query(rule["alert"], "prometheus", rule["expr"])


def filled_in(text: str) -> str:
    """Return a query as Grafana would send it."""
    for name, value in VARIABLES.items():
        text = text.replace(name, value)
    return text


def selectors(promql: str) -> list[Selector]:
    """Parse a query; raise `ValueError` if it is not PromQL."""
    found: list[Selector] = []
    _walk(promql_parser.parse(promql), frozenset(), found)
    return found


def template_labels(rule: Mapping[str, Any]) -> set[str]:
    """Return the labels that the texts of an alert show."""
    return set(re.findall(r"\$labels\.(\w+)", json.dumps(rule["annotations"])))


def result_labels(promql: str) -> set[str]:
    """Return the labels by which a query groups its result."""
    return {label for selector in selectors(promql) for label in selector.labels}


def _walk(node: Any, grouped: frozenset[str], found: list[Selector]) -> None:
    if isinstance(node, promql_parser.VectorSelector):
        chosen = {matcher.name for matcher in node.matchers.matchers if matcher.name != "__name__"}
        found.append(Selector(str(node.name), grouped | chosen))
        return
    if isinstance(node, promql_parser.AggregateExpr) and node.modifier is not None:
        grouped |= frozenset(node.modifier.labels)
    for part in _parts(node):
        _walk(part, grouped, found)


def _parts(node: Any) -> list[Any]:
    """Return the expressions within one; raise `TypeError` for a kind that no query has had yet."""
    if isinstance(node, promql_parser.MatrixSelector):
        return [node.vector_selector]
    if isinstance(node, promql_parser.BinaryExpr):
        return [node.lhs, node.rhs]
    if isinstance(node, promql_parser.Call):
        return list(node.args)
    if isinstance(node, promql_parser.AggregateExpr | promql_parser.ParenExpr | promql_parser.UnaryExpr):
        return [node.expr]
    if isinstance(node, promql_parser.NumberLiteral | promql_parser.StringLiteral):
        return []
    raise TypeError(f"what is within a {type(node).__name__} is not known")


def read_logql(text: str) -> tuple[str, set[str]]:
    """Return the label of the stream and the attributes of a query for Loki; raise `ValueError`."""
    match = LOGQL.fullmatch(text)
    if match is None:
        raise ValueError(f"not of the form {{label=value}} | attribute=value: {text}")
    return match["stream"].partition("=")[0], set(re.findall(r"\| (\w+)", match["filters"]))


def read_traceql(text: str) -> set[str]:
    """Return the attributes of spans in a query for Tempo; raise `ValueError`."""
    match = TRACEQL.fullmatch(text)
    if match is None:
        raise ValueError(f"not of the form {{ attribute = value }} | select(attributes): {text}")
    named = re.findall(r"([\w.]+) =", match["conditions"]) + re.findall(r"[\w.]+", match["selected"] or "")
    return {name.removeprefix("span.") for name in named}
