"""Telemetry of one app: its traces and metrics. Logs belong to the process; see `chassis.observability.logs`."""

import asyncio
import time
from collections.abc import Generator, Iterable
from contextlib import contextmanager

from contracts.envelope import Event
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.trace import TracerProvider as SdkTracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.trace import TracerProvider

from chassis.observability.declarations import (
    ATTEMPTS_FAILED,
    CONSUMER,
    ERROR_TYPE,
    EVENT,
    HANDLER_DURATION,
    OUTAGES_ENDED,
    OUTAGES_WAITED,
)
from chassis.observability.metrics import Meters, MetricsServer, endpoint_of, make_resource, otlp_readers
from chassis.observability.tracing import make_tracing
from chassis.settings import BusSettings
from chassis.subjects import SubscriptionMode

NO_ERROR = "none"


class Telemetry:
    """Exports over OTLP/HTTP if the settings name a collector, and serves metrics if they name a port."""

    def __init__(self, service: str, settings: BusSettings, tracer_provider: TracerProvider | None = None) -> None:
        """With a provider of the caller's, no other one records spans."""
        self._server = MetricsServer(settings)
        self.meters = Meters(service, [*otlp_readers(settings), *self._server.readers()])
        self._own_provider = _make_tracer_provider(service, settings) if tracer_provider is None else None
        self.tracing = make_tracing(tracer_provider or self._own_provider)
        self._handler_s = self.meters.measure(HANDLER_DURATION)
        self._attempts_failed = self.meters.measure(ATTEMPTS_FAILED)
        self._outages_ended = self.meters.measure(OUTAGES_ENDED)
        self._outages_waited_s = self.meters.measure(OUTAGES_WAITED)

    @property
    def metrics_url(self) -> str | None:
        """Where Prometheus can scrape this app, once it has started; None without METRICS_PORT."""
        return self._server.url

    def start(self, durables: Iterable[str]) -> None:
        """Serve metrics, with rare ones at zero; raise `CannotStartError` if their port is taken.

        An alert on an increase does not see a series that begins at 1.
        """
        self._outages_ended(0, {ERROR_TYPE: NO_ERROR})
        self._outages_waited_s(0, {ERROR_TYPE: NO_ERROR})
        for durable in durables:
            self._attempts_failed(0, {CONSUMER: durable, ERROR_TYPE: NO_ERROR})
        self._server.start()

    async def stop(self) -> None:
        """Export what is left."""
        await self._server.stop()
        await self.meters.stop()
        if self._own_provider is not None:
            await asyncio.to_thread(self._own_provider.shutdown)

    @contextmanager
    def handling(self, name: str, event: Event) -> Generator[None]:
        """Span and time the work of the handler called `name`."""
        began_s, error_type = time.monotonic(), NO_ERROR
        try:
            with self.tracing.handling(name, event):
                yield
        except BaseException as error:
            error_type = type(error).__name__
            raise
        finally:
            attributes = {EVENT: type(event).__name__, ERROR_TYPE: error_type}
            self._handler_s(time.monotonic() - began_s, attributes)

    def count_failed_attempt(self, durable: str, error: Exception) -> None:
        """Count an attempt to handle a message of this consumer."""
        self._attempts_failed(1, {CONSUMER: consumer_label(durable), ERROR_TYPE: type(error).__name__})

    def note_outage(self, error: Exception, waited_s: float) -> None:
        """Count an outage that a handler has waited out."""
        attributes = {ERROR_TYPE: type(error).__name__}
        self._outages_ended(1, attributes)
        self._outages_waited_s(waited_s, attributes)


def consumer_label(durable: str) -> str:
    """Return the name of a consumer in metrics: those of threads, one for each run, share one."""
    service, attends, _ = durable.partition(f"-{SubscriptionMode.SERVE_THREAD.value}-")
    return f"{service}-{SubscriptionMode.SERVE_THREAD.value}" if attends else durable


def _make_tracer_provider(service: str, settings: BusSettings) -> SdkTracerProvider | None:
    endpoint = endpoint_of(settings, "traces")
    if endpoint is None:
        return None
    provider = SdkTracerProvider(resource=make_resource(service))
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(endpoint=endpoint)))
    return provider
