"""Traces and metrics from containers: one trace for each run. Needs an engine: `./run test-deploy`."""

import base64
import re
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from chassis.observability.declarations import HEALTH_PROBLEMS, LAG, LAG_AGE, RUNS_ENDED
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import KeyValue

from tests.deploy.containers.compose_project import ComposeProject, engine_time
from tests.deploy.containers.passwords import password_of

COLLECTOR = Path(__file__).with_name("collector.yaml")
ENDPOINT = "http://collector:4318"
TRACED = {"planner", "engineer", "critic", "skill-learner", "catalog", "cad-worker", "sim-worker"}
"""Services with spans of a run. Those of the recorder are of batches, and link to the runs' traces."""
ARRIVAL_S = 30.0
"""Spans are sent every five seconds."""

pytestmark = pytest.mark.timeout(1800)


@dataclass(frozen=True)
class Span:
    """The part of a span that is tested."""

    service: str
    name: str
    trace: str
    run: str
    """The run's id; empty for a span without a run."""


@pytest.fixture(scope="module")
def traced(project: ComposeProject) -> Iterator[ComposeProject]:
    """All services, and a collector for their spans."""
    traced = project.extended_by(COLLECTOR, OTEL_EXPORTER_OTLP_ENDPOINT=ENDPOINT)
    traced.up("--no-build")
    yield traced
    project.up("--no-build")
    traced.output("rm", "--stop", "--force", "collector")


def _sent(project: ComposeProject, path: str) -> list[bytes]:
    """Return the bodies that the collector has received so far."""
    lines = project.output("exec", "-T", "collector", "cat", "/tmp/received").splitlines()
    return [base64.b64decode(line.split(" ")[1]) for line in lines if line.startswith(f"{path} ")]


def _attribute(attributes: Iterable[KeyValue], key: str) -> str:
    return next((each.value.string_value for each in attributes if each.key == key), "")


def _spans(project: ComposeProject) -> list[Span]:
    found: list[Span] = []
    for body in _sent(project, "/v1/traces"):
        for each in ExportTraceServiceRequest.FromString(body).resource_spans:
            service = _attribute(each.resource.attributes, "service.name")
            for span in (span for scope in each.scope_spans for span in scope.spans):
                run = _attribute(span.attributes, "millwright.run_id")
                found.append(Span(service, span.name, span.trace_id.hex(), run))
    return found


def _of_run(project: ComposeProject, run: str) -> list[Span]:
    """Return a run's spans, as soon as each service has sent some, or after `ARRIVAL_S`."""
    deadline = time.monotonic() + ARRIVAL_S
    while True:
        spans = [span for span in _spans(project) if span.run == run]
        if {span.service for span in spans} >= TRACED or time.monotonic() > deadline:
            return spans
        time.sleep(1.0)


def _recorded_traces(project: ComposeProject, run: str) -> set[str]:
    """Return the traces that the recorder has stored for a run's events."""
    query = f"SELECT DISTINCT split_part(traceparent, '-', 2) FROM log.events WHERE run_id = '{run}'"
    command = ("psql", "-h", "127.0.0.1", "-U", "admin", "-d", "millwright", "-tAc", query)
    return set(project.output("exec", "-T", "-e", f"PGPASSWORD={password_of('admin')}", "postgres", *command).split())


def test_all_services_share_the_trace_of_a_run(traced: ComposeProject) -> None:
    begun = engine_time()
    code, printed = traced.attempt("run", "--rm", "-T", "cli", "solve", "gravity-chute", "--seed", "3")
    assert code == 0, printed
    [run] = re.findall(r"seed 3: run ([0-9a-f-]{36})", printed)
    spans = _of_run(traced, run)
    assert {span.service for span in spans} >= TRACED
    assert {span.trace for span in spans} == _recorded_traces(traced, run)
    assert len({span.trace for span in spans}) == 1
    assert traced.log_errors(begun) == []


def test_recorder_metrics_arrive_when_it_stops(traced: ComposeProject) -> None:
    traced.output("stop", "recorder")
    sent = [ExportMetricsServiceRequest.FromString(body) for body in _sent(traced, "/v1/metrics")]
    metrics = {
        (_attribute(each.resource.attributes, "service.name"), metric.name)
        for request in sent
        for each in request.resource_metrics
        for scope in each.scope_metrics
        for metric in scope.metrics
    }
    assert metrics >= {("recorder", metric.name) for metric in (LAG, LAG_AGE, RUNS_ENDED, HEALTH_PROBLEMS)}
