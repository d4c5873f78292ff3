"""docs/asyncapi.json, made by FastStream from the services' wiring and from what they may publish."""

from collections.abc import Callable, Mapping
from typing import Any, cast

from chassis.subjects import STREAM, SUBJECTS, SubscriptionMode, class_filter, durable_name
from contracts.envelope import SERVICES, Event, Service
from contracts.publishers import may_publish, publishes_as
from contracts.registry import EVENTS
from faststream.nats import JStream, NatsBroker, PullSub
from faststream.specification import AsyncAPI
from pydantic import JsonValue

from tests.contracts.service_wiring import Method, Route, routes, source_events

TITLE = "Millwright"
DESCRIPTION = (
    "All events of all runs, on one JetStream stream: an event is stored once, at "
    "mw.<thing>.<participle>.<run_id>.<role>.<id>. events.md documents the same in prose."
)
SUBSCRIPTION_MODES: Mapping[Method, SubscriptionMode] = {
    "answers": SubscriptionMode.ANSWER,
    "subscribes": SubscriptionMode.SUBSCRIBE,
    "schedules": SubscriptionMode.SCHEDULE,
    "repeats": SubscriptionMode.SCHEDULE,
}
"""By method of `App`."""


def asyncapi() -> dict[str, JsonValue]:
    """Return the document: one channel for each consumer, and one for each class that a service publishes."""
    broker = NatsBroker()
    for route in routes():
        _receive(broker, consumer_of(route), class_filter(route.event, route.role), route.event)
    for service in SERVICES:
        for event in _in_order(source_events(service).served):
            _receive(broker, f"{service}-attends-{_dashed(event)}", class_filter(event), event)
        for event in _in_order(may_publish(service)):
            _send(broker, service, event)
    _receive(broker, "recorder-records", SUBJECTS, Event)
    document = AsyncAPI(broker, title=TITLE, description=DESCRIPTION).to_specification().to_jsonable()
    del document["servers"]  # addresses differ in every installation
    for channel in document["channels"].values():
        del channel["servers"]
    return cast("dict[str, JsonValue]", document)


def consumer_of(route: Route) -> str:
    """Return the name of a route's durable consumer."""
    return durable_name(route.service, SUBSCRIPTION_MODES[route.method], route.event, route.role)


def _in_order(events: frozenset[type[Event]]) -> list[type[Event]]:
    return [event for event in EVENTS if event in events]


def _receive(broker: NatsBroker, consumer: str, subject: str, event: type[Event]) -> None:
    stream = JStream(STREAM, declare=False)
    subscriber = broker.subscriber(
        subject, durable=consumer, stream=stream, pull_sub=PullSub(), title=consumer, description=_first_line(event)
    )
    subscriber(_handler_of(event))


def _send(broker: NatsBroker, service: Service, event: type[Event]) -> None:
    subject = class_filter(event, publishes_as(service, event))
    title = f"{service}-says-{_dashed(event)}"
    broker.publisher(subject, stream=STREAM, title=title, description=_first_line(event), schema=event)


def _handler_of(event: type[Event]) -> Callable[..., Any]:
    """Return a function that takes the event: FastStream reads the payload's type from its annotation."""

    async def handler(message: Event) -> None: ...

    handler.__annotations__["message"] = event
    return handler


def _dashed(event: type[Event]) -> str:
    return event.subject.removeprefix("mw.").replace(".", "-")


def _first_line(event: type[Event]) -> str:
    return (event.__doc__ or "").strip().splitlines()[0]
