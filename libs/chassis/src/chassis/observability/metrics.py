"""Metrics of one app: measures of the declared metrics, exported by OTLP, scraped by Prometheus, or neither."""

import asyncio
import os
import socket
from collections.abc import Callable, Mapping, Sequence

from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
from opentelemetry.exporter.prometheus import PrometheusMetricReader
from opentelemetry.metrics import Meter, NoOpMeterProvider
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import MetricReader, PeriodicExportingMetricReader
from opentelemetry.sdk.resources import SERVICE_INSTANCE_ID, SERVICE_NAME, SERVICE_NAMESPACE, Resource
from prometheus_client import CollectorRegistry, start_http_server

from chassis.errors import CannotStartError
from chassis.observability.declarations import Metric
from chassis.observability.tracing import INSTRUMENTATION
from chassis.settings import BusSettings

NO_ATTRIBUTES: Mapping[str, str] = {}
PROJECT = "millwright"


def make_resource(service: str) -> Resource:
    """Return the attributes that all exported data of one app share."""
    instance = f"{socket.gethostname()}:{os.getpid()}"
    return Resource.create({SERVICE_NAME: service, SERVICE_NAMESPACE: PROJECT, SERVICE_INSTANCE_ID: instance})


def endpoint_of(settings: BusSettings, path: str) -> str | None:
    """Return where a signal is sent; None without a collector."""
    base = settings.otel_exporter_otlp_endpoint
    return None if base is None else f"{base.rstrip('/')}/v1/{path}"


class Measure:
    """Writes the values of one metric."""

    def __init__(self, metric: Metric, write: Callable[[float, Mapping[str, str]], None]) -> None:
        self._metric = metric
        self._write = write

    def __call__(self, value: float, attributes: Mapping[str, str] = NO_ATTRIBUTES) -> None:
        """Add to a counter, set a gauge, or add an observation to a histogram.

        Raises `ValueError` if the attributes are not those of the metric's declaration.
        """
        if set(attributes) != set(self._metric.attributes):
            raise ValueError(
                f"{self._metric.name} has the attributes {sorted(self._metric.attributes)}, not {sorted(attributes)}"
            )
        self._write(value, attributes)


class Meters:
    """Makes the measures of one app."""

    def __init__(self, service: str, readers: Sequence[MetricReader] = ()) -> None:
        """Without readers nothing is measured."""
        self._provider = MeterProvider(readers, make_resource(service)) if readers else None

    @property
    def is_enabled(self) -> bool:
        """Whether anything reads what is measured."""
        return self._provider is not None

    def measure(self, metric: Metric) -> Measure:
        """Return the measure of a metric."""
        provider = self._provider or NoOpMeterProvider()
        measure = Measure(metric, _writer(provider.get_meter(INSTRUMENTATION), metric))
        if metric.kind == "counter" and not metric.attributes:
            measure(0)  # a series that begins at 1 has no increase
        return measure

    async def stop(self) -> None:
        """Export the last values."""
        if self._provider is not None:
            await asyncio.to_thread(self._provider.shutdown)


class MetricsServer:
    """Answers scrapes of one app's metrics at `/metrics`, if the settings name a port."""

    def __init__(self, settings: BusSettings) -> None:
        self._host = settings.metrics_host
        self._port = settings.metrics_port
        self._registry = CollectorRegistry()
        self._close: Callable[[], None] | None = None
        self.url: str | None = None
        """Where it answers, once it has started."""

    def readers(self) -> list[MetricReader]:
        """Return the reader that it serves; its values have the service's name as a label."""
        if self._port is None:
            return []
        labels = {SERVICE_NAME}.__contains__
        return [
            PrometheusMetricReader(scope_info_enabled=False, resource_attribute_filter=labels, registry=self._registry)
        ]

    def start(self) -> None:
        """Listen; raise `CannotStartError` if the port is taken."""
        if self._port is None:
            return
        try:
            server, thread = start_http_server(self._port, self._host, self._registry)
        except OSError as error:
            raise CannotStartError(
                f"metrics cannot be served on {self._host}:{self._port} ({error.strerror}): set METRICS_PORT to a "
                "free port, or 0 for any"
            ) from error
        self.url = f"http://{self._host}:{server.server_port}/metrics"

        def close() -> None:
            server.shutdown()
            server.server_close()
            thread.join()

        self._close = close

    async def stop(self) -> None:
        """Listen no longer."""
        close, self._close = self._close, None
        if close is not None:
            await asyncio.to_thread(close)


def otlp_readers(settings: BusSettings) -> list[MetricReader]:
    """Return the reader that exports to the collector, if the settings name one."""
    endpoint = endpoint_of(settings, "metrics")
    if endpoint is None:
        return []
    every_ms = 1000.0 * settings.telemetry_every_s
    return [PeriodicExportingMetricReader(OTLPMetricExporter(endpoint=endpoint), export_interval_millis=every_ms)]


def _writer(meter: Meter, metric: Metric) -> Callable[[float, Mapping[str, str]], None]:
    if metric.kind == "counter":
        return meter.create_counter(metric.name, metric.unit, metric.description).add
    if metric.kind == "gauge":
        return meter.create_gauge(metric.name, metric.unit, metric.description).set
    bounds = list(metric.bounds)
    histogram = meter.create_histogram(
        metric.name, metric.unit, metric.description, explicit_bucket_boundaries_advisory=bounds
    )
    return histogram.record
