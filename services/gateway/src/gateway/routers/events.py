"""The events of a run: recorded ones in pages, and all as they come."""

from functools import partial
from http import HTTPStatus
from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Header, Query, Request, Response
from store.log import LogPosition

from gateway.context import CalledBy, Context, RunId, Using
from gateway.http.access import Caller
from gateway.http.cursors import EVENT_CURSOR, event_cursor, read_event_cursor
from gateway.http.entity_tags import TAGGED, tagged
from gateway.live.frames import FrameForm, json_form
from gateway.live.response import EventStream
from gateway.models import EventName, EventPage, LoggedEvent
from gateway.routers.access_rules import READ

router = APIRouter(tags=["events"], dependencies=READ)


@router.get("/runs/{run_id}/events", response_model=EventPage, responses=TAGGED)
async def list_events(  # noqa: PLR0913, PLR0917 - the parameters of the query
    context: Using,
    request: Request,
    run_id: RunId,
    after: Annotated[str | None, Query(pattern=EVENT_CURSOR, description="Cursor of an event.")] = None,
    types: Annotated[list[EventName], Query(alias="type", max_length=100, description="Only these classes.")] = [],  # noqa: B006 - FastAPI copies it
    limit: Annotated[int, Query(ge=1, le=200)] = 100,
) -> Response:
    """Return recorded events of a run in the order of the log; those of the last moment may follow later."""
    position = None if after is None else read_event_cursor(after)
    async with context.deadline():
        found = await context.log.page_of(run_id, position, limit, types)
        if not found:
            await context.opening_of(run_id)
    events = tuple(LoggedEvent(cursor=event_cursor(each.position), event=each.event) for each in found)
    return tagged(request, EventPage(events=events, next=events[-1].cursor if len(events) == limit else None))


@router.get(
    "/runs/{run_id}/events/live",
    response_class=Response,
    status_code=200,
    responses={
        200: {"description": "Server-sent events, until the run's end.", "content": {"text/event-stream": {}}},
        204: {"description": "The run has ended, and nothing follows `Last-Event-ID`: do not connect again."},
    },
)
async def follow_events(
    context: Using,
    caller: CalledBy,
    run_id: RunId,
    last_event_id: Annotated[str | None, Header(pattern=EVENT_CURSOR, description="Resume after this event.")] = None,
) -> Response:
    """Send the events of a run from its first one on, as they come, until some seconds after its end."""
    after = None if last_event_id is None else read_event_cursor(last_event_id)
    async with context.deadline():
        await context.opening_of(run_id)
        is_open = await context.end_of(run_id) is None
        if not is_open and after is not None and await _is_all_known(context, run_id, after):
            return Response(status_code=HTTPStatus.NO_CONTENT)
        return await open_stream(context, caller, run_id, after, is_open=is_open)


async def open_stream(  # noqa: PLR0913 - what a stream is made of
    context: Context,
    caller: Caller,
    run_id: UUID,
    after: LogPosition | None,
    form: FrameForm = json_form,
    *,
    is_open: bool,
) -> EventStream:
    """Return the stream of a run's events after a position, each in a form; `is_open`: its end is not recorded."""
    has_ended = is_open and await context.bus.has_ended(run_id)
    streams = context.streams
    streams.reserve(caller.name)
    frames = (
        streams.live(run_id, after, form, has_ended=has_ended) if is_open else streams.recorded(run_id, after, form)
    )
    return EventStream(
        frames, context.settings.gateway_write_timeout_s, streams.closing, partial(streams.release, caller.name)
    )


async def _is_all_known(context: Using, run_id: RunId, after: LogPosition) -> bool:
    return not await context.log.page_of(run_id, after, 1)
