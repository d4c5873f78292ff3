"""Traces: one from a request to its verdict, across services, along the `traceparent` that every message carries.

FastStream's own middleware is left out: its three to five spans for each message cost more than all the rest of its
way, and their names hold ids, which no collector can group by.
"""

from collections.abc import Generator, Mapping
from contextlib import AbstractContextManager, contextmanager

from contracts.envelope import Event
from opentelemetry.context import attach, detach
from opentelemetry.trace import Span, SpanKind, Tracer
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

_PROPAGATOR = TraceContextTextMapPropagator()


class Tracing:
    """The spans of one app: one for each event it publishes, one for each that its handlers work on."""

    def __init__(self, tracer: Tracer) -> None:
        self._tracer = tracer

    @contextmanager
    def carried_by(self, headers: Mapping[str, str] | None) -> Generator[None]:
        """Make what happens inside the block part of the trace that a message belongs to."""
        token = attach(_PROPAGATOR.extract(headers or {}))
        try:
            yield
        finally:
            detach(token)

    def handling(self, name: str, event: Event) -> AbstractContextManager[Span]:
        """Span the work of the handler called `name`."""
        return self._tracer.start_as_current_span(name, kind=SpanKind.CONSUMER, attributes=_attributes(event))

    @contextmanager
    def publishing(self, event: Event) -> Generator[dict[str, str]]:
        """Span the publishing of an event; yields the headers by which its trace travels on."""
        name = f"{event.subject} publish"
        with self._tracer.start_as_current_span(name, kind=SpanKind.PRODUCER, attributes=_attributes(event)):
            headers: dict[str, str] = {}
            _PROPAGATOR.inject(headers)
            yield headers


def _attributes(event: Event) -> dict[str, str]:
    return {
        "millwright.run_id": str(event.run_id),
        "millwright.role": event.role,
        "millwright.event": type(event).__name__,
        "millwright.event_id": str(event.id),
    }
