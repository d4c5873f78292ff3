"""A client of a critic's session over a bus in memory, with designs to review and a simulator that only counts."""

import io
import zipfile
from typing import TypeVar

from artifacts.testing import FakeArtifacts
from cad_worker.host import KernelHost
from cad_worker.job_protocol import JUDGE
from cad_worker.session_setup import session_order
from cad_worker.submissions import store_delivery
from chassis.testing import FakeBus
from contracts.envelope import Event, Request, answering
from contracts.events.session import CellCompleted, CellRequested, ReviewedDesign, SessionRequested
from contracts.events.simulation import SimulationCompleted, SimulationRequested
from contracts.models.benchmark import Environment
from contracts.models.observation import Observation
from contracts.models.simulation import ReplicaResult
from contracts.models.submission import Submission
from design_rules.design_data import DesignRequest

from tests.cad_worker.handlers.run_client import RunClient
from tests.contracts import example_values as values

R = TypeVar("R", bound=Request)


class ReviewClient:
    """The critic's requests, published with their outcomes."""

    def __init__(self, client: RunClient, bus: FakeBus, host: KernelHost, artifacts: FakeArtifacts) -> None:
        self._client, self._bus, self._host, self._artifacts = client, bus, host, artifacts
        bus.answers(SimulationRequested, self._simulate)

    @property
    def simulations(self) -> list[SimulationRequested]:
        """The requested simulations."""
        return [event for event in self._bus.events if isinstance(event, SimulationRequested)]

    async def review_request(self, environment: Environment, script: str) -> SessionRequested:
        """Return the request for a session that reviews the design of this script."""
        task = await self._client.assignment()
        order = await session_order(task, environment, self._artifacts)
        files = {"script.py": script, "todo.md": "# TODO\n\n- [x] T1: build\n", "journal.md": "# Journal\n"}
        built = await self._host.run_script(files, order)
        assert built.design is not None, built.observation
        design = DesignRequest(design=built.design, environment=order.environment, assignment=task)
        judged = await self._host.examine(JUDGE, design)
        assert judged.bill is not None, judged.findings
        submission = Submission(digest=judged.digest, files=await self._artifacts.put(_zip(files), "application/zip"))
        _, delivery = await store_delivery(submission, judged, self._artifacts)
        result = values.RESULT.model_copy(update={"trajectory": None})
        reviewed = ReviewedDesign(delivery=delivery, bill=judged.bill, result=result)
        plan = {"plan_md": "# Plan\n", "todo_md": ""}
        return self.request(SessionRequested, assignment=task, environment=environment, reviewed=reviewed, **plan)

    async def run_cell(self, code: str) -> Observation:
        """Run a cell, and return its observation."""
        return (await self.complete_cell(code)).observation

    async def complete_cell(self, code: str) -> CellCompleted:
        """Run a cell."""
        done = await self.handle(self.request(CellRequested, purpose="review", code=code))
        assert isinstance(done, CellCompleted)
        return done

    async def handle(self, request: Request) -> Event:
        """Return the outcome of a request of the session."""
        await self._bus.publish(request)
        outcome = await self._client.handlers[type(request)](request)
        await self._bus.publish(outcome)
        return outcome

    def request(self, request: type[R], **fields: object) -> R:
        """Return a request of the critic."""
        return self._client.request(request, **{"role": "critic", "producer": "critic", **fields})

    async def _simulate(self, request: SimulationRequested) -> SimulationCompleted:
        """Let one replica fail under odd seeds."""
        good = values.RESULT.nominal.model_copy(update={"ending": "reached_goal"})
        bad = good.model_copy(update={"ending": "missed_goal"})
        replicas: list[ReplicaResult] = [good] * request.replicas
        if request.seed % 2:
            replicas[0] = bad
        result = values.RESULT.model_copy(update={"trajectory": None, "replicas": tuple(replicas)})
        return SimulationCompleted(**answering(request, "sim-worker"), result=result)


def _zip(files: dict[str, str]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for path, text in files.items():
            archive.writestr(path, text)
    return packed.getvalue()
