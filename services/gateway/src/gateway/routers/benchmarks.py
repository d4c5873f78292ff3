"""The built-in benchmarks."""

import asyncio
from functools import lru_cache
from typing import Annotated

from benchmarks.loader import BenchmarkError, LoadedBenchmark, known, load
from contracts.models.label import Label
from fastapi import APIRouter, Path, Query, Request, Response

from gateway.context import Using
from gateway.http.entity_tags import TAGGED, tagged
from gateway.http.problems import UnknownAddressError
from gateway.models import MAX_SEED, BenchmarkList, BenchmarkSummary, BenchmarkVariant
from gateway.routers.access_rules import READ

router = APIRouter(tags=["benchmarks"], dependencies=READ)


@router.get("/benchmarks", response_model=BenchmarkList, responses=TAGGED)
async def list_benchmarks(context: Using, request: Request) -> Response:
    """Return the built-in benchmarks."""
    async with context.patience():
        return tagged(request, await asyncio.to_thread(_summaries))


@router.get("/benchmarks/{name}", response_model=BenchmarkVariant, responses=TAGGED)
async def get_benchmark(
    context: Using,
    request: Request,
    name: Annotated[Label, Path(description="Name of a built-in benchmark.")],
    seed: Annotated[int, Query(ge=0, le=MAX_SEED, description="Which variant.")] = 0,
) -> Response:
    """Return a benchmark under one seed. `environment_code` is an artifact once a run has used it."""
    async with context.patience():
        loaded = await load_variant(name, seed)
    return tagged(request, BenchmarkVariant(variant=loaded.variant, limits=loaded.limits))


async def load_variant(name: str, seed: int) -> LoadedBenchmark:
    """Return a known benchmark under a seed, never a folder; raise `ProblemError`."""
    if name not in await asyncio.to_thread(known):
        raise UnknownAddressError(f"there is no benchmark {name!r}: GET /benchmarks lists all")
    try:
        return await asyncio.to_thread(load, name, seed)
    except BenchmarkError as error:
        detail = f"benchmark {name} has no variant under seed {seed}: {'; '.join(error.faults)}"
        raise UnknownAddressError(detail) from error


@lru_cache(maxsize=1)
def _summaries() -> BenchmarkList:
    """Return what the files state; they do not change while the process runs."""
    variants = {name: load(name, 0).variant for name in known()}
    return BenchmarkList(
        benchmarks=tuple(
            BenchmarkSummary(name=name, title=each.title, level=each.level, description=each.description)
            for name, each in variants.items()
        )
    )
