"""A run told in names that do not depend on its ids, so that two runs can be laid side by side."""

from collections.abc import Sequence
from itertools import product
from uuid import UUID, uuid5

from chassis.bus import ENDINGS
from contracts.envelope import Event, Role, outcome_id, request_id
from contracts.events.run import EngineeringRequested, RunFailed, RunSucceeded
from contracts.registry import REQUESTS

STEPS, ORDINALS = 100, 8
ROLES: tuple[Role, ...] = ("planner", "engineer", "critic", "skill-learner", "catalog")


class UntoldError(ValueError):
    """An id that follows from nothing: it would be another one if the run were done again."""


def story(events: Sequence[Event]) -> list[str]:
    """Return each event as its class and how its id follows from the request's; raise `UntoldError` if it does not."""
    names = _decisions(events[0].run_id)
    told: list[str] = []
    for event in events:
        if isinstance(event, EngineeringRequested):
            names[event.id] = "request"
            names[outcome_id(event.id)] = "end"
        cause = event.causation_id
        if event.id not in names and cause is not None:
            names |= {derived: f"{word} of {names.get(cause, cause)}" for derived, word in _derived(cause)}
        if event.id not in names:
            raise UntoldError(f"{event.type} {event.id} follows from nothing")
        told.append(f"{event.type} {names[event.id]}")
    return told


def until_end(told: Sequence[str]) -> list[str]:
    """Return a story up to its end; what comes later comes in any order."""
    ends = tuple(f"{ending.__name__} " for ending in ENDINGS)
    last = next(place for place, each in enumerate(told) if each.startswith(ends))
    return list(told[: last + 1])


def end_of(events: Sequence[Event]) -> str:
    """Return how the run ended: with which design, or why not."""
    for event in events:
        if isinstance(event, RunSucceeded):
            return f"{event.result.verdict}, {event.result.stability}, {event.delivery.digest}"
        if isinstance(event, RunFailed):
            return event.reason
    return "it did not end"


def doubled(events: Sequence[Event]) -> list[str]:
    """Return ids that stand there twice, and causes with two outcomes."""
    ids = [event.id for event in events]
    twice = [f"id {each} stands {ids.count(each)} times" for each in sorted(set(ids)) if ids.count(each) > 1]
    for cause in (event for event in events if type(event) in REQUESTS):
        outcomes = [event.type for event in events if event.id == outcome_id(cause.id)]
        if len(outcomes) > 1:
            twice.append(f"{cause.type} {cause.id} has {len(outcomes)} outcomes: {', '.join(outcomes)}")
    return twice


def _decisions(run_id: UUID) -> dict[UUID, str]:
    names = {uuid5(run_id, "cancel"): "cancel", outcome_id(poison_id(run_id)): "outcome of the poison"}
    for role, step, ordinal in product(ROLES, range(STEPS), range(ORDINALS)):
        names[request_id(run_id, role, step, ordinal)] = f"{role}:{step}:{ordinal}"
    memories = [f"{role}:{step}:memory" for role, step in product(ROLES, range(STEPS))]
    return names | {uuid5(run_id, name): name for name in memories}


def poison_id(run_id: UUID) -> UUID:
    """Return the id under which a scenario's unreadable message lies."""
    return uuid5(run_id, "poison")


def _derived(cause: UUID) -> list[tuple[UUID, str]]:
    effects = (f"{tool} {ordinal}" for tool in ("simulate", "show", "search") for ordinal in range(ORDINALS))
    words = ("closed", "lost", *effects)
    return [(outcome_id(cause), "outcome"), *((uuid5(cause, word), word) for word in words)]
