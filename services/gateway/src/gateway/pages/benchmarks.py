"""Benchmarks with drawings of their worlds, by seed."""

import asyncio
from functools import lru_cache
from typing import Annotated

from benchmarks.loader import known, load
from contracts.models.benchmark import Variant
from contracts.models.label import Label
from fastapi import APIRouter, Path, Query, Request, Response
from viewer.drawings import WorldDrawing, drawings_of

from gateway.context import Using
from gateway.http.page_paths import PAGES
from gateway.models import MAX_SEED
from gateway.pages.page_templates import page
from gateway.routers.benchmarks import load_variant

router = APIRouter(include_in_schema=False)

NEIGHBOURS = 10
"""Seeds to choose from."""


@router.get(f"{PAGES}/benchmarks")
async def show_benchmarks(request: Request) -> Response:
    """Show all benchmarks."""
    return page(request, "catalog/benchmarks.html", listed=await asyncio.to_thread(_listed))


@router.get(f"{PAGES}/benchmarks/{{name}}")
async def show_benchmark(
    context: Using,
    request: Request,
    name: Annotated[Label, Path()],
    seed: Annotated[int, Query(ge=0, le=MAX_SEED)] = 0,
) -> Response:
    """Show the world of a benchmark under a seed."""
    async with context.patience():
        loaded = await load_variant(name, seed)
    seeds = range(max(0, seed - NEIGHBOURS // 2), max(0, seed - NEIGHBOURS // 2) + NEIGHBOURS)
    values = {"variant": loaded.variant, "limits": loaded.limits, "seeds": seeds}
    return page(request, "catalog/benchmark.html", drawings=drawings_of(loaded.variant), **values)


@lru_cache(maxsize=1)
def _listed() -> list[tuple[Variant, WorldDrawing]]:
    variants = [load(name, 0).variant for name in known()]
    return [(variant, drawings_of(variant)[0]) for variant in variants]
