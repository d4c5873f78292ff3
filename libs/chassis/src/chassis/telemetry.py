"""Traces: one trace from a request to its verdict, across services."""

from collections.abc import Callable
from functools import partial
from typing import Any

from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import SERVICE_NAME, Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor

from chassis.settings import BusSettings

INSTRUMENTATION = "millwright.chassis"


def make_tracer_provider(service: str, settings: BusSettings) -> TracerProvider:
    """Return a provider of the service's own; it exports when the settings name a collector."""
    provider = TracerProvider(resource=Resource.create({SERVICE_NAME: service}))
    if settings.otel_exporter_otlp_endpoint is not None:
        endpoint = f"{settings.otel_exporter_otlp_endpoint.rstrip('/')}/v1/traces"
        provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(endpoint=endpoint)))
    return provider


def name_of(handler: Callable[..., Any]) -> str:
    """Return what a handler is called in the source, through any `partial`."""
    while isinstance(handler, partial):
        handler = handler.func
    name = getattr(handler, "__name__", None)
    return name if isinstance(name, str) else type(handler).__name__
