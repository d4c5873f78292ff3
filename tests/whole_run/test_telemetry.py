"""A run by the API alone, and what the services export about it: traces, metrics and logs, by OTLP and at /metrics."""

import json

import pytest
from chassis.observability.declarations import METRICS, Metric
from contracts.envelope import SERVICES
from contracts.events.design import DesignApproved, DesignSimulated, DesignSubmitted
from contracts.events.plan import PlanApproved
from contracts.events.run import EngineeringRequested, RunSucceeded
from contracts.registry import ENDINGS

from tests.flows.complete_runs import FORBIDDEN
from tests.whole_run.observed_runs import ObservedRun
from tests.whole_run.otlp_receiver import ReceivedSpan

RUNNING = set(SERVICES) - {"cli"}
TRACED = RUNNING - {"recorder", "benchmark-generator", "gateway", "spatial-agent", "perception-worker"}
"""Services that handle messages of a run of engineering."""


@pytest.fixture
def spans(observed: ObservedRun) -> list[ReceivedSpan]:
    """The spans of the run."""
    return [span for span in observed.received.spans() if span.attributes.get("millwright.run_id") == observed.run_id]


def _trace(spans: list[ReceivedSpan]) -> str:
    (trace,) = {span.trace_id for span in spans}
    return trace


def test_all_spans_of_a_run_are_one_trace_that_begins_at_the_api(
    observed: ObservedRun, spans: list[ReceivedSpan]
) -> None:
    assert {span.service for span in spans} >= TRACED | {"gateway"}
    posts = [span for span in observed.received.spans() if span.name == "POST /runs"]
    assert [span.trace_id for span in posts] == [_trace(spans)]
    milestones = (EngineeringRequested, PlanApproved, DesignSubmitted, DesignSimulated, DesignApproved, RunSucceeded)
    traced = {span.name for span in observed.received.spans() if span.trace_id == _trace(spans)}
    assert {f"{milestone.subject} publish" for milestone in milestones} <= traced


def test_client_of_the_api_follows_the_run_and_reads_it(observed: ObservedRun) -> None:
    answers = observed.answers
    names = [event.name for event in answers.live]
    assert names[0] == "EngineeringRequested"
    assert names.count("RunSucceeded") == 1
    end = RunSucceeded.model_validate_json(answers.live[names.index("RunSucceeded")].data)
    assert answers.run["summary"]["outcome"] == "succeeded"
    assert answers.run["summary"]["unit_price_usd"] == end.bill.unit_price_usd
    recorded = [each["event"]["id"] for each in answers.events["events"]]
    assert recorded
    followed = [json.loads(event.data)["id"] for event in answers.live]
    assert recorded[: len(followed)] == followed[: len(recorded)], "sessions may be closed later"
    assert end.delivery.media is not None
    frame = end.delivery.media.key_frames[0].picture
    assert answers.picture.headers["content-type"] == frame.media_type
    assert len(answers.picture.content) == frame.size_bytes


def test_line_of_the_log_has_run_and_trace(observed: ObservedRun, spans: list[ReceivedSpan]) -> None:
    lines = [line for line in observed.received.lines() if observed.run_id in line.text and "begins" in line.text]
    assert [line.trace_id for line in lines] == [_trace(spans)]
    assert [line.attributes["millwright.run_id"] for line in lines] == [observed.run_id]


def test_batches_of_the_recorder_link_to_the_traces_of_their_events(
    observed: ObservedRun, spans: list[ReceivedSpan]
) -> None:
    linked = {trace for span in observed.received.spans() if span.service == "recorder" for trace in span.linked_traces}
    assert _trace(spans) in linked


def test_every_service_sends_metrics_and_serves_them(observed: ObservedRun) -> None:
    assert {metric.service for metric in observed.received.metrics()} == RUNNING
    assert set(observed.scraped) == RUNNING
    for service, text in observed.scraped.items():
        assert f'millwright_health_problems{{service_name="{service}"}}' in text


@pytest.mark.parametrize("metric", METRICS, ids=lambda metric: metric.name)
def test_declared_metric_is_emitted_with_its_attributes(observed: ObservedRun, metric: Metric) -> None:
    sent = [each for each in observed.received.metrics() if each.name == metric.name]
    assert sent
    assert {each.labels for each in sent} == {frozenset(metric.attributes)}
    suffix = "_bucket" if metric.kind == "histogram" else ""
    labels = {"service_name", *(name.replace(".", "_") for name in metric.attributes), *(["le"] if suffix else [])}
    assert observed.series[f"{metric.prometheus_name}{suffix}"].labels == labels


def test_nothing_is_emitted_that_is_not_declared(observed: ObservedRun) -> None:
    assert {each.name for each in observed.received.metrics()} == {metric.name for metric in METRICS}


def test_no_label_has_the_id_of_the_run(observed: ObservedRun) -> None:
    assert not [service for service, text in observed.scraped.items() if observed.run_id in text]


def test_model_calls_have_the_attributes_of_the_conventions(spans: list[ReceivedSpan]) -> None:
    calls = [span for span in spans if span.name == "chat offline"]
    assert {span.attributes["millwright.role"] for span in calls} >= {"planner", "engineer", "critic"}
    for span in calls:
        assert span.attributes["gen_ai.provider.name"] == "millwright"
        assert span.attributes["gen_ai.operation.name"] == "chat"
        assert int(span.attributes["gen_ai.usage.output_tokens"]) >= 0
        assert "gen_ai.response.finish_reasons" in span.attributes


def test_counters_of_a_run_equal_its_events(observed: ObservedRun) -> None:
    lines = observed.scraped["recorder"].splitlines()
    counted = [line for line in lines if line.startswith("millwright_runs_ended_total") and not line.endswith(" 0.0")]
    assert [line.endswith(" 1.0") and 'millwright_result="succeeded"' in line for line in counted] == [True]
    classes = observed.series["millwright_events_total"].values["millwright_event"]
    assert {ending.__name__ for ending in ENDINGS} & classes == {"RunSucceeded"}


def test_user_of_each_service_may_do_all_that_it_needs(observed: ObservedRun) -> None:
    assert observed.refusals, "what the command tried before the run is in the log"
    assert [line for line in observed.refusals if FORBIDDEN not in line and "never.allowed" not in line] == []
