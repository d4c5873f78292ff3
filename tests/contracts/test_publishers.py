"""The tables of publishers, owners and consumers match what the services do."""

from collections.abc import Callable, Iterator
from functools import cache
from importlib import import_module
from inspect import getmembers, isfunction, signature
from pkgutil import walk_packages
from typing import Any, get_type_hints

import pytest
from contracts.envelope import ROLES, SERVICES, Event, Request, Service
from contracts.events.benchmark import BenchmarkSessionRequested
from contracts.events.dead_letters import MessageAbandoned
from contracts.events.run import RunSucceeded
from contracts.events.session import SessionRequested
from contracts.publishers import CLIENTS, may_publish, outcomes_owned_by, publishes_as
from contracts.registry import EVENTS, REQUESTS

from tests.contracts.service_wiring import LIBRARIES, Route, declared_outcomes, publishers_of, routes, source_events

Handler = tuple[str, type[Request], set[type[Event]]]
every_request = pytest.mark.parametrize("request_class", REQUESTS, ids=lambda request: request.__name__)
every_event = pytest.mark.parametrize("event", EVENTS, ids=lambda event: event.__name__)
every_service = pytest.mark.parametrize("service", SERVICES)
every_route = pytest.mark.parametrize(
    "route", routes(), ids=lambda route: f"{route.service} {route.method} {route.event.__name__}"
)


def answering_services(request: type[Event]) -> list[tuple[str, str]]:
    """Return which services answer a request, and how: in a handler, thread by thread, or in a later step of a role."""
    by_handler = [(each.service, "answers") for each in routes() if (each.event, each.method) == (request, "answers")]
    by_thread = [(service, "serves") for service in SERVICES if request in source_events(service).served]
    in_later_step = [
        (service, "decides")
        for service in SERVICES
        if service in ROLES and subscribes(service, request) and source_events(service).answered & _outcomes(request)
    ]
    return [*by_handler, *by_thread, *in_later_step]


def subscribes(service: Service, event: type[Event]) -> bool:
    return any((each.service, each.event, each.method) == (service, event, "subscribes") for each in routes())


@every_request
def test_request_is_answered_only_by_its_owner(request_class: type[Request]):
    answers = answering_services(request_class)
    assert {service for service, _ in answers} == {request_class.owner}
    again = "an open session is requested again"
    twice = {
        SessionRequested: again,
        BenchmarkSessionRequested: again,
        RunSucceeded: "it ends a run of a trial, too",
    }
    assert len(answers) == (2 if request_class in twice else 1)


@every_service
def test_service_answers_with_exactly_its_outcomes(service: Service):
    assert source_events(service).answered == outcomes_owned_by(service)


@every_service
def test_service_publishes_exactly_what_it_may(service: Service):
    dead_letters = {MessageAbandoned}  # created by the chassis for every service
    assert source_events(service).created - dead_letters == may_publish(service) - dead_letters


def test_every_service_but_clients_may_publish_dead_letters():
    assert {service for service in SERVICES if MessageAbandoned not in may_publish(service)} == set(CLIENTS)


@cache
def handlers() -> tuple[Handler, ...]:
    """Return all handlers of requests."""
    return tuple(_handlers())


def _handlers() -> Iterator[Handler]:
    """Yield each handler of a request: its service, the request, and the classes that it declares to return."""
    for route in routes():
        if route.method == "answers" and issubclass(route.event, Request):
            yield route.service, route.event, declared_outcomes(route.handler)
    for service in sorted({request.owner for request in REQUESTS}):
        for request, function in _functions_of_requests(service):
            yield service, request, declared_outcomes(function)


def _functions_of_requests(service: str) -> Iterator[tuple[type[Request], Callable[..., Any]]]:
    """Yield the functions whose first parameter is a request: a role's own, or those in a worker's handler modules."""
    packages = [import_module(name.replace("-", "_")) for name in (service, *LIBRARIES.get(service, ()))]
    modules = [found for each in packages for found in walk_packages(each.__path__, f"{each.__name__}.")]
    for found in modules:
        if not found.name.endswith("__main__") and (service in ROLES or found.name.endswith("handlers")):
            for _, function in getmembers(import_module(found.name), isfunction):
                if function.__module__ == found.name and (request := _first_parameter(function)):
                    yield request, function


def _first_parameter(function: Callable[..., Any]) -> type[Request] | None:
    names = list(signature(function).parameters)
    first = get_type_hints(function).get(names[0]) if names else None
    return first if isinstance(first, type) and issubclass(first, Request) else None


@every_request
def test_handlers_declare_the_outcomes_of_their_request(request_class: type[Request]):
    """Functions of roles may declare fewer, and other decisions; the chassis refuses outcomes of other requests."""
    declared = [outcomes for _, request, outcomes in handlers() if request is request_class and outcomes]
    if request_class.owner in ROLES:
        all_outcomes = {outcome for request in REQUESTS for outcome in request.outcomes}
        assert all(outcomes & all_outcomes <= _outcomes(request_class) for outcomes in declared)
    else:
        assert declared
        assert all(outcomes == _outcomes(request_class) for outcomes in declared)


@every_route
def test_consumed_event_is_published_on_that_thread(route: Route):
    threads = [publishes_as(service, route.event) for service in publishers_of(route.event)]
    assert threads
    assert route.role is None or route.role in threads or None in threads


@every_event
def test_event_is_consumed_or_listed_as_unconsumed(event: type[Event]):
    is_routed = any(route.event is event for route in routes())
    is_served = any(event in source_events(service).served for service in SERVICES)
    assert (is_routed or is_served) == (not event.unconsumed)


@every_event
def test_every_event_has_a_publisher(event: type[Event]):
    assert publishers_of(event)


def test_decisions_are_on_own_thread_and_outcomes_on_any():
    assert publishes_as("engineer", next(event for event in EVENTS if "engineer" in event.publishers)) == "engineer"
    assert {publishes_as("critic", outcome) for outcome in outcomes_owned_by("critic")} == {None}
    assert {publishes_as("cad-worker", event) for event in may_publish("cad-worker")} == {None}


def _outcomes(request: type[Event]) -> set[type[Event]]:
    assert issubclass(request, Request)
    return set(request.outcomes)
