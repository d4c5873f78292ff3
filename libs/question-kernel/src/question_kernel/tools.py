"""The tools of a question's kernel on the host's side: perception, the vision model, and answers."""

from artifacts.port import ArtifactStore
from contracts.envelope import during
from contracts.events.perception import (
    KernelOperation,
    PerceptionCompleted,
    PerceptionFailed,
    PerceptionRequested,
    Reconstructed,
    Segmented,
    SegmentImage,
    SegmentVideo,
    Tracked,
)
from contracts.events.question import LookCompleted, LookFailed, LookRequested, QuestionSessionRequested
from contracts.events.session import CellRequested
from contracts.models.conversation import Picture
from contracts.models.questions.answers import AnswerRefused, ValidAnswer, check_answer
from kernel_host.producer import PRODUCER
from kernel_host.protocol import KernelCall, RecallCall, RejectedCall
from kernel_host.sessions.images import InvalidImageError, clean_image, clean_label
from kernel_host.tools.cell_tools import Ask, CellTools
from pydantic import BaseModel
from spatial.errors import PerceptionRefusedError
from spatial.sources import by_digest, with_sources

from question_kernel.protocol import (
    AcceptAnswer,
    AcceptCall,
    LookAnswer,
    LookCall,
    PerceptionAnswer,
    PerceptionCall,
)


class QuestionTools(CellTools):
    """Answers the tool calls of a question's cells."""

    def __init__(self, artifacts: ArtifactStore, ask: Ask, request: QuestionSessionRequested) -> None:
        super().__init__(artifacts)
        self._artifacts = artifacts
        self._ask = ask
        self._request = request
        self._frames = by_digest(request.frames)
        self._accepted: ValidAnswer | None = None

    @property
    def accepted(self) -> ValidAnswer | None:
        """The last answer of this cell that the specification accepts."""
        return self._accepted

    def begin_cell(self, cell: CellRequested) -> None:
        """Forget the answer of the last cell."""
        super().begin_cell(cell)
        self._accepted = None

    async def answer(self, call: KernelCall, cell: CellRequested, ordinal: int) -> BaseModel:
        """Answer the `ordinal`-th tool call of `cell`."""
        match call:
            case PerceptionCall():
                return await self._perceive(call.operation, cell, ordinal)
            case LookCall():
                return await self._look(call, cell, ordinal)
            case AcceptCall():
                return self._accept(call)
            case RecallCall():
                return self.images.recall(call.picture)
            case _:
                return RejectedCall(problem="the kernel of a question builds and simulates nothing")

    def _accept(self, call: AcceptCall) -> AcceptAnswer:
        """Check an answer once more: the kernel may be wrong about it."""
        checked = check_answer(self._request.answer, call.value)
        if isinstance(checked, AnswerRefused):
            return AcceptAnswer(problem=checked.reason)
        self._accepted = checked
        return AcceptAnswer()

    async def _perceive(self, operation: KernelOperation, cell: CellRequested, ordinal: int) -> PerceptionAnswer:
        off, segments = self._request.tools_off, isinstance(operation, SegmentImage | SegmentVideo)
        if "perception" in off or ("segmentation" in off and segments):
            return PerceptionAnswer(reason="invalid_prompt", problem="perception is switched off for this question")
        try:
            known = with_sources(operation, self._frames)
        except PerceptionRefusedError as error:
            return PerceptionAnswer(reason=error.reason, problem=str(error))
        request = PerceptionRequested(**during(cell, f"perceive {ordinal}", PRODUCER), operation=known)
        match await self._ask(request):
            case PerceptionCompleted(result=Reconstructed() | Segmented() | Tracked() as result):
                return PerceptionAnswer(result=result)
            case PerceptionFailed(reason=reason, detail=detail, retry_after_s=retry_after_s):
                later = "" if retry_after_s is None else f"; try again in {retry_after_s} s"
                return PerceptionAnswer(reason=reason, problem=f"{reason.replace('_', ' ')}: {detail}{later}")
            case _:
                return PerceptionAnswer(
                    reason="backend_unavailable", problem="perception gave this request up; try again"
                )

    async def _look(self, call: LookCall, cell: CellRequested, ordinal: int) -> LookAnswer:
        if "vlm" in self._request.tools_off:
            return LookAnswer(problem="vlm is switched off for this question: measure with tools.* and numpy")
        try:
            pictures = [
                await self._stored(each.png, each.label or f"image {n}") for n, each in enumerate(call.pictures, 1)
            ]
        except InvalidImageError as error:
            return LookAnswer(problem=f"a picture cannot be shown to the vision model: {error}")
        request = LookRequested(
            **during(cell, f"look {ordinal}", PRODUCER), task=call.task, text=call.text, images=tuple(pictures)
        )
        match await self._ask(request):
            case LookCompleted(text=text):
                return LookAnswer(text=text)
            case LookFailed(detail=detail):
                return LookAnswer(problem=detail)
            case _:
                return LookAnswer(problem="the vision model's request was given up; try again, or measure instead")

    async def _stored(self, png: bytes, label: str) -> Picture:
        image = clean_image(png)
        artifact = await self._artifacts.put(image.png, "image/png")
        return Picture(
            caption=clean_label(label), artifact=artifact, width_px=image.width_px, height_px=image.height_px
        )
