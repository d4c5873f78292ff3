"""The skill-learner dies at each event that it publishes.

A story has it publish everything that belongs to versions and trials: imports, adoptions with a guard, notices to a run
in work, pairs of runs, outcomes, a refusal, a reversal, the reading of a benchmark that failed three times, and a skill
learned from a run, by a model whose first reply is unreadable. It is performed without a crash, then once for each
event and point, at which the process kills itself with -9: nothing happens twice, and versions, trials and events are
those of the undisturbed story.
"""

import asyncio
import time
from collections import Counter
from collections.abc import AsyncGenerator, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import NAMESPACE_OID, UUID, uuid5

from agent.model.providers import offline_chat
from benchmarks.loader import CODE_TYPE, load
from contracts.envelope import Event, answering, deciding
from contracts.events.conversation import ModelCalled, ReplyRejected, ToolAnswered
from contracts.events.run import EngineeringRequested, RunFailed
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
    TrialOptions,
    TrialRequested,
)
from contracts.models.benchmark import Assignment
from documents.skill_folders.skill_folder import pack_files
from langchain_core.messages import AIMessage, BaseMessage
from sqlalchemy import func, select
from store.database import Database
from store.outages import open_connection
from store.settings import DatabaseSettings
from store.skills.trials import SkillTrials
from store.skills.versions import Skills
from store.tables import FailedRunRow

from tests.chaos.crashes.crash_points import CrashPlan, CrashPoint, Point
from tests.chaos.crashes.crash_runs import instrumented
from tests.chaos.traces import duplicates
from tests.skill_learner.learner_harness import RunLog
from tests.support.clusters.cluster import FAST_REDELIVERY, Client, RestartingSupervisor, start_cluster
from tests.support.clusters.fake_provider import FakeProvider, expert_provider

POINTS: tuple[Point, ...] = ("before-publishing", "after-acknowledgement", "before-acking", "after-checkpoint")
PUBLISHED: tuple[type[Event], ...] = (
    SkillsOffered,
    SkillChanged,
    SkillChangeRefused,
    SkillUpdated,
    TrialRequested,
    EngineeringRequested,
    TrialCompleted,
    LearningRequested,
    SkillRejected,
    ModelCalled,
    ReplyRejected,
    ToolAnswered,
    SkillLearned,
)
"""What the learner publishes in the story."""
ON_ITS_THREAD = (SkillRejected, ModelCalled, ReplyRejected, ToolAnswered, SkillLearned)
"""Published in steps of the role's thread, which has checkpoints."""
MODEL = "learner"
STORY_S = 180.0
"""On a busy machine, with all deaths."""
AFTERWARDS_S = 20.0
"""For deaths after the last event."""
FAILURES = 3


@dataclass(frozen=True)
class Finished:
    """What a story has left."""

    events: dict[UUID, list[Event]]
    """By run."""
    versions: list[tuple[int, str]]
    trials: list[tuple[int, int | None, str, int]]
    """Of each trial: version, base version, verdict, number of runs that count."""
    crashes: list[str]
    calls: int
    """Number of model calls that the provider got."""

    @property
    def counts(self) -> Counter[str]:
        """How often each event was published."""
        return Counter(event.type for events in self.events.values() for event in events)

    @property
    def problems(self) -> list[str]:
        """What happened twice."""
        found = [each for events in self.events.values() for each in duplicates(events)]
        paid = self.counts["ModelCalled"]
        if self.calls > paid + len(self.crashes):
            found.append(f"{self.calls} model calls for {paid} recorded and {len(self.crashes)} crashes")
        return found


