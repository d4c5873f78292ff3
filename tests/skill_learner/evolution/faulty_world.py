"""A faulty model in a world of trials: its faults and what resolves them follow from a secret seed.

Each world shows one fault: a cell that fails, a design that is refused, a preview that is lost. A run that has not read
the fix meets the fault, resolves it itself, and is solved by luck only; one that has read it is mostly solved.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from agent.model.providers import offline_chat
from agent.model.role_model import RoleModel
from chassis.bus import Fence
from chassis.testing import FakeBus
from contracts.envelope import Event, answering
from contracts.events.design import DesignInvalidated, DesignValidated
from contracts.events.run import EngineeringRequested, RunFailed, RunSucceeded
from contracts.events.skill import LearningRequested, TrialRequested
from contracts.models.design import Finding
from skill_learner.library import SkillLibrary
from skill_learner.policy import SkillLearner
from skill_learner.proposals.trial_requests import TrialPlans
from skill_learner.settings import LearningLimits, TrialLimits
from store.database import Database

from tests.agent.role_harness import threads_of
from tests.contracts import example_values as values
from tests.skill_learner.learner_harness import RunLog
from tests.skill_learner.trials.trial_world import LearnablePolicy, TrialWorld

Kind = Literal["cell", "design", "preview"]
KINDS: tuple[Kind, ...] = ("cell", "design", "preview")
LUCK, SKILL = 0.2, 0.95


@dataclass(frozen=True)
class Fault:
    """One fault, and the purpose of the cell that resolves it."""

    kind: Kind
    fix: str

    def is_known(self, texts: Sequence[str]) -> bool:
        """Tell whether any text has the fix."""
        return any(self.fix in text for text in texts)

    def write(self, log: RunLog) -> None:
        """Add what a run shows of it: the failure, the cell that resolves it, and that it is resolved."""
        design: dict[str, Any] = {
            "assignment": values.ASSIGNMENT,
            "model": "m",
            "delivery": values.DELIVERY,
            "bill": values.BILL,
        }
        match self.kind:
            case "cell":
                log.cell("draw the shaft", error="the shaft binds in its bore")
                log.cell(self.fix)
                log.cell("draw the shaft")
            case "design":
                finding = Finding(rule="cnc_reach", label="bore", detail="too deep for its cutter")
                log.add(DesignInvalidated, findings=(finding,), limits=values.LIMITS)
                log.cell(self.fix)
                log.add(DesignValidated, scene=values.SCENE, **design)
            case "preview":
                log.preview(verdict="failed", summary_md="the ball leaves the chute at its bend")
                log.cell(self.fix)
                log.preview()


def faults_of(secret: str) -> list[Fault]:
    """Return three faults of different kinds."""
    dice = random.Random(secret)
    words = ("brim", "spline", "gusset", "lip", "shim", "collar")
    chosen = zip(KINDS, dice.sample(words, len(KINDS)), strict=True)
    return [Fault(kind, f"add a {word} of {dice.randrange(41, 98)} um") for kind, word in chosen]


class LearningBus(FakeBus):
    """Lets the skill-learner answer what is published for it."""

    world: "FaultyWorld | None" = None

    async def publish(self, event: Event, fence: Fence | None = None) -> bool:
        """Publish an event, and the skill-learner's answer to it."""
        is_new = await super().publish(event, fence)
        if is_new and isinstance(event, LearningRequested) and self.world is not None:
            await super().publish(await self.world.learn(event))
        return is_new


class FaultyWorld(TrialWorld):
    """One skill-learner with its database, and a model whose faults a secret decides."""

    def __init__(self, database: Database, secret: str, test: str) -> None:
        bus = LearningBus()
        super().__init__(database, LearnablePolicy(right_um=50, own_um=7), test, bus)
        bus.world = self
        self.faults = faults_of(secret)
        self.started: list[EngineeringRequested] = []
        library = SkillLibrary(self.artifacts, self.skills)
        learner = SkillLearner(bus, library, LearningLimits(), TrialPlans(TrialLimits()))
        self._threads = threads_of(learner, RoleModel(lambda _: offline_chat()), bus)
        bus.answers(EngineeringRequested, self.run)
        bus.answers(TrialRequested, self.conduct)

    async def learn(self, request: LearningRequested) -> Event:
        """Return the skill-learner's answer."""
        return await self._threads.answer(request)

    async def run(self, request: EngineeringRequested) -> RunSucceeded | RunFailed:
        """Meet the fault of this world unless a text has its fix, then end."""
        self.started.append(request)
        seed = request.assignment.variant.seed
        fault = self.faults[seed % len(self.faults)]
        is_known = fault.is_known(await self.texts(request))
        log = RunLog(request)
        if not is_known:
            fault.write(log)
        for event in log.events[1:]:
            await self.bus.publish(event)
        if random.Random(f"{seed} {is_known}").random() < (SKILL if is_known else LUCK):
            return RunSucceeded(
                **answering(request, "planner"), delivery=values.DELIVERY, bill=values.BILL, result=values.RESULT
            )
        return RunFailed(**answering(request, "planner"), reason="design_rejected", detail="the machine jams")
