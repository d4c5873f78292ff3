"""Traces: one from a request to its verdict, across services, along the `traceparent` that every message carries.

FastStream's own middleware is left out: its three to five spans for each message cost more than all the rest of its
way, and their names hold ids, which no collector can group by.
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
    """How the messages of one app become parts of traces."""

    def carried_by(self, headers: Mapping[str, str] | None) -> AbstractContextManager[None]:
        """Make what happens inside the block part of the trace that a message belongs to."""
        ...

    def handling(self, name: str, event: Event) -> AbstractContextManager[object]:
        """Hold the work of the handler called `name`."""
        ...

    def publishing(self, event: Event) -> AbstractContextManager[Mapping[str, str]]:
        """Hold the publishing of an event; yields the headers by which its trace travels on."""
        ...


def tracing_by(provider: TracerProvider | None) -> Tracing:
    """Return who traces: with spans if somebody takes them, else by passing on what others trace."""
    return PassingOn() if provider is None else Spans(provider.get_tracer(INSTRUMENTATION))


class Spans:
    """One span for each event that the app publishes, one for each that its handlers work on."""

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


class PassingOn:
    """No spans: nobody would see them, and two for each message take as long as reading and writing it."""

    def carried_by(self, headers: Mapping[str, str] | None) -> AbstractContextManager[None]:
        """See `Tracing.carried_by`; a message without a trace begins one."""
        return _attached(_begun(_PROPAGATOR.extract(headers or {})))

    def handling(self, name: str, event: Event) -> AbstractContextManager[object]:  # noqa: ARG002 - see `Tracing`
        """See `Tracing.handling`."""
        return nullcontext()

    def publishing(self, event: Event) -> AbstractContextManager[Mapping[str, str]]:  # noqa: ARG002 - see `Tracing`
        """See `Tracing.publishing`; outside of any trace each event begins one."""
        return nullcontext(_headers() or _headers(_begun(Context())))


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


def _begun(context: Context) -> Context:
    """Return a context with a trace: its own, or a new one, which later services may record."""
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
