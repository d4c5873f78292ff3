"""OpenTelemetry export over OTLP/HTTP: the tracer provider of a service, and its own metrics."""

import asyncio

from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.metrics import Meter
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import MetricReader, PeriodicExportingMetricReader
from opentelemetry.sdk.resources import SERVICE_NAME, Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor

from chassis.observability.tracing import INSTRUMENTATION
from chassis.settings import BusSettings


def make_tracer_provider(service: str, settings: BusSettings) -> TracerProvider | None:
    """Return a tracer provider of the service, if the settings name a collector."""
    if settings.otel_exporter_otlp_endpoint is None:
        return None
    provider = TracerProvider(resource=Resource.create({SERVICE_NAME: service}))
    endpoint = f"{settings.otel_exporter_otlp_endpoint.rstrip('/')}/v1/traces"
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(endpoint=endpoint)))
    return provider


class Meters:
    """A resource: the metrics of a service, exported once a minute if the settings name a collector."""

    def __init__(self, service: str, settings: BusSettings) -> None:
        readers: list[MetricReader] = []
        if settings.otel_exporter_otlp_endpoint is not None:
            endpoint = f"{settings.otel_exporter_otlp_endpoint.rstrip('/')}/v1/metrics"
            readers.append(PeriodicExportingMetricReader(OTLPMetricExporter(endpoint=endpoint)))
        self._provider = MeterProvider(readers, Resource.create({SERVICE_NAME: service}))

    @property
    def meter(self) -> Meter:
        """Creates gauges and counters."""
        return self._provider.get_meter(INSTRUMENTATION)

    async def start(self) -> None:
        """Do nothing: the first export opens the connection."""

    async def stop(self) -> None:
        """Export the last values."""
        await asyncio.to_thread(self._provider.shutdown)
