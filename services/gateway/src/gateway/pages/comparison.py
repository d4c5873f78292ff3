"""Two runs side by side: two attempts, or two different ones."""

from dataclasses import dataclass
from http import HTTPStatus
from typing import Annotated
from uuid import UUID

from contracts.events.run import RunSucceeded
from fastapi import APIRouter, Query, Request, Response
from store.runs import RunRecord

from gateway.context import Context, Using
from gateway.http.page_paths import PAGES
from gateway.http.problems import ProblemError
from gateway.pages.page_templates import page
from gateway.pages.run_page import simulations_in
from gateway.pages.views.blocks import Block, bill_blocks, load_blocks
from gateway.pages.views.simulations import ShownSimulation

router = APIRouter(include_in_schema=False)

PAIR = 2


@dataclass(frozen=True)
class ComparedRun:
    """One side of a comparison."""

    record: RunRecord
    blocks: list[Block]
    simulations: list[ShownSimulation]
    """The first of them is shown at first."""


@router.get(f"{PAGES}/compare")
async def compare(context: Using, request: Request, run: Annotated[list[str], Query(max_length=PAIR)]) -> Response:
    """Show two runs side by side."""
    if len(run) != PAIR:
        raise ProblemError(HTTPStatus.BAD_REQUEST, f"mark two runs in the list, not {len(run)}", "Two runs are needed")
    async with context.deadline():
        sides = [await _side(context, await context.run_named(each)) for each in run]
    return page(request, "run/comparison.html", sides=sides)


async def _side(context: Context, run_id: UUID) -> ComparedRun:
    record = await context.record_of(run_id)
    simulations = await simulations_in(context, run_id)
    end = record.end
    blocks = [*bill_blocks(end.bill), *load_blocks(end.result)] if isinstance(end, RunSucceeded) else []
    return ComparedRun(record, blocks, simulations)
