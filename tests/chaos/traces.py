"""Traces of runs in names that do not depend on ids, so that two runs can be compared."""

from collections.abc import Sequence
from itertools import product
from uuid import UUID, uuid5

from contracts.envelope import Event, Role, outcome_id, request_id
from contracts.events.run import EngineeringRequested, RunFailed, RunSucceeded
from contracts.registry import ENDINGS, REQUESTS

STEPS, ORDINALS = 100, 8
ROLES: tuple[Role, ...] = ("planner", "engineer", "critic", "skill-learner", "catalog")


class UnderivedIdError(ValueError):
    """An id that is not derived: a repetition of its step would give another one."""


def trace_of(events: Sequence[Event]) -> list[str]:
    """Return each event as its class and the derivation of its id; raise `UnderivedIdError` if it has none."""
    names = _decisions(events[0].run_id)
    trace: list[str] = []
    for event in events:
        if isinstance(event, EngineeringRequested):
            names[event.id] = "request"
            names[outcome_id(event.id)] = "end"
        cause = event.causation_id
        if event.id not in names and cause is not None:
            names |= {derived: f"{name} of {names.get(cause, cause)}" for derived, name in _derived(cause)}
        if event.id not in names:
            raise UnderivedIdError(f"the id of {event.type} {event.id} is not derived")
        trace.append(f"{event.type} {names[event.id]}")
    return trace


def until_end(trace: Sequence[str]) -> list[str]:
    """Return a trace up to the end of the run; later events come in any order."""
    ends = tuple(f"{ending.__name__} " for ending in ENDINGS)
    last = next(index for index, each in enumerate(trace) if each.startswith(ends))
    return list(trace[: last + 1])


def end_of(events: Sequence[Event]) -> str:
    """Return how the run ended: its design, or the reason of its failure."""
    for event in events:
        if isinstance(event, RunSucceeded):
            return f"{event.result.verdict}, {event.result.stability}, {event.delivery.digest}"
        if isinstance(event, RunFailed):
            return event.reason
    return "it did not end"


def duplicates(events: Sequence[Event]) -> list[str]:
    """Return ids that occur more than once, requests with several outcomes, and further ends."""
    ids = [event.id for event in events]
    found = [f"id {each} occurs {ids.count(each)} times" for each in sorted(set(ids)) if ids.count(each) > 1]
    ends = [event.type for event in events if isinstance(event, ENDINGS)]
    if len(ends) > 1:
        found.append(f"it ended {len(ends)} times: {', '.join(ends)}")
    for request in (event for event in events if isinstance(event, REQUESTS)):
        if isinstance(request, EngineeringRequested):
            continue
        outcomes = [e.type for e in events if e.causation_id == request.id and isinstance(e, request.outcomes)]
        if len(outcomes) > 1:
            found.append(f"{request.type} {request.id} has {len(outcomes)} outcomes: {', '.join(outcomes)}")
    return found


def poison_id(run_id: UUID) -> UUID:
    """Return the id of a scenario's unreadable message."""
    return uuid5(run_id, "poison")


def _decisions(run_id: UUID) -> dict[UUID, str]:
    names = {uuid5(run_id, "cancel"): "cancel", outcome_id(poison_id(run_id)): "outcome of the poison"}
    for role, step, ordinal in product(ROLES, range(STEPS), range(ORDINALS)):
        names[request_id(run_id, role, step, ordinal)] = f"{role}:{step}:{ordinal}"
    summaries = [f"{role}:{step}:memory" for role, step in product(ROLES, range(STEPS))]
    return names | {uuid5(run_id, name): name for name in summaries}


def _derived(cause: UUID) -> list[tuple[UUID, str]]:
    effects = (f"{tool} {ordinal}" for tool in ("simulate", "show", "search") for ordinal in range(ORDINALS))
    names = ("closed", "lost", "queued", "started", *effects)
    return [(outcome_id(cause), "outcome"), *((uuid5(cause, name), name) for name in names)]
