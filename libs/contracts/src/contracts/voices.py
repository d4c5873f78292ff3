"""Who may say what: outcomes follow from who owns the request; what else a service says stands here."""

from collections.abc import Mapping
from typing import Literal, get_args

from contracts.abandoned import MessageAbandoned, WorkAbandoned
from contracts.conversation import JournalEntryAdded, ModelCalled, ReplyRejected
from contracts.design import DesignSubmitted
from contracts.engineering import CancelRequested, EngineeringRequested, EnvironmentRequested
from contracts.envelope import Event
from contracts.language import REQUESTS
from contracts.planning import PlanProposed
from contracts.session import CellRequested, FileWriteRequested, SessionClosed, SessionRequested
from contracts.simulation import SimulationRequested

Service = Literal["cli", "planner", "engineer", "critic", "skill-learner", "cad-worker", "sim-worker", "recorder"]
SERVICES: tuple[Service, ...] = get_args(Service)

SAYS: Mapping[Service, tuple[type[Event], ...]] = {
    "cli": (EngineeringRequested, CancelRequested),
    "planner": (EnvironmentRequested, PlanProposed, ModelCalled, ReplyRejected),
    "engineer": (
        SessionRequested,
        CellRequested,
        FileWriteRequested,
        DesignSubmitted,
        ModelCalled,
        ReplyRejected,
        JournalEntryAdded,
        WorkAbandoned,
    ),
    "critic": (ModelCalled, ReplyRejected),
    "skill-learner": (ModelCalled, ReplyRejected),
    "cad-worker": (SimulationRequested, SessionClosed),
    "sim-worker": (),
    "recorder": (),
}
"""Decisions and facts, by the service whose they are."""


def may_say(service: Service) -> frozenset[type[Event]]:
    """Return every class that a service may publish: its own words, its requests' outcomes, and the dead letter."""
    outcomes = {outcome for request in REQUESTS if request.owner == service for outcome in request.outcomes}
    return frozenset({*SAYS[service], *outcomes, MessageAbandoned})
