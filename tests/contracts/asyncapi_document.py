"""The language as AsyncAPI, made by FastStream from how the services are wired and from what they may say."""

from collections.abc import Callable
from typing import Any, cast

from chassis.stream.subjects import STREAM, SUBJECTS, durable_name, every
from contracts.envelope import Event
from contracts.publishers import SERVICES, Service, may_publish, publishes_as
from contracts.registry import EVENTS
from faststream.nats import JStream, NatsBroker, PullSub
from faststream.specification import AsyncAPI
from pydantic import JsonValue

from tests.contracts.wiring import Wire, wires, words_of

TITLE = "Millwright"
DESCRIPTION = (
    "All that is said in a run, on one JetStream stream: an event is stored once, at "
    "mw.<thing>.<participle>.<run_id>.<role>.<id>. See events.md for the same in words."
)


def asyncapi() -> dict[str, JsonValue]:
    """Return the document: one channel for each consumer, and one for each class that a service publishes."""
    broker = NatsBroker()
    for wire in wires():
        _receive(broker, consumer_of(wire), every(wire.event, wire.role), wire.event)
    for service in SERVICES:
        for event in _in_order(words_of(service).attended):
            _receive(broker, f"{service}-attends-{_dashed(event)}", every(event), event)
        for event in _in_order(may_publish(service)):
            _send(broker, service, event)
    _receive(broker, "recorder-records", SUBJECTS, Event)
    document = AsyncAPI(broker, title=TITLE, description=DESCRIPTION).to_specification().to_jsonable()
    del document["servers"]  # where they are is each installation's own affair
    for channel in document["channels"].values():
        del channel["servers"]
    return cast("dict[str, JsonValue]", document)


def consumer_of(wire: Wire) -> str:
    """Return the name of the durable consumer of a wire."""
    manner = "reminds" if wire.manner == "watches" else wire.manner
    return durable_name(wire.service, manner, wire.event, wire.role)


def _in_order(events: frozenset[type[Event]]) -> list[type[Event]]:
    return [event for event in EVENTS if event in events]


def _receive(broker: NatsBroker, consumer: str, subject: str, event: type[Event]) -> None:
    stream = JStream(STREAM, declare=False)
    subscriber = broker.subscriber(
        subject, durable=consumer, stream=stream, pull_sub=PullSub(), title=consumer, description=_first_line(event)
    )
    subscriber(_handler_of(event))


def _send(broker: NatsBroker, service: Service, event: type[Event]) -> None:
    subject = every(event, publishes_as(service, event))
    title = f"{service}-says-{_dashed(event)}"
    broker.publisher(subject, stream=STREAM, title=title, description=_first_line(event), schema=event)


def _handler_of(event: type[Event]) -> Callable[..., Any]:
    """Return a function that takes the event: FastStream reads the payload from its annotation."""

    async def handler(message: Event) -> None: ...

    handler.__annotations__["message"] = event
    return handler


def _dashed(event: type[Event]) -> str:
    return event.subject.removeprefix("mw.").replace(".", "-")


def _first_line(event: type[Event]) -> str:
    return (event.__doc__ or "").strip().splitlines()[0]
