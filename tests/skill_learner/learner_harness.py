"""Runs to learn from, built event by event, and the skill-learner over a bus in memory."""

from collections.abc import Sequence
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any
from uuid import UUID

from artifacts.testing import FakeArtifacts
from chassis.testing import FakeBus
from contracts.envelope import Event, Role, answering, deciding
from contracts.events.run import EngineeringRequested, RunSucceeded
from contracts.events.session import CellCompleted, CellRequested, FileEditRequested, FileWritten
from contracts.events.simulation import SimulationCompleted
from contracts.events.skill import SkillsOffered
from contracts.models.observation import CellError, Observation
from langchain_core.messages import AIMessage
from skill_learner.library import SkillLibrary
from skill_learner.policy import SkillLearner
from skill_learner.proposals.trial_requests import TrialPlans
from skill_learner.settings import LearningLimits, TrialLimits
from store.skills.versions import LearnedSkill, NewSkill

from tests.agent.role_harness import RoleHarness, engineering_requested
from tests.contracts import example_values as values

TEXT = """## When to use

Before any channel.

## Rules

- walls of 0.8 of the ball hold it
"""
CLAIM = "walls of 0.8 of the ball hold it"


class FakeVersions:
    """Keeps versions as the database does."""

    def __init__(self, *stored: LearnedSkill) -> None:
        self.stored: list[LearnedSkill] = list(stored)
        self.offers: dict[tuple[UUID, str], SkillsOffered] = {}

    async def learn(self, skill: NewSkill) -> LearnedSkill:
        same = [each for each in self.stored if (each.name, each.digest) == (skill.name, skill.digest)]
        if same:
            return same[0]
        version = 1 + sum(each.name == skill.name for each in self.stored)
        learned = LearnedSkill(**skill.model_dump(), version=version, learned_at=datetime.now(UTC))
        self.stored.append(learned)
        return learned

    async def newest(self, for_role: Role) -> list[LearnedSkill]:
        adopted = [each for each in self.stored if each.for_role == for_role and each.status == "adopted"]
        return list({each.name: each for each in adopted}.values())

    async def versions(self, name: str = "", for_role: Role | None = None) -> list[LearnedSkill]:
        return [each for each in self.stored if name in {"", each.name} and for_role in {None, each.for_role}]

    async def version(self, name: str, version: int) -> LearnedSkill | None:
        return next((each for each in self.stored if (each.name, each.version) == (name, version)), None)

    async def keep_offer(self, offered: SkillsOffered) -> SkillsOffered:
        return self.offers.setdefault((offered.run_id, offered.role), offered)


class RunLog:
    """The event log of a run, built event by event."""

    def __init__(self, request: EngineeringRequested | None = None) -> None:
        self.request: EngineeringRequested = request or engineering_requested()
        self.events: list[Event] = [self.request]
        self._step = 0

    def cell(self, purpose: str, error: str = "", code: str = "x = 1\n", output: str = "") -> CellRequested:
        self._step += 1
        requested = CellRequested(**deciding(self.request, "engineer", self._step), purpose=purpose, code=code)
        seen = Observation(status="ok")
        if error:
            seen = Observation(status="error", output=output, error=CellError(type="ValueError", message=error))
        self.events += [requested, CellCompleted(**answering(requested, "cad-worker"), observation=seen)]
        return requested

    def add(self, kind: type[Event], role: Role = "engineer", **fields: Any) -> Event:
        self._step += 1
        self.events.append(kind(**deciding(self.request, role, self._step), **fields))
        return self.events[-1]

    def file(self, text: str, path: str = "script.py") -> None:
        self.add(FileWritten, path=path, text=text, size_bytes=len(text), sha256=sha256(text.encode()).hexdigest())

    def edit(self, old: str, new: str, text: str, path: str = "script.py") -> FileWritten:
        """Edit a file, which is `text` afterwards."""
        self._step += 1
        edit = FileEditRequested(
            **deciding(self.request, "engineer", self._step), path=path, old_text=old, new_text=new
        )
        digest = sha256(text.encode()).hexdigest()
        written = FileWritten(
            **answering(edit, "cad-worker"), path=path, text=text, size_bytes=len(text), sha256=digest
        )
        self.events += [edit, written]
        return written

    def preview(self, **changes: Any) -> None:
        self.add(SimulationCompleted, result=values.RESULT.model_copy(update=changes))

    def success(self, **changes: Any) -> RunSucceeded:
        result = values.RESULT.model_copy(update=changes)
        success = RunSucceeded(
            **answering(self.request, "planner"), delivery=values.DELIVERY, bill=values.BILL, result=result
        )
        self.events.append(success)
        return success

    @property
    def run_id(self) -> UUID:
        return self.request.run_id


def troubled() -> RunLog:
    """Return the log of a run in which a cell failed and the next one worked."""
    log = RunLog()
    log.cell("build the legs", error="radius must be positive")
    log.cell("build the legs from boxes", code="legs = Box(10, 10, 90)\n")
    return log


def call(name: str, number: int = 0, **arguments: Any) -> AIMessage:
    """Return a reply with one tool call."""
    return AIMessage("", tool_calls=[{"id": f"{name}-{number}", "name": name, "args": arguments}])


def proposal(log: RunLog, text: str = TEXT, claims: Sequence[str] = (CLAIM,), **changes: Any) -> AIMessage:
    """Return a proposal whose claims are proven by the newest cell of the run."""
    evidence = next(each for each in reversed(log.events) if isinstance(each, CellRequested)).id.hex[:8]
    arguments: dict[str, Any] = {
        "skill": "box-channels",
        "for_role": "engineer",
        "description": "Box channels in build123d that hold a rolling ball; read before you build one.",
        "edits": [{"new_text": text}],
        "claims": [{"text": claim, "evidence": evidence} for claim in claims],
    }
    return call("propose_change", **{**arguments, **changes})


def learner_on(
    bus: FakeBus,
    artifacts: FakeArtifacts | None = None,
    versions: FakeVersions | None = None,
    limits: LearningLimits | None = None,
    trials: TrialLimits | None = None,
) -> SkillLearner:
    """Return the policy over fakes."""
    library = SkillLibrary(artifacts or FakeArtifacts(), versions or FakeVersions())
    return SkillLearner(bus, library, limits or LearningLimits(), TrialPlans(trials or TrialLimits()))


async def learner(
    log: RunLog,
    *script: str | AIMessage | Exception,
    versions: FakeVersions | None = None,
    artifacts: FakeArtifacts | None = None,
    limits: LearningLimits | None = None,
    trials: TrialLimits | None = None,
    **changes: Any,
) -> tuple[RoleHarness, FakeArtifacts, RunSucceeded]:
    """Return a learner with a scripted model, the artifacts, and the success of the run, all published."""
    bus, artifacts = FakeBus(), artifacts or FakeArtifacts()
    success = log.success(**changes)
    for event in log.events:
        await bus.publish(event)
    policy = learner_on(bus, artifacts, versions, limits, trials)
    return RoleHarness(policy, script, bus), artifacts, success
