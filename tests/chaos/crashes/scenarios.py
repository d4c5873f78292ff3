"""Scenarios: runs in which, together, every service publishes each event that it can publish."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal
from uuid import UUID

from benchmarks.loader import load
from contracts.envelope import SERVICES, Event, Service, requesting_design
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
WITHOUT_CHECKPOINT: tuple[type[Event], ...] = (skill.SkillsOffered, run.EngineeringStarted)
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
            "cli": (run.EngineeringRequested,),
            "planner": (
                run.EngineeringStarted,
                run.EnvironmentRequested,
                plan.PlanProposed,
                simulation.FilmRequested,
                run.RunSucceeded,
                conversation.ModelCalled,
                conversation.ReplyRejected,
            ),
            "critic": (
                plan.PlanRejected,
                plan.PlanApproved,
                skill.SkillsRequested,
                session.SessionRequested,
                session.CellRequested,
                design.DesignRejected,
                design.DesignApproved,
                conversation.ModelCalled,
                conversation.ReplyRejected,
            ),
            "engineer": (
                session.SessionRequested,
                session.CellRequested,
                session.FileWriteRequested,
                session.FileEditRequested,
                session.FileViewRequested,
                design.DesignSubmitted,
                conversation.ModelCalled,
                conversation.ReplyRejected,
                conversation.JournalEntryAdded,
            ),
            "skill-learner": (skill.SkillLearned, conversation.ModelCalled, conversation.ReplyRejected),
            "cad-worker": (
                run.EnvironmentBuilt,
                session.SessionOpened,
                session.SessionClosed,
                session.CellCompleted,
                session.FileWritten,
                session.FileRefused,
                session.FileViewed,
                simulation.SimulationRequested,
                rendering.RenderRequested,
                design.DesignValidated,
                design.DesignInvalidated,
            ),
            "sim-worker": (
                run.WorldChecked,
                simulation.SimulationCompleted,
                rendering.RenderCompleted,
                rendering.RenderFailed,
                design.DesignSimulated,
                simulation.FilmCompleted,
            ),
        },
    ),
    Scenario("flawless", model_scripts.flawless, {"skill-learner": (skill.SkillRejected,)}),
    Scenario(
        "catalog",
        model_scripts.catalog,
        {
            "planner": (catalog.CatalogSearchRequested,),
            "cad-worker": (catalog.CatalogSearchRequested,),
            "catalog": (
                catalog.CatalogQueried,
                catalog.CatalogSearched,
                catalog.CatalogSearchFailed,
                conversation.ModelCalled,
                conversation.ReplyRejected,
            ),
        },
    ),
    Scenario(
        "not-simulatable", model_scripts.flawless, {"sim-worker": (run.WorldRefused,)}, change=_with_duplicate_zones
    ),
    Scenario("gives-up", model_scripts.gives_up, {"engineer": (dead_letters.WorkAbandoned,)}),
    Scenario(
        "refusals",
        model_scripts.refusals,
        {
            "planner": (plan.PlanProposed,),
            "critic": (plan.RefusalDenied, plan.RefusalUpheld),
            "engineer": (skill.SkillsRequested, plan.PlanRefused),
            "skill-learner": (skill.SkillsOffered,),
        },
    ),
    Scenario("unreadable-critic", model_scripts.unreadable_critic, {"critic": (dead_letters.WorkAbandoned,)}),
    Scenario(
        "broken-environment",
        model_scripts.flawless,
        {"cad-worker": (run.EnvironmentRefused,), "planner": (run.RunFailed,)},
        environment_code=BROKEN_ENVIRONMENT,
    ),
    Scenario("no-kernels", model_scripts.flawless, {"cad-worker": (session.SessionFailed,)}, change=_without_kernels),
    Scenario("cancelled", model_scripts.endless_cell, {"cli": (run.CancelRequested,)}, meanwhile="cancel"),
    Scenario(
        "poison", model_scripts.endless_cell, {"cad-worker": (dead_letters.MessageAbandoned,)}, meanwhile="poison"
    ),
)

GENERATION: Mapping[Service, tuple[type[Event], ...]] = {
    "cli": (benchmark.BenchmarkRequested,),
    "critic": (
        benchmark.BenchmarkPlanApproved,
        benchmark.BenchmarkPlanRejected,
        benchmark.BenchmarkSessionRequested,
        benchmark.DraftApproved,
        benchmark.DraftRejected,
    ),
    "cad-worker": (benchmark.CertificationRequested, benchmark.DraftBuilt, benchmark.DraftRefused),
    "sim-worker": (benchmark.CertificationCompleted, benchmark.DraftCertified, benchmark.DraftRefused),
    "benchmark-generator": (
        benchmark.BenchmarkPlanProposed,
        benchmark.BenchmarkSessionRequested,
        session.CellRequested,
        session.FileWriteRequested,
        session.FileEditRequested,
        session.FileViewRequested,
        conversation.JournalEntryAdded,
        benchmark.BenchmarkDrafted,
        benchmark.BenchmarkPublished,
        benchmark.GenerationFailed,
        conversation.ModelCalled,
        conversation.ReplyLost,
        conversation.ReplyRejected,
        conversation.ToolAnswered,
    ),
}
QUESTIONS: Mapping[Service, tuple[type[Event], ...]] = {
    "cli": (question.QuestionAsked,),
    "cad-worker": (question.LookRequested, perception.PerceptionRequested),
    "perception-worker": (perception.PerceptionCompleted, perception.PerceptionFailed),
    "spatial-agent": (
        session.CellRequested,
        question.LookCompleted,
        question.LookFailed,
        conversation.ModelCalled,
        question.QuestionAnswered,
        question.QuestionFailed,
        question.QuestionSessionRequested,
        conversation.ReplyLost,
        conversation.ReplyRejected,
    ),
}
SKILL_TRIALS: Mapping[Service, tuple[type[Event], ...]] = {
    "cli": (skill.SkillChangeRequested, skill.TrialRequested),
    "skill-learner": (
        run.EngineeringRequested,
        skill.LearningRequested,
        skill.SkillChangeRefused,
        skill.SkillChanged,
        skill.SkillUpdated,
        conversation.ToolAnswered,
        skill.TrialCompleted,
        skill.TrialRequested,
    ),
}
SAME_LOOP = "published by the loop or processor that the events of a run of engineering crash in"
OWN_STORY = "crashes in the stories of `./run chaos skills`"
SAME_PROCESSOR = "every service abandons messages in the same processor; cad-worker represents all"
REPRESENTED: Mapping[tuple[Service, type[Event]], str] = {
    **{
        (service, dead_letters.MessageAbandoned): SAME_PROCESSOR
        for service in SERVICES
        if service != "cad-worker" and dead_letters.MessageAbandoned in may_publish(service)
    },
    **{
        (service, conversation.ReplyLost): "published by the model caller, whose ModelCalled has crashes of its own"
        for service in ROLES
    },
    **{
        (service, event): reason
        for table, reason in ((GENERATION, SAME_LOOP), (QUESTIONS, SAME_LOOP), (SKILL_TRIALS, OWN_STORY))
        for service, events in table.items()
        for event in events
    },
    ("cli", skill.LearningRequested): "published by the loop of an evolution, which repeats it under the same id",
    ("gateway", run.EngineeringRequested): "published by the functions that the command calls, and once for its key",
    ("gateway", question.QuestionAsked): "published by the functions that the command calls, and once for its key",
    ("gateway", quote.QuoteRequested): "published once for its key, like QuestionAsked",
    ("cad-worker", quote.QuoteCompleted): "published by a handler that keeps nothing, like that of EnvironmentBuilt",
    ("gateway", run.CancelRequested): "published by the functions that the command calls; a second one changes nothing",
    ("planner", run.EngineeringQueued): "published by the handler of EngineeringRequested when no slot is free",
    ("planner", skill.SkillsRequested): "decided on in a step of its thread, like the engineer's SkillsRequested",
    (
        "planner",
        conversation.ToolAnswered,
    ): "published in a step of its thread, like ReplyRejected; its own consumer goes on",
    (
        "critic",
        simulation.FilmRequested,
    ): "decided on in a step of its thread, like SessionRequested, if its model sees pictures",
    ("cad-worker", simulation.FilmRequested): "requested within a cell, like SimulationRequested and RenderRequested",
    ("cad-worker", question.QuestionAsked): "requested within a cell, like FilmRequested",
    ("sim-worker", simulation.FilmFailed): "published by the handler of FilmCompleted",
    ("sim-worker", simulation.SimulationFailed): "published by the handler of SimulationCompleted",
    ("sim-worker", design.DesignInvalidated): "published by the handler of DesignSimulated",
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
    if crash.event is session.SessionClosed and crash.point in ("taken-up", "before-acking"):
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

    def request(self, code: ArtifactRef) -> run.EngineeringRequested:
        """Return the request that opens the run."""
        loaded = load("gravity-chute", SEED)
        variant = self.scenario.change(loaded.variant).model_copy(update={"environment_code": code})
        return run.EngineeringRequested(
            **requesting_design(self.run_id, "cli"),
            assignment=Assignment(variant=variant, limits=loaded.limits),
            budget=Budget(deadline_s=1200.0),
            model=self.model,
        )
