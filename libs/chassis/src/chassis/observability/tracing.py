"""Distributed tracing: one trace from a request to its verdict, across services, along each message's `traceparent`.

FastStream's middleware is not used; decision 0039 has the measurements.
"""

from collections.abc import Generator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Protocol

from contracts.envelope import Event
from opentelemetry.context import Context, attach, detach
from opentelemetry.sdk.trace.id_generator import RandomIdGenerator
from opentelemetry.trace import (
    NonRecordingSpan,
    SpanContext,
    SpanKind,
    TraceFlags,
    Tracer,
    TracerProvider,
    get_current_span,
    set_span_in_context,
)
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

INSTRUMENTATION = "millwright.chassis"

_PROPAGATOR = TraceContextTextMapPropagator()
_IDS = RandomIdGenerator()


class Tracing(Protocol):
    """Connects the messages of one app to traces."""

    def carried_by(self, headers: Mapping[str, str] | None) -> AbstractContextManager[None]:
        """Continue, inside the block, the trace that the headers of a message name."""
        ...

    def handling(self, name: str, event: Event) -> AbstractContextManager[object]:
        """Span the work of the handler called `name`."""
        ...

    def publishing(self, event: Event) -> AbstractContextManager[Mapping[str, str]]:
        """Span the publishing of an event; yields the headers that name its trace."""
        ...


def make_tracing(provider: TracerProvider | None) -> Tracing:
    """Return tracing with spans, or without them if no provider records them."""
    return TracePropagation() if provider is None else SpanTracing(provider.get_tracer(INSTRUMENTATION))


class SpanTracing:
    """One span for each event that the app publishes, and one for each call of a handler."""

    def __init__(self, tracer: Tracer) -> None:
        self._tracer = tracer

    def carried_by(self, headers: Mapping[str, str] | None) -> AbstractContextManager[None]:
        """See `Tracing.carried_by`."""
        return _attached(_PROPAGATOR.extract(headers or {}))

    def handling(self, name: str, event: Event) -> AbstractContextManager[object]:
        """See `Tracing.handling`."""
        return self._tracer.start_as_current_span(name, kind=SpanKind.CONSUMER, attributes=_attributes(event))

    @contextmanager
    def publishing(self, event: Event) -> Generator[dict[str, str]]:
        """See `Tracing.publishing`."""
        name = f"{event.subject} publish"
        with self._tracer.start_as_current_span(name, kind=SpanKind.PRODUCER, attributes=_attributes(event)):
            yield _headers()


class TracePropagation:
    """Passes traces on without spans: two for each message would take as long as parsing and encoding it."""

    def carried_by(self, headers: Mapping[str, str] | None) -> AbstractContextManager[None]:
        """See `Tracing.carried_by`; a message without a trace starts one."""
        return _attached(_with_trace(_PROPAGATOR.extract(headers or {})))

    def handling(self, name: str, event: Event) -> AbstractContextManager[object]:  # noqa: ARG002 - see `Tracing`
        """See `Tracing.handling`."""
        return nullcontext()

    def publishing(self, event: Event) -> AbstractContextManager[Mapping[str, str]]:  # noqa: ARG002 - see `Tracing`
        """See `Tracing.publishing`; outside of a trace, each event starts one."""
        return nullcontext(_headers() or _headers(_with_trace(Context())))


@contextmanager
def _attached(context: Context) -> Generator[None]:
    token = attach(context)
    try:
        yield
    finally:
        detach(token)


def _headers(context: Context | None = None) -> dict[str, str]:
    headers: dict[str, str] = {}
    _PROPAGATOR.inject(headers, context)
    return headers


def _with_trace(context: Context) -> Context:
    """Return the context if it has a trace, or one with a new trace, whose spans later services may record."""
    if get_current_span(context).get_span_context().is_valid:
        return context
    ids = SpanContext(
        _IDS.generate_trace_id(), _IDS.generate_span_id(), is_remote=False, trace_flags=TraceFlags(TraceFlags.SAMPLED)
    )
    return set_span_in_context(NonRecordingSpan(ids), context)


def _attributes(event: Event) -> dict[str, str]:
    return {
        "millwright.run_id": str(event.run_id),
        "millwright.role": event.role,
        "millwright.event": type(event).__name__,
        "millwright.event_id": str(event.id),
    }
