"""On a real bus, the critic opens a session, simulates the design again, and names its evidence."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any
from uuid import uuid4

import cad_worker.app
import cad_worker.settings
import pytest
import pytest_asyncio
import sim_worker.app
import sim_worker.settings
from agent.loop.checkpoints import MemoryCheckpoints
from agent.loop.thread import RoleThreads
from agent.model.providers import offline_chat
from agent.model.role_model import RoleModel
from artifacts.client import Artifacts
from artifacts.settings import S3Settings
from chassis.app import App
from chassis.settings import BusSettings
from contracts.envelope import Event, answering, outcome_id
from contracts.events.conversation import ReplyRejected
from contracts.events.design import DesignApproved, DesignSimulated, DesignSubmitted, DesignValidated
from contracts.events.plan import PlanApproved, PlanProposed
from contracts.events.run import EnvironmentBuilt, EnvironmentRequested, RunFailed
from contracts.events.session import CellCompleted, CellRequested, FileWriteRequested, SessionRequested
from contracts.events.simulation import SimulationRequested
from contracts.events.skill import SkillsOffered, SkillsRequested
from contracts.models.benchmark import Budget, Environment
from contracts.models.submission import Submission
from critic.policy import Critic

from tests.support.kernel_world import ENVIRONMENT_CODE, GOOD_SCRIPT, assignment

pytestmark = pytest.mark.asyncio(loop_scope="session")

SUBMIT = "from script import assembly\nfrom utils import submit_for_review\nsubmit_for_review(assembly)"
PLAN = "# Plan\n\nA slope is not needed: it falls.\n"
DURATION_S = 3.0
"""Enough for a ball that falls 150 mm, and a third of the usual time in each of 124 replicas."""
TODO = "# TODO\n\n- [ ] T1: Build\n- [ ] T2: Simulate\n- [ ] T3: Submit\n"


class Run:
    """Both workers and a critic on one bus; the test is planner, engineer and skill-learner."""

    def __init__(self, client: App, artifacts: Artifacts) -> None:
        self.bus, self.artifacts = client.bus, artifacts
        self.run_id = uuid4()
        model = RoleModel(lambda _: offline_chat())
        self.critic = RoleThreads(Critic(artifacts), model, client.bus, MemoryCheckpoints())

    def by(self, role: str) -> dict[str, Any]:
        """Return the fields that each request of a role has."""
        return {"id": uuid4(), "run_id": self.run_id, "role": role, "producer": role}

    async def plan(self) -> Environment:
        """Build the environment and have the plan approved."""
        task = assignment(await self.artifacts.put(ENVIRONMENT_CODE.encode(), "text/x-python"))
        self.task = task.model_copy(update={"variant": task.variant.model_copy(update={"duration_s": DURATION_S})})
        built = await self.bus.ask(EnvironmentRequested(assignment=self.task, **self.by("planner")))
        assert isinstance(built, EnvironmentBuilt), built
        proposed = PlanProposed(
            assignment=self.task,
            budget=Budget(),
            model="offline",
            environment=built.environment,
            plan_md=PLAN,
            todo_md=TODO,
            **self.by("planner"),
        )
        await self.bus.publish(proposed)
        (approved,) = await self.critic.advance(proposed)
        assert isinstance(approved, PlanApproved), approved
        return built.environment

    async def design(self, world: Environment, script: str) -> DesignSimulated:
        """Submit a script as the engineer does, and wait for its verdict."""
        session: dict[str, Any] = {"assignment": self.task, "environment": world, "plan_md": PLAN, "todo_md": TODO}
        await self.bus.ask(SessionRequested(**session, **self.by("engineer")))
        await self.bus.ask(FileWriteRequested(path="script.py", text=script, **self.by("engineer")))
        done = await self.bus.ask(CellRequested(purpose="submit", code=SUBMIT, **self.by("engineer")))
        assert isinstance(done, CellCompleted)
        assert isinstance(done.ending, Submission), done
        submitted = DesignSubmitted(
            assignment=self.task,
            model="offline",
            environment=world,
            submission=done.ending,
            **self.by("engineer"),
        )
        validated = await self.bus.ask(submitted)
        assert isinstance(validated, DesignValidated), validated
        simulated = await self.outcome_of(validated)
        assert isinstance(simulated, DesignSimulated), simulated
        return simulated

    async def review(self, simulated: DesignSimulated) -> Event:
        """Advance the critic until it has decided."""
        event: Event = simulated
        while event.id != outcome_id(simulated.id):
            (event,) = await self.critic.advance(event)
            if isinstance(event, SkillsRequested):
                event = SkillsOffered(**answering(event, "skill-learner"), skills=())
                await self.bus.publish(event)
            elif isinstance(event, SessionRequested | CellRequested):
                event = await self.outcome_of(event)
            else:
                assert not isinstance(event, ReplyRejected), event
        return event

    async def outcome_of(self, request: Event) -> Event:
        """Wait for the outcome of a request."""
        async with asyncio.timeout(60):
            while True:
                found = await self.bus.find(self.run_id, request.role, outcome_id(request.id))
                if found is not None:
                    return found
                await asyncio.sleep(0.02)


@pytest_asyncio.fixture(loop_scope="session")
async def run(nats_url: str, s3_settings: S3Settings) -> AsyncIterator[Run]:
    fields = {**s3_settings.model_dump(), "nats_url": nats_url}
    workers = [
        cad_worker.app.make_app(cad_worker.settings.Settings.model_validate(fields)),
        sim_worker.app.make_app(sim_worker.settings.Settings.model_validate(fields)),
    ]
    client, artifacts = App("client", BusSettings(nats_url=nats_url)), Artifacts(s3_settings)
    started = [artifacts, *workers, client]
    for each in started:
        await each.start()
    run = Run(client, artifacts)
    yield run
    end: dict[str, Any] = {**run.by("planner"), "producer": "test"}
    await client.bus.publish(RunFailed(reason="cancelled", detail="done", **end))
    for each in reversed(started):
        await each.stop()


async def test_critic_simulates_under_five_seeds_and_names_its_evidence(run: Run) -> None:
    world = await run.plan()
    simulated = await run.design(world, GOOD_SCRIPT)
    decision = await run.review(simulated)
    await _check_evidence(run, simulated, decision)
    second = await run.design(world, GOOD_SCRIPT.replace("Box(60, 40, 10)", "Box(50, 40, 10)"))
    assert second.delivery.scene != simulated.delivery.scene
    await _check_evidence(run, second, await run.review(second))


async def _check_evidence(run: Run, simulated: DesignSimulated, decision: Event) -> None:
    """Check that the critic's newest cell ran this design under other seeds, and that the decision cites it."""
    assert isinstance(decision, DesignApproved), decision
    history = await run.bus.history(run.run_id)
    cell = [event for event in history if isinstance(event, CellCompleted) and event.role == "critic"][-1]
    reruns = [
        each for each in history if isinstance(each, SimulationRequested) and each.causation_id == cell.causation_id
    ]
    assert len({rerun.seed for rerun in reruns} - {simulated.assignment.variant.seed}) >= 5
    assert all(rerun.scene == simulated.delivery.scene for rerun in reruns)
    variables = {each.name: each for each in cell.observation.variables}
    assert {each.name for each in decision.evidence} == {"stability", "strained", "shares", "spare"}
    for each in decision.evidence:
        assert each.cell_id == cell.id
        assert each.fingerprint == variables[each.name].fingerprint != ""
        assert each.summary == variables[each.name].summary
    assert "30 of 30" in variables["stability"].summary
    assert cell.assessment is not None
    assert decision.assessment == cell.assessment.assessment
    assert cell.assessment.fingerprint == variables["stability"].fingerprint
