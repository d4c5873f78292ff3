"""Evaluations: the results that `millwright eval --output` keeps, in tables and plots; two of them in pairs."""

import asyncio
from typing import Annotated

from fastapi import APIRouter, Query, Request, Response
from pydantic import BaseModel, Field

from gateway.context import Using
from gateway.http.page_paths import PAGES
from gateway.pages.page_templates import page
from gateway.pages.views.evaluation_files import read_evaluations
from gateway.pages.views.evaluation_pairs import paired_rows

router = APIRouter(include_in_schema=False)


class ComparedEvaluations(BaseModel):
    """Which two evaluations are compared; empty: none."""

    first: str = Field("", max_length=500)
    second: str = Field("", max_length=500)


@router.get(f"{PAGES}/evaluations")
async def show_evaluations(
    context: Using, request: Request, compared: Annotated[ComparedEvaluations, Query()]
) -> Response:
    """Show all evaluations of the folder in the settings, and two of them in pairs."""
    folder = context.settings.gateway_evaluations
    found = [] if folder is None else await asyncio.to_thread(read_evaluations, folder)
    runs = {each.name: each.runs for each in found if not each.problem}
    is_compared = compared.first in runs and compared.second in runs
    pairs = paired_rows(runs[compared.first], runs[compared.second]) if is_compared else None
    return page(
        request,
        "catalog/evaluations.html",
        folder=folder,
        evaluations=found,
        names=list(runs),
        compared=compared,
        pairs=pairs,
    )
