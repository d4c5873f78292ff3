"""Publishers of events: each service publishes the outcomes of its own requests, and the events in `PUBLISHES`."""

from collections.abc import Mapping
from typing import Literal, get_args

from contracts.envelope import Event, Role
from contracts.events.benchmark import (
    BenchmarkDrafted,
    BenchmarkPlanProposed,
    BenchmarkRequested,
    BenchmarkSessionRequested,
    CertificationCompleted,
    CertificationRequested,
)
from contracts.events.catalog import CatalogQueried, CatalogSearchRequested
from contracts.events.conversation import JournalEntryAdded, ModelCalled, ReplyLost, ReplyRejected, ToolAnswered
from contracts.events.dead_letters import MessageAbandoned, WorkAbandoned
from contracts.events.design import DesignSubmitted
from contracts.events.perception import PerceptionCompleted, PerceptionFailed, PerceptionRequested
from contracts.events.plan import PlanProposed, PlanRefused
from contracts.events.question import (
    LookFailed,
    LookRequested,
    QuestionAsked,
    QuestionSessionRequested,
)
from contracts.events.quote import QuoteCompleted, QuoteRequested
from contracts.events.rendering import RenderCompleted, RenderFailed, RenderRequested
from contracts.events.run import (
    CancelRequested,
    EngineeringQueued,
    EngineeringRequested,
    EngineeringStarted,
    EnvironmentRequested,
)
from contracts.events.session import (
    CellRequested,
    FileEditRequested,
    FileViewRequested,
    FileWriteRequested,
    SessionClosed,
    SessionRequested,
)
from contracts.events.simulation import FilmRequested, SimulationCompleted, SimulationFailed, SimulationRequested
from contracts.events.skill import (
    LearningRequested,
    SkillChanged,
    SkillChangeRefused,
    SkillChangeRequested,
    SkillsRequested,
    SkillUpdated,
    TrialCompleted,
    TrialRequested,
)
from contracts.registry import OPENINGS, REQUESTS

Service = Literal[
    "cli",
    "planner",
    "engineer",
    "critic",
    "skill-learner",
    "catalog",
    "benchmark-generator",
    "spatial-agent",
    "cad-worker",
    "sim-worker",
    "perception-worker",
    "recorder",
    "gateway",
]
SERVICES: tuple[Service, ...] = get_args(Service)
Client = Literal["cli", "gateway"]
"""A service that publishes what a user requests, and consumes no messages."""
CLIENTS: tuple[Client, ...] = get_args(Client)
ROLES: tuple[Role, ...] = get_args(Role)

PUBLISHES: Mapping[Service, tuple[type[Event], ...]] = {
    "cli": (
        EngineeringRequested,
        BenchmarkRequested,
        QuestionAsked,
        TrialRequested,
        SkillChangeRequested,
        CancelRequested,
    ),
    "planner": (
        EngineeringQueued,
        EngineeringStarted,
        EnvironmentRequested,
        SkillsRequested,
        CatalogSearchRequested,
        PlanProposed,
        FilmRequested,
        ModelCalled,
        ReplyLost,
        ReplyRejected,
        ToolAnswered,
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
        ReplyLost,
        ReplyRejected,
        JournalEntryAdded,
        WorkAbandoned,
    ),
    "critic": (
        SkillsRequested,
        FilmRequested,
        SessionRequested,
        CellRequested,
        ModelCalled,
        ReplyLost,
        ReplyRejected,
    ),
    "skill-learner": (
        LearningRequested,
        TrialRequested,
        EngineeringRequested,
        SkillUpdated,
        ModelCalled,
        ReplyLost,
        ReplyRejected,
        ToolAnswered,
    ),
    "catalog": (CatalogQueried, ModelCalled, ReplyLost, ReplyRejected),
    "benchmark-generator": (
        BenchmarkPlanProposed,
        BenchmarkSessionRequested,
        CellRequested,
        FileWriteRequested,
        FileEditRequested,
        FileViewRequested,
        BenchmarkDrafted,
        ModelCalled,
        ReplyLost,
        ReplyRejected,
        ToolAnswered,
        JournalEntryAdded,
    ),
    "cad-worker": (
        SimulationRequested,
        CertificationRequested,
        RenderRequested,
        PerceptionRequested,
        CatalogSearchRequested,
        FilmRequested,
        LookRequested,
        QuestionAsked,
        SessionClosed,
    ),
    "sim-worker": (),
    "perception-worker": (),
    "spatial-agent": (QuestionSessionRequested, CellRequested, ModelCalled, ReplyLost, ReplyRejected),
    "recorder": (),
    "gateway": (EngineeringRequested, QuestionAsked, QuoteRequested, CancelRequested),
}
"""Events other than outcomes and dead letters, by the service that publishes them."""

UNCONSUMED: Mapping[type[Event], str] = {
    EngineeringQueued: "shows the user that the run waits for a slot",
    SimulationCompleted: "cad-worker waits for it while the requesting cell runs",
    SimulationFailed: "cad-worker waits for it while the requesting cell runs",
    CertificationCompleted: "cad-worker waits for it while the requesting cell runs",
    RenderCompleted: "cad-worker waits for it while the requesting cell runs",
    RenderFailed: "cad-worker waits for it while the requesting cell runs",
    PerceptionCompleted: "cad-worker waits for it while the requesting cell runs",
    PerceptionFailed: "cad-worker waits for it while the requesting cell runs",
    LookFailed: "cad-worker waits for it while the requesting cell runs",
    CatalogQueried: "catalog processes it directly on the way to its answer",
    SessionClosed: "documents the end of a session for readers of the run",
    JournalEntryAdded: "skill-learner reads it from the event log after the run",
    SkillUpdated: "cad-worker looks for it after each cell",
    QuoteCompleted: "shows the user what came of a file; gateway reads it from the event log",
    TrialCompleted: "shows the user what a trial decided; the skill-learner has stored it with the version",
    SkillChanged: "shows the user what was changed",
    SkillChangeRefused: "shows the user why nothing was changed",
}
"""Events that only the recorder's consumer delivers, and why they are published."""


def may_publish(service: Service) -> frozenset[type[Event]]:
    """Return every event class that a service may publish: `PUBLISHES`, the outcomes of its requests, dead letters.

    Clients consume no messages, so they have no dead letters.
    """
    dead_letters = set[type[Event]]() if service in CLIENTS else {MessageAbandoned}
    return frozenset({*PUBLISHES[service], *outcomes_owned_by(service), *dead_letters})


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
    is_decision = event_class in PUBLISHES[service] and event_class not in outcomes_owned_by(service)
    return service if is_decision else None
