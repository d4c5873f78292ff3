"""One run's requests, as planner and engineer would make them."""

from typing import TypeVar
from uuid import UUID, uuid4

from artifacts.testing import FakeArtifacts
from cad_worker.sessions.manager import Handlers
from chassis.delivery.thread_subscription import ThreadSubscription
from chassis.leases.lease import Fence
from contracts.envelope import Request, Role
from contracts.events.design import DesignSubmitted
from contracts.events.run import EnvironmentBuilt, EnvironmentRequested
from contracts.events.session import CellCompleted, CellRequested, FileWriteRequested, SessionRequested
from contracts.models.benchmark import Assignment, Environment
from contracts.models.submission import Submission

from tests.cad_worker.worlds import ENVIRONMENT_CODE, assignment

R = TypeVar("R", bound=Request)


class SilentSubscription(ThreadSubscription):
    """Receives nothing: the test calls the handlers itself."""

    def __init__(self) -> None: ...

    async def stop(self) -> None:
        """Do nothing."""


class RunClient:
    """A run in the making: makes requests, and keeps the handlers of its session."""

    def __init__(self, artifacts: FakeArtifacts) -> None:
        self.id = uuid4()
        self.artifacts = artifacts
        self.handlers: Handlers = {}
        self.fence: Fence | None = None

    async def serve_thread(self, _run_id: UUID, _role: Role, handlers: Handlers, fence: Fence) -> SilentSubscription:
        """Stand in for `App.attend`."""
        self.handlers, self.fence = handlers, fence
        return SilentSubscription()

    async def assignment(self, code: str = ENVIRONMENT_CODE) -> Assignment:
        """Return the assignment with its environment's code stored."""
        return assignment(await self.artifacts.put(code.encode(), "text/x-python"))

    async def environment_request(self, code: str = ENVIRONMENT_CODE) -> EnvironmentRequested:
        """Return the planner's first request."""
        return EnvironmentRequested(
            id=uuid4(), run_id=self.id, role="planner", producer="planner", assignment=await self.assignment(code)
        )

    async def session_request(self, environment: Environment) -> SessionRequested:
        """Return the engineer's first request."""
        return SessionRequested(
            id=uuid4(),
            run_id=self.id,
            role="engineer",
            producer="engineer",
            assignment=await self.assignment(),
            environment=environment,
            plan_md="# Plan\n",
            todo_md="# TODO\n\n- [ ] T1: build\n",
        )

    async def handle(self, request: Request) -> object:
        """Let the session's handler answer."""
        return await self.handlers[type(request)](request)

    async def run_cell(self, code: str, timeout_s: float = 120.0) -> CellCompleted:
        """Run a cell."""
        request = CellRequested(
            id=uuid4(),
            run_id=self.id,
            role="engineer",
            producer="engineer",
            purpose="test",
            code=code,
            timeout_s=timeout_s,
        )
        answer = await self.handle(request)
        assert isinstance(answer, CellCompleted)
        return answer

    async def write_file(self, path: str, text: str) -> object:
        """Write a file."""
        return await self.handle(self.write_request(path, text))

    def write_request(self, path: str, text: str) -> FileWriteRequested:
        """Return the request for a file."""
        return FileWriteRequested(
            id=uuid4(), run_id=self.id, role="engineer", producer="engineer", path=path, text=text
        )

    def request(self, request: type[R], **said: object) -> R:
        """Return a request of the engineer."""
        about = {"id": uuid4(), "run_id": self.id, "role": "engineer", "producer": "engineer"}
        return request.model_validate({**about, **said})

    async def submission_request(self, environment: EnvironmentBuilt, submission: Submission) -> DesignSubmitted:
        """Return the engineer's last request."""
        return DesignSubmitted(
            id=uuid4(),
            run_id=self.id,
            role="engineer",
            producer="engineer",
            assignment=await self.assignment(),
            model="offline",
            environment=environment.environment,
            submission=submission,
        )
