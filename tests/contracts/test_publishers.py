"""The language's tables of who says, owns and hears what are what the services do."""

from collections.abc import Callable, Iterator
from importlib import import_module
from inspect import getmembers, isfunction, signature
from typing import Any, get_type_hints

import pytest
from contracts.envelope import Event, Request
from contracts.events.dead_letters import MessageAbandoned
from contracts.events.session import SessionRequested
from contracts.publishers import (
    PUBLISHES,
    ROLES,
    SERVICES,
    UNCONSUMED,
    Service,
    may_publish,
    owed_by,
    publishers_of,
    publishes_as,
)
from contracts.registry import EVENTS, REQUESTS

from tests.contracts.wiring import Wire, returned, wires, words_of

every_request = pytest.mark.parametrize("request_class", REQUESTS, ids=lambda request: request.__name__)
every_event = pytest.mark.parametrize("event", EVENTS, ids=lambda event: event.__name__)
every_service = pytest.mark.parametrize("service", SERVICES)
every_wire = pytest.mark.parametrize(
    "wire", wires(), ids=lambda wire: f"{wire.service} {wire.manner} {wire.event.__name__}"
)


def answerers(request: type[Event]) -> list[tuple[str, str]]:
    """Return who answers a request, and how: by a handler, thread by thread, or by moving a run's thread on."""
    by_handler = [(wire.service, "answers") for wire in wires() if (wire.event, wire.manner) == (request, "answers")]
    by_thread = [(service, "attends") for service in SERVICES if request in words_of(service).attended]
    in_time = [
        (service, "decides")
        for service in SERVICES
        if service in ROLES and hears(service, request) and words_of(service).answered & _outcomes(request)
    ]
    return [*by_handler, *by_thread, *in_time]


def hears(service: Service, event: type[Event]) -> bool:
    return any((wire.service, wire.event, wire.manner) == (service, event, "hears") for wire in wires())


@every_request
def test_a_request_is_answered_by_its_owner_alone_and_in_one_way(request_class: type[Request]):
    ways = answerers(request_class)
    assert {service for service, _ in ways} == {request_class.owner}
    assert len(ways) == (2 if request_class is SessionRequested else 1), "only an open session is asked for again"


@every_service
def test_a_service_answers_exactly_with_what_it_owes(service: Service):
    assert words_of(service).answered == owed_by(service)


@every_service
def test_a_service_says_what_it_may_say_and_all_of_it(service: Service):
    letters = {MessageAbandoned}  # written by the chassis, whoever uses it
    assert words_of(service).written - letters == may_publish(service) - letters


def test_the_command_gives_up_no_messages_and_everybody_else_may():
    assert {service for service in SERVICES if MessageAbandoned not in may_publish(service)} == {"cli"}


def handlers() -> Iterator[tuple[str, type[Request], set[type[Event]]]]:
    """Yield each handler of a request: where it is, for what, and the classes it declares to return."""
    for wire in wires():
        if wire.manner == "answers" and issubclass(wire.event, Request):
            yield wire.service, wire.event, returned(wire.handler)
    for service in sorted({request.owner for request in REQUESTS}):
        for request, handler in _functions(service):
            yield service, request, returned(handler)


def _functions(service: str) -> Iterator[tuple[type[Request], Callable[..., Any]]]:
    """Yield the functions of a service's `handlers` that take a request of its own first, attended ones too."""
    module = import_module(f"{service.replace('-', '_')}.handlers")
    for _, function in getmembers(module, isfunction):
        names = list(signature(function).parameters)
        first = get_type_hints(function).get(names[0]) if names else None
        if isinstance(first, type) and issubclass(first, Request) and not function.__name__.startswith("_"):
            yield first, function


@every_request
def test_what_handlers_declare_to_return_are_the_outcomes(request_class: type[Request]):
    """A role's thread may lead to any of its outcomes; the chassis refuses what is none of the request's."""
    declared = [outcomes for _, request, outcomes in handlers() if request is request_class and outcomes]
    if request_class.owner in ROLES:
        assert all(outcomes <= _outcomes(request_class) for outcomes in declared)
    else:
        assert declared
        assert all(outcomes == _outcomes(request_class) for outcomes in declared)


@every_wire
def test_what_is_listened_for_is_said_by_somebody_on_that_thread(wire: Wire):
    voices = [publishes_as(service, wire.event) for service in publishers_of(wire.event)]
    assert voices
    assert wire.role is None or wire.role in voices or None in voices


@every_event
def test_what_is_said_is_heard_or_known_to_be_for_the_record(event: type[Event]):
    delivered = any(wire.event is event for wire in wires())
    attended = any(event in words_of(service).attended for service in SERVICES)
    assert (delivered or attended) == (event not in UNCONSUMED)


@every_event
def test_every_event_has_somebody_who_may_say_it(event: type[Event]):
    assert publishers_of(event)


def test_roles_decide_on_threads_of_their_own_and_answer_on_anybodys():
    assert publishes_as("engineer", next(event for event in PUBLISHES["engineer"])) == "engineer"
    assert {publishes_as("critic", outcome) for outcome in owed_by("critic")} == {None}
    assert {publishes_as("cad-worker", event) for event in may_publish("cad-worker")} == {None}


def _outcomes(request: type[Event]) -> set[type[Event]]:
    assert issubclass(request, Request)
    return set(request.outcomes)
