"""Scenarios: runs in which, together, every service publishes each event that it can publish."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal
from uuid import UUID, uuid5

from benchmarks.loader import load
from contracts.envelope import SERVICES, Event, Service
from contracts.events.benchmark import (
    BenchmarkDrafted,
    BenchmarkPlanApproved,
    BenchmarkPlanProposed,
    BenchmarkPlanRejected,
    BenchmarkPublished,
    BenchmarkRequested,
    BenchmarkSessionRequested,
    CertificationCompleted,
    CertificationRequested,
    DraftApproved,
    DraftBuilt,
    DraftCertified,
    DraftRefused,
    DraftRejected,
    GenerationFailed,
)
from contracts.events.catalog import CatalogQueried, CatalogSearched, CatalogSearchFailed, CatalogSearchRequested
from contracts.events.conversation import JournalEntryAdded, ModelCalled, ReplyLost, ReplyRejected, ToolAnswered
from contracts.events.dead_letters import MessageAbandoned, WorkAbandoned
from contracts.events.design import (
    DesignApproved,
    DesignInvalidated,
    DesignRejected,
    DesignSimulated,
    DesignSubmitted,
    DesignValidated,
)
from contracts.events.perception import PerceptionCompleted, PerceptionFailed, PerceptionRequested
from contracts.events.plan import PlanApproved, PlanProposed, PlanRefused, PlanRejected, RefusalDenied, RefusalUpheld
from contracts.events.question import (
    LookCompleted,
    LookFailed,
    LookRequested,
    QuestionAnswered,
    QuestionAsked,
    QuestionFailed,
    QuestionSessionRequested,
)
from contracts.events.quote import QuoteCompleted, QuoteRequested
from contracts.events.rendering import RenderCompleted, RenderFailed, RenderRequested
from contracts.events.run import (
    CancelRequested,
    EngineeringQueued,
    EngineeringRequested,
    EngineeringStarted,
    EnvironmentBuilt,
    EnvironmentRefused,
    EnvironmentRequested,
    RunFailed,
    RunSucceeded,
    WorldChecked,
    WorldRefused,
)
from contracts.events.session import (
    CellCompleted,
    CellRequested,
    FileEditRequested,
    FileRefused,
    FileViewed,
    FileViewRequested,
    FileWriteRequested,
    FileWritten,
    SessionClosed,
    SessionFailed,
    SessionOpened,
    SessionRequested,
)
from contracts.events.simulation import (
    FilmCompleted,
    FilmFailed,
    FilmRequested,
    SimulationCompleted,
    SimulationFailed,
    SimulationRequested,
)
from contracts.events.skill import (
    LearningRequested,
    SkillChanged,
    SkillChangeRefused,
    SkillChangeRequested,
    SkillLearned,
    SkillRejected,
    SkillsOffered,
    SkillsRequested,
    SkillUpdated,
    TrialCompleted,
    TrialRequested,
)
from contracts.models.artifact import ArtifactRef
from contracts.models.benchmark import Assignment, Budget, Variant
from contracts.publishers import may_publish

from tests.chaos.crashes import model_scripts
from tests.chaos.crashes.crash_points import WITHOUT_KERNELS, CrashPoint, Point
from tests.chaos.crashes.model_scripts import Script

Publications = Mapping[Service, tuple[type[Event], ...]]
SEED = 1
ROLES: tuple[Service, ...] = ("planner", "engineer", "critic", "skill-learner", "catalog")
"""The services that keep checkpoints."""
WITHOUT_CHECKPOINT: tuple[type[Event], ...] = (SkillsOffered, EngineeringStarted)
"""One is read from a table, the other from the queue."""
BROKEN_ENVIRONMENT = b'raise RuntimeError("broken environment")\n'


def _unchanged(variant: Variant) -> Variant:
    return variant


def _with_duplicate_zones(variant: Variant) -> Variant:
    """Return a world that can be built and not simulated: two of its zones have the same label."""
    return variant.model_copy(update={"forbid_zones": (*variant.forbid_zones, *variant.forbid_zones)})


def _without_kernels(variant: Variant) -> Variant:
    return variant.model_copy(update={"benchmark": WITHOUT_KERNELS})


@dataclass(frozen=True)
class Scenario:
    """One run, and the events whose publishers crash in it."""

    name: str
    script: Script
    crashes: Publications
    change: Callable[[Variant], Variant] = _unchanged
    environment_code: bytes | None = None
    """Replaces the benchmark's own."""
    meanwhile: Literal["cancel", "poison"] | None = None
    """Happens from outside as soon as the first cell runs."""

    def crash_points(self, point: Point) -> list[CrashPoint]:
        """Return every possible crash of this scenario at a point."""
        crashes = [CrashPoint(service, event, point) for service, events in self.crashes.items() for event in events]
        return [crash for crash in crashes if impossible(crash) is None]


