"""A question's session in a real kernel, with perception that a test chooses."""

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import pytest_asyncio
from artifacts.testing import FakeArtifacts
from cad_worker.host import KernelHost
from contracts.envelope import Event, Request, deciding
from contracts.events.question import QuestionSessionRequested
from contracts.events.session import CellCompleted, CellRequested
from kernel_host.cell_handlers import run_cell
from kernel_host.sessions.session import Session
from question_kernel.kind import QUESTION_KERNEL
from question_kernel.setup import question_order, question_pictures
from question_kernel.tools import QuestionTools

from tests.spatial_agent.question_harness import SHADES, picture, question_asked

Ask = Callable[[Request], Awaitable[Event]]


class QuestionSession:
    """A session with its tools; each cell runs as the worker runs it."""

    def __init__(self, host: KernelHost, artifacts: FakeArtifacts) -> None:
        self.host, self.artifacts = host, artifacts
        self.requests: list[Request] = []
        self.respond: Callable[[Request], Event] | None = None
        self._cells = 0

    async def open(self, **fields: Any) -> None:
        """Open the kernel for the example question."""
        asked = question_asked(**fields)
        self.request = QuestionSessionRequested(
            **deciding(asked, "spatial-agent", 0, 1),
            answer=asked.question.answer,
            frames=asked.question.frames,
            metadata=asked.question.metadata,
            tools_off=asked.tools_off,
        )
        for shade in SHADES:
            await self.artifacts.put(picture(shade), "image/png")
        pictures = await question_pictures(self.request, self.artifacts)
        self.session: Session = await self.host.open_kernel(
            QUESTION_KERNEL, question_order(self.request), pictures, None
        )
        self.tools = QuestionTools(self.artifacts, self._ask, self.request)

    async def run(self, code: str, timeout_s: float = 30.0) -> CellCompleted:
        """Run a cell."""
        self._cells += 1
        cell = CellRequested(
            **deciding(self.request, "spatial-agent", self._cells, 1), purpose="look", code=code, timeout_s=timeout_s
        )
        return await run_cell(cell, self.session, self.tools, self.artifacts)

    async def _ask(self, request: Request) -> Event:
        self.requests.append(request)
        assert self.respond is not None, f"{request.type} was not expected"
        return self.respond(request)


@pytest_asyncio.fixture(loop_scope="session")
async def question(kernel_host: KernelHost) -> AsyncIterator[QuestionSession]:
    """A session that is not open yet."""
    session = QuestionSession(kernel_host, FakeArtifacts())
    yield session
    await session.session.close()
