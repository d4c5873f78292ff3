"""One trace leads through all containers of a run. Needs an engine: `./run test-deploy`."""

import base64
import re
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import KeyValue

from tests.deploy.composition import Composition, engine_time
from tests.deploy.passwords import password_of

COLLECTOR = Path(__file__).with_name("collector.yaml")
ENDPOINT = "http://collector:4318"
SPEAKING = {"planner", "engineer", "critic", "skill-learner", "catalog", "cad-worker", "sim-worker"}
"""Who has spans. The recorder has none: it notes down to which trace an event belongs."""
ARRIVAL_S = 30.0
"""Spans are sent every five seconds."""

pytestmark = pytest.mark.timeout(1800)


@dataclass(frozen=True)
class Span:
    """What we look at of a span."""

    service: str
    name: str
    trace: str
    run: str
    """Of which run; empty for what belongs to none."""


@pytest.fixture(scope="module")
def watched(composition: Composition) -> Iterator[Composition]:
    """All services, and a collector that they send their spans to."""
    watched = composition.beside(COLLECTOR, OTEL_EXPORTER_OTLP_ENDPOINT=ENDPOINT)
    watched.up("--no-build")
    yield watched
    composition.up("--no-build")
    watched.told("rm", "--stop", "--force", "collector")


def _sent(composition: Composition, path: str) -> list[bytes]:
    """Return the bodies of what the collector has been sent until now."""
    kept = composition.told("exec", "-T", "collector", "cat", "/tmp/received").splitlines()
    return [base64.b64decode(line.split(" ")[1]) for line in kept if line.startswith(f"{path} ")]


def _attribute(attributes: Iterable[KeyValue], key: str) -> str:
    return next((each.value.string_value for each in attributes if each.key == key), "")


def _spans(composition: Composition) -> list[Span]:
    found: list[Span] = []
    for body in _sent(composition, "/v1/traces"):
        for each in ExportTraceServiceRequest.FromString(body).resource_spans:
            service = _attribute(each.resource.attributes, "service.name")
            for span in (span for scope in each.scope_spans for span in scope.spans):
                run = _attribute(span.attributes, "millwright.run_id")
                found.append(Span(service, span.name, span.trace_id.hex(), run))
    return found


def _of_run(composition: Composition, run: str) -> list[Span]:
    """Return a run's spans, as soon as there are some of each service, or all that have come until patience ends."""
    patience_ends = time.monotonic() + ARRIVAL_S
    while True:
        spans = [span for span in _spans(composition) if span.run == run]
        if {span.service for span in spans} >= SPEAKING or time.monotonic() > patience_ends:
            return spans
        time.sleep(1.0)


def _in_the_log(composition: Composition, run: str) -> set[str]:
    """Return the traces that the recorder has noted down for a run's events."""
    query = f"SELECT DISTINCT split_part(traceparent, '-', 2) FROM log.events WHERE run_id = '{run}'"
    words = ("psql", "-h", "127.0.0.1", "-U", "admin", "-d", "millwright", "-tAc", query)
    return set(composition.told("exec", "-T", "-e", f"PGPASSWORD={password_of('admin')}", "postgres", *words).split())


def test_every_service_adds_to_the_one_trace_of_a_run(watched: Composition) -> None:
    begun = engine_time()
    code, printed = watched.tried("run", "--rm", "-T", "cli", "solve", "gravity-chute", "--seed", "3")
    assert code == 0, printed
    [run] = re.findall(r"seed 3: run ([0-9a-f-]{36})", printed)
    spans = _of_run(watched, run)
    assert {span.service for span in spans} >= SPEAKING
    assert {span.trace for span in spans} == _in_the_log(watched, run)
    assert len({span.trace for span in spans}) == 1
    assert watched.complaints(begun) == []


def test_the_recorders_figures_arrive_at_the_latest_when_it_stops(watched: Composition) -> None:
    watched.told("stop", "recorder")
    sent = [ExportMetricsServiceRequest.FromString(body) for body in _sent(watched, "/v1/metrics")]
    told = {
        (_attribute(each.resource.attributes, "service.name"), metric.name)
        for request in sent
        for each in request.resource_metrics
        for scope in each.scope_metrics
        for metric in scope.metrics
    }
    assert told == {("recorder", "millwright.recorder.lag"), ("recorder", "millwright.recorder.lag_age")}
