"""A critic's side of a session over a bus in memory: designs to review, cells, and a simulator that only counts."""

import io
import zipfile
from typing import Any
from uuid import uuid4

from artifacts.testing import FakeArtifacts
from cad_worker.host import KernelHost
from cad_worker.job_protocol import JUDGE, DesignRequest, EnvironmentGeometry
from cad_worker.session_protocol import SessionOrder
from cad_worker.submissions import store_delivery
from chassis.testing import FakeBus
from contracts.envelope import Event, Request
from contracts.events.session import CellCompleted, CellRequested, ReviewedDesign, SessionRequested
from contracts.events.simulation import SimulationCompleted, SimulationRequested
from contracts.models.benchmark import Environment
from contracts.models.observation import Observation
from contracts.models.simulation import ReplicaResult
from contracts.models.submission import Submission

from tests.cad_worker.handlers.run_client import RunClient
from tests.contracts import example_values as values


class ReviewClient:
    """Critic's requests, and what the log has of them."""

    def __init__(self, a_run: RunClient, bus: FakeBus, host: KernelHost, artifacts: FakeArtifacts) -> None:
        self._run, self._bus, self._host, self._artifacts = a_run, bus, host, artifacts
        bus.answers(SimulationRequested, self._simulate)

    @property
    def simulations(self) -> list[SimulationRequested]:
        """Return what was asked of physics."""
        return [event for event in self._bus.events if isinstance(event, SimulationRequested)]

    async def review_request(self, world: Environment, script: str) -> SessionRequested:
        """Return the request for a kernel with the design that this script builds."""
        task = await self._run.assignment()
        brep = await self._artifacts.get(world.brep)
        geometry = EnvironmentGeometry(brep=brep, solids=world.solids, digest=world.digest, mechanism=world.mechanism)
        files = {"script.py": script, "todo.md": "# TODO\n\n- [x] T1: build\n", "journal.md": "# Journal\n"}
        built = await self._host.run_script(files, SessionOrder(assignment=task, environment=geometry))
        assert built.design is not None, built.observation
        judged = await self._host.examine(
            JUDGE, DesignRequest(design=built.design, environment=geometry, assignment=task)
        )
        assert judged.bill is not None, judged.findings
        submission = Submission(digest=judged.digest, files=await self._artifacts.put(_zip(files), "application/zip"))
        _, delivery = await store_delivery(submission, judged, self._artifacts)
        result = values.RESULT.model_copy(update={"trajectory": None})
        reviewed = ReviewedDesign(delivery=delivery, bill=judged.bill, result=result)
        asked = self.request(
            SessionRequested, assignment=task, environment=world, plan_md="# Plan\n", todo_md="", reviewed=reviewed
        )
        assert isinstance(asked, SessionRequested)
        return asked

    async def run_cell(self, code: str) -> Observation:
        """Run a cell and let the log have it."""
        done = await self.handle(CellRequested(purpose="review", code=code, **self._said()))
        assert isinstance(done, CellCompleted)
        return done.observation

    async def handle(self, request: Request) -> Event:
        """Let the session answer, and the log have both."""
        await self._bus.publish(request)
        answer = await self._run.handlers[type(request)](request)
        await self._bus.publish(answer)
        return answer

    def request(self, request: type[Request], **said: object) -> Request:
        """Return a request of critic's."""
        return request.model_validate({**self._said(), **said})

    def _said(self) -> dict[str, Any]:
        return {"id": uuid4(), "run_id": self._run.id, "role": "critic", "producer": "critic"}

    async def _simulate(self, request: SimulationRequested) -> SimulationCompleted:
        """Let one replica in six fail under odd seeds."""
        good = values.RESULT.nominal.model_copy(update={"ending": "reached_goal"})
        bad = good.model_copy(update={"ending": "missed_goal"})
        replicas: list[ReplicaResult] = [good] * request.replicas
        if request.seed % 2:
            replicas[0] = bad
        result = values.RESULT.model_copy(update={"trajectory": None, "replicas": tuple(replicas)})
        return SimulationCompleted.answering(request, "sim-worker", result=result)


def _zip(files: dict[str, str]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for path, text in files.items():
            archive.writestr(path, text)
    return packed.getvalue()