class Story:
    """One story, whose ids follow from its name."""

    def __init__(self, client: Client, database: Database, plan: CrashPlan, provider: FakeProvider, name: str) -> None:
        self._client, self._database, self._plan, self._provider = client, database, plan, provider
        self.name = name
        self._adoption, self._work = self._id("adopt 2"), self._id("work")
        self._trial = uuid5(self._adoption, "guard")
        self._arms = [uuid5(self._trial, f"0 {arm}") for arm in ("current", "proposed")]
        self._failed = [self._id(f"failure {number}") for number in range(FAILURES)]
        self._solved = self._id("solved")

    def runs_of(self, event: type[Event]) -> list[UUID]:
        """Return the runs in which the learner publishes an event."""
        runs: dict[type[Event], list[UUID]] = {
            SkillsOffered: [self._work],
            SkillChanged: [self._id("import 2"), self._adoption, self._id("revert 2")],
            SkillChangeRefused: [self._id("adopt 7")],
            SkillUpdated: [self._work],
            TrialRequested: [self._trial],
            EngineeringRequested: self._arms[:1],
            TrialCompleted: [self._trial],
            LearningRequested: [self._failed[-1]],
            SkillRejected: [self._failed[-1]],
        }
        return runs.get(event, [self._solved])

    def arm(self, crash: CrashPoint) -> None:
        """Let the learner die when it publishes an event in this story."""
        runs = self.runs_of(crash.event)
        if (crash.event, crash.point) == (TrialRequested, "before-acking"):
            runs = [self._work]  # the first event of that message is the notice to this run
        for run_id in runs:
            self._plan.arm(crash, run_id)

    async def perform(self) -> None:
        """Publish what users, planner and engineer publish, and wait for each answer."""
        async with asyncio.timeout(STORY_S):
            await self._import("import 1", "thin")
            await self._change("adopt 1", "adopt", 1)
            work = await self._begin(self._work)
            await self._client.bus.ask(SkillsRequested(**deciding(work, "engineer", 1)))
            await self._import("import 2", "thick")
            guard = TrialOptions(benchmarks=("gravity-chute",), model="offline", most_pairs=1)
            await self._change("adopt 2", "adopt", 2, guard=guard)
            for run_id in self._arms:
                await self._fail(await self._awaited(EngineeringRequested, run_id))
            await self._awaited(TrialCompleted, self._trial)
            await self._change("adopt 7", "adopt", 7)
            await self._change("revert 2", "revert", 2)
            for number, run_id in enumerate(self._failed):
                while await self._counted_failures() < number:  # noqa: ASYNC110 - else another one might be the third
                    await asyncio.sleep(0.05)
                await self._fail(await self._begin(run_id))
            await self._awaited(SkillRejected, self._failed[-1])
            await self._solve()
            await self._awaited(SkillLearned, self._solved)

    async def finished(self) -> Finished:
        """Return what the story has left, once nothing more happens."""
        names = ("import 1", "adopt 1", "import 2", "adopt 7", "revert 2")
        runs = [
            *map(self._id, names),
            self._adoption,
            self._work,
            self._trial,
            *self._arms,
            *self._failed,
            self._solved,
        ]
        end_s = time.monotonic() + AFTERWARDS_S
        while any(map(self._plan.pending, runs)) and time.monotonic() < end_s:  # noqa: ASYNC110 - another process
            await asyncio.sleep(0.05)
        await asyncio.sleep(1.0)  # what would happen twice happens now
        trials = SkillTrials(self._database.engine)
        found = [
            (each.request.version, each.request.base_version, each.outcome.verdict if each.outcome else "none", count)
            for each in await trials.of_skill(self.name)
            for count in [len(await trials.runs(each.request.run_id))]
        ]
        return Finished(
            events={run_id: await self._client.bus.history(run_id) for run_id in runs},
            versions=[
                (each.version, each.status)
                for name in (self.name, f"{self.name}-cell-failed")
                for each in await Skills(self._database.engine).versions(name)
            ],
            trials=found,
            crashes=[each for run_id in runs for each in self._plan.crashes(run_id)],
            calls=self._provider.calls_of[f"{MODEL}.{self.name}"],
        )

    async def _counted_failures(self) -> int:
        query = select(func.count()).select_from(FailedRunRow).where(FailedRunRow.benchmark == self.name)
        async with open_connection(self._database.engine) as connection:
            return await connection.scalar(query) or 0

    def _id(self, what: str) -> UUID:
        return uuid5(NAMESPACE_OID, f"{self.name} {what}")

    async def _begin(self, run_id: UUID) -> EngineeringRequested:
        loaded = load("gravity-chute", 1)
        await self._client.artifacts.put(loaded.environment_code, CODE_TYPE)
        variant = loaded.variant.model_copy(update={"benchmark": self.name})
        request = EngineeringRequested(
            id=run_id,
            run_id=run_id,
            role="planner",
            producer="cli",
            assignment=Assignment(variant=variant, limits=loaded.limits),
            model=f"openai:{MODEL}.{self.name}",
        )
        await self._client.bus.publish(request)
        return request

    async def _solve(self) -> None:
        """Publish a run in which a cell failed and the next one worked, up to its success."""
        log = RunLog(await self._begin(self._solved))
        log.cell("build the legs", error="radius must be positive")
        log.cell("build the legs from boxes", code="legs = Box(10, 10, 90)\n")
        file = await self._client.artifacts.put(b"the same for every file", "application/octet-stream")
        named: dict[str, object] = {"script": file, "step": file, "glb": file, "scene": None, "media": None}
        success = log.success()
        success = success.model_copy(
            update={"delivery": success.delivery.model_copy(update=named | {"part_steps": {}})}
        )
        for event in (*log.events[1:-1], success):
            await self._client.bus.publish(event)

    async def _fail(self, request: EngineeringRequested) -> None:
        detail = "the legs are too thin"
        await self._client.bus.publish(
            RunFailed(**answering(request, "planner"), reason="design_rejected", detail=detail)
        )

    async def _import(self, what: str, play: str) -> None:
        text = f"---\nname: {self.name}\ndescription: Legs that reach the floor.\n---\n\n# Legs\n\nDraw them {play}.\n"
        folder = await self._client.artifacts.put(pack_files({"SKILL.md": text}), "application/zip")
        await self._change(what, "import", None, folder=folder)

    async def _change(self, what: str, action: str, version: int | None, **fields: Any) -> None:
        run_id = self._id(what)
        named = {"action": action, "name": self.name, "for_role": "engineer", "version": version}
        producer = {"kind": "operations", "role": "skill-learner", "producer": "cli"}
        request = SkillChangeRequested.model_validate({"id": run_id, "run_id": run_id} | producer | named | fields)
        await self._client.bus.ask(request)

    async def _awaited(self, kind: type[Any], run_id: UUID) -> Any:
        while True:
            found = await self._client.bus.latest(kind, run_id)
            if found is not None:
                return found
            await asyncio.sleep(0.05)


