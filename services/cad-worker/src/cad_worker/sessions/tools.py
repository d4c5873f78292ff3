"""What the host does when a kernel's tools ask: the only effects a cell can have."""

from collections.abc import Awaitable, Callable
from uuid import uuid5

from artifacts.documents import put_json
from artifacts.port import ArtifactStore
from contracts.envelope import Event, Request
from contracts.session import CellRequested
from contracts.simulation import SimulationCompleted, SimulationFailed, SimulationRequested
from kernel.quoting import findings_markdown
from pydantic import BaseModel

from cad_worker.exchange import SCENE, DesignData, DesignInWorld, SceneBuild
from cad_worker.hosting.host import JobFailedError, KernelHost
from cad_worker.sessions.messages import QuoteWanted, SessionOrder, SimulationAnswer, SimulationWanted

Ask = Callable[[Request], Awaitable[Event]]
"""Publishes a request and waits for its outcome."""


class SessionTools:
    """Serves the tool calls of one session's cells."""

    def __init__(self, host: KernelHost, artifacts: ArtifactStore, ask: Ask, order: SessionOrder) -> None:
        self._host = host
        self._artifacts = artifacts
        self._ask = ask
        self._order = order

    async def answer(self, wanted: QuoteWanted | SimulationWanted, cell: CellRequested, ordinal: int) -> BaseModel:
        """Answer the `ordinal`-th tool call of `cell`."""
        if isinstance(wanted, QuoteWanted):
            return await self._host.quote(wanted, self._order)
        return await self._simulate(wanted.design, cell, ordinal)

    async def _simulate(self, design: DesignData, cell: CellRequested, ordinal: int) -> SimulationAnswer:
        world = DesignInWorld(design=design, environment=self._order.environment, assignment=self._order.assignment)
        try:
            build = await self._host.run_job(SCENE, world)
        except JobFailedError as error:
            return SimulationAnswer(problem=f"the assembly could not be read: {error}")
        if build.scene is None:
            return SimulationAnswer(problem=_forbidden(build))
        request = SimulationRequested(
            id=uuid5(cell.id, f"simulate {ordinal}"),
            run_id=cell.run_id,
            kind=cell.kind,
            role=cell.role,
            causation_id=cell.id,
            producer="cad-worker",
            scene=await put_json(self._artifacts, build.scene),
        )
        return _told(await self._ask(request), build)


def _forbidden(build: SceneBuild) -> str:
    return f"the assembly cannot be simulated:\n{findings_markdown(build.findings)}"


def _told(outcome: Event, build: SceneBuild) -> SimulationAnswer:
    match outcome:
        case SimulationCompleted(result=result):
            return SimulationAnswer(result=result, warnings_md=_warnings(build))
        case SimulationFailed(reason=reason, detail=detail):
            return SimulationAnswer(problem=f"the simulation failed ({reason}): {detail}")
        case _:
            return SimulationAnswer(problem="the simulator gave this request up; try again")


def _warnings(build: SceneBuild) -> str:
    if not build.findings:
        return ""
    return f"**A submission of this would be rejected:**\n\n{findings_markdown(build.findings)}\n"
