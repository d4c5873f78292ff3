"""A benchmark solved in one process, without bus, database or roles: the expert, a real kernel, the judge and physics.

The expert's replies run in the same sandboxed kernels; its designs meet the same judge and replicas as in a run.
"""

import time
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from agent.kernel_session.actions import FileAction, WriteFile
from agent.loop.replies import CellAction
from agent.model.messages import from_langchain
from agent.rendering.assignment import payloads_section, zones_table
from benchmarks.loader import LoadedBenchmark
from cad_worker.host import KernelHost
from cad_worker.job_protocol import JUDGE, SCENE, Judgement
from cad_worker.kernel_kinds import done_of, order_of
from cad_worker.scene.scene import make_scene
from cad_worker.session_protocol import (
    CheckAnswer,
    CheckCall,
    QuoteCall,
    SessionOrder,
    SimulationAnswer,
    SimulationCall,
)
from cad_worker.tools.session_tools import rejection_warnings, released_at
from contracts.models.benchmark import Assignment, Variant
from contracts.models.design import BillOfMaterials, Finding
from contracts.models.observation import Observation
from contracts.models.scene import Scene
from contracts.models.simulation import SimulationResult
from design_rules.design_data import DesignData, DesignRequest
from design_rules.design_validation import validate
from documents.observation import observation_markdown
from documents.quote import findings_markdown
from engineer.executors.code import CodeExecutor
from kernel_host.protocol import KernelCall
from kernel_host.sessions.session import Answer, Cell, CellOutcome, Session
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage
from offline_expert.engineer.policy import decide
from pydantic import BaseModel
from sim_worker.rejection import SceneRejectedError
from sim_worker.run.cancellation import Cancellation
from sim_worker.simulator import SimulationRecord, SimulationSettings, Simulator

REPLICAS = 32
MOST_STEPS = 40

NO_TOOL = "this bench has no such tool"


@dataclass
class Solution:
    """What came of one benchmark under one seed."""

    benchmark: str
    seed: int
    steps: int = 0
    designs: int = 0
    seconds: float = 0.0
    bill: BillOfMaterials | None = None
    scene: Scene | None = None
    """Of the last design that the judge accepted."""
    result: SimulationResult | None = None
    tried: list[Judgement] = field(default_factory=list[Judgement])
    """Of all designs that the judge accepted; the last one's are `scene` and `result`."""
    refusal: str = ""
    complaints: list[str] = field(default_factory=list[str])
    """What the judge or physics found on the way."""

    @property
    def is_solved(self) -> bool:
        """Tell whether a design was valid, reached the goal and is stable."""
        return self.result is not None and self.result.is_proven


@dataclass(frozen=True)
class Refused:
    """A design whose cell failed, or that the judge refused."""

    observation: Observation
    findings: tuple[Finding, ...] = ()
    bill: BillOfMaterials | None = None


class JudgedSimulator(Simulator):
    """Simulates a judged design with its solids, as sim-worker does, and previews without."""

    judgement: Judgement | None = None
    """The last one."""

    def simulate(
        self,
        scene: Scene,
        settings: SimulationSettings,
        cancellation: Cancellation | None = None,
        *,
        solids: Mapping[str, bytes] | None = None,
    ) -> SimulationRecord:
        if self.judgement is not None and scene is self.judgement.scene:
            solids = self.judgement.part_steps
        return super().simulate(scene, settings, cancellation, solids=solids)


