"""Every kernel and every job of this worker: the one door to code and geometry that are not ours."""

import asyncio
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeVar
from uuid import uuid4

from contracts.models.benchmark import Variant
from contracts.models.observation import Observation
from contracts.text import shortened, storable
from pydantic import BaseModel, ValidationError
from sandbox.channels.channel import ChannelBrokenError
from sandbox.confinement.uids import own_user
from sandbox.scratch_root import ScratchRoot
from sandbox.watchdog import Allowance, Watchdog
from sandbox.zygote.client import START_S, Child, Zygote
from sandbox.zygote.messages import Programs

from cad_worker.job_protocol import (
    BUILD_ENVIRONMENT,
    JOBS,
    QUOTE,
    RUN_ENVIRONMENT,
    ComponentInShop,
    DesignCheck,
    DesignData,
    DesignFindings,
    DesignRequest,
    EnvironmentBuild,
    EnvironmentFault,
    EnvironmentInVariant,
    EnvironmentScript,
    Job,
    Judgement,
    SceneBuild,
    WireModel,
)
from cad_worker.jobs.job_child import JobDone, JobOrder
from cad_worker.scene.shape_memory import ShapeMemory, sources_of
from cad_worker.session_protocol import (
    CheckAnswer,
    CheckWanted,
    QuoteAnswer,
    QuoteWanted,
    ResultShown,
    SearchAnswer,
    SearchWanted,
    SessionOrder,
    ShapesShown,
    ShowAnswer,
    SimulationAnswer,
    ToolWanted,
)
from cad_worker.sessions.session import Cell, Session
from cad_worker.sessions.workspace import Workspace

JOB_S = 120.0
SESSION_CPU_S = 3600
SCRIPT_S = 120.0
PROBLEM_CHARS = 2000
ENTRY_CELL = "from script import assembly\nfrom utils import submit_for_review\nsubmit_for_review(assembly)"

PROGRAMS = Programs(
    entry_points={"session": "cad_worker.session_child.child:live", "job": "cad_worker.jobs.job_child:live"},
    preload=("cad_worker.session_child.libraries", *(name.partition(":")[0] for name in JOBS)),
)
ENVIRONMENT = {"MPLBACKEND": "module://cad_worker.session_child.matplotlib_backend"}

Q = TypeVar("Q", bound=WireModel)
R = TypeVar("R", bound=WireModel)
E = TypeVar("E", DesignRequest, DesignCheck)
L = TypeVar("L", Judgement, SceneBuild, DesignFindings)


class JobFailedError(RuntimeError):
    """A job's child died or ran out of time; the message has its last words."""


@dataclass(frozen=True)
class ScriptOutcome:
    """What a script built when it was run in a fresh kernel."""

    observation: Observation
    design: DesignData | None
    """None when the script did not get that far."""
    environment_before: DesignData
    environment_after: DesignData | None


