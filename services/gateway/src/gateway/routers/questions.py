"""Questions about images: their list, and new ones. The events of a question are those of its run."""

from http import HTTPStatus
from typing import Annotated

from contracts.events.question import QuestionAnswered, QuestionAsked, QuestionFailed
from contracts.models.questions.question import QuestionLimits
from fastapi import APIRouter, Form, Query, Request, Response
from questions.media.images import SamplingOptions
from questions.media.media_job import MediaRequest
from run_requests.question import AnswerOptions, answer_spec, question_request, store_question
from store.questions import QuestionOutcome

from gateway.context import CalledBy, RunId, Using
from gateway.http.cursors import QUESTION_CURSOR, question_cursor, read_question_cursor
from gateway.http.entity_tags import TAGGED, tagged
from gateway.http.problems import ProblemError, UnknownAddressError
from gateway.models import QuestionDetail, QuestionForm, QuestionPageAnswer, RunAccepted
from gateway.routers.access_rules import READ, RUN
from gateway.routers.descriptions import UPLOAD_RESPONSES, accepted_with_links, files_of
from gateway.routers.run_requests import PRODUCER, IdempotencyKey, accepted, known_model, requested_id

router = APIRouter(tags=["questions"])

IMAGE_TYPES = "image/png, image/jpeg, image/webp, image/bmp, image/gif"
VIDEO_TYPES = "video/mp4, video/webm, video/quicktime, video/x-matroska"


@router.get("/questions", response_model=QuestionPageAnswer, responses=TAGGED, dependencies=READ)
async def list_questions(
    context: Using,
    request: Request,
    outcome: Annotated[QuestionOutcome | None, Query(description="Only questions with this outcome.")] = None,
    after: Annotated[str | None, Query(pattern=QUESTION_CURSOR, description="`next` of the page before.")] = None,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
) -> Response:
    """Return questions, newest first."""
    below = None if after is None else read_question_cursor(after)
    async with context.deadline():
        page = await context.questions.page(outcome, below, limit)
    following = None if page.rest is None else question_cursor(page.rest)
    return tagged(request, QuestionPageAnswer(questions=tuple(page.questions), next=following))


@router.get("/questions/{run_id}", response_model=QuestionDetail, responses=TAGGED, dependencies=READ)
async def get_question(context: Using, request: Request, run_id: RunId) -> Response:
    """Return one question, with its answer once there is one."""
    async with context.deadline():
        asked = await context.opening_of(run_id)
        if not isinstance(asked, QuestionAsked):
            raise UnknownAddressError(f"run {run_id} is not a question: GET /questions lists all")
        end = await context.end_of(run_id)
    return tagged(
        request, QuestionDetail(asked=asked, end=end if isinstance(end, QuestionAnswered | QuestionFailed) else None)
    )


@router.post(
    "/questions",
    status_code=202,
    dependencies=RUN,
    responses=UPLOAD_RESPONSES | accepted_with_links("get_question"),
    openapi_extra=files_of(images=IMAGE_TYPES, video=VIDEO_TYPES),
)
async def ask_question(
    context: Using,
    caller: CalledBy,
    response: Response,
    form: Annotated[QuestionForm, Form(media_type="multipart/form-data")],
    idempotency_key: IdempotencyKey = None,
) -> RunAccepted:
    """Ask a question about images or a video. It is a run of its own."""
    model = known_model(form.model or context.settings.millwright_model)
    media = await context.media.read(await _media_of(form))
    spec = answer_spec(tuple(form.choice or ()), form.expect, form.unit)
    limits = QuestionLimits(max_steps=form.max_steps, deadline_s=form.deadline_s, max_tokens=form.max_tokens)
    options = AnswerOptions(model, form.executor, form.plan, (), limits)
    async with context.patience():
        question = await store_question(form.text, spec, media, context.artifacts)
        request = question_request(question, options, PRODUCER, requested_id(caller, idempotency_key, "question"))
        await context.bus.publish(request)
    return accepted(request.run_id, response, "questions")


async def _media_of(form: QuestionForm) -> MediaRequest:
    """Return what is to be read; raise `ProblemError`."""
    images = form.images or []
    if bool(images) == (form.video is not None):
        raise ProblemError(HTTPStatus.UNPROCESSABLE_ENTITY, "give either images or a video", "Invalid request")
    contents = tuple([await each.read() for each in (images if form.video is None else [form.video])])
    options = SamplingOptions(max_frames=form.max_frames, frame_choice=form.frame_choice, question=form.text)
    return MediaRequest(kind="images" if form.video is None else "video", files=contents, options=options)
