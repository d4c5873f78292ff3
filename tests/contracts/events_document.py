"""docs/events.md: the language in words, told from AsyncAPI and from the tables of owners and voices."""

from collections.abc import Iterable, Iterator
from typing import Any, cast

from contracts.envelope import Event, Request
from contracts.events.dead_letters import MessageAbandoned
from contracts.publishers import SERVICES, UNCONSUMED, Service, may_publish, publishers_of, publishes_as
from contracts.registry import EVENTS, REQUESTS

from tests.contracts.fields import Schema, fields_of, references
from tests.contracts.specifying import asyncapi
from tests.contracts.wiring import Wire, wires, words_of

INTRODUCTION = """# All that is said

Written by `python -m tests.contracts.regenerate` from [asyncapi.json](asyncapi.json), the tables in
`libs/contracts/src/contracts/registry.py` and `voices.py`, and the wiring of the services; do not edit. What the words
mean is in [architecture.md](architecture.md).

An event lies in the stream at `mw.<thing>.<participle>.<run_id>.<role>.<id>`, once: the first stored under its run,
role and id wins, whatever its class. A *request* has one owner, which answers it with exactly one of its outcomes; an
outcome takes run and role from its request, and its id follows from the request's, so that all outcomes compete for one
place. Everything else is a *fact*. Text over 64 KiB travels as an artifact and is put back before a handler sees it.
What each service may publish is held by the server, when it is configured by `millwright permissions`."""

MANNERS = {
    "answers": "answers it",
    "hears": "hears it",
    "reminds": "is reminded of it at a certain time",
    "watches": "looks after it again and again until the run ends",
}


def events_md() -> str:
    """Return the whole document."""
    schemas = cast("dict[str, Any]", asyncapi()["components"])["schemas"]
    parts = [
        INTRODUCTION,
        _envelope(),
        _owners(),
        _voices(),
        "## Events, in the order of a run",
        *(_event(event, schemas[event.__name__]) for event in EVENTS),
        "## What events are made of",
        *(_model(name, schemas[name]) for name in _models(schemas)),
    ]
    return "\n\n".join(parts) + "\n"


def _envelope() -> str:
    schema = Event.model_json_schema(ref_template="#/components/schemas/{model}", mode="serialization")
    return "\n".join(["## What every event carries", "", *_field_table(schema)])


def _owners() -> str:
    rows = [f"| {_link(each)} | {each.owner} | {_links(each.outcomes)} |" for each in REQUESTS]
    return "\n".join(["## Who owes what", "", "| request | owner | outcomes |", "|---|---|---|", *rows])


def _voices() -> str:
    rows = [f"| {service} | {_links(_said_by(service))} | {_delivered(service)} |" for service in SERVICES]
    head = ["| service | says | is delivered |", "|---|---|---|"]
    note = "Each service that reads messages may also say [MessageAbandoned](#messageabandoned)."
    return "\n".join(["## Who says and who hears", "", *head, *rows, "", note])


def _said_by(service: Service) -> list[type[Event]]:
    return [event for event in EVENTS if event in may_publish(service) and event is not MessageAbandoned]


def _delivered(service: Service) -> str:
    if service == "recorder":
        return "everything"
    delivered = {wire.event for wire in wires() if wire.service == service}
    return _links(event for event in EVENTS if event in delivered | words_of(service).attended)


def _event(event: type[Event], schema: Schema) -> str:
    lines = [f"### {event.__name__}", "", _flowing(event.__doc__), "", f"- at `{event.subject}.<run>.<role>.<id>`"]
    lines += [f"- said by {', '.join(_speakers(event))}"]
    lines += [f"- answers {_links(asked)}" for asked in [_requests_of(event)] if asked]
    if issubclass(event, Request):
        lines += [f"- owned by {event.owner}, which answers with {_links(event.outcomes, ' or ')}"]
    lines += [f"- {told}" for told in _hearers(event)]
    own = _field_table(schema, without=Event.model_fields)
    return "\n".join([*lines, *(["", *own] if len(own) > 2 else [])])


def _speakers(event: type[Event]) -> Iterator[str]:
    for service in publishers_of(event):
        own_thread = publishes_as(service, event) is not None
        yield f"{service} on its own thread" if own_thread and len(publishers_of(event)) > 1 else service


def _requests_of(event: type[Event]) -> list[type[Event]]:
    return [request for request in REQUESTS if event in request.outcomes]


def _hearers(event: type[Event]) -> list[str]:
    told = [_told(wire) for wire in wires() if wire.event is event]
    told += [f"{service} answers it, thread by thread" for service in SERVICES if event in words_of(service).attended]
    return told or [f"delivered to nobody but the recorder: {UNCONSUMED.get(event, 'nobody has wired it')}"]


def _told(wire: Wire) -> str:
    on = f", on {wire.role}'s thread" if wire.role else ""
    return f"{wire.service} {MANNERS[wire.manner]}{on}"


def _models(schemas: Schema) -> list[str]:
    """Return what events refer to, in the order in which a reader meets it."""
    names = {event.__name__ for event in EVENTS}
    seen: dict[str, None] = {}

    def meet(schema: object) -> None:
        for name in references(schema):
            if name not in seen and name not in names:
                seen[name] = None
                meet(schemas[name])

    for event in EVENTS:
        meet(schemas[event.__name__])
    return list(seen)


def _model(name: str, schema: Schema) -> str:
    return "\n".join([f"### {name}", "", _flowing(schema.get("description")), "", *_field_table(schema)])


def _field_table(schema: Schema, without: Iterable[str] = ()) -> list[str]:
    return [
        "| field | what may stand there | meaning |",
        "|---|---|---|",
        *(f.row() for f in fields_of(schema, without)),
    ]


def _flowing(text: str | None) -> str:
    return " ".join((text or "").split())


def _link(event: type[Event]) -> str:
    return f"[{event.__name__}](#{event.__name__.lower()})"


def _links(events: Iterable[type[Event]], between: str = ", ") -> str:
    return between.join(_link(event) for event in events)
