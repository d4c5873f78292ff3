"""What the host does when a kernel's tools ask: the only effects a cell can have."""

from collections.abc import Awaitable, Callable

from artifacts.documents import put_json
from artifacts.port import ArtifactStore
from contracts.envelope import Event, Request
from contracts.events.catalog import CatalogSearched, CatalogSearchFailed, CatalogSearchRequested
from contracts.events.session import CellRequested
from contracts.events.simulation import SimulationCompleted, SimulationFailed, SimulationRequested
from documents.quote import findings_markdown
from pydantic import BaseModel
from sandbox.jobs import JobFailedError

from cad_worker.host import KernelHost
from cad_worker.job_protocol import CHECK, SCENE, DesignCheck, DesignData, DesignRequest, SceneBuild
from cad_worker.session_protocol import (
    CheckAnswer,
    CheckCall,
    KernelCall,
    QuoteCall,
    RecallCall,
    RerunCall,
    ScriptAnswer,
    ScriptCall,
    SearchAnswer,
    SearchCall,
    SessionOrder,
    ShowResultCall,
    ShowShapesCall,
    SimulationAnswer,
    SimulationCall,
)
from cad_worker.sessions.images import ImageStore
from cad_worker.sessions.render_tool import RenderTool
from cad_worker.sessions.session import KernelStartError
from cad_worker.sessions.tool_replies import RejectedCall
from cad_worker.sessions.workspace import UnfitWorkspaceError, Workspace, unpack

MAX_FINDINGS = 30

Ask = Callable[[Request], Awaitable[Event]]
"""Publishes a request and waits for its outcome."""


class SessionTools:
    """Serves the tool calls of one session's cells."""

    def __init__(
        self, host: KernelHost, artifacts: ArtifactStore, ask: Ask, order: SessionOrder, workspace: Workspace
    ) -> None:
        self._host = host
        self._workspace = workspace
        self._artifacts = artifacts
        self._ask = ask
        self._order = order
        self.images = ImageStore(artifacts)
        self.render_tool = RenderTool(host, artifacts, ask, self.images)

    async def answer(self, wanted: KernelCall, cell: CellRequested, ordinal: int) -> BaseModel:  # noqa: C901 - a case for each tool
        """Answer the `ordinal`-th tool call of `cell`."""
        match wanted:
            case QuoteCall():
                answer = self._host.quote(wanted, self._order)
            case CheckCall():
                answer = self._check(wanted)
            case ScriptCall():
                answer = self._run_script()
            case SearchCall():
                answer = self._search(wanted, cell, ordinal)
            case ShowShapesCall() | ShowResultCall():
                answer = self.render_tool.answer(wanted, cell, ordinal)
            case RerunCall():
                return RejectedCall(problem="only a review runs a submitted design again; simulate() yours")
            case RecallCall():
                return self.images.recall(wanted.picture)
            case SimulationCall():
                answer = self._simulate(wanted.design, cell, ordinal)
        return await answer

    async def _check(self, wanted: CheckCall) -> CheckAnswer:
        """Say what the verdict on a submission will say anyway, while its cell can still do something about it."""
        question = DesignCheck(
            design=wanted.design,
            environment_now=wanted.environment,
            environment=self._order.environment,
            assignment=self._order.assignment,
        )
        try:
            return CheckAnswer(findings=(await self._host.examine(CHECK, question)).findings[:MAX_FINDINGS])
        except JobFailedError as error:
            return CheckAnswer(problem=f"the assembly could not be examined: {error}")

    async def _run_script(self) -> ScriptAnswer:
        """Run script.py and the agent's other files as they stand now, as a submission of them would."""
        try:
            outcome = await self._host.run_script(unpack(self._workspace.pack()), self._order)
        except (UnfitWorkspaceError, KernelStartError) as error:
            return ScriptAnswer(problem=f"script.py could not be run: {error}")
        return ScriptAnswer(observation=outcome.observation)

    async def _search(self, wanted: SearchCall, cell: CellRequested, ordinal: int) -> SearchAnswer:
        asked = {"words": wanted.words, "limit": wanted.limit, "quantity": wanted.quantity}
        request = CatalogSearchRequested.during(cell, f"search {ordinal}", "cad-worker", **asked)
        match await self._ask(request):
            case CatalogSearched(found=found, note=note):
                return SearchAnswer(found=found, note=note)
            case CatalogSearchFailed(reason=reason, detail=detail):
                return SearchAnswer(problem=f"the search failed ({reason}): {detail}")
            case _:
                return SearchAnswer(problem="the catalog gave this search up; try again")

    async def _simulate(self, design: DesignData, cell: CellRequested, ordinal: int) -> SimulationAnswer:
        world = DesignRequest(design=design, environment=self._order.environment, assignment=self._order.assignment)
        try:
            build = await self._host.examine(SCENE, world)
        except JobFailedError as error:
            return SimulationAnswer(problem=f"the assembly could not be read: {error}")
        if build.scene is None:
            return SimulationAnswer(problem=_forbidden(build))
        scene = await put_json(self._artifacts, build.scene)
        request = SimulationRequested.during(cell, f"simulate {ordinal}", "cad-worker", scene=scene)
        answer = simulation_answer(await self._ask(request), _warnings(build))
        if answer.result is not None:
            self.render_tool.remember(answer.result.trajectory_digest, request.scene)
        return answer


def _forbidden(build: SceneBuild) -> str:
    return f"the assembly cannot be simulated:\n{findings_markdown(build.findings)}"


def simulation_answer(outcome: Event, warnings_md: str = "") -> SimulationAnswer:
    """Return what a kernel is told of a simulation's outcome."""
    match outcome:
        case SimulationCompleted(result=result):
            return SimulationAnswer(result=result, warnings_md=warnings_md)
        case SimulationFailed(reason=reason, detail=detail):
            return SimulationAnswer(problem=f"the simulation failed ({reason}): {detail}")
        case _:
            return SimulationAnswer(problem="the simulator gave this request up; try again")


def _warnings(build: SceneBuild) -> str:
    if not build.findings:
        return ""
    return f"**A submission of this would be rejected:**\n\n{findings_markdown(build.findings)}\n"
