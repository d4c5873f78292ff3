"""Kernels and physics in this process: a script is run in the sandbox, its design validated, priced and simulated."""

import asyncio
import os
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Self

from agent.rendering.assignment import world_markdown
from benchmarks.loader import BenchmarkError, LoadedBenchmark, load
from cad_worker.host import KernelHost
from cad_worker.job_protocol import Judgement
from cad_worker.session_protocol import SessionOrder
from cad_worker.submissions import ScriptVerdict, judge_script
from contracts.models.benchmark import Assignment
from contracts.models.design import Finding
from contracts.models.observation import Observation
from design_rules.design_data import EnvironmentGeometry
from documents.quote import errors_of
from kernel.api.reviews.load_ratios import overloads
from sandbox.jobs import JobFailedError
from sim_worker.rejection import SceneRejectedError
from sim_worker.simulator import SimulationRecord, SimulationSettings, Simulator

from millwright.judged_design import JudgedDesign
from millwright.script import script_files
from millwright.verdict import DesignVerdict, headline_of

REPLICAS = 32
"""Of a submission, too."""
MAX_REPLICAS = 1000
MAX_ENVIRONMENTS = 8
"""Built environments that are kept for further designs."""


class Workshop:
    """Judges designs, one after another; an asynchronous context manager, outside of which no kernel is left.

    Raises `SandboxUnavailableError` on entering when this machine permits no confined process.
    """

    def __init__(self, threads: int | None = None) -> None:
        """`threads` simulate the replicas; default: one for each core."""
        self.host = KernelHost()
        self.simulator = Simulator(threads or os.cpu_count() or 1)
        self._environments: dict[str, EnvironmentGeometry] = {}

    async def __aenter__(self) -> Self:
        await self.host.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.host.stop()

    async def judge(
        self, script: str | Path, benchmark: str | Path, *, seed: int = 0, replicas: int = REPLICAS
    ) -> JudgedDesign:
        """Return what becomes of a design in a benchmark's world.

        `script`: its text, or the `Path` of a file, or of a folder with script.py; it binds `assembly`. `benchmark`: a
        built-in name, or a folder with benchmark.yaml. Raises `BenchmarkError` and `ScriptError`, whose messages name
        the file and the fix; a faulty design is a verdict.
        """
        _require_replicas(replicas)
        files = script_files(script)
        return await self.judge_files(files, await self.order(load(str(benchmark), seed)), replicas)

    async def judge_files(self, files: Mapping[str, str], order: SessionOrder, replicas: int) -> JudgedDesign:
        """Return what becomes of the design of script.py and its modules in a world that is built already."""
        _require_replicas(replicas)
        judged = await judge_script(files, order, self.host)
        return await asyncio.to_thread(self._tried, order.assignment, files, judged, replicas)

    async def order(self, loaded: LoadedBenchmark) -> SessionOrder:
        """Return the world of a benchmark, its environment built once for equal variants; raise `BenchmarkError`."""
        variant = loaded.variant
        key = variant.model_dump_json()
        geometry = self._environments.pop(key, None)
        if geometry is None:
            try:
                build = await self.host.build_environment(loaded.environment_code.decode(), variant)
            except (UnicodeDecodeError, JobFailedError) as error:
                raise BenchmarkError(variant.benchmark, f"its environment cannot be built: {error}") from error
            if build.files is None:
                reason = "nothing was built" if build.fault is None else f"{build.fault.reason}: {build.fault.detail}"
                raise BenchmarkError(variant.benchmark, f"its environment cannot be built: {reason}")
            geometry = build.files.geometry
        self._environments[key] = geometry
        while len(self._environments) > MAX_ENVIRONMENTS:
            del self._environments[next(iter(self._environments))]
        assignment = Assignment(variant=variant, limits=loaded.limits)
        return SessionOrder(assignment=assignment, environment=geometry)

    def _tried(
        self, assignment: Assignment, files: Mapping[str, str], judged: ScriptVerdict, replicas: int
    ) -> JudgedDesign:
        """Simulate a design that has no findings."""
        findings, record = judged.findings, None
        if judged.judgement is not None and judged.judgement.scene is not None and not errors_of(findings):
            settings = SimulationSettings(replicas, assignment.variant.seed)
            try:
                solids = judged.judgement.part_steps
                record = self.simulator.simulate(judged.judgement.scene, settings, solids=solids)
            except SceneRejectedError as rejection:
                findings = (Finding(rule="not_simulatable", detail=rejection.detail), *findings)
        verdict = verdict_on(assignment, judged.observation, findings, judged.judgement, record)
        return JudgedDesign(verdict, files, judged.judgement, record, judged.design)


def order_markdown(order: SessionOrder) -> str:
    """Return the task of a world as a document: zones, payload, limits and solids, in mm."""
    return world_markdown(order.assignment, order.environment.solids, order.environment.mechanism)


def _require_replicas(replicas: int) -> None:
    if not 2 <= replicas <= MAX_REPLICAS:
        raise ValueError(f"{replicas} replicas: choose 2 to {MAX_REPLICAS}; {REPLICAS} are simulated of a submission")


def verdict_on(
    assignment: Assignment,
    observation: Observation,
    findings: tuple[Finding, ...],
    judgement: Judgement | None,
    record: SimulationRecord | None,
) -> DesignVerdict:
    """Return the verdict on a design from what validation and simulation found."""
    bill = None if judgement is None else judgement.bill
    result = None if record is None else record.result
    loads = () if record is None else tuple(overloads(record.world.scene, record.result))
    outcome, headline = headline_of(findings, bill, result, loads)
    return DesignVerdict(
        benchmark=assignment.variant.benchmark,
        seed=assignment.variant.seed,
        outcome=outcome,
        headline=headline,
        limits=assignment.limits,
        observation=observation if outcome == "script_failed" else None,
        findings=findings,
        bill=bill,
        result=result,
        overloads=loads,
    )