@dataclass(frozen=True)
class LearnerCluster:
    """A skill-learner that is started again whenever it dies, and its servers."""

    client: Client
    plan: CrashPlan
    database: Database
    provider: FakeProvider

    async def perform(self, name: str, crashes: Sequence[CrashPoint] = ()) -> Finished:
        """Perform a story in which the learner dies at these points."""
        story = Story(self.client, self.database, self.plan, self.provider, name)
        for crash in crashes:
            story.arm(crash)
        await story.perform()
        return await story.finished()


@asynccontextmanager
async def learner_cluster(folder: Path) -> AsyncGenerator[LearnerCluster]:
    """Start servers and an instrumented skill-learner; nothing of them is left when the block ends."""
    plan = CrashPlan(folder / "crash-points")
    plan.folder.mkdir(parents=True)
    with expert_provider({MODEL: first_unreadable}) as provider:
        async with _learner_on(folder, plan, provider) as learner:
            yield learner


@asynccontextmanager
async def _learner_on(folder: Path, plan: CrashPlan, provider: FakeProvider) -> AsyncGenerator[LearnerCluster]:
    async with start_cluster(folder / "servers", supervisor=RestartingSupervisor()) as cluster:
        keys = {"OPENAI_BASE_URL": provider.base_url, "OPENAI_API_KEY": "of-no-value"}
        environment = cluster.environment(FAST_REDELIVERY | keys)
        option = ("--crash-plan", str(plan.folder))
        learner = instrumented("skill-learner", environment, folder / "skill-learner.log", *option)
        database = Database(DatabaseSettings(database_url=cluster.endpoints.database_url))
        async with cluster.run([learner], restarts=True), Client(cluster.endpoints) as client:
            await database.start()
            try:
                yield LearnerCluster(client, plan, database, provider)
            finally:
                await database.stop()


def first_unreadable(messages: Sequence[BaseMessage], label: str) -> AIMessage:
    """Return a first reply that calls no tool, then those of the offline expert."""
    if not any(isinstance(message, AIMessage) for message in messages):
        return AIMessage("I read the run first.")
    return offline_chat().reply_to(messages)


def differences(finished: Finished, undisturbed: Finished) -> list[str]:
    """Return what happened twice, or otherwise than without crashes."""
    found = finished.problems
    if not finished.crashes:
        found.append("the learner did not die")
    for what in ("counts", "versions", "trials"):
        one, other = getattr(finished, what), getattr(undisturbed, what)
        if one != other:
            found.append(f"{what}: {one}, undisturbed {other}")
    return found


def crash_points(points: Sequence[Point]) -> Iterator[CrashPoint]:
    """Yield each crash; two in one run have different points."""
    for point in points:
        for event in ON_ITS_THREAD if point == "after-checkpoint" else PUBLISHED:
            yield CrashPoint("skill-learner", event, point)
