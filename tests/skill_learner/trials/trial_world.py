"""Trials over a real database and a bus in memory; a learnable policy decides how each run ends.

The policy knows only what the skills of its run say, as a model does: it has a parameter of its own, which is wrong,
until a skill that it is offered states another one. The right value comes from a seed that neither the learner nor a
prompt has.
"""

import random
import re
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from uuid import NAMESPACE_OID, UUID, uuid4, uuid5

from artifacts.testing import FakeArtifacts
from chassis.testing import FakeBus
from contracts.envelope import Event, answering, deciding
from contracts.events.run import EngineeringRequested, RunFailed, RunSucceeded
from contracts.events.session import CellCompleted, CellRequested
from contracts.events.skill import SkillsRequested, TrialCompleted, TrialRequested
from contracts.models.observation import CellError, Observation
from skill_learner.offers import SkillOffers
from skill_learner.run_ends import RunEnds
from skill_learner.trials.conductor import TrialConductor
from store.database import Database
from store.skills.trials import SkillTrials
from store.skills.versions import LearnedSkill, NewSkill, Skills

from tests.contracts import example_values as values

PARAMETER = re.compile(r"play_um = (?P<value>\d+)")


@dataclass(frozen=True)
class LearnablePolicy:
    """Solves a run if its play is close to the right one; else by luck. It errs once in each run with a wrong one."""

    right_um: int
    own_um: int
    luck: float = 0.2
    skill: float = 0.9
    error: str = "the shaft binds in its bore"

    def play_um(self, texts: list[str]) -> int:
        """Return the play of a run that has read these skills."""
        found = [int(match["value"]) for text in texts for match in PARAMETER.finditer(text)]
        return found[-1] if found else self.own_um

    def solves(self, play_um: int, seed: int) -> bool:
        """Return whether a run on a seed is solved: the same luck for the same seed and play."""
        share = self.skill if play_um == self.right_um else 0.0 if play_um > 10 * self.right_um else self.luck
        return random.Random(f"{seed} {play_um}").random() < share


class TrialWorld:
    """One skill-learner and its database."""

    def __init__(self, database: Database, policy: LearnablePolicy, test: str, bus: FakeBus | None = None) -> None:
        """`test`: the name of the test, from which the ids of requests follow, and from those the held-out seeds."""
        self.bus, self.artifacts, self.policy = bus or FakeBus(), FakeArtifacts(), policy
        self.skills, self.trials = Skills(database.engine), SkillTrials(database.engine)
        self.offers = SkillOffers(self.skills, {}, 50, self.bus)
        self.name = f"shafts-{uuid4().hex[:12]}"
        self.crashes: random.Random | None = None
        self._test, self._requests = test, 0
        self._queue: deque[EngineeringRequested] = deque()
        self._restart()

    def next_id(self) -> UUID:
        """Return the id of the next request: the same one each time a test is run."""
        self._requests += 1
        return uuid5(NAMESPACE_OID, f"{self._test} {self._requests}")

    async def version(self, text: str, status: str = "proposed") -> LearnedSkill:
        """Store a version of the skill."""
        ref = await self.artifacts.put(text.encode(), "text/markdown")
        return await self.skills.learn(
            NewSkill.model_validate(
                {
                    "name": self.name,
                    "for_role": "engineer",
                    "description": "The play of shafts in bores.",
                    "digest": ref.sha256,
                    "artifact": ref,
                    "learned_from": uuid4(),
                    "status": status,
                }
            )
        )

    async def run_trial(self, version: LearnedSkill, base: int | None = None, **options: object) -> TrialCompleted:
        """Conduct a trial to its end: each request of a run is answered by the policy."""
        trial_id = self.next_id()
        fields = {"name": self.name, "for_role": "engineer", "version": version.version, "base_version": base}
        options = {"benchmarks": ("gravity-chute",), "model": "offline", "target": self.policy.error, **options}
        request = TrialRequested.model_validate(
            {"id": trial_id, "run_id": trial_id, "kind": "trial", "role": "skill-learner", "producer": "cli"}
            | fields
            | options
        )
        return await self.conduct(request)

    async def conduct(self, request: TrialRequested) -> TrialCompleted:
        """Handle a trial's request and all that follows, until its outcome is published."""
        await self.bus.publish(request)
        await self._publish_all(await self._handled(request))
        while self._queue:
            end = await self.run(self._queue.popleft())
            await self.bus.publish(end)
            await self._publish_all(await self._handled(end))
        found = await self.bus.ended(request.run_id)
        assert isinstance(found, TrialCompleted)
        return found

    async def _handled(self, event: TrialRequested | RunSucceeded | RunFailed) -> list[Event]:
        """Return what the learner publishes; with crashes it handles some messages again in a new process."""
        while self.crashes is not None and self.crashes.random() < 0.5:
            found = await self._handle(event)
            await self._publish_all(found[: self.crashes.randrange(len(found) + 1)])  # the rest dies with the process
            self._restart()
        return await self._handle(event)

    async def _publish_all(self, events: Sequence[Event]) -> None:
        """Publish events; a run that is requested for the first time will be worked on."""
        for event in events:
            if await self.bus.publish(event) and isinstance(event, EngineeringRequested):
                self._queue.append(event)

    async def _handle(self, event: TrialRequested | RunSucceeded | RunFailed) -> list[Event]:
        if isinstance(event, TrialRequested):
            return list(await self._conductor.begin(event))
        return list(await self._ends.on_end(event))

    async def run(self, request: EngineeringRequested) -> RunSucceeded | RunFailed:
        """Work as the engineer of a run: read the offered skills, build, and fail or succeed."""
        texts = await self.texts(request)
        play_um, seed = self.policy.play_um(texts), request.assignment.variant.seed
        if play_um != self.policy.right_um:
            cell = CellRequested(**deciding(request, "engineer", 1), purpose="build the shaft", code="shaft()\n")
            error = CellError(type="ValueError", message=self.policy.error)
            await self.bus.publish(cell)
            seen = Observation(status="error", error=error)
            await self.bus.publish(CellCompleted(**answering(cell, "cad-worker"), observation=seen))
        if self.policy.solves(play_um, seed):
            return RunSucceeded(
                **answering(request, "planner"),
                delivery=values.DELIVERY,
                bill=values.BILL,
                result=values.RESULT,
            )
        return RunFailed(**answering(request, "planner"), reason="design_rejected", detail="the shaft binds")

    async def texts(self, request: EngineeringRequested) -> list[str]:
        """Return what a run is offered of the skill."""
        asked = SkillsRequested(**deciding(request, "engineer", 0))
        offered = [each for each in (await self.offers.answer(asked)).skills if each.name == self.name]
        return [(await self.artifacts.get(each.skill_md)).decode() for each in offered]

    def _restart(self) -> None:
        self._conductor = TrialConductor(self.bus, self.artifacts, self.skills, self.trials)
        self._ends = RunEnds(self.bus, self.skills, self.trials, self._conductor, 3)
