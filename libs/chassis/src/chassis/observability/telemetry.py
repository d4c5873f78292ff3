"""Traces: one trace from a request to its verdict, across services. Metrics: what a service counts of itself."""

import asyncio
from collections.abc import Callable
from functools import partial
from typing import Any

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
    """Return a provider of the service's own, if the settings name a collector to export to."""
    if settings.otel_exporter_otlp_endpoint is None:
        return None
    provider = TracerProvider(resource=Resource.create({SERVICE_NAME: service}))
    endpoint = f"{settings.otel_exporter_otlp_endpoint.rstrip('/')}/v1/traces"
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(endpoint=endpoint)))
    return provider


class Meters:
    """A resource: a service's own figures. They are exported, once a minute, when the settings name a collector."""

    def __init__(self, service: str, settings: BusSettings) -> None:
        readers: list[MetricReader] = []
        if settings.otel_exporter_otlp_endpoint is not None:
            endpoint = f"{settings.otel_exporter_otlp_endpoint.rstrip('/')}/v1/metrics"
            readers.append(PeriodicExportingMetricReader(OTLPMetricExporter(endpoint=endpoint)))
        self._provider = MeterProvider(readers, Resource.create({SERVICE_NAME: service}))

    @property
    def meter(self) -> Meter:
        """What makes gauges and counters."""
        return self._provider.get_meter(INSTRUMENTATION)

    async def start(self) -> None:
        """Nothing is opened before the first export."""

    async def stop(self) -> None:
        """Export what was measured last."""
        await asyncio.to_thread(self._provider.shutdown)


def name_of(handler: Callable[..., Any]) -> str:
    """Return what a handler is called in the source, through any `partial`."""
    while isinstance(handler, partial):
        handler = handler.func
    name = getattr(handler, "__name__", None)
    return name if isinstance(name, str) else type(handler).__name__
