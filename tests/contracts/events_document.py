"""docs/events.md: the event reference, made from the AsyncAPI document, the registry and the publishers table."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, cast

from contracts.envelope import SERVICES, Event, Request, Service
from contracts.events.dead_letters import MessageAbandoned
from contracts.publishers import may_publish, publishes_as
from contracts.registry import EVENTS, REQUESTS
from documents.markdown import one_line

from tests.contracts.asyncapi_document import asyncapi
from tests.contracts.schema_fields import Schema, fields_of, references
from tests.contracts.service_wiring import Method, Route, publishers_of, routes, source_events

INTRODUCTION = """# Event reference

Written by `python -m tests.contracts.regenerate` from [asyncapi.json](asyncapi.json), the tables in
`libs/contracts/src/contracts/events`, and the wiring of the services; do not edit. The terms
are defined in [glossary.md](glossary.md).

The subject of an event is `mw.<thing>.<participle>.<run_id>.<role>.<id>`. It is stored once: the first event under a
run, role and id wins, whatever its class. A *request* has one owner, which answers it with exactly one of its outcomes.
An outcome takes run and role from its request, and its id is derived from the request's id, so all outcomes of a
request compete for one subject. Every other event is a *fact*. Text over 64 KiB is published as an artifact and
restored before a handler receives the event. The NATS server enforces what each service may publish when it is
configured by `millwright permissions`."""

CONSUMPTION: Mapping[Method, str] = {
    "answers": "answers it",
    "subscribes": "subscribes to it",
    "schedules": "handles it at a scheduled time",
    "repeats": "handles it repeatedly until the run ends",
}


def events_md() -> str:
    """Return the whole document."""
    schemas = cast("dict[str, Any]", asyncapi()["components"])["schemas"]
    parts = [
        INTRODUCTION,
        _envelope(),
        _owners(),
        _publishers_and_consumers(),
        "## Events, in the order of a run",
        *(_event(event, schemas[event.__name__]) for event in EVENTS),
        "## Models used by events",
        *(_model(name, schemas[name]) for name in _models(schemas)),
    ]
    return "\n\n".join(parts) + "\n"


def _envelope() -> str:
    schema = Event.model_json_schema(ref_template="#/components/schemas/{model}", mode="serialization")
    return "\n".join(["## Fields of every event", "", *_field_table(schema)])


def _owners() -> str:
    rows = [f"| {_link(each)} | {each.owner} | {_links(each.outcomes)} |" for each in REQUESTS]
    return "\n".join(["## Requests and outcomes", "", "| request | owner | outcomes |", "|---|---|---|", *rows])


def _publishers_and_consumers() -> str:
    rows = [f"| {service} | {_links(_published_by(service))} | {_consumed_by(service)} |" for service in SERVICES]
    head = ["| service | publishes | consumes |", "|---|---|---|"]
    note = "Each service that consumes events may also publish [MessageAbandoned](#messageabandoned)."
    return "\n".join(["## Publishers and consumers", "", *head, *rows, "", note])


def _published_by(service: Service) -> list[type[Event]]:
    return [event for event in EVENTS if event in may_publish(service) and event is not MessageAbandoned]


def _consumed_by(service: Service) -> str:
    if service == "recorder":
        return "every event"
    consumed = {route.event for route in routes() if route.service == service} | source_events(service).served
    return _links(event for event in EVENTS if event in consumed)


def _event(event: type[Event], schema: Schema) -> str:
    lines = [
        f"### {event.__name__}",
        "",
        one_line(event.__doc__ or ""),
        "",
        f"- subject `{event.subject}.<run>.<role>.<id>`",
    ]
    lines += [f"- published by {', '.join(_publishers(event))}"]
    lines += [f"- an outcome of {_links(requests)}" for requests in [_requests_with_outcome(event)] if requests]
    if issubclass(event, Request):
        lines += [f"- owned by {event.owner}, which answers with {_links(event.outcomes, ' or ')}"]
    lines += [f"- {consumer}" for consumer in _consumers(event)]
    own = _field_table(schema, without=Event.model_fields)
    return "\n".join([*lines, *(["", *own] if len(own) > 2 else [])])


def _publishers(event: type[Event]) -> Iterator[str]:
    for service in publishers_of(event):
        has_own_thread = publishes_as(service, event) is not None
        yield f"{service} on its own thread" if has_own_thread and len(publishers_of(event)) > 1 else service


def _requests_with_outcome(event: type[Event]) -> list[type[Event]]:
    return [request for request in REQUESTS if event in request.outcomes]


def _consumers(event: type[Event]) -> list[str]:
    consumers = [_consumer(route) for route in routes() if route.event is event]
    consumers += [f"{each} answers it, thread by thread" for each in SERVICES if event in source_events(each).served]
    return consumers or [f"consumed by the recorder only: {event.unconsumed or 'no reason is documented'}"]


def _consumer(route: Route) -> str:
    thread = f", on {route.role}'s thread" if route.role else ""
    return f"{route.service} {CONSUMPTION[route.method]}{thread}"


def _models(schemas: Schema) -> list[str]:
    """Return the names of the models that events refer to, in order of first use."""
    names = {event.__name__ for event in EVENTS}
    found: dict[str, None] = {}

    def visit(schema: object) -> None:
        for name in references(schema):
            if name not in found and name not in names:
                found[name] = None
                visit(schemas[name])

    for event in EVENTS:
        visit(schemas[event.__name__])
    return list(found)


def _model(name: str, schema: Schema) -> str:
    return "\n".join([f"### {name}", "", one_line(schema.get("description") or ""), "", *_field_table(schema)])


def _field_table(schema: Schema, without: Iterable[str] = ()) -> list[str]:
    return ["| field | type | meaning |", "|---|---|---|", *(field.row() for field in fields_of(schema, without))]


def _link(event: type[Event]) -> str:
    return f"[{event.__name__}](#{event.__name__.lower()})"


def _links(events: Iterable[type[Event]], between: str = ", ") -> str:
    return between.join(_link(event) for event in events)
