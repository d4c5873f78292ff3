"""Who may say what: outcomes follow from who owns the request; what else a service says stands here."""

from collections.abc import Mapping
from typing import Literal, get_args

from contracts.envelope import Event, Role
from contracts.events.catalog import CatalogQueried, CatalogSearchRequested
from contracts.events.conversation import JournalEntryAdded, ModelCalled, ReplyRejected
from contracts.events.dead_letters import MessageAbandoned, WorkAbandoned
from contracts.events.design import DesignSubmitted
from contracts.events.plan import PlanProposed, PlanRefused
from contracts.events.rendering import RenderCompleted, RenderFailed, RenderRequested
from contracts.events.run import CancelRequested, EngineeringRequested, EnvironmentRequested
from contracts.events.session import (
    CellRequested,
    FileEditRequested,
    FileViewRequested,
    FileWriteRequested,
    SessionClosed,
    SessionRequested,
)
from contracts.events.simulation import FilmRequested, SimulationCompleted, SimulationFailed, SimulationRequested
from contracts.events.skill import SkillsRequested
from contracts.registry import REQUESTS

Service = Literal[
    "cli", "planner", "engineer", "critic", "skill-learner", "catalog", "cad-worker", "sim-worker", "recorder"
]
SERVICES: tuple[Service, ...] = get_args(Service)
ROLES: tuple[Role, ...] = get_args(Role)

PUBLISHES: Mapping[Service, tuple[type[Event], ...]] = {
    "cli": (EngineeringRequested, CancelRequested),
    "planner": (
        EnvironmentRequested,
        CatalogSearchRequested,
        PlanProposed,
        FilmRequested,
        ModelCalled,
        ReplyRejected,
    ),
    "engineer": (
        SkillsRequested,
        SessionRequested,
        CellRequested,
        FileWriteRequested,
        FileEditRequested,
        FileViewRequested,
        PlanRefused,
        DesignSubmitted,
        ModelCalled,
        ReplyRejected,
        JournalEntryAdded,
        WorkAbandoned,
    ),
    "critic": (SkillsRequested, SessionRequested, CellRequested, ModelCalled, ReplyRejected),
    "skill-learner": (ModelCalled, ReplyRejected),
    "catalog": (CatalogQueried, ModelCalled, ReplyRejected),
    "cad-worker": (SimulationRequested, RenderRequested, CatalogSearchRequested, FilmRequested, SessionClosed),
    "sim-worker": (),
    "recorder": (),
}
"""Decisions and facts, by the service whose they are."""


UNCONSUMED: Mapping[type[Event], str] = {
    SimulationCompleted: "cad-worker, which asked, waits for it in the middle of a cell",
    SimulationFailed: "cad-worker, which asked, waits for it in the middle of a cell",
    RenderCompleted: "cad-worker, which asked, waits for it in the middle of a cell",
    RenderFailed: "cad-worker, which asked, waits for it in the middle of a cell",
    CatalogQueried: "catalog tells it itself, on its way to an answer",
    SessionClosed: "a fact for whoever reads the run",
    JournalEntryAdded: "skill-learner reads it in the run's record",
}
"""What no consumer delivers to anybody but the recorder, and what it is said for all the same."""


def may_publish(service: Service) -> frozenset[type[Event]]:
    """Return every class that a service may publish: its own words, its requests' outcomes, and the dead letter.

    The command reads no message of its own, so it has none to give up.
    """
    letters = set[type[Event]]() if service == "cli" else {MessageAbandoned}
    return frozenset({*PUBLISHES[service], *owed_by(service), *letters})


def owed_by(service: Service) -> frozenset[type[Event]]:
    """Return the outcomes of all requests that a service owns."""
    return frozenset(outcome for request in REQUESTS if request.owner == service for outcome in request.outcomes)


def publishes_as(service: Service, event_class: type[Event]) -> Role | None:
    """Return on whose thread a service says something, or None for anybody's.

    A role decides on its own thread. Outcomes lie on the thread of whoever asked, and letters on that of what was given
    up.
    """
    if service not in ROLES or event_class not in PUBLISHES[service] or event_class in owed_by(service):
        return None
    return service


def publishers_of(event_class: type[Event]) -> tuple[Service, ...]:
    """Return the services that may say something."""
    return tuple(service for service in SERVICES if event_class in may_publish(service))
