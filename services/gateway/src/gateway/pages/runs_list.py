"""The list of runs."""

from collections.abc import Sequence
from typing import Annotated, get_args

from benchmarks.loader import known
from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import RedirectResponse
from pydantic import BaseModel, Field
from store.runs import RunFilter, RunKind, RunOutcome, RunSummary

from gateway.context import Context, Using
from gateway.http.cursors import (
    QUESTION_CURSOR,
    RUN_CURSOR,
    question_cursor,
    read_question_cursor,
    read_run_cursor,
    run_cursor,
)
from gateway.http.page_paths import PAGES, RUNS
from gateway.pages.page_templates import page, tagged_fragment

router = APIRouter(include_in_schema=False)

LISTED = 50
OUTCOMES: tuple[RunOutcome, ...] = get_args(RunOutcome)


class RunQuery(BaseModel):
    """What the list is asked for; empty texts ask for all."""

    benchmark: str = Field("", max_length=200)
    outcome: str = Field("", max_length=20)
    model: str = Field("", max_length=200)
    after: str = Field("", pattern=rf"^$|{RUN_CURSOR}")
    kind: RunKind = "engineering"

    def filter(self) -> RunFilter:
        """Return it as the log understands it."""
        outcome: RunOutcome | None = next((each for each in OUTCOMES if each == self.outcome), None)
        return RunFilter(self.benchmark or None, outcome, self.model or None, self.kind)

    def parameters(self, after: str | None) -> dict[str, str]:
        """Return the query that asks for the same after a cursor."""
        given = {"benchmark": self.benchmark, "outcome": self.outcome, "model": self.model, "after": after or ""}
        if self.kind != "engineering":
            given["kind"] = self.kind
        return {name: value for name, value in given.items() if value}


Asked = Annotated[RunQuery, Query()]


@router.get("/")
async def show_start() -> Response:
    """Lead to the list of runs."""
    return RedirectResponse(RUNS)


@router.get(RUNS)
async def show_runs(context: Using, request: Request, query: Asked) -> Response:
    """Show the newest runs that pass the filter."""
    listed, following = await _listed(context, query)
    values = _values(query, listed, following)
    return page(request, "runs/list.html", benchmarks=known(), outcomes=OUTCOMES, **values)


@router.get(f"{PAGES}/questions")
async def show_questions(
    context: Using, request: Request, after: Annotated[str, Query(pattern=rf"^$|{QUESTION_CURSOR}")] = ""
) -> Response:
    """Show the newest questions."""
    below = read_question_cursor(after) if after else None
    async with context.deadline():
        found = await context.questions.page(None, below, LISTED)
    older = None if found.rest is None else question_cursor(found.rest)
    return page(request, "runs/questions.html", questions=found.questions, older=older)


@router.get(f"{RUNS}/table")
async def show_table(context: Using, request: Request, query: Asked) -> Response:
    """Show the table alone: the page asks for it every few seconds."""
    listed, following = await _listed(context, query)
    return tagged_fragment(request, "runs/table.html", **_values(query, listed, following))


def _values(query: RunQuery, listed: Sequence[RunSummary], following: str | None) -> dict[str, object]:
    older = None if following is None else query.parameters(following)
    return {"listed": listed, "query": query, "older": older, "same": query.parameters(query.after)}


async def _listed(context: Context, query: RunQuery) -> tuple[Sequence[RunSummary], str | None]:
    below = read_run_cursor(query.after) if query.after else None
    async with context.deadline():
        found = await context.runs.page(query.filter(), below, LISTED)
    following = None if found.rest is None else run_cursor(found.rest)
    return found.runs, following
