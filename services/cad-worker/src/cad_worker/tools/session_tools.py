"""The tools of kernels on the host's side: the only effects that a cell can have."""

import asyncio
import time
from collections.abc import Mapping, Sequence

from artifacts.port import ArtifactStore, put_json, put_steps
from contracts.envelope import Event, during
from contracts.events.catalog import CatalogSearched, CatalogSearchFailed, CatalogSearchRequested
from contracts.events.session import CellRequested
from contracts.events.simulation import SimulationCompleted, SimulationFailed, SimulationRequested
from contracts.models.benchmark import BenchmarkFiles, Executor
from contracts.models.design import Finding
from contracts.models.geometry import Vector
from contracts.models.observation import CellError, Observation
from contracts.models.scene import Scene
from contracts.models.submission import Submission
from design_rules.design_data import DesignData, DesignRequest
from documents.completeness import completeness_findings
from documents.quote import findings_markdown
from documents.workspaces.archive import InvalidWorkspaceError, unpack
from kernel_host.producer import PRODUCER
from kernel_host.protocol import KernelCall, RecallCall, RejectedCall
from kernel_host.sessions.archives import pack
from kernel_host.sessions.document_checks import documents_of
from kernel_host.sessions.session import CellOutcome, KernelStartError, Session
from kernel_host.tools.cell_tools import Ask, CellTools, EndedCell
from pydantic import BaseModel
from sandbox.jobs import JobFailedError

from cad_worker.author_protocol import DraftCheckCall, TestCall
from cad_worker.host import KernelHost
from cad_worker.job_protocol import CHECK, DIGEST, SCENE, DesignCheck
from cad_worker.kernel_kinds import done_of, order_of
from cad_worker.session_protocol import (
    AssessCall,
    CheckAnswer,
    CheckCall,
    FilmQuestionCall,
    QuoteCall,
    RerunCall,
    ScriptAnswer,
    ScriptCall,
    SearchAnswer,
    SearchCall,
    ShowResultCall,
    ShowShapesCall,
    SimulationAnswer,
    SimulationCall,
)
from cad_worker.tools.render_tool import RenderTool

MAX_FINDINGS = 30


class SubmissionRefusedError(Exception):
    """What a cell has submitted cannot be; the message says why."""


