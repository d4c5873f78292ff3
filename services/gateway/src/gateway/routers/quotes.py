"""Quotes of files of parts: a new one, and what came of it."""

from typing import Annotated

from contracts.envelope import opening
from contracts.events.quote import QuoteCompleted, QuoteRequested
from contracts.quotes import FileQuote
from fastapi import APIRouter, Form, Request, Response

from gateway.context import CalledBy, Context, RunId, Using
from gateway.http.entity_tags import TAGGED, tagged
from gateway.http.problems import UnknownAddressError
from gateway.models import QuoteDetail, QuoteForm, RunAccepted
from gateway.routers.access_rules import READ, RUN
from gateway.routers.descriptions import UPLOAD_RESPONSES, accepted_with_links, files_of
from gateway.routers.run_requests import PRODUCER, IdempotencyKey, accepted, requested_id

router = APIRouter(tags=["quotes"])

FILE_TYPES = "*/*"
PART_TYPE = "application/octet-stream"


@router.post(
    "/quotes",
    status_code=202,
    dependencies=RUN,
    responses=UPLOAD_RESPONSES | accepted_with_links("get_quote"),
    openapi_extra=files_of(file=FILE_TYPES),
)
async def request_quote(
    context: Using,
    caller: CalledBy,
    response: Response,
    form: Annotated[QuoteForm, Form(media_type="multipart/form-data")],
    idempotency_key: IdempotencyKey = None,
) -> RunAccepted:
    """Have the parts of a file quoted: STEP, STL, 3MF, OBJ, or a build123d script, which is run in a sandbox."""
    data = await form.file.read()
    run_id = requested_id(caller, idempotency_key, "quote")
    async with context.patience():
        request = QuoteRequested(
            **opening(run_id, "operations", "engineer", PRODUCER),
            name=form.file_name(),
            file=await context.artifacts.put(data, PART_TYPE),
            choice=form.choice(),
        )
        await context.bus.publish(request)
    return accepted(run_id, response, "quotes")


@router.get("/quotes/{run_id}", response_model=QuoteDetail, responses=TAGGED, dependencies=READ)
async def get_quote(context: Using, request: Request, run_id: RunId) -> Response:
    """Return what was asked, and the answer once there is one."""
    async with context.deadline():
        requested, completed = await events_of_quote(context, run_id)
        quote = (
            None if completed is None else FileQuote.model_validate_json(await context.artifacts.get(completed.quote))
        )
    return tagged(request, QuoteDetail(requested=requested, quote=quote))


async def events_of_quote(context: Context, run_id: RunId) -> tuple[QuoteRequested, QuoteCompleted | None]:
    """Return the request of a quote, and its end once it is recorded; raise `UnknownAddressError`."""
    requested = await context.opening_of(run_id)
    if not isinstance(requested, QuoteRequested):
        raise UnknownAddressError(f"run {run_id} is not a quote")
    end = await context.end_of(run_id)
    return requested, end if isinstance(end, QuoteCompleted) else None
