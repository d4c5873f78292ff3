"""Runs: their list, and each with its request and its end."""

from typing import Annotated

from contracts.models.label import Label
from fastapi import APIRouter, Query, Request, Response
from store.runs import RunFilter, RunKind, RunOutcome

from gateway.context import RunId, Using
from gateway.http.cursors import RUN_CURSOR, read_run_cursor, run_cursor
from gateway.http.entity_tags import TAGGED, tagged
from gateway.models import ModelName, RunDetail, RunPageAnswer
from gateway.routers.access_rules import READ

router = APIRouter(tags=["runs"], dependencies=READ)

Cursor = Annotated[str | None, Query(pattern=RUN_CURSOR, description="`next` of the page before.")]


@router.get("/runs", response_model=RunPageAnswer, responses=TAGGED)
async def list_runs(  # noqa: PLR0913, PLR0917 - the parameters of the query
    context: Using,
    request: Request,
    benchmark: Annotated[Label | None, Query(description="Only its runs.")] = None,
    outcome: Annotated[RunOutcome | None, Query(description="Only runs with this outcome.")] = None,
    model: Annotated[ModelName | None, Query(description="Only runs of this model.")] = None,
    kind: Annotated[RunKind, Query(description="`benchmark`: runs that generate one.")] = "engineering",
    after: Cursor = None,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
) -> Response:
    """Return runs, newest first."""
    below = None if after is None else read_run_cursor(after)
    async with context.deadline():
        page = await context.runs.page(RunFilter(benchmark, outcome, model, kind), below, limit)
    following = None if page.rest is None else run_cursor(page.rest)
    return tagged(request, RunPageAnswer(runs=tuple(page.runs), next=following))


@router.get("/runs/{run_id}", response_model=RunDetail, responses=TAGGED)
async def get_run(context: Using, request: Request, run_id: RunId) -> Response:
    """Return one run."""
    async with context.deadline():
        record = await context.record_of(run_id)
    return tagged(
        request,
        RunDetail(
            summary=record.summary,
            assignment=record.request.assignment,
            budget=record.request.budget,
            end=record.end,
        ),
    )
