"""The runs in which everything is said that can be said, and who says it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal
from uuid import UUID, uuid5

from benchmarks.loader import load
from contracts.envelope import Event
from contracts.events.catalog import CatalogQueried, CatalogSearched, CatalogSearchFailed, CatalogSearchRequested
from contracts.events.conversation import JournalEntryAdded, ModelCalled, ReplyRejected
from contracts.events.dead_letters import MessageAbandoned, WorkAbandoned
from contracts.events.design import (
    DesignApproved,
    DesignInvalidated,
    DesignRejected,
    DesignSimulated,
    DesignSubmitted,
    DesignValidated,
)
from contracts.events.plan import PlanApproved, PlanProposed, PlanRefused, PlanRejected, RefusalDenied, RefusalUpheld
from contracts.events.rendering import RenderCompleted, RenderFailed, RenderRequested
from contracts.events.run import (
    CancelRequested,
    EngineeringRequested,
    EnvironmentBuilt,
    EnvironmentRefused,
    EnvironmentRequested,
    RunFailed,
    RunSucceeded,
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
from contracts.events.skill import SkillLearned, SkillRejected, SkillsOffered, SkillsRequested
from contracts.models.artifact import ArtifactRef
from contracts.models.benchmark import Assignment, Budget, Variant
from contracts.publishers import SERVICES, Service, may_publish

from perf.mortality import scripts
from perf.mortality.fates import WITHOUT_KERNELS, Fate, Point
from perf.mortality.scripts import Script

Said = Mapping[Service, tuple[type[Event], ...]]
SEED = 1
ROLES: tuple[Service, ...] = ("planner", "engineer", "critic", "skill-learner", "catalog")
"""Those that keep checkpoints."""
BROKEN_WORLD = b'raise RuntimeError("there is no world")\n'


def _as_it_is(variant: Variant) -> Variant:
    return variant


def _twin_zones(variant: Variant) -> Variant:
    """A world that can be built, and that no simulator takes: two of its zones have one name."""
    return variant.model_copy(update={"forbid_zones": (*variant.forbid_zones, *variant.forbid_zones)})


def _without_kernels(variant: Variant) -> Variant:
    return variant.model_copy(update={"benchmark": WITHOUT_KERNELS})


@dataclass(frozen=True)
class Scenario:
    """One run, and whose words in it somebody is to die of."""

    name: str
    script: Script
    kills: Said
    world: Callable[[Variant], Variant] = _as_it_is
    environment_code: bytes | None = None
    """In place of the benchmark's own."""
    meanwhile: Literal["cancel", "poison"] | None = None
    """What happens from outside as soon as the first cell runs."""

    def fates(self, point: Point) -> list[Fate]:
        """Return every death of this scenario at a point where its owner can be killed."""
        fates = [Fate(service, event, point) for service, events in self.kills.items() for event in events]
        return [fate for fate in fates if spared(fate) is None]


SCENARIOS: tuple[Scenario, ...] = (
    Scenario(
        "stumbling",
        scripts.stumbling,
        {
            "cli": (EngineeringRequested,),
            "planner": (EnvironmentRequested, PlanProposed, FilmRequested, RunSucceeded, ModelCalled, ReplyRejected),
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
            "sim-worker": (SimulationCompleted, RenderCompleted, RenderFailed, DesignSimulated, FilmCompleted),
        },
    ),
    Scenario("faultless", scripts.faultless, {"skill-learner": (SkillRejected,)}),
    Scenario(
        "shopping",
        scripts.shopping,
        {
            "planner": (CatalogSearchRequested,),
            "cad-worker": (CatalogSearchRequested,),
            "catalog": (CatalogQueried, CatalogSearched, CatalogSearchFailed, ModelCalled, ReplyRejected),
        },
    ),
    Scenario(
        "baffled",
        scripts.baffled,
        {
            "sim-worker": (SimulationFailed, DesignInvalidated),
            "engineer": (WorkAbandoned,),
        },
        world=_twin_zones,
    ),
    Scenario(
        "refusing",
        scripts.refusing,
        {
            "planner": (PlanProposed,),
            "critic": (RefusalDenied, RefusalUpheld),
            "engineer": (SkillsRequested, PlanRefused),
            "skill-learner": (SkillsOffered,),
        },
    ),
    Scenario("speechless", scripts.speechless, {"critic": (WorkAbandoned,)}),
    Scenario(
        "worldless",
        scripts.faultless,
        {"cad-worker": (EnvironmentRefused,), "planner": (RunFailed,)},
        environment_code=BROKEN_WORLD,
    ),
    Scenario("kernelless", scripts.faultless, {"cad-worker": (SessionFailed,)}, world=_without_kernels),
    Scenario("cancelled", scripts.dawdling, {"cli": (CancelRequested,)}, meanwhile="cancel"),
    Scenario("poisoned", scripts.dawdling, {"cad-worker": (MessageAbandoned,)}, meanwhile="poison"),
)

SAME_DESK = "every service gives messages up at the same desk; cad-worker stands for all"
STOOD_FOR: Mapping[tuple[Service, type[Event]], str] = {
    **{
        (service, MessageAbandoned): SAME_DESK
        for service in SERVICES
        if service != "cad-worker" and MessageAbandoned in may_publish(service)
    },
    ("cad-worker", FilmRequested): "asked in the middle of a cell, as SimulationRequested and RenderRequested are",
    ("sim-worker", FilmFailed): "answered by the handler that answers FilmCompleted",
}
"""What a service may say and is not killed for, with the reason."""


def spared(fate: Fate) -> str | None:
    """Return why this owner cannot die at this point, or None."""
    remembers = fate.service in ROLES and fate.event is not SkillsOffered  # which is read from a table, by no thread
    if fate.point == "after-checkpoint" and not remembers:
        return "it keeps no checkpoints: it dies when the message is taken up"
    if fate.point == "taken-up" and remembers:
        return "it keeps checkpoints"
    if fate.service == "cli" and fate.point in ("taken-up", "before-acking"):
        return "the client that asks answers no message: it dies while it publishes, and asks again"
    if fate.event is SessionClosed and fate.point in ("taken-up", "before-acking"):
        return "a session is closed because its run has ended, not because of a message"
    return None


def missing() -> list[str]:
    """Return what the table lets services say and no scenario kills for, and no reason excuses."""
    told = {(service, event) for each in SCENARIOS for service, events in each.kills.items() for event in events}
    excused = set(STOOD_FOR)
    wanted = {(service, event) for service in SERVICES for event in may_publish(service)}
    return sorted(f"{service}: {event.__name__}" for service, event in wanted - told - excused)


@dataclass(frozen=True)
class Commission:
    """One run of a scenario."""

    scenario: Scenario
    run_id: UUID
    label: str
    """Tells this run's model calls from others'."""
    fates: list[Fate] = field(default_factory=list[Fate])

    @property
    def model(self) -> str:
        """The model's name: the scenario's script, and whose calls they are."""
        return f"openai:{self.scenario.name}.{self.label}"

    def request(self, code: ArtifactRef) -> EngineeringRequested:
        """Return the request that opens the run."""
        loaded = load("gravity-chute", SEED)
        variant = self.scenario.world(loaded.variant).model_copy(update={"environment_code": code})
        return EngineeringRequested(
            id=uuid5(self.run_id, "request"),
            run_id=self.run_id,
            role="planner",
            producer="cli",
            assignment=Assignment(variant=variant, limits=loaded.file.limits),
            budget=Budget(deadline_s=1200.0),
            model=self.model,
        )
