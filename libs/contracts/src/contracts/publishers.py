"""Publishers of events: each service publishes the outcomes of its own requests, and the events that name it."""

from typing import Literal, get_args

from contracts.envelope import ROLES, Event, Role, Service
from contracts.events.dead_letters import MessageAbandoned
from contracts.registry import EVENTS, OPENINGS, REQUESTS

Client = Literal["cli", "gateway"]
"""A service that publishes what a user requests, and consumes no messages."""
CLIENTS: tuple[Client, ...] = get_args(Client)


def may_publish(service: Service) -> frozenset[type[Event]]:
    """Return every event class that a service may publish: those that name it, outcomes of its requests, dead letters.

    Clients consume no messages, so they have no dead letters.
    """
    dead_letters = set[type[Event]]() if service in CLIENTS else {MessageAbandoned}
    named = {event for event in EVENTS if service in event.publishers}
    return frozenset({*named, *outcomes_owned_by(service), *dead_letters})


def outcomes_owned_by(service: Service) -> frozenset[type[Event]]:
    """Return the outcomes of all requests that a service owns."""
    return frozenset(outcome for request in REQUESTS if request.owner == service for outcome in request.outcomes)


def publishes_as(service: Service, event_class: type[Event]) -> Role | None:
    """Return the role on whose thread a service publishes an event, or None if that may be any role.

    A role publishes its decisions on its own thread. A request that opens a run belongs to the first role of that run,
    an outcome to the thread of its request, and a dead letter to the thread of the abandoned message.
    """
    if service not in ROLES or event_class in OPENINGS:
        return None
    is_decision = service in event_class.publishers and event_class not in outcomes_owned_by(service)
    return service if is_decision else None