class Bench:
    """Worlds, kernels and physics for one benchmark after another."""

    def __init__(self, host: KernelHost, replicas: int) -> None:
        self._host = host
        self._replicas = replicas
        self._simulator = JudgedSimulator(threads=1)

    async def order(self, loaded: LoadedBenchmark) -> SessionOrder:
        """Return a benchmark's world, its environment built in a sandboxed child."""
        build = await self._host.build_environment(loaded.environment_code.decode(), loaded.variant)
        assert build.files is not None, build.fault
        assignment = Assignment(variant=loaded.variant, limits=loaded.limits)
        return SessionOrder(assignment=assignment, environment=build.files.geometry)

    async def printed(self, loaded: LoadedBenchmark, code: str) -> str:
        """Return what a cell that calls no tool prints in a benchmark's world."""

        async def no_tools(_call: KernelCall, _ordinal: int) -> BaseModel:
            raise AssertionError("the cell calls no tool")

        session = await self._host.open_session(await self.order(loaded), {}, {})
        try:
            outcome = await session.run(Cell(code, "cell", 0, 30.0), no_tools)
        finally:
            await session.close()
        return outcome.observation.output

    async def failures(self, loaded: LoadedBenchmark, cells: Sequence[str]) -> dict[str, str]:
        """Run cells in one kernel with prices and physics; return the errors of those that failed, by their code."""
        order = await self.order(loaded)
        files = {"todo.md": "# TODO\n\n- [ ] T1: build\n", "journal.md": "# Journal\n"}
        session = await self._host.open_session(order, {}, files)
        failed: dict[str, str] = {}
        try:
            for code in cells:
                observation = (await session.run(Cell(code, "cell", 0, 60.0), self._tools(order))).observation
                if observation.status != "ok":
                    failed[code] = str(observation.error)
        finally:
            await session.close()
        return failed

    async def solve(self, loaded: LoadedBenchmark) -> Solution:
        """Let the expert work until a design is accepted, or it gives up."""
        began = time.perf_counter()
        solution = Solution(loaded.variant.benchmark, loaded.variant.seed)
        order = await self.order(loaded)
        session = await self._host.open_session(order, {}, {})
        try:
            await self._converse(solution, session, loaded.variant)
        finally:
            await session.close()
        solution.seconds = time.perf_counter() - began
        return solution

    async def witness(self, loaded: LoadedBenchmark, text: str) -> Solution:
        """Judge and try the text of a benchmark's own witness."""
        began = time.perf_counter()
        solution = Solution(loaded.variant.benchmark, loaded.variant.seed, designs=1)
        order = await self.order(loaded)
        outcome = await self._run(text, order)
        submitted = done_of(outcome).submitted
        assert submitted is not None, outcome.observation
        await self._review(solution, submitted, order)
        solution.seconds = time.perf_counter() - began
        return solution

    async def submit(self, loaded: LoadedBenchmark, text: str) -> Solution | Refused:
        """Judge and try the `assembly` of a cell."""
        solution = Solution(loaded.variant.benchmark, loaded.variant.seed, designs=1)
        order = await self.order(loaded)
        observation, judgement = await self.judgement(order, text)
        if judgement is None:
            return Refused(observation)
        if judgement.findings or judgement.scene is None:
            return Refused(observation, judgement.findings, judgement.bill)
        self._try(solution, judgement, order)
        return solution

    async def judgement(self, order: SessionOrder, text: str) -> tuple[Observation, Judgement | None]:
        """Return what a cell shows, and what the judge finds about its `assembly` before any simulation."""
        outcome = await self._run(text, order)
        design = done_of(outcome).submitted
        return outcome.observation, None if design is None else await self._judge(design, order)

    async def _run(self, text: str, order: SessionOrder) -> CellOutcome:
        """Run a script as a cell: it reads `benchmark`, which modules of a workspace do not have."""
        session = await self._host.open_session(order, {}, {})
        try:
            code = f"{text}\nfrom utils import submit_for_review\nsubmit_for_review(assembly)"
            return await session.run(Cell(code, "witness", 0, 100.0), self._tools(order))
        finally:
            await session.close()

    async def without_machine(self, loaded: LoadedBenchmark, replicas: int = REPLICAS) -> SimulationResult:
        """Return what the payload does when nothing is built; the judge must call such a design empty."""
        order = await self.order(loaded)
        world = DesignRequest(design=DesignData(parts=()), environment=order.environment, assignment=order.assignment)
        judgement = await self._host.examine(JUDGE, world)
        assert [finding.rule for finding in judgement.findings] == ["empty"]
        variant = order.assignment.variant
        scene = make_scene(variant, validate(world))  # the judge would stop at `empty`
        return self._simulator.simulate(scene, SimulationSettings(replicas, variant.seed)).result

    async def _converse(self, solution: Solution, session: Session, variant: Variant) -> None:
        task = f"# Assignment\n\n## Zones (mm)\n\n{zones_table(variant)}\n\n{payloads_section(variant)}"
        messages: list[BaseMessage] = [SystemMessage("# Role: engineer"), HumanMessage(task)]
        for step in range(1, MOST_STEPS + 1):
            solution.steps = step
            reply = decide(messages)
            answer = await self._act(reply, solution, session)
            if answer is None:
                return
            messages += [reply, answer]
        raise RuntimeError(f"{solution.benchmark} {solution.seed}: the expert never ends")

    async def _act(self, reply: AIMessage, solution: Solution, session: Session) -> BaseMessage | None:
        (action,) = CodeExecutor().read(from_langchain(reply))
        if not isinstance(action, CellAction):
            solution.designs += 1
            if not isinstance(action, FileAction) or not isinstance(action.arguments, WriteFile):
                raise TypeError(f"the expert writes whole files only; this is {action}")
            path, text = action.arguments.path, action.arguments.text
            size = session.workspace.write(path, text)
            return ToolMessage(f"`{path}` is written ({size} bytes).", tool_call_id=action.call.call_id)
        outcome = await session.run(Cell(action.code, "cell", 0, 60.0), self._tools(order_of(session)))
        if outcome.refusal is not None:
            solution.refusal = outcome.refusal
            return None
        submitted = done_of(outcome).submitted
        if submitted is None:
            return HumanMessage(f"# Observation\n\n{observation_markdown(outcome.observation)}")
        complaint = await self._review(solution, submitted, order_of(session))
        return HumanMessage(complaint) if complaint else None

    async def _review(self, solution: Solution, design: DesignData, order: SessionOrder) -> str:
        """Judge a design and try its replicas; return what is wrong, in words for the expert."""
        judgement = await self._judge(design, order)
        if judgement.findings or judgement.scene is None:
            solution.complaints += [finding.rule for finding in judgement.findings]
            return f"# The design was not accepted\n\n{findings_markdown(judgement.findings)}"
        self._try(solution, judgement, order)
        if solution.is_solved or solution.result is None:
            return ""
        solution.complaints.append(f"{solution.result.verdict}, {solution.result.stability}")
        return f"# The critic rejected the design\n\n{solution.result.summary_md}"

    def _try(self, solution: Solution, judgement: Judgement, order: SessionOrder) -> None:
        """Try the replicas of a design that the judge accepted."""
        assert judgement.scene is not None
        solution.bill, solution.scene = judgement.bill, judgement.scene
        trial = SimulationSettings(self._replicas, order.assignment.variant.seed)
        solution.result = self._simulator.simulate(judgement.scene, trial).result
        solution.tried.append(judgement)

    async def _judge(self, design: DesignData, order: SessionOrder) -> Judgement:
        world = DesignRequest(design=design, environment=order.environment, assignment=order.assignment)
        self._simulator.judgement = await self._host.examine(JUDGE, world)
        return self._simulator.judgement

    def _tools(self, order: SessionOrder) -> Answer:
        async def answer(wanted: KernelCall, _ordinal: int) -> BaseModel:
            if isinstance(wanted, QuoteCall):
                return await self._host.quote(wanted, order)
            if isinstance(wanted, CheckCall):
                return CheckAnswer()  # the review counts what is wrong
            if not isinstance(wanted, SimulationCall):
                return SimulationAnswer(problem=NO_TOOL)
            world = DesignRequest(design=wanted.design, environment=order.environment, assignment=order.assignment)
            build = await self._host.examine(SCENE, world)
            if build.scene is None:
                return SimulationAnswer(problem=findings_markdown(build.findings))
            try:
                scene = released_at(build.scene, wanted.payload_at_mm)
                record = self._simulator.simulate(scene, SimulationSettings(wanted.replicas, wanted.seed))
                npz = record.trajectory.as_npz()
                return SimulationAnswer(
                    result=record.result, trajectory_npz=npz, warnings_md=rejection_warnings(build.findings)
                )
            except SceneRejectedError as rejection:
                return SimulationAnswer(problem=rejection.detail)

        return answer


@asynccontextmanager
async def bench(replicas: int = REPLICAS) -> AsyncGenerator[Bench]:
    """Yield a bench with a host of its own, which tries each design in so many replicas."""
    async with kernels() as host:
        yield Bench(host, replicas)


@asynccontextmanager
async def kernels() -> AsyncGenerator[KernelHost]:
    """Yield a host of kernels of its own."""
    host = KernelHost()
    await host.start()
    try:
        yield host
    finally:
        await host.stop()
