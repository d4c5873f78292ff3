"""What the host does when a critic's kernel asks: it runs the submitted scene again, shows things, and nothing else."""

from artifacts.port import ArtifactStore
from contracts.events.session import CellRequested
from contracts.events.simulation import SimulationRequested
from pydantic import BaseModel

from cad_worker.host import KernelHost
from cad_worker.session_protocol import KernelCall, RerunCall, ShowResultCall, ShowShapesCall, SimulationAnswer
from cad_worker.sessions.session import Session
from cad_worker.sessions.tool_replies import RejectedCall
from cad_worker.sessions.tools import Ask, SessionTools, simulation_answer

MOST_RERUNS = 40
"""Of a session, as far as this worker knows: their time is not the cell's."""


class ReviewTools(SessionTools):
    """Serves the tool calls of a critic's cells."""

    def __init__(self, host: KernelHost, artifacts: ArtifactStore, ask: Ask, session: Session) -> None:
        super().__init__(host, artifacts, ask, session.order, session.workspace)
        self._session = session
        self._reruns = 0

    async def answer(self, wanted: KernelCall, cell: CellRequested, ordinal: int) -> BaseModel:
        """Answer the `ordinal`-th tool call of `cell`."""
        match wanted:
            case RerunCall():
                return await self._rerun(wanted, cell, ordinal)
            case ShowShapesCall():
                return await self.render_tool.shapes(wanted, cell, ordinal)
            case ShowResultCall():
                review = self._session.order.review
                assert review is not None
                self.render_tool.remember(review.result.trajectory_digest, review.scene_ref)
                return await self.render_tool.result(wanted, cell, ordinal)
            case _:
                return RejectedCall(problem="a review only looks: nothing is priced, made or submitted here")

    async def _rerun(self, wanted: RerunCall, cell: CellRequested, ordinal: int) -> SimulationAnswer:
        review = self._session.order.review
        assert review is not None
        if self._reruns >= MOST_RERUNS:
            return SimulationAnswer(problem=f"{MOST_RERUNS} reruns are enough; judge by what they told")
        self._reruns += 1
        again = {"scene": review.scene_ref, "replicas": wanted.replicas, "seed": wanted.seed}
        request = SimulationRequested.during(cell, f"simulate {ordinal}", "cad-worker", **again)
        return simulation_answer(await self._ask(request))
