"""One run: its timeline beside the replay of its simulations."""

from collections.abc import Sequence
from typing import Annotated, TypedDict
from uuid import UUID

from contracts.envelope import Event
from fastapi import APIRouter, Query, Request, Response
from pydantic import BaseModel, Field
from run_report.account import RunAccount
from store.log import LogPosition, PlacedEvent
from store.runs import RunSummary

from gateway.context import CalledBy, Context, RunId, Using
from gateway.http.cursors import EVENT_CURSOR, event_cursor, read_event_cursor
from gateway.http.page_paths import RUNS
from gateway.http.problems import UnknownAddressError
from gateway.live.frames import EventFrame
from gateway.pages.page_templates import fragment, page, tagged_fragment
from gateway.pages.views.event_blocks import blocks_of, section_blocks
from gateway.pages.views.simulations import SIMULATION_CURSOR, TYPES, ShownSimulation, shown_simulations
from gateway.pages.views.timeline import CHUNK, GROUPS, TimelineChunk, chunks_of, contains, row_of, types_of
from gateway.routers.events import open_stream
from gateway.run_files import RunFiles

router = APIRouter(prefix=f"{RUNS}/{{run_id}}", include_in_schema=False)

MOST_SIMULATIONS = 500
SEARCH_PAGE, MOST_SEARCHED, MOST_FOUND = 1000, 20_000, 500
"""Events that are searched at once, those of a run that are searched at all, and rows that are shown."""


class Shown(BaseModel):
    """Which groups of events are shown; none of all: all."""

    show: list[str] = Field([], max_length=20)

    @property
    def types(self) -> tuple[str, ...]:
        """Classes of events; none: all."""
        return types_of(self.show)


class After(Shown):
    """Where a part of the timeline begins: after this event, or at the first one."""

    after: str = Field("", pattern=rf"^$|{EVENT_CURSOR}")

    @property
    def position(self) -> LogPosition | None:
        """The same as a position."""
        return read_event_cursor(self.after) if self.after else None


class PageState(Shown):
    """What an address of the page restores."""

    event: str = Field("", pattern=rf"^$|{EVENT_CURSOR}")
    simulation: str = Field("", pattern=rf"^$|{SIMULATION_CURSOR}")
    time: float = Field(0.0, ge=0.0, le=1e6)
    part: str = Field("", max_length=200)
    q: str = Field("", max_length=200)
    """What the rows must contain."""


@router.get("")
async def show_run(context: Using, request: Request, run_id: RunId, state: Annotated[PageState, Query()]) -> Response:
    """Show the run in a state: the selected event, the simulation and its time."""
    async with context.deadline():
        values = await _summary_values(context, run_id)
        is_open = values["account"].is_open
        marks = await context.log.marks_of(run_id, CHUNK, state.types)
        selected = await _event_at(context, run_id, state.event) if state.event else None
        row = await context.log.count_until(run_id, read_event_cursor(state.event), state.types) if selected else 0
        chunks = chunks_of(marks, row or (marks.count if is_open else 1))
        if state.q.strip():
            rows = await _found(context, run_id, state)
            chunks = [TimelineChunk("", 1, len(rows), is_open=True)]
        else:
            first = next(each for each in chunks if each.is_open)
            after = read_event_cursor(first.after) if first.after else None
            rows = await context.log.page_of(run_id, after, first.count, state.types)  # what was counted
        replayed = await simulations_in(context, run_id)
    return page(
        request,
        "run/page.html",
        chunks=chunks,
        rows=_rows(rows),
        last="" if marks.last is None else event_cursor(marks.last),
        state=state,
        groups=GROUPS,
        selected=selected,
        blocks=[] if selected is None else blocks_of(selected),
        simulations=replayed,
        sections=section_blocks(values["account"].sections),
        is_open=is_open and not state.q.strip(),
        **values,
    )


@router.get("/summary")
async def show_summary(context: Using, request: Request, run_id: RunId) -> Response:
    """Show what is known of the run as a whole."""
    async with context.deadline():
        values = await _summary_values(context, run_id)
    return tagged_fragment(request, "run/summary.html", **values)


