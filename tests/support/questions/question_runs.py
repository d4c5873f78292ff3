"""Questions answered in one process: the role's own loop, real kernels and exact perception, without servers."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from agent.loop.checkpoints import MemoryCheckpoints
from agent.loop.thread import RoleThreads
from agent.model.providers import offline_chat
from agent.model.role_model import RoleModel
from artifacts.testing import FakeArtifacts
from cad_worker.host import KernelHost
from chassis.testing import FakeBus
from contracts.envelope import Event, Request, answering, opening
from contracts.events.conversation import ReplyRejected
from contracts.events.perception import PerceptionCompleted, PerceptionRequested, Rendered, RenderFrames
from contracts.events.question import (
    LookRequested,
    QuestionAnswered,
    QuestionAsked,
    QuestionFailed,
    QuestionSessionRequested,
)
from contracts.events.session import CellCompleted, CellRequested, SessionOpened
from contracts.models.questions.frames import FrameRef, Noise
from contracts.models.questions.question import FrameMetadata, SpatialQuestion
from kernel_host.cell_handlers import run_cell
from kernel_host.sessions.session import Session
from perception_worker.handlers import perceive
from perception_worker.simulator.backend import SimulatorBackend
from question_kernel.kind import QUESTION_KERNEL
from question_kernel.setup import question_order, question_pictures
from question_kernel.tools import QuestionTools
from questions.items import GeneratedQuestion
from spatial_agent.looks import Looks
from spatial_agent.policy import SpatialAgent


@dataclass
class QuestionRunner:
    """Answers questions, one kernel each."""

    host: KernelHost
    simulator: SimulatorBackend
    artifacts: FakeArtifacts
    model: RoleModel

    async def question_of(self, generated: GeneratedQuestion, noise: Noise | None = None) -> SpatialQuestion:
        """Render the frames of a generated question."""
        item = generated.item
        scene = await self.artifacts.put(generated.scene.model_dump_json().encode(), "application/json")
        request = _perception(uuid4(), RenderFrames(kind="render_frames", scene=scene))
        rendered = await perceive(request, self.artifacts, self.simulator, None)
        assert isinstance(rendered, PerceptionCompleted), rendered
        assert isinstance(rendered.result, Rendered)
        frames = (
            rendered.result.frames if noise is None else tuple(_noisy(each, noise) for each in rendered.result.frames)
        )
        metadata = FrameMetadata(is_video=item.is_video, fps=item.fps, total_frames=item.total_frames)
        return SpatialQuestion(text=item.text, answer=item.answer, frames=frames, metadata=metadata)

    async def ask(self, question: SpatialQuestion, **fields: Any) -> tuple[QuestionAnswered | QuestionFailed, FakeBus]:
        """Ask, and serve the role's requests until the end; return it with the log."""
        run_id = uuid4()
        given: dict[str, Any] = {"model": "offline", **fields}
        asked = QuestionAsked(**opening(run_id, "question", "spatial-agent", "cli"), question=question, **given)
        return await self.answer(asked)

    async def answer(self, asked: QuestionAsked) -> tuple[QuestionAnswered | QuestionFailed, FakeBus]:
        """Answer a question that was asked."""
        bus = FakeBus()
        run = _Run(self, bus, Looks(self.model, bus))
        threads = RoleThreads(SpatialAgent(self.model, _no_server), self.model, bus, MemoryCheckpoints())
        await bus.publish(asked)
        try:
            decided = await threads.advance(asked)
            while not isinstance(decided[0], QuestionAnswered | QuestionFailed):
                outcome = await run.outcome(decided[0])
                await bus.publish(outcome)
                decided = await threads.advance(outcome)
            return decided[0], bus
        finally:
            await run.close()


async def _no_server() -> bool:
    return False


class _Run:
    """The services around one question."""

    def __init__(self, runner: QuestionRunner, bus: FakeBus, looks: Looks) -> None:
        self._runner, self._bus, self._looks = runner, bus, looks
        self._session: Session | None = None

    async def outcome(self, request: Event) -> Event:
        """Return the outcome of what the role requests."""
        runner = self._runner
        if isinstance(request, ReplyRejected):
            return request
        if isinstance(request, QuestionSessionRequested):
            pictures = await question_pictures(request, runner.artifacts)
            self._session = await runner.host.open_kernel(QUESTION_KERNEL, question_order(request), pictures, None)
            self._tools = QuestionTools(runner.artifacts, self._ask, request)
            return SessionOpened(**answering(request, "cad-worker"), ready_s=0.1, files=())
        assert isinstance(request, CellRequested)
        assert self._session is not None
        completed: CellCompleted = await run_cell(request, self._session, self._tools, runner.artifacts)
        return completed

    async def close(self) -> None:
        """End the kernel."""
        if self._session is not None:
            await self._session.close()

    async def _ask(self, request: Request) -> Event:
        await self._bus.publish(request)
        if isinstance(request, LookRequested):
            outcome: Event = await self._looks.answer(request)
        else:
            assert isinstance(request, PerceptionRequested)
            outcome = await perceive(request, self._runner.artifacts, self._runner.simulator, None)
        await self._bus.publish(outcome)
        return outcome


@asynccontextmanager
async def question_runner(host: KernelHost, simulator: SimulatorBackend) -> AsyncGenerator[QuestionRunner]:
    """Provide a runner with the offline expert."""
    yield QuestionRunner(host, simulator, FakeArtifacts(), RoleModel(lambda _: offline_chat()))
    await asyncio.sleep(0)


def _noisy(frame: FrameRef, noise: Noise) -> FrameRef:
    assert frame.source is not None
    return frame.model_copy(update={"source": frame.source.model_copy(update={"noise": noise})})


def _perception(run_id: Any, operation: RenderFrames) -> PerceptionRequested:
    return PerceptionRequested(
        id=uuid4(), run_id=run_id, kind="question", role="spatial-agent", producer="cad-worker", operation=operation
    )
