"""Distributed tracing: one trace from a request to its verdict, across services, along each message's `traceparent`.

FastStream's middleware is not used; docs/architecture/events-and-delivery.md has the measurements.
"""

from collections.abc import Generator, Iterable, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Protocol

from contracts.envelope import Event
from opentelemetry.context import Context, attach, create_key, detach, get_value, set_value
from opentelemetry.sdk.trace.id_generator import RandomIdGenerator
from opentelemetry.trace import (
    INVALID_SPAN,
    Link,
    NonRecordingSpan,
    Span,
    SpanContext,
    SpanKind,
    TraceFlags,
    Tracer,
    TracerProvider,
    get_current_span,
    set_span_in_context,
)
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator
from opentelemetry.util.types import AttributeValue

from chassis.observability.declarations import EVENT, EVENT_ID, MESSAGES, ROLE, RUN_ID
from chassis.subjects import Address

INSTRUMENTATION = "millwright.chassis"

_PROPAGATOR = TraceContextTextMapPropagator()
_IDS = RandomIdGenerator()
_RUN_ID = create_key(RUN_ID)
MAX_LINKS = 100
"""Of the span of a batch, to the traces of its messages."""


def current_run_id() -> str | None:
    """Return the run of the message in work; None outside of any."""
    value = get_value(_RUN_ID)
    return value if isinstance(value, str) else None


class Tracing(Protocol):
    """Connects the messages of one app to traces."""

    def carried_by(self, subject: str, headers: Mapping[str, str] | None) -> AbstractContextManager[None]:
        """Continue, inside the block, the run and the trace that a message's subject and headers name."""
        ...

    def working(
        self, name: str, attributes: Mapping[str, AttributeValue], kind: SpanKind = SpanKind.CLIENT
    ) -> AbstractContextManager[Span]:
        """Span other work than a message's, such as a call of a model; yields the span."""
        ...

    def reading(self, name: str, headers: Iterable[Mapping[str, str]]) -> AbstractContextManager[object]:
        """Span the work on a batch of messages, with a link to each of their traces."""
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

    def carried_by(self, subject: str, headers: Mapping[str, str] | None) -> AbstractContextManager[None]:
        """See `Tracing.carried_by`."""
        return _attached(_with_run(_PROPAGATOR.extract(headers or {}), subject))

    def working(
        self, name: str, attributes: Mapping[str, AttributeValue], kind: SpanKind = SpanKind.CLIENT
    ) -> AbstractContextManager[Span]:
        """See `Tracing.working`."""
        return self._tracer.start_as_current_span(name, kind=kind, attributes=attributes)

    def reading(self, name: str, headers: Iterable[Mapping[str, str]]) -> AbstractContextManager[object]:
        """See `Tracing.reading`."""
        carried = list(headers)
        links = _links(carried)
        attributes = {MESSAGES: len(carried)}
        return self._tracer.start_as_current_span(name, Context(), SpanKind.CONSUMER, attributes, links)

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

    def carried_by(self, subject: str, headers: Mapping[str, str] | None) -> AbstractContextManager[None]:
        """See `Tracing.carried_by`; a message without a trace starts one."""
        return _attached(_with_run(_with_trace(_PROPAGATOR.extract(headers or {})), subject))

    def working(
        self,
        name: str,  # noqa: ARG002 - see `Tracing`
        attributes: Mapping[str, AttributeValue],  # noqa: ARG002
        kind: SpanKind = SpanKind.CLIENT,  # noqa: ARG002
    ) -> AbstractContextManager[Span]:
        """See `Tracing.working`."""
        return nullcontext(INVALID_SPAN)

    def reading(self, name: str, headers: Iterable[Mapping[str, str]]) -> AbstractContextManager[object]:  # noqa: ARG002 - see `Tracing`
        """See `Tracing.reading`."""
        return nullcontext()

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


def _with_run(context: Context, subject: str) -> Context:
    """Return the context with the run that a subject names, if it names one."""
    try:
        run_id = Address.of(subject).run_id
    except ValueError:
        return context
    return set_value(_RUN_ID, str(run_id), context)


def _links(headers: Iterable[Mapping[str, str]]) -> list[Link]:
    """Return a link to one span of each trace, at most `MAX_LINKS`."""
    found: dict[int, SpanContext] = {}
    for each in headers:
        carried = get_current_span(_PROPAGATOR.extract(each)).get_span_context()
        if carried.is_valid:
            found.setdefault(carried.trace_id, carried)
        if len(found) == MAX_LINKS:
            break
    return [Link(each) for each in found.values()]


def _attributes(event: Event) -> dict[str, str]:
    return {
        RUN_ID: str(event.run_id),
        ROLE: event.role,
        EVENT: type(event).__name__,
        EVENT_ID: str(event.id),
    }
