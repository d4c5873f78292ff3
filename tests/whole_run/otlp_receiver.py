"""An OTLP/HTTP receiver for tests: it keeps everything that is exported to it."""

import gzip
import threading
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import KeyValue
from opentelemetry.proto.metrics.v1.metrics_pb2 import Metric


@dataclass(frozen=True)
class ReceivedSpan:
    """The part of a span that is tested."""

    service: str
    name: str
    trace_id: str
    attributes: dict[str, str]
    is_error: bool
    linked_traces: frozenset[str]


@dataclass(frozen=True)
class ReceivedLine:
    """A line of a log."""

    service: str
    text: str
    severity: str
    trace_id: str
    attributes: dict[str, str]


@dataclass(frozen=True)
class ReceivedMetric:
    """One series of a metric."""

    service: str
    name: str
    labels: frozenset[str]


@dataclass
class OtlpReceiver:
    """What arrived, as it was sent."""

    url: str = ""
    bodies: list[tuple[str, bytes]] = field(default_factory=list[tuple[str, bytes]])

    def spans(self) -> list[ReceivedSpan]:
        """Return all spans."""
        found: list[ReceivedSpan] = []
        for body in self._of("/v1/traces"):
            for resource in ExportTraceServiceRequest.FromString(body).resource_spans:
                service = _texts(resource.resource.attributes)["service.name"]
                for span in (span for scope in resource.scope_spans for span in scope.spans):
                    links = frozenset(link.trace_id.hex() for link in span.links)
                    attributes, is_error = _texts(span.attributes), span.status.code == 2
                    found.append(ReceivedSpan(service, span.name, span.trace_id.hex(), attributes, is_error, links))
        return found

    def lines(self) -> list[ReceivedLine]:
        """Return all lines of logs."""
        found: list[ReceivedLine] = []
        for body in self._of("/v1/logs"):
            for resource in ExportLogsServiceRequest.FromString(body).resource_logs:
                service = _texts(resource.resource.attributes)["service.name"]
                for record in (record for scope in resource.scope_logs for record in scope.log_records):
                    text, trace_id = record.body.string_value, record.trace_id.hex()
                    severity, attributes = record.severity_text, _texts(record.attributes)
                    found.append(ReceivedLine(service, text, severity, trace_id, attributes))
        return found

    def metrics(self) -> set[ReceivedMetric]:
        """Return all metrics with the names of their attributes."""
        found: set[ReceivedMetric] = set()
        for body in self._of("/v1/metrics"):
            for resource in ExportMetricsServiceRequest.FromString(body).resource_metrics:
                service = _texts(resource.resource.attributes)["service.name"]
                for metric in (metric for scope in resource.scope_metrics for metric in scope.metrics):
                    found |= {ReceivedMetric(service, metric.name, labels) for labels in _labels(metric)}
        return found

    def resource_attributes(self) -> set[str]:
        """Return the names of the attributes of all resources that sent logs."""
        names: set[str] = set()
        for body in self._of("/v1/logs"):
            for resource in ExportLogsServiceRequest.FromString(body).resource_logs:
                names |= set(_texts(resource.resource.attributes))
        return names

    def _of(self, path: str) -> list[bytes]:
        return [body for at, body in list(self.bodies) if at == path]


@contextmanager
def receiving() -> Generator[OtlpReceiver]:
    """Receive until the end of the block."""
    received = OtlpReceiver()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            if self.headers.get("Content-Encoding") == "gzip":
                body = gzip.decompress(body)
            received.bodies.append((self.path, body))
            self.send_response(200)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class's name
            """Print nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    received.url = f"http://127.0.0.1:{server.server_port}"
    try:
        yield received
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _texts(attributes: Iterable[KeyValue]) -> dict[str, str]:
    """Return attributes as text."""
    found: dict[str, str] = {}
    for each in attributes:
        kind = each.value.WhichOneof("value")
        found[each.key] = "" if kind is None else str(getattr(each.value, kind))
    return found


def _labels(metric: Metric) -> set[frozenset[str]]:
    kind = metric.WhichOneof("data")
    assert kind is not None
    return {frozenset(_texts(point.attributes)) for point in getattr(metric, kind).data_points}
