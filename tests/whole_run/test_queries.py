"""Every query of dashboards and alerts asks for what a real run emits."""

import pytest

from tests.support.telemetry.queries import (
    Query,
    alert_queries,
    alert_rules,
    dashboard_queries,
    read_logql,
    read_traceql,
    result_labels,
    selectors,
    template_labels,
)
from tests.whole_run.observed_runs import ObservedRun

DASHBOARD = list(dashboard_queries())
PROMQL = [query for query in [*DASHBOARD, *alert_queries()] if query.source == "prometheus"]
LOGQL = [query for query in DASHBOARD if query.source == "loki"]
TRACEQL = [query for query in DASHBOARD if query.source == "tempo" and query.text != "0" * 32]
INTRINSIC = {"status"}
"""What every span has in Tempo."""
BY_LOKI = {"service_namespace": "service.namespace", "severity_text": ""}
"""What Loki makes of resources and lines that it receives by OTLP: https://grafana.com/docs/loki/latest/send-data/otel/."""


def _place(query: Query) -> str:
    return query.place


def test_there_are_queries_of_every_source() -> None:
    assert len(PROMQL) > 90
    assert len(LOGQL) == 2
    assert len(TRACEQL) == 3


@pytest.mark.parametrize("query", PROMQL, ids=_place)
def test_promql_names_metrics_and_labels_of_a_run(observed: ObservedRun, query: Query) -> None:
    found = selectors(query.text)
    assert found
    for selector in found:
        assert selector.metric in observed.series
        assert selector.labels <= observed.series[selector.metric].labels


@pytest.mark.parametrize("query", LOGQL, ids=_place)
def test_logql_names_attributes_of_lines(observed: ObservedRun, query: Query) -> None:
    stream, attributes = read_logql(query.text)
    assert BY_LOKI[stream] in observed.received.resource_attributes()
    sent = {name.replace(".", "_") for line in observed.received.lines() for name in line.attributes}
    assert attributes <= sent | set(BY_LOKI)


@pytest.mark.parametrize("query", TRACEQL, ids=_place)
def test_traceql_names_attributes_of_spans(observed: ObservedRun, query: Query) -> None:
    sent = {name for span in observed.received.spans() for name in span.attributes}
    assert read_traceql(query.text) <= sent | INTRINSIC


@pytest.mark.parametrize("rule", alert_rules(), ids=lambda rule: rule["alert"])
def test_alert_says_what_to_do_and_shows_labels_that_it_has(rule: dict[str, dict[str, str]]) -> None:
    assert rule["labels"]["severity"] in {"warning", "critical"}
    assert len(rule["annotations"]["action"]) > 60
    assert template_labels(rule) <= result_labels(str(rule["expr"]))


@pytest.mark.parametrize("text", ["sum(", "rate(x)", "sum by (a) (b[5m]))"])
def test_what_is_not_promql_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"parenthesis|matrix"):
        selectors(text)


@pytest.mark.parametrize("text", ['{a="b"', 'a="b"', '{a="b"} | c'])
def test_what_is_not_logql_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="not of the form"):
        read_logql(text)


@pytest.mark.parametrize("text", ["{ span.a = }", "{ span.a }", '{ span.a = "b" } | select()'])
def test_what_is_not_traceql_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="not of the form"):
        read_traceql(text)
