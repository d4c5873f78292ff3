"""Requests to cad-workers as planner and engineer publish them."""

from dataclasses import dataclass, field
from uuid import UUID, uuid4

from benchmarks.loader import CODE_TYPE
from contracts.envelope import Event
from contracts.events.run import CancelRequested, EnvironmentBuilt, EnvironmentRequested, RunFailed
from contracts.events.session import CellCompleted, CellRequested, FileWriteRequested, SessionOpened, SessionRequested
from contracts.models.benchmark import Assignment

from tests.support.clusters.cluster import Client


@dataclass
class SessionClient:
    """The engineer's session of one run."""

    client: Client
    run_id: UUID = field(default_factory=uuid4)

    async def open(self, assignment: Assignment, environment_code: bytes) -> None:
        """Build the environment, and open the session."""
        code = await self.client.artifacts.put(environment_code, CODE_TYPE)
        variant = assignment.variant.model_copy(update={"environment_code": code})
        assignment = assignment.model_copy(update={"variant": variant})
        built = await self.client.bus.ask(
            EnvironmentRequested(
                id=uuid4(), run_id=self.run_id, role="planner", producer="planner", assignment=assignment
            )
        )
        assert isinstance(built, EnvironmentBuilt), built
        opened = await self.client.bus.ask(
            SessionRequested(
                id=uuid4(),
                run_id=self.run_id,
                role="engineer",
                producer="engineer",
                assignment=assignment,
                environment=built.environment,
                plan_md="# Plan\n",
                todo_md="# TODO\n\n- [ ] T1: build\n",
            )
        )
        assert isinstance(opened, SessionOpened), opened

    def cell(self, code: str) -> CellRequested:
        """Return the request for a cell."""
        return CellRequested(
            id=uuid4(), run_id=self.run_id, role="engineer", producer="engineer", purpose="test", code=code
        )

    async def run(self, code: str) -> CellCompleted:
        """Run a cell."""
        completed = await self.client.bus.ask(self.cell(code))
        assert isinstance(completed, CellCompleted), completed
        return completed

    async def write(self, path: str, text: str) -> Event:
        """Write a file."""
        return await self.client.bus.ask(
            FileWriteRequested(
                id=uuid4(), run_id=self.run_id, role="engineer", producer="engineer", path=path, text=text
            )
        )

    async def history(self) -> list[Event]:
        """Return all events of the run."""
        return await self.client.bus.history(self.run_id)

    async def end(self) -> None:
        """End the run, as planner does after a cancellation."""
        await self.client.bus.publish(CancelRequested(id=uuid4(), run_id=self.run_id, role="planner", producer="cli"))
        await self.client.bus.publish(
            RunFailed(
                id=uuid4(), run_id=self.run_id, role="planner", producer="planner", reason="cancelled", detail="done"
            )
        )