SCENARIOS: tuple[Scenario, ...] = (
    Scenario(
        "mistakes",
        model_scripts.mistakes,
        {
            "cli": (EngineeringRequested,),
            "planner": (
                EngineeringStarted,
                EnvironmentRequested,
                PlanProposed,
                FilmRequested,
                RunSucceeded,
                ModelCalled,
                ReplyRejected,
            ),
            "critic": (
                PlanRejected,
                PlanApproved,
                SkillsRequested,
                SessionRequested,
                CellRequested,
                DesignRejected,
                DesignApproved,
                ModelCalled,
                ReplyRejected,
            ),
            "engineer": (
                SessionRequested,
                CellRequested,
                FileWriteRequested,
                FileEditRequested,
                FileViewRequested,
                DesignSubmitted,
                ModelCalled,
                ReplyRejected,
                JournalEntryAdded,
            ),
            "skill-learner": (SkillLearned, ModelCalled, ReplyRejected),
            "cad-worker": (
                EnvironmentBuilt,
                SessionOpened,
                SessionClosed,
                CellCompleted,
                FileWritten,
                FileRefused,
                FileViewed,
                SimulationRequested,
                RenderRequested,
                DesignValidated,
                DesignInvalidated,
            ),
            "sim-worker": (
                WorldChecked,
                SimulationCompleted,
                RenderCompleted,
                RenderFailed,
                DesignSimulated,
                FilmCompleted,
            ),
        },
    ),
    Scenario("flawless", model_scripts.flawless, {"skill-learner": (SkillRejected,)}),
    Scenario(
        "catalog",
        model_scripts.catalog,
        {
            "planner": (CatalogSearchRequested,),
            "cad-worker": (CatalogSearchRequested,),
            "catalog": (CatalogQueried, CatalogSearched, CatalogSearchFailed, ModelCalled, ReplyRejected),
        },
    ),
    Scenario("not-simulatable", model_scripts.flawless, {"sim-worker": (WorldRefused,)}, change=_with_duplicate_zones),
    Scenario("gives-up", model_scripts.gives_up, {"engineer": (WorkAbandoned,)}),
    Scenario(
        "refusals",
        model_scripts.refusals,
        {
            "planner": (PlanProposed,),
            "critic": (RefusalDenied, RefusalUpheld),
            "engineer": (SkillsRequested, PlanRefused),
            "skill-learner": (SkillsOffered,),
        },
    ),
    Scenario("unreadable-critic", model_scripts.unreadable_critic, {"critic": (WorkAbandoned,)}),
    Scenario(
        "broken-environment",
        model_scripts.flawless,
        {"cad-worker": (EnvironmentRefused,), "planner": (RunFailed,)},
        environment_code=BROKEN_ENVIRONMENT,
    ),
    Scenario("no-kernels", model_scripts.flawless, {"cad-worker": (SessionFailed,)}, change=_without_kernels),
    Scenario("cancelled", model_scripts.endless_cell, {"cli": (CancelRequested,)}, meanwhile="cancel"),
    Scenario("poison", model_scripts.endless_cell, {"cad-worker": (MessageAbandoned,)}, meanwhile="poison"),
)

