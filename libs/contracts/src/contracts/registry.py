"""The registry of all event classes, and how a stored message is parsed.

A class of `contracts.events` declares all about an event; a new module of events is added to `MODULES`.
"""

from collections.abc import Iterator, Sequence
from types import ModuleType

from contracts.envelope import Event, Request, RunKind
from contracts.events import (
    benchmark,
    catalog,
    conversation,
    dead_letters,
    design,
    perception,
    plan,
    question,
    quote,
    rendering,
    run,
    session,
    simulation,
    skill,
)

MODULES = (
    run,
    plan,
    session,
    simulation,
    rendering,
    perception,
    catalog,
    design,
    benchmark,
    question,
    quote,
    skill,
    conversation,
    dead_letters,
)
"""In about the order of a run; then what benchmarks, questions and skills add; then what any role publishes."""


def is_base(event: type[Event]) -> bool:
    """Return whether a class only gives others their fields: pydantic names `FailureOutcome[…]` in their module."""
    return event.__pydantic_generic_metadata__["origin"] is not None


def _events_of(module: ModuleType) -> Iterator[type[Event]]:
    """Yield the events that a module defines, each request before its outcomes."""
    own = [each for each in vars(module).values() if isinstance(each, type) and each.__module__ == module.__name__]
    events = [each for each in own if issubclass(each, Event) and not is_base(each)]
    outcomes = {outcome for event in events if issubclass(event, Request) for outcome in event.outcomes}
    for event in events:
        if event not in outcomes:
            yield from _with_outcomes(event, events)


def _with_outcomes(event: type[Event], own: Sequence[type[Event]]) -> Iterator[type[Event]]:
    yield event
    if issubclass(event, Request):
        outcomes = [outcome for outcome in event.outcomes if outcome in own]
        yield from outcomes
        for outcome in outcomes:
            yield from _with_outcomes(outcome, own)


EVENTS: tuple[type[Event], ...] = tuple(dict.fromkeys(event for module in MODULES for event in _events_of(module)))
"""Every event class, in the order of `MODULES`."""
REQUESTS: tuple[type[Request], ...] = tuple(event for event in EVENTS if issubclass(event, Request))
OPENINGS: tuple[type[Request], ...] = tuple(request for request in REQUESTS if request.opens_run)
"""A run begins when one of these is stored."""
ENDINGS: tuple[type[Event], ...] = tuple(event for event in EVENTS if event.ends is not None)
"""A run has ended when one of these is stored."""


def ends_of(kind: RunKind) -> tuple[type[Event], ...]:
    """Return the events of which one ends a run of a kind."""
    return tuple(event for event in ENDINGS if event.ends == kind)


ENGINEERING_ENDS = ends_of("engineering")
BENCHMARK_ENDS = ends_of("benchmark")
QUESTION_ENDS = ends_of("question")

BY_SUBJECT: dict[str, type[Event]] = {event.subject: event for event in EVENTS}


class UnknownSubjectError(ValueError):
    """No event class has this subject."""


def class_at(subject: str) -> type[Event]:
    """Return the event class of a full subject; raise `UnknownSubjectError` if there is none."""
    stem = ".".join(subject.split(".")[:3])
    if stem not in BY_SUBJECT:
        raise UnknownSubjectError(f"no event has the subject {stem}")
    return BY_SUBJECT[stem]


def parse(subject: str, data: bytes) -> Event:
    """Parse an event from its subject and its JSON; raise `UnknownSubjectError` or pydantic's `ValidationError`."""
    return class_at(subject).model_validate_json(data)
