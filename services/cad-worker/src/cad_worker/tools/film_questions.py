"""Questions of a critic about the film of the design under review: each is a run of its own."""

from collections.abc import Awaitable, Callable, Sequence
from uuid import uuid5

from artifacts.port import ArtifactStore
from contracts.envelope import Event, during, opening
from contracts.events.design import DesignSimulated
from contracts.events.question import QuestionAnswered, QuestionAsked, QuestionFailed
from contracts.events.session import CellRequested
from contracts.events.simulation import FilmCompleted, FilmFailed, FilmRequested
from contracts.models.questions.frames import FrameRef
from contracts.models.questions.question import FrameMetadata, QuestionLimits, SpatialQuestion
from contracts.models.simulation import KeyFrame, Media
from kernel.api.reviews.film_questions import MAX_QUESTIONS
from kernel_host.sessions.images import clean_image
from kernel_host.tools.cell_tools import Ask

from cad_worker.session_protocol import FilmQuestionAnswer, FilmQuestionCall, ReviewOrder

ReadLog = Callable[[], Awaitable[Sequence[Event]]]
"""Returns the events of the run."""
LIMITS = QuestionLimits(max_steps=12, deadline_s=300.0, max_tokens=200_000)
ABANDONED = "it was given up; measure the simulation instead"


class FilmQuestions:
    """Asks about the film of one design."""

    def __init__(self, artifacts: ArtifactStore, ask: Ask, read_log: ReadLog) -> None:
        self._artifacts, self._ask, self._read_log = artifacts, ask, read_log
        self._asked = 0

    async def answer(
        self, call: FilmQuestionCall, review: ReviewOrder, cell: CellRequested, ordinal: int
    ) -> FilmQuestionAnswer:
        """Have the design filmed, ask about the key frames, and return the answer."""
        if self._asked >= MAX_QUESTIONS:
            return FilmQuestionAnswer(problem=f"{MAX_QUESTIONS} questions are enough; judge by their answers")
        self._asked += 1
        film = FilmRequested(
            **during(cell, f"film {ordinal}", "cad-worker"),
            scene=review.scene_ref,
            trajectory_digest=review.result.trajectory_digest,
            window_s=call.window_s,
        )
        match await self._ask(film):
            case FilmCompleted(media=media) if media.key_frames:
                return await self._answered(await self._opening(cell, await self._question(call, media)))
            case FilmCompleted():
                return FilmQuestionAnswer(problem="its film has no key frames")
            case FilmFailed(reason=reason, detail=detail):
                return FilmQuestionAnswer(problem=f"the simulation could not be filmed ({reason}): {detail}")
            case _:
                return FilmQuestionAnswer(problem=ABANDONED)

    async def _answered(self, asked: QuestionAsked) -> FilmQuestionAnswer:
        match await self._ask(asked):
            case QuestionAnswered(answer=answer, ending=ending):
                return FilmQuestionAnswer(answer=answer, ending=ending, run_id=asked.run_id)
            case QuestionFailed(reason=reason, detail=detail):
                return FilmQuestionAnswer(problem=f"it has no answer ({reason}): {detail}")
            case _:
                return FilmQuestionAnswer(problem=ABANDONED)

    async def _question(self, call: FilmQuestionCall, media: Media) -> SpatialQuestion:
        moments = list({each.time_s: each for each in media.key_frames}.values())
        frames = [await self._frame(number, each) for number, each in enumerate(moments)]
        notes = "\n".join(f"image {number}, {each.time_s:.2f} s: {each.caption}" for number, each in enumerate(moments))
        metadata = FrameMetadata(total_frames=len(frames), notes=notes)
        return SpatialQuestion(text=call.question, answer=call.answer, frames=tuple(frames), metadata=metadata)

    async def _frame(self, number: int, moment: KeyFrame) -> FrameRef:
        image = clean_image(await self._artifacts.get(moment.picture))
        picture = await self._artifacts.put(image.png, "image/png")
        return FrameRef(
            picture=picture,
            frame_index=number,
            time_s=moment.time_s,
            width_px=image.width_px,
            height_px=image.height_px,
        )

    async def _opening(self, cell: CellRequested, question: SpatialQuestion) -> QuestionAsked:
        """Return the opening of the question's run: the same for the same question of the same cell."""
        designs = [each for each in await self._read_log() if isinstance(each, DesignSimulated)]
        run_id = uuid5(cell.id, f"question {question.model_dump_json()}")
        return QuestionAsked(
            **opening(run_id, "question", "spatial-agent", "cad-worker", cell.id),
            question=question,
            model=designs[-1].model,
            is_planned=False,
            limits=LIMITS,
        )