class SessionTools(CellTools):
    """Answers the tool calls of one session's cells."""

    def __init__(
        self,
        host: KernelHost,
        artifacts: ArtifactStore,
        ask: Ask,
        session: Session,
        executor: Executor | None = None,
    ) -> None:
        """`executor`: how the engineer acts; None: a submission is not asked for its documents."""
        super().__init__(artifacts)
        self._host = host
        self._artifacts = artifacts
        self._ask = ask
        self._session = session
        self._executor: Executor | None = executor
        self.render_tool = RenderTool(host, artifacts, ask, self.images, self.job_time)

    async def answer(self, call: KernelCall, cell: CellRequested, ordinal: int) -> BaseModel:  # noqa: C901 - a case for each tool
        """Answer the `ordinal`-th tool call of `cell`."""
        if problem := self.job_time.problem():
            return RejectedCall(problem=problem)
        match call:
            case QuoteCall():
                answer = self._host.quote(call, order_of(self._session), self.job_time.add)
            case CheckCall():
                answer = self._check(call, cell)
            case ScriptCall():
                answer = self._run_script()
            case SearchCall():
                answer = self._search(call, cell, ordinal)
            case ShowShapesCall():
                answer = self.render_tool.show_shapes(call, cell, ordinal)
            case ShowResultCall():
                answer = self.render_tool.show_result(call, cell, ordinal)
            case RerunCall() | AssessCall() | FilmQuestionCall():
                return RejectedCall(problem="only a review runs a submitted design again; simulate() yours")
            case TestCall() | DraftCheckCall():
                return RejectedCall(problem="only the kernel of an author tests worlds; simulate() your design")
            case RecallCall():
                return self.images.recall(call.picture)
            case SimulationCall():
                answer = self._simulate(call, cell, ordinal)
            case _:
                return RejectedCall(problem="the kernel of a design has no such tool")
        return await answer

    async def ended(self, observation: Observation, outcome: CellOutcome, cell: CellRequested) -> EndedCell:
        """Return what the cell ended with. A submission is packed here, and its digest computed by a clean child."""
        done = done_of(outcome)
        is_submitted = observation.status == "ok" and (done.submitted is not None or done.submits_files)
        if outcome.refusal is not None or not is_submitted:
            return await super().ended(observation, outcome, cell)
        try:
            if done.submits_files:
                return EndedCell(observation, files=await self.submitted_files(cell))
            assert done.submitted is not None
            return EndedCell(observation, await self._submission(done.submitted))
        except (JobFailedError, InvalidWorkspaceError, SubmissionRefusedError) as problem:
            error = CellError(type="SubmissionFailed", message=f"nothing was submitted: {problem}")
            return EndedCell(observation.model_copy(update={"status": "error", "error": error}))

    async def _submission(self, design: DesignData) -> Submission:
        digest = (await self._host.run_job(DIGEST, design)).digest
        packed = await asyncio.to_thread(pack, self._session.workspace)
        return Submission(digest=digest, files=await self._artifacts.put(packed, "application/zip"))

    async def submitted_files(self, cell: CellRequested) -> BenchmarkFiles:  # noqa: ARG002 - for those of an author
        """Return the benchmark's files that the cell has submitted; raise `SubmissionRefusedError`."""
        raise SubmissionRefusedError("only the session of an author submits the files of a benchmark")

    async def _check(self, call: CheckCall, cell: CellRequested) -> CheckAnswer:
        """Return the findings that a verdict on a submission would have, while its cell can still react to them."""
        documents = await asyncio.to_thread(documents_of, self._session.workspace)
        trials = self.trials.simulations
        incomplete = await asyncio.to_thread(
            completeness_findings, documents, cell.run_id, trials, self._executor, in_cell=True
        )
        order = order_of(self._session)
        request = DesignCheck(
            design=call.design,
            environment_now=call.environment,
            environment=order.environment,
            assignment=order.assignment,
        )
        try:
            judgement = await self._host.examine(CHECK, request, self.job_time.add)
        except JobFailedError as error:
            return CheckAnswer(problem=f"the assembly could not be examined: {error}")
        return CheckAnswer(findings=(*incomplete, *judgement.findings)[:MAX_FINDINGS])

    async def _run_script(self) -> ScriptAnswer:
        """Run script.py and the agent's other files, as a submission of them would."""
        try:
            files = await asyncio.to_thread(lambda: unpack(pack(self._session.workspace)))
            began_s = time.monotonic()
            outcome = await self._host.run_script(files, order_of(self._session))
        except (InvalidWorkspaceError, KernelStartError) as error:
            return ScriptAnswer(problem=f"script.py could not be run: {error}")
        self.job_time.add(time.monotonic() - began_s)
        return ScriptAnswer(observation=outcome.observation)

    async def _search(self, call: SearchCall, cell: CellRequested, ordinal: int) -> SearchAnswer:
        request = CatalogSearchRequested(
            **during(cell, f"search {ordinal}", PRODUCER),
            words=call.words,
            limit=call.limit,
            quantity=call.quantity,
        )
        match await self._ask(request):
            case CatalogSearched(found=found, note=note):
                return SearchAnswer(found=found, note=note)
            case CatalogSearchFailed(reason=reason, detail=detail):
                return SearchAnswer(problem=f"the search failed ({reason}): {detail}")
            case _:
                return SearchAnswer(problem="the catalog gave this search up; try again")

    async def _simulate(self, call: SimulationCall, cell: CellRequested, ordinal: int) -> SimulationAnswer:
        order = order_of(self._session)
        request = DesignRequest(design=call.design, environment=order.environment, assignment=order.assignment)
        try:
            build = await self._host.examine(SCENE, request, self.job_time.add)
        except JobFailedError as error:
            return SimulationAnswer(problem=f"the assembly could not be read: {error}")
        if build.scene is None:
            problem = f"the assembly cannot be simulated:\n{findings_markdown(build.findings)}"
            return SimulationAnswer(problem=problem)
        try:
            released = released_at(build.scene, call.payload_at_mm)
        except UnknownPayloadError as error:
            return SimulationAnswer(problem=str(error))
        simulation = SimulationRequested(
            **during(cell, f"simulate {ordinal}", PRODUCER),
            scene=await put_json(self._artifacts, released),
            replicas=call.replicas,
            seed=call.seed,
            part_steps=await put_steps(self._artifacts, build.part_steps),
        )
        outcome = await self._ask(simulation)
        answer = simulation_answer(outcome, rejection_warnings(build.findings))
        if answer.result is not None:
            if not answer.result.is_station_test:
                self.trials.add(cell.id)
            found = outcome.scene if isinstance(outcome, SimulationCompleted) else None
            self.render_tool.add_scene(answer.result.trajectory_digest, found or simulation.scene)
        return answer


class UnknownPayloadError(ValueError):
    """A label is that of no payload; the message lists those that are."""


def released_at(scene: Scene, places_mm: Vector | Mapping[str, Vector] | None) -> Scene:
    """Return the scene, or the test of a station: the same with the first payload, or others, released elsewhere."""
    if places_mm is None:
        return scene
    places = places_mm if isinstance(places_mm, Mapping) else {scene.payload.label: places_mm}
    labels = [payload.label for payload in scene.payloads]
    if unknown := [label for label in places if label not in labels]:
        raise UnknownPayloadError(f"payload_at_mm: no payload is called {unknown[0]}; there are {', '.join(labels)}")
    first, *more = (
        payload.model_copy(update={"start_mm": places.get(payload.label, payload.start_mm)})
        for payload in scene.payloads
    )
    changes: dict[str, object] = {"payload": first, "more_payloads": tuple(more), "is_station_test": True}
    return scene.model_copy(update=changes)


def simulation_answer(outcome: Event, warnings_md: str = "") -> SimulationAnswer:
    """Return the answer to a call from the outcome of its request."""
    match outcome:
        case SimulationCompleted(result=result):
            return SimulationAnswer(result=result, warnings_md=warnings_md)
        case SimulationFailed(reason=reason, detail=detail):
            return SimulationAnswer(problem=f"the simulation failed ({reason}): {detail}")
        case _:
            return SimulationAnswer(problem="the simulator gave this request up; try again")


def rejection_warnings(findings: Sequence[Finding]) -> str:
    """Return what is printed above a preview of a design that a submission would reject; empty if none would."""
    return f"**A submission of this would be rejected:**\n\n{findings_markdown(findings)}\n" if findings else ""
