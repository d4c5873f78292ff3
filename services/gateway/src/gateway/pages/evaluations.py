"""Evaluations: the results that `millwright eval --output` keeps, in tables and a plot."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import NamedTuple

from contracts.confidence import wilson_interval
from fastapi import APIRouter, Request, Response
from pydantic import BaseModel, ValidationError

from gateway.context import Using
from gateway.http.page_paths import PAGES
from gateway.pages.page_templates import page

router = APIRouter(include_in_schema=False)

RESULTS = "results.jsonl"
MOST_BYTES = 16 << 20


class EvaluatedRun(BaseModel):
    """What pages show of one line of the results."""

    benchmark: str
    executor: str
    model: str
    seed: int
    run_id: str
    solved: bool
    steps: int
    cost_usd: float | None
    time_s: float
    unit_price_usd: float | None = None
    mass_kg: float | None = None


class EvaluationRow(NamedTuple):
    """One benchmark with one executor."""

    benchmark: str
    executor: str
    runs: Sequence[EvaluatedRun]
    solved: int
    interval: tuple[float, float]
    """Of the solved share, 95 %."""
    steps: float
    time_s: float
    cost_usd: float | None


class EvaluationFile(NamedTuple):
    """One folder of results."""

    name: str
    models: str
    rows: Sequence[EvaluationRow]
    problem: str


@router.get(f"{PAGES}/evaluations")
async def show_evaluations(context: Using, request: Request) -> Response:
    """Show all evaluations of the folder in the settings."""
    folder = context.settings.gateway_evaluations
    found = [] if folder is None else await asyncio.to_thread(_read_all, folder)
    return page(request, "catalog/evaluations.html", folder=folder, evaluations=found)


def _read_all(folder: Path) -> list[EvaluationFile]:
    files = sorted(folder.glob(f"**/{RESULTS}"), key=lambda file: file.stat().st_mtime, reverse=True)
    return [_read(file, str(file.parent.relative_to(folder))) for file in files[:50]]


def _read(file: Path, name: str) -> EvaluationFile:
    if file.stat().st_size > MOST_BYTES:
        return EvaluationFile(name, "", (), f"the file is larger than {MOST_BYTES} bytes")
    try:
        lines = [line for line in file.read_text("utf-8").splitlines() if line.strip()]
        runs = [EvaluatedRun.model_validate_json(line) for line in lines]
    except (OSError, UnicodeDecodeError, ValidationError) as error:
        return EvaluationFile(name, "", (), f"it cannot be read: {str(error).splitlines()[0][:200]}")
    keys = dict.fromkeys((each.benchmark, each.executor) for each in runs)
    rows = [_row([each for each in runs if (each.benchmark, each.executor) == key]) for key in keys]
    return EvaluationFile(name, ", ".join(sorted({each.model for each in runs})), rows, "")


def _row(runs: Sequence[EvaluatedRun]) -> EvaluationRow:
    solved = sum(each.solved for each in runs)
    costs = [each.cost_usd for each in runs if each.cost_usd is not None]
    return EvaluationRow(
        runs[0].benchmark,
        runs[0].executor,
        runs,
        solved,
        wilson_interval(solved, len(runs)),
        median(each.steps for each in runs),
        median(each.time_s for each in runs),
        median(costs) if len(costs) == len(runs) else None,
    )