class KernelHost:
    """Starts the zygote, and forks confined children for jobs and sessions."""

    def __init__(
        self,
        workspaces: Path | None = None,
        parallel_jobs: int | None = None,
        landlock_abi: int | None = None,
        allowance: Allowance | None = None,
        start_s: float = START_S,
    ) -> None:
        """`landlock_abi`: use no later version of Landlock than this one, as on an older kernel."""
        self._given_folder = workspaces
        self._landlock_abi = landlock_abi
        self._lodging: ScratchRoot | None = None
        self._start_s = start_s
        self._zygote = self._new_zygote()
        self._shapes = ShapeMemory()
        self._watchdog = Watchdog(allowance)
        self._reviving = asyncio.Lock()
        self._turns = asyncio.Semaphore(parallel_jobs or os.cpu_count() or 1)

    async def start(self) -> None:
        """Start the zygote; raise `SandboxUnavailableError` when this machine cannot confine code, or not in time."""
        self._lodging = await asyncio.to_thread(ScratchRoot, self._given_folder)
        await self._zygote.start()
        await self._watchdog.start()

    async def stop(self) -> None:
        """End the zygote and with it every child; remove the workspaces."""
        await self._watchdog.stop()
        await self._zygote.stop()
        if self._lodging is not None:
            await asyncio.to_thread(self._lodging.leave)
            self._lodging = None

    async def run_job(self, job: Job[Q, R], request: Q) -> R:
        """Run a job in a fresh confined child; raise `JobFailedError` when the child did not answer."""
        async with self._turns:
            workspace = self._new_workspace()
            try:
                return await self._in_child(workspace, job, request)
            finally:
                await asyncio.to_thread(workspace.remove)

    async def build_environment(self, code: str, variant: Variant) -> EnvironmentBuild:
        """Run a benchmark's code in one child, and check and export what it hands over in another that never ran it.

        Raises `JobFailedError`.
        """
        made = await self.run_job(RUN_ENVIRONMENT, EnvironmentScript(code=code, variant=variant))
        if made.design is None:
            detail = shortened(storable(made.problem), PROBLEM_CHARS)
            return EnvironmentBuild(fault=EnvironmentFault(reason=made.reason, detail=detail))
        build = await self.run_job(BUILD_ENVIRONMENT, EnvironmentInVariant(design=made.design, variant=variant))
        if build.files is not None:
            self._shapes.add(build.computed, sources_of(DesignData(parts=()), build.files.geometry))
        return build

    async def examine(self, job: Job[E, L], request: E) -> L:
        """Run a job on a design in its world, told what is known about its solids; raise `JobFailedError`."""
        known = self._shapes.known_shapes(request.design, request.environment)
        reply = await self.run_job(job, request.model_copy(update={"known": known}))
        self._shapes.add(reply.computed, sources_of(request.design, request.environment))
        return reply

    async def open_session(
        self, order: SessionOrder, read_only: Mapping[str, bytes], writable: Mapping[str, str] | None
    ) -> Session:
        """Return an open session with these files in its workspace, a reviewing one with none to write.

        Raises `KernelStartError`.
        """
        workspace = self._new_workspace()
        session = Session(self, workspace, order)
        try:
            await asyncio.to_thread(workspace.lay_out, read_only, writable)
            await session.open()
        except BaseException:
            await session.close()
            raise
        return session

    async def fork_session(self, workspace: Workspace) -> Child:
        """Fork the kernel of a session."""
        return await self._fork("session", workspace, cpu_s=SESSION_CPU_S)

    def forget(self, child: Child) -> None:
        """Look after a child no more: it has ended."""
        self._watchdog.leave(child)

    async def run_script(self, files: Mapping[str, str], order: SessionOrder) -> ScriptOutcome:
        """Run script.py of `files` in a fresh kernel and return the design it builds, as data.

        A script that submits by itself has handed in what it submitted. It can ask for prices, not for simulations.
        """
        session = await self.open_session(order.model_copy(update={"tells_environment": True}), {}, files)
        try:
            assert session.environment_at_start is not None

            async def answer(wanted: ToolWanted, _ordinal: int) -> BaseModel:
                if isinstance(wanted, QuoteWanted):
                    return await self.quote(wanted, order)
                if isinstance(wanted, ShapesShown | ResultShown):
                    return ShowAnswer(note="what script.py shows is seen by nobody; show() it in a cell")
                if isinstance(wanted, CheckWanted):
                    return CheckAnswer()  # the judge looks at what comes out, whatever a kernel says
                if isinstance(wanted, SearchWanted):
                    return SearchAnswer(problem="script.py takes parts by their ids; search in a cell")
                problem = "script.py only builds the assembly; simulate() and run_script() belong in a cell"
                return SimulationAnswer(problem=problem)

            before = session.environment_at_start
            outcome = await session.run(Cell(ENTRY_CELL, "submission", 0, SCRIPT_S), answer)
            return ScriptOutcome(outcome.observation, outcome.submitted, before, outcome.environment)
        finally:
            await session.close()

    async def quote(self, wanted: QuoteWanted, order: SessionOrder) -> QuoteAnswer:
        """Return what the workbenches say of a component that a kernel handed over."""
        try:
            quote = await self.run_job(QUOTE, ComponentInShop(component=wanted.component, assignment=order.assignment))
        except JobFailedError as error:
            return QuoteAnswer(problem=f"the component could not be examined: {error}")
        return QuoteAnswer(quote=quote)

    async def _fork(self, work: Literal["session", "job"], workspace: Workspace, cpu_s: int) -> Child:
        zygote = await self._living_zygote()
        child = await zygote.fork(work, workspace.folder, workspace.user, cpu_s=cpu_s)
        self._watchdog.watch(child, workspace.folder)
        return child

    def _new_zygote(self) -> Zygote:
        return Zygote(PROGRAMS, ENVIRONMENT, self._landlock_abi, self._start_s)

    async def _living_zygote(self) -> Zygote:
        """Return the zygote, or a new one if it was killed: its children died with it, and sessions begin anew."""
        async with self._reviving:
            if not self._zygote.alive:
                await self._zygote.stop()
                self._zygote = self._new_zygote()
                await self._zygote.start()
        return self._zygote

    def _new_workspace(self) -> Workspace:
        assert self._lodging is not None, "start the host first"
        return Workspace(self._lodging.folder / uuid4().hex, own_user())

    async def _in_child(self, workspace: Workspace, job: Job[Q, R], request: Q) -> R:
        child = await self._fork("job", workspace, cpu_s=2 * int(JOB_S))
        try:
            return await self._converse(child, job, request)
        finally:
            await child.close()
            self._watchdog.leave(child)

    async def _converse(self, child: Child, job: Job[Q, R], request: Q) -> R:
        try:
            async with asyncio.timeout(JOB_S):
                await child.channel.send(JobOrder(function=job.function, request_json=request.model_dump_json()))
                done = await child.channel.receive(JobDone)
        except (TimeoutError, ChannelBrokenError) as error:
            words, _ = child.printed.taken()
            why = child.killed_for or words.strip()[-1500:] or str(error) or f"its {JOB_S:g} s are over"
            raise JobFailedError(f"{job.function} did not answer: {why}") from error
        try:
            return job.reply.model_validate_json(done.reply_json)
        except ValidationError as error:
            raise JobFailedError(f"{job.function} answered nonsense") from error
