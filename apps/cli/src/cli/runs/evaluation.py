"""Evaluation: many runs on one stack, and their results by benchmark and executor."""

import asyncio
import io
import time
from collections.abc import AsyncGenerator, Sequence
from dataclasses import replace
from itertools import product
from statistics import median
from typing import Self
from uuid import UUID

from agent.model.prices import spent_by_role, total_of
from benchmarks.loader import CODE_TYPE, load
from contracts.confidence import wilson_interval
from contracts.events.conversation import ModelCalled
from contracts.events.run import EngineeringRequested, RunFailed, RunSucceeded
from contracts.model import Model
from contracts.models.benchmark import Executor
from contracts.models.conversation import Usage
from local_stack.stack import Stack, run_or_fail
from pydantic import NonNegativeFloat, NonNegativeInt, PositiveInt
from rich.console import Console
from run_requests.request import RunOptions, engineering_request

from cli.runs.execution import execute_run


class TrialResult(Model):
    """The result of one run."""

    benchmark: str
    seed: NonNegativeInt
    executor: Executor
    model: str
    run_id: UUID
    solved: bool
    reason: str = ""
    """Why it failed."""
    steps: NonNegativeInt
    """The engineer's model calls that acted; not those for summaries or the journal."""
    model_calls: NonNegativeInt
    """Model calls of all roles."""
    input_tokens: NonNegativeInt
    output_tokens: NonNegativeInt
    cost_usd: NonNegativeFloat | None
    """None if the price of the model is unknown."""
    time_s: NonNegativeFloat
    """From the request to the end of the run."""
    unit_price_usd: NonNegativeFloat | None = None
    mass_kg: NonNegativeFloat | None = None


class Score(Model):
    """The results of one executor on one benchmark: medians, those of price and mass over the solved runs."""

    benchmark: str
    executor: Executor
    runs: PositiveInt
    solved: NonNegativeInt
    interval: tuple[float, float]
    """Wilson's 95 % confidence interval of the solved share."""
    steps: float
    model_calls: float
    tokens: float
    cost_usd: float | None
    time_s: float
    unit_price_usd: float | None
    mass_kg: float | None

    @classmethod
    def of(cls, trials: Sequence[TrialResult]) -> Self:
        """Aggregate the trials of one benchmark and one executor."""
        solved = sum(trial.solved for trial in trials)
        return cls(
            benchmark=trials[0].benchmark,
            executor=trials[0].executor,
            runs=len(trials),
            solved=solved,
            interval=wilson_interval(solved, len(trials)),
            steps=median(trial.steps for trial in trials),
            model_calls=median(trial.model_calls for trial in trials),
            tokens=median(trial.input_tokens + trial.output_tokens for trial in trials),
            cost_usd=_median([trial.cost_usd for trial in trials]),
            time_s=median(trial.time_s for trial in trials),
            unit_price_usd=_median([trial.unit_price_usd for trial in trials if trial.solved]),
            mass_kg=_median([trial.mass_kg for trial in trials if trial.solved]),
        )


class Evaluation(Model):
    """All runs and their scores."""

    scores: tuple[Score, ...]
    trials: tuple[TrialResult, ...]

    @classmethod
    def of(cls, trials: Sequence[TrialResult]) -> Self:
        """Aggregate by benchmark and executor, in the order of the trials."""
        groups: dict[tuple[str, Executor], list[TrialResult]] = {}
        for trial in trials:
            groups.setdefault((trial.benchmark, trial.executor), []).append(trial)
        return cls(scores=tuple(Score.of(group) for group in groups.values()), trials=tuple(trials))


def combine_options(
    benchmarks: Sequence[str], executors: Sequence[Executor], seeds: Sequence[int], template: RunOptions
) -> list[RunOptions]:
    """Return the options of a run for each combination; all other options are those of `template`."""
    return [
        replace(template, benchmark=name, executor=executor, seed=seed)
        for name, executor, seed in product(benchmarks, executors, seeds)
    ]


async def run_trials(stack: Stack, runs: Sequence[RunOptions], at_once: int) -> AsyncGenerator[TrialResult]:
    """Execute all runs, at most `at_once` at the same time; yield the results in the order of `runs`."""
    limit = asyncio.Semaphore(at_once)
    running = [asyncio.create_task(_run_limited(stack, options, limit)) for options in runs]
    try:
        for task in running:
            yield await task
    finally:
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)


async def _run_limited(stack: Stack, options: RunOptions, limit: asyncio.Semaphore) -> TrialResult:
    async with limit:
        return await run_or_fail(stack.failure, _run_trial(stack, options))


async def _run_trial(stack: Stack, options: RunOptions) -> TrialResult:
    loaded = load(options.benchmark, options.seed)
    request = engineering_request(options, loaded)
    began_s = time.monotonic()
    await stack.artifacts.put(loaded.environment_code, CODE_TYPE)
    end = await execute_run(stack, request, Console(file=io.StringIO()))
    calls = [event for event in await stack.bus.history(request.run_id) if isinstance(event, ModelCalled)]
    spent = total_of(await spent_by_role(stack.bus, request.run_id))
    return trial_result(request, end, calls, spent, time.monotonic() - began_s)


def trial_result(
    request: EngineeringRequested,
    end: RunSucceeded | RunFailed,
    calls: Sequence[ModelCalled],
    spent: Usage,
    time_s: float,
) -> TrialResult:
    """Return the result of a run from its end and its model calls."""
    variant = request.assignment.variant
    steps = [call for call in calls if call.role == "engineer" and call.purpose == "act"]
    trial = TrialResult(
        benchmark=variant.benchmark,
        seed=variant.seed,
        executor=request.executor,
        model=request.model,
        run_id=request.run_id,
        solved=isinstance(end, RunSucceeded) and end.result.is_proven,
        steps=len(steps),
        model_calls=len(calls),
        input_tokens=spent.input_tokens,
        output_tokens=spent.output_tokens,
        cost_usd=spent.cost_usd,
        time_s=time_s,
    )
    if isinstance(end, RunFailed):
        return trial.model_copy(update={"reason": f"{end.reason}: {end.detail}"})
    reason = "" if trial.solved else f"not proven: physics found it {end.result.verdict} and {end.result.stability}"
    figures = {"unit_price_usd": end.bill.unit_price_usd, "mass_kg": end.bill.mass_kg}
    return trial.model_copy(update={"reason": reason, **figures})


def _median(values: Sequence[float | None]) -> float | None:
    """Return the median; None without values, or if one of them is unknown."""
    known = [value for value in values if value is not None]
    return median(known) if known and len(known) == len(values) else None
