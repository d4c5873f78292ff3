"""A spatial-agent with a scripted model on a bus in memory, a question, and the outcomes of its requests."""

import io
from typing import Any
from uuid import uuid4

from agent.model.role_model import Vision
from artifacts.port import reference
from artifacts.testing import FakeArtifacts
from chassis.testing import FakeBus
from contracts.envelope import Event, answering, opening
from contracts.events.question import QuestionAsked, QuestionSessionRequested
from contracts.events.session import CellCompleted, CellRequested, SessionOpened
from contracts.models.observation import CellError, Observation
from contracts.models.questions.answers import AnswerSpec, IntegerSpec, ValidAnswer
from contracts.models.questions.frames import FrameRef
from contracts.models.questions.question import FrameMetadata, QuestionLimits, SpatialQuestion
from PIL import Image
from spatial_agent.policy import SpatialAgent

from tests.agent.role_harness import RoleHarness, Script

SIZE = (64, 48)


def picture(shade: int) -> bytes:
    """Return a PNG of one shade of gray."""
    file = io.BytesIO()
    Image.new("RGB", SIZE, (shade, shade, shade)).save(file, "PNG")
    return file.getvalue()


def frame(index: int, shade: int = 0, **fields: Any) -> FrameRef:
    """Return a frame of one shade."""
    return FrameRef(
        picture=reference(picture(shade), "image/png"),
        frame_index=index,
        width_px=SIZE[0],
        height_px=SIZE[1],
        **fields,
    )


SHADES = (10, 200, 90)
FRAMES = tuple(frame(10 * number, shade, time_s=float(number)) for number, shade in enumerate(SHADES))


def question_asked(
    spec: AnswerSpec | None = None,
    text: str = "Which frame is the brightest?",
    frames: tuple[FrameRef, ...] = FRAMES,
    **fields: Any,
) -> QuestionAsked:
    """Return the opening of a fresh run."""
    run_id = uuid4()
    question = SpatialQuestion(
        text=text,
        answer=spec or IntegerSpec(kind="integer", minimum=0),
        frames=frames,
        metadata=FrameMetadata(is_video=True, fps=10.0, total_frames=21),
    )
    given: dict[str, Any] = {"model": "scripted", "is_planned": False, "limits": QuestionLimits(), **fields}
    return QuestionAsked(**opening(run_id, "question", "spatial-agent", "cli"), question=question, **given)


class KnownModels:
    """Models of which everything is known."""

    def __init__(self, problem: str | None = None, images: int = 8) -> None:
        self._problem, self._images = problem, images

    def problem(self, model: str, *, priced: bool = False) -> str | None:
        return self._problem

    def max_images(self, model: str) -> int:
        return self._images

    def resolve_name(self, model: str) -> str:
        return model


class QuestionHarness(RoleHarness):
    """The role with a script, and the outcomes of its requests."""

    def __init__(
        self,
        *script: Any,
        models: KnownModels | None = None,
        bus: FakeBus | None = None,
        has_server: bool = True,
    ) -> None:
        async def is_served() -> bool:
            return has_server

        lines: Script = script
        self.artifacts = FakeArtifacts()
        vision = Vision(self.artifacts, takes_images=True)
        super().__init__(SpatialAgent(models or KnownModels(), is_served), lines, bus, vision=vision)

    async def ask(self, asked: QuestionAsked) -> list[Event]:
        """Ask, open the kernel if one is requested, and return the first decision after that."""
        for shade in SHADES:
            await self.artifacts.put(picture(shade), "image/png")
        decided = await self.consume(asked)
        if isinstance(decided[0], QuestionSessionRequested):
            return await self.open_session(decided[0])
        return decided

    async def open_session(self, request: Event) -> list[Event]:
        """Open the requested kernel."""
        assert isinstance(request, QuestionSessionRequested)
        return await self.consume(SessionOpened(**answering(request, "cad-worker"), ready_s=0.1, files=()))

    async def complete(
        self, request: Event, output: str = "", answer: ValidAnswer | None = None, error: str = ""
    ) -> list[Event]:
        """Complete a cell and return the role's decisions."""
        assert isinstance(request, CellRequested)
        problem = CellError(type="ValueError", message=error, line=1) if error else None
        seen = Observation(status="error" if error else "ok", output=output, output_chars=len(output), error=problem)
        return await self.consume(CellCompleted(**answering(request, "cad-worker"), observation=seen, answer=answer))
