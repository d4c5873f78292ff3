"""A client of cad-worker: requests of one run, as planner and engineer make them, answered by the handlers."""

from typing import TypeVar
from uuid import UUID, uuid4

from artifacts.testing import FakeArtifacts
from chassis.bus import Fence
from chassis.delivery.consumer_registry import ThreadSubscription
from contracts.envelope import Request, Role
from contracts.events.conversation import JournalEntryAdded
from contracts.events.design import DesignSubmitted
from contracts.events.run import EnvironmentBuilt, EnvironmentRequested
from contracts.events.session import CellCompleted, CellRequested, FileWriteRequested, SessionRequested
from contracts.models.benchmark import Assignment, Environment
from contracts.models.submission import Submission
from kernel_host.session_manager.session_thread import Handlers

from tests.support.kernel_world import ENVIRONMENT_CODE, assignment

R = TypeVar("R", bound=Request)


async def no_entries(_request: object) -> tuple[JournalEntryAdded, ...]:
    """Return the journal entries of a request that names none."""
    return ()


class SilentSubscription(ThreadSubscription):
    """Receives nothing: the test calls the handlers itself."""

    def __init__(self) -> None: ...

    async def stop(self) -> None:
        """Do nothing."""


class RunClient:
    """Makes the requests of a run, and passes those of its session to the handlers that serve it."""

    def __init__(self, artifacts: FakeArtifacts) -> None:
        self.id = uuid4()
        self.artifacts = artifacts
        self.handlers: Handlers = {}
        self.fence: Fence | None = None

    async def serve_thread(self, _run_id: UUID, _role: Role, handlers: Handlers, fence: Fence) -> SilentSubscription:
        """Replace `App.serve_thread`."""
        self.handlers, self.fence = handlers, fence
        return SilentSubscription()

    async def assignment(self, code: str = ENVIRONMENT_CODE) -> Assignment:
        """Return the assignment, with the code of its environment in the store."""
        return assignment(await self.artifacts.put(code.encode(), "text/x-python"))

    async def environment_request(self, code: str = ENVIRONMENT_CODE) -> EnvironmentRequested:
        """Return the planner's request for its environment."""
        task = await self.assignment(code)
        return EnvironmentRequested(id=uuid4(), run_id=self.id, role="planner", producer="planner", assignment=task)

    async def session_request(self, environment: Environment) -> SessionRequested:
        """Return the engineer's request for a session."""
        plan = {"plan_md": "# Plan\n", "todo_md": "# TODO\n\n- [ ] T1: build\n"}
        return self.request(SessionRequested, assignment=await self.assignment(), environment=environment, **plan)

    async def submission_request(self, environment: EnvironmentBuilt, submission: Submission) -> DesignSubmitted:
        """Return the engineer's submission."""
        return self.request(
            DesignSubmitted,
            assignment=await self.assignment(),
            model="offline",
            environment=environment.environment,
            submission=submission,
        )

    def write_request(self, path: str, text: str) -> FileWriteRequested:
        """Return the engineer's request to write a file."""
        return self.request(FileWriteRequested, path=path, text=text)

    def request(self, request: type[R], **fields: object) -> R:
        """Return a request of the engineer."""
        common = {"id": uuid4(), "run_id": self.id, "role": "engineer", "producer": "engineer"}
        return request.model_validate({**common, **fields})

    async def handle(self, request: Request) -> object:
        """Return the outcome of a request of the session."""
        return await self.handlers[type(request)](request)

    async def run_cell(self, code: str, timeout_s: float = 120.0) -> CellCompleted:
        """Run a cell."""
        completed = await self.handle(self.request(CellRequested, purpose="test", code=code, timeout_s=timeout_s))
        assert isinstance(completed, CellCompleted)
        return completed

    async def write_file(self, path: str, text: str) -> object:
        """Write a file."""
        return await self.handle(self.write_request(path, text))
