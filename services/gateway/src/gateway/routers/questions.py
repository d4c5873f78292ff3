"""Questions about images: their list. Their events are those of their run."""

from typing import Annotated

from fastapi import APIRouter, Query, Request, Response
from store.questions import QuestionOutcome

from gateway.context import Using
from gateway.http.cursors import QUESTION_CURSOR, question_cursor, read_question_cursor
from gateway.http.entity_tags import TAGGED, tagged
from gateway.models import QuestionPageAnswer
from gateway.routers.access_rules import READ

router = APIRouter(tags=["questions"], dependencies=READ)


@router.get("/questions", response_model=QuestionPageAnswer, responses=TAGGED)
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