GENERATION: Mapping[Service, tuple[type[Event], ...]] = {
    "cli": (BenchmarkRequested,),
    "critic": (BenchmarkPlanApproved, BenchmarkPlanRejected, DraftApproved, DraftRejected),
    "cad-worker": (CertificationRequested, DraftBuilt, DraftRefused),
    "sim-worker": (CertificationCompleted, DraftCertified, DraftRefused),
    "benchmark-generator": (
        BenchmarkPlanProposed,
        BenchmarkSessionRequested,
        CellRequested,
        FileWriteRequested,
        FileEditRequested,
        FileViewRequested,
        JournalEntryAdded,
        BenchmarkDrafted,
        BenchmarkPublished,
        GenerationFailed,
        ModelCalled,
        ReplyLost,
        ReplyRejected,
        ToolAnswered,
    ),
}
QUESTIONS: Mapping[Service, tuple[type[Event], ...]] = {
    "cli": (QuestionAsked,),
    "cad-worker": (LookRequested, PerceptionRequested),
    "perception-worker": (PerceptionCompleted, PerceptionFailed),
    "spatial-agent": (
        CellRequested,
        LookCompleted,
        LookFailed,
        ModelCalled,
        QuestionAnswered,
        QuestionFailed,
        QuestionSessionRequested,
        ReplyLost,
        ReplyRejected,
    ),
}
SKILL_TRIALS: Mapping[Service, tuple[type[Event], ...]] = {
    "cli": (SkillChangeRequested, TrialRequested),
    "skill-learner": (
        EngineeringRequested,
        LearningRequested,
        SkillChangeRefused,
        SkillChanged,
        SkillUpdated,
        ToolAnswered,
        TrialCompleted,
        TrialRequested,
    ),
}
SAME_LOOP = "published by the loop or processor that the events of a run of engineering crash in"
OWN_STORY = "crashes in the stories of `./run chaos skills`"
SAME_PROCESSOR = "every service abandons messages in the same processor; cad-worker represents all"
REPRESENTED: Mapping[tuple[Service, type[Event]], str] = {
    **{
        (service, MessageAbandoned): SAME_PROCESSOR
        for service in SERVICES
        if service != "cad-worker" and MessageAbandoned in may_publish(service)
    },
    **{
        (service, ReplyLost): "published by the model caller, whose ModelCalled has crashes of its own"
        for service in ROLES
    },
    **{
        (service, event): reason
        for table, reason in ((GENERATION, SAME_LOOP), (QUESTIONS, SAME_LOOP), (SKILL_TRIALS, OWN_STORY))
        for service, events in table.items()
        for event in events
    },
    ("gateway", EngineeringRequested): "published by the functions that the command calls, and once for its key",
    ("gateway", QuestionAsked): "published by the functions that the command calls, and once for its key",
    ("gateway", QuoteRequested): "published once for its key, like QuestionAsked",
    ("cad-worker", QuoteCompleted): "published by a handler that keeps nothing, like that of EnvironmentBuilt",
    ("gateway", CancelRequested): "published by the functions that the command calls; a second one changes nothing",
    ("planner", EngineeringQueued): "published by the handler of EngineeringRequested when no slot is free",
    ("planner", SkillsRequested): "decided on in a step of its thread, like the engineer's SkillsRequested",
    ("planner", ToolAnswered): "published in a step of its thread, like ReplyRejected; its own consumer goes on",
    ("critic", FilmRequested): "decided on in a step of its thread, like SessionRequested, if its model sees pictures",
    ("cad-worker", FilmRequested): "requested within a cell, like SimulationRequested and RenderRequested",
    ("cad-worker", QuestionAsked): "requested within a cell, like FilmRequested",
    ("sim-worker", FilmFailed): "published by the handler of FilmCompleted",
    ("sim-worker", SimulationFailed): "published by the handler of SimulationCompleted",
    ("sim-worker", DesignInvalidated): "published by the handler of DesignSimulated",
}
"""Events without a crash of their own, with the reason."""


def impossible(crash: CrashPoint) -> str | None:
    """Return why a service cannot crash at this point, or None if it can."""
    has_checkpoints = crash.service in ROLES and crash.event not in WITHOUT_CHECKPOINT
    if crash.point == "after-checkpoint" and not has_checkpoints:
        return "it has no checkpoints: it crashes when the message is taken up"
    if crash.point == "taken-up" and has_checkpoints:
        return "it has checkpoints"
    if crash.service == "cli" and crash.point in ("taken-up", "before-acking"):
        return "the client answers no message: it crashes while it publishes, and publishes again"
    if crash.event is SessionClosed and crash.point in ("taken-up", "before-acking"):
        return "a session is closed because its run has ended, not because of a message"
    return None


def missing() -> list[str]:
    """Return the events that a service may publish, without a crash in any scenario and without a reason."""
    covered = {(service, event) for each in SCENARIOS for service, events in each.crashes.items() for event in events}
    allowed = {(service, event) for service in SERVICES for event in may_publish(service)}
    return sorted(f"{service}: {event.__name__}" for service, event in allowed - covered - set(REPRESENTED))


@dataclass(frozen=True)
class ScenarioRun:
    """One run of a scenario, with the crashes to happen in it."""

    scenario: Scenario
    run_id: UUID
    label: str
    """Distinguishes the model calls of this run."""
    crashes: list[CrashPoint] = field(default_factory=list[CrashPoint])

    @property
    def model(self) -> str:
        """The name of its model: the scenario's script, and the label."""
        return f"openai:{self.scenario.name}.{self.label}"

    def request(self, code: ArtifactRef) -> EngineeringRequested:
        """Return the request that opens the run."""
        loaded = load("gravity-chute", SEED)
        variant = self.scenario.change(loaded.variant).model_copy(update={"environment_code": code})
        return EngineeringRequested(
            id=uuid5(self.run_id, "request"),
            run_id=self.run_id,
            role="planner",
            producer="cli",
            assignment=Assignment(variant=variant, limits=loaded.file.limits),
            budget=Budget(deadline_s=1200.0),
            model=self.model,
        )