@router.get("/files")
async def show_files(context: Using, request: Request, run_id: RunId) -> Response:
    """Show what can be downloaded."""
    async with context.deadline():
        found = await RunFiles.of(context, run_id)
    return tagged_fragment(request, "run/files.html", files=found, run_id=run_id)


@router.get("/rows")
async def show_rows(context: Using, request: Request, run_id: RunId, part: Annotated[After, Query()]) -> Response:
    """Show the rows of one part of the timeline."""
    async with context.deadline():
        rows = await context.log.page_of(run_id, part.position, CHUNK, part.types)
    return tagged_fragment(request, "run/rows.html", rows=_rows(rows), state=None)


@router.get("/simulations")
async def show_simulations(context: Using, request: Request, run_id: RunId) -> Response:
    """Show which simulations can be replayed."""
    async with context.deadline():
        replayed = await simulations_in(context, run_id)
    return tagged_fragment(request, "run/simulations.html", simulations=replayed)


@router.get("/events/{cursor}")
async def show_event(context: Using, request: Request, run_id: RunId, cursor: str) -> Response:
    """Show one event."""
    async with context.deadline():
        event = await _event_at(context, run_id, cursor)
    return tagged_fragment(request, "run/event.html", selected=event, blocks=blocks_of(event), run_id=run_id)


@router.get("/live")
async def follow_rows(context: Using, caller: CalledBy, run_id: RunId, part: Annotated[After, Query()]) -> Response:
    """Send rows as events come, as the API sends events."""
    types = part.types

    def as_row(frame: EventFrame) -> bytes:
        if types and frame.event.type not in types:
            return b""
        row = fragment("run/rows.html", rows=[row_of(frame.position, frame.event)], state=None)
        lines = "".join(f"data: {line}\n" for line in row.splitlines() if line)
        return f"id: {event_cursor(frame.position)}\nevent: row\n{lines}\n".encode()

    async with context.deadline():
        account = await context.account_of(run_id)
        return await open_stream(context, caller, run_id, part.position, as_row, is_open=account.is_open)


async def _found(context: Context, run_id: UUID, state: PageState) -> list[PlacedEvent]:
    """Return the first events that contain what is searched, in their row or in their texts."""
    found: list[PlacedEvent] = []
    after: LogPosition | None = None
    for _ in range(MOST_SEARCHED // SEARCH_PAGE):
        events = await context.log.page_of(run_id, after, SEARCH_PAGE, state.types)
        found += [each for each in events if contains(each.event, state.q)]
        if len(events) < SEARCH_PAGE or len(found) >= MOST_FOUND:
            break
        after = events[-1].position
    return found[:MOST_FOUND]


def _rows(events: Sequence[PlacedEvent]) -> list[object]:
    return [row_of(position, event) for position, event in events]


class SummaryValues(TypedDict):
    """What the summary of a run shows."""

    account: RunAccount
    run: RunSummary | None
    """None: it is not one of engineering."""
    run_id: UUID


async def _summary_values(context: Context, run_id: UUID) -> SummaryValues:
    account = await context.account_of(run_id)
    is_engineering = account.events[0].kind == "engineering"
    run = (await context.record_of(run_id)).summary if is_engineering else None
    return {"account": account, "run": run, "run_id": run_id}


async def simulations_in(context: Context, run_id: UUID) -> list[ShownSimulation]:
    """Return what of a run can be seen in 3D."""
    return shown_simulations(await context.log.page_of(run_id, None, MOST_SIMULATIONS, TYPES))


async def _event_at(context: Context, run_id: UUID, cursor: str) -> Event:
    """Return an event with its long texts cut, from the log or, a moment after its publication, from the stream."""
    position = read_event_cursor(cursor)
    event = await context.log.at(run_id, position)
    if event is None:
        streamed = await context.messages.after(run_id, position.sequence - 1)
        if streamed is None or streamed.event.id != position.id:
            raise UnknownAddressError(f"run {run_id} has no such event: open the run without it")
        event = streamed.event
    return event
