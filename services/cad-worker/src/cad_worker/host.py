"""The worker's host of kernels and jobs: everything that runs untrusted code or reads untrusted geometry."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from contracts.models.benchmark import Variant
from contracts.models.observation import Observation
from contracts.text import shortened, storable
from design_rules.design_data import DesignData, DesignRequest, EnvironmentGeometry
from kernel.workspace_template import TEMPLATES
from kernel_host.host import SessionHost
from kernel_host.protocol import KernelCall, ShowAnswer
from kernel_host.sessions.session import Cell, Session
from pydantic import BaseModel
from question_kernel.kind import QUESTION_KERNEL
from sandbox.jobs import JOB_ENTRY_POINT, Job, JobFailedError
from sandbox.watchdog import Allowance
from sandbox.zygote.client import START_S
from sandbox.zygote.messages import Programs

from cad_worker.job_protocol import (
    BUILD_ENVIRONMENT,
    ENVIRONMENT_SHAPES,
    JOBS,
    QUOTE,
    RUN_ENVIRONMENT,
    DesignCheck,
    DesignFindings,
    EnvironmentBuild,
    EnvironmentCheck,
    EnvironmentFault,
    EnvironmentScript,
    Judgement,
    QuoteRequest,
    SceneBuild,
)
from cad_worker.kernel_kinds import AUTHOR_KERNEL, DESIGN_KERNEL, done_of
from cad_worker.scene.collision_shape_cache import CollisionShapeCache, sources_of_design, sources_of_environment
from cad_worker.session_protocol import (
    CheckAnswer,
    CheckCall,
    DesignReady,
    QuoteAnswer,
    QuoteCall,
    SearchAnswer,
    SearchCall,
    SessionOrder,
    ShowResultCall,
    ShowShapesCall,
    SimulationAnswer,
)

SCRIPT = "script.py"
SCRIPT_S = 120.0
"""CPU time of a submitted script."""
PROBLEM_CHARS = 2000
SUBMITTING_CELL = "from script import assembly\nfrom utils import submit_for_review\nsubmit_for_review(assembly)"

PROGRAMS = Programs(
    entry_points=(*(kind.entry_point for kind in (DESIGN_KERNEL, QUESTION_KERNEL, AUTHOR_KERNEL)), JOB_ENTRY_POINT),
    # Messages first: pydantic searches all loaded modules for the docstrings of each class's fields.
    preload=(
        "cad_worker.session_protocol",
        "cad_worker.job_protocol",
        "cad_worker.kernel_process.preload",
        *dict.fromkeys(job.module for job in JOBS),
    ),
    sealed=("benchmarks",),  # its folder has the solutions of the suite
    environment={"MPLBACKEND": "module://cad_worker.kernel_process.matplotlib_backend"},
)

CountSeconds = Callable[[float], None]
E = TypeVar("E", DesignRequest, DesignCheck)
L = TypeVar("L", Judgement, SceneBuild, DesignFindings)


@dataclass(frozen=True)
class ScriptOutcome:
    """What a script built when it was run in a fresh kernel."""

    observation: Observation
    design: DesignData | None
    """None when the script did not get that far."""
    environment_before: DesignData
    environment_after: DesignData | None


class KernelHost(SessionHost):
    """Forks the kernels of sessions, and children for the jobs of `job_protocol`."""

    def __init__(
        self,
        workspaces: Path | None = None,
        parallel_jobs: int | None = None,
        allowance: Allowance | None = None,
        start_s: float = START_S,
    ) -> None:
        super().__init__(PROGRAMS, workspaces, parallel_jobs, allowance, start_s)
        self._shapes = CollisionShapeCache()

    async def build_environment(self, code: str, variant: Variant) -> EnvironmentBuild:
        """Run a benchmark's code in one child, and check and export its geometry in another that never ran the code.

        Raises `JobFailedError`.
        """
        made = await self.run_job(RUN_ENVIRONMENT, EnvironmentScript(code=code, variant=variant))
        if made.design is None:
            detail = shortened(storable(made.problem), PROBLEM_CHARS)
            return EnvironmentBuild(fault=EnvironmentFault(reason=made.reason, detail=detail))
        check = EnvironmentCheck(design=made.design, variant=variant, payloads=made.payloads)
        build = await self.run_job(BUILD_ENVIRONMENT, check)
        if build.files is not None:
            self._shapes.add(build.computed, sources_of_environment(build.files.geometry))
        return build

    async def examine(self, job: Job[E, L], request: E, count_s: CountSeconds | None = None) -> L:
        """Run a job on a design in its environment, with the collision shapes that are known of its solids.

        Nothing is learned about the environment here, since other runs share it: the child reads an agent's geometry,
        which might exploit a fault of OCCT. Raises `JobFailedError`.
        """
        await self._learn_environment(request.environment)
        known = self._shapes.known_shapes(request.design, request.environment)
        reply = await self.run_job(job, request.model_copy(update={"known": known}), count_s)
        self._shapes.add(reply.computed, sources_of_design(request.design))
        return reply

    async def _learn_environment(self, environment: EnvironmentGeometry) -> None:
        """Compute the collision shapes of an environment that another worker built."""
        sources = sources_of_environment(environment)
        if not self._shapes.has_any(sources):
            shapes = await self.run_job(ENVIRONMENT_SHAPES, environment)
            self._shapes.add(shapes.computed, sources)

    async def quote(self, call: QuoteCall, order: SessionOrder, count_s: CountSeconds | None = None) -> QuoteAnswer:
        """Validate and price a component on the workbenches."""
        quantity = call.quantity or order.assignment.quantity
        assignment = order.assignment.model_copy(update={"quantity": quantity})
        try:
            quote = await self.run_job(QUOTE, QuoteRequest(component=call.component, assignment=assignment), count_s)
        except JobFailedError as error:
            return QuoteAnswer(problem=f"the component could not be examined: {error}")
        return QuoteAnswer(quote=quote)

    async def open_session(
        self, order: SessionOrder, read_only: Mapping[str, bytes], writable: Mapping[str, str] | None
    ) -> Session:
        """Open a session with these files in its workspace; None: no file can be written, as in a review.

        Raises `KernelStartError`.
        """
        own = None if writable is None else {SCRIPT: TEMPLATES["engineer"].files[SCRIPT], **writable}
        return await self.open_kernel(DESIGN_KERNEL, order, read_only, own)

    async def run_script(self, files: Mapping[str, str], order: SessionOrder) -> ScriptOutcome:
        """Run script.py of `files` in a fresh kernel and return the design that it builds.

        If the script submits a design by itself, that one is returned. It can request quotes, but no simulation.
        """
        session = await self.open_session(order.model_copy(update={"captures_environment": True}), {}, files)
        try:

            async def answer(call: KernelCall, _ordinal: int) -> BaseModel:
                if isinstance(call, QuoteCall):
                    return await self.quote(call, order)
                if isinstance(call, ShowShapesCall | ShowResultCall):
                    return ShowAnswer(note="what script.py shows is not displayed; show() it in a cell")
                if isinstance(call, CheckCall):
                    return CheckAnswer()  # the judge examines the design in any case
                if isinstance(call, SearchCall):
                    return SearchAnswer(problem="script.py takes parts by their ids; search in a cell")
                problem = "script.py only builds the assembly; simulate() and run_script() belong in a cell"
                return SimulationAnswer(problem=problem)

            ready = session.ready
            assert isinstance(ready, DesignReady)
            assert ready.environment is not None
            outcome = await session.run(Cell(SUBMITTING_CELL, "submission", 0, SCRIPT_S), answer)
            done = done_of(outcome)
            return ScriptOutcome(outcome.observation, done.submitted, ready.environment, done.environment)
        finally:
            await session.close()
