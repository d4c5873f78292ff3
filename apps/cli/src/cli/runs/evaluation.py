"""Many runs through one stack, and what they came to: the same harness for every way in which an engineer may act."""

import asyncio
import io
import time
from collections.abc import AsyncGenerator, Sequence
from itertools import product
from statistics import median
from typing import Self
from uuid import UUID

from agent.model.spend import spent_by_role, total_of
from benchmarks.loader import CODE_TYPE, load
from contracts.confidence import wilson
from contracts.events.conversation import ModelCalled
from contracts.events.run import EngineeringRequested, RunFailed, RunSucceeded
from contracts.model import Model
from contracts.models.benchmark import Executor
from contracts.models.conversation import Usage
from local_stack.stack import Stack, run_or_fail
from pydantic import NonNegativeFloat, NonNegativeInt, PositiveInt
from rich.console import Console

from cli.runs.request import RunOptions, engineering_request
from cli.runs.solve import Solving


class TrialResult(Model):
    """One run."""

    benchmark: str
    seed: NonNegativeInt
    executor: Executor
    model: str
    run_id: UUID
    solved: bool
    reason: str = ""
    """Why it failed."""
    steps: NonNegativeInt
    """Model calls of the engineer that acted."""
    model_calls: NonNegativeInt
    """Of all roles."""
    input_tokens: NonNegativeInt
    output_tokens: NonNegativeInt
    cost_usd: NonNegativeFloat | None
    """None: the price of the model is not known."""
    time_s: NonNegativeFloat
    """From the request to the end of the run."""
    unit_price_usd: NonNegativeFloat | None = None
    mass_kg: NonNegativeFloat | None = None


class Score(Model):
    """What one executor came to on one benchmark: medians, of price and mass over what was solved."""

    benchmark: str
    executor: Executor
    runs: PositiveInt
    solved: NonNegativeInt
    interval: tuple[float, float]
    """Wilson's, of the share that is solved, with 95 % confidence."""
    steps: float
    model_calls: float
    tokens: float
    cost_usd: float | None
    time_s: float
    unit_price_usd: float | None
    mass_kg: float | None

    @classmethod
    def of(cls, trials: Sequence[TrialResult]) -> Self:
        """Sum up trials of one benchmark and one executor."""
        solved = sum(trial.solved for trial in trials)
        return cls(
            benchmark=trials[0].benchmark,
            executor=trials[0].executor,
            runs=len(trials),
            solved=solved,
            interval=wilson(solved, len(trials)),
            steps=median(trial.steps for trial in trials),
            model_calls=median(trial.model_calls for trial in trials),
            tokens=median(trial.input_tokens + trial.output_tokens for trial in trials),
            cost_usd=_median([trial.cost_usd for trial in trials]),
            time_s=median(trial.time_s for trial in trials),
            unit_price_usd=_median([trial.unit_price_usd for trial in trials if trial.solved]),
            mass_kg=_median([trial.mass_kg for trial in trials if trial.solved]),
        )


class Evaluation(Model):
    """All runs, and what they came to."""

    scores: tuple[Score, ...]
    trials: tuple[TrialResult, ...]

    @classmethod
    def of(cls, trials: Sequence[TrialResult]) -> Self:
        """Sum up: executors of one benchmark stand side by side, in the order of the trials."""
        groups: dict[tuple[str, Executor], list[TrialResult]] = {}
        for trial in trials:
            groups.setdefault((trial.benchmark, trial.executor), []).append(trial)
        return cls(scores=tuple(Score.of(group) for group in groups.values()), trials=tuple(trials))


def orders_of(
    benchmarks: Sequence[str], executors: Sequence[Executor], seeds: Sequence[int], order: RunOptions
) -> list[RunOptions]:
    """Return one order for each combination; all else is as in `order`."""
    return [
        RunOptions(name, seed, order.model, order.quantity, order.limits, order.budget, executor)
        for name, executor, seed in product(benchmarks, executors, seeds)
    ]


async def trials(stack: Stack, orders: Sequence[RunOptions], at_once: int) -> AsyncGenerator[TrialResult]:
    """Have all orders carried out, so many at once, and yield each result in the order of the orders."""
    turns = asyncio.Semaphore(at_once)
    running = [asyncio.create_task(_in_turn(stack, order, turns)) for order in orders]
    try:
        for task in running:
            yield await task
    finally:
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)


async def _in_turn(stack: Stack, order: RunOptions, turns: asyncio.Semaphore) -> TrialResult:
    async with turns:
        return await run_or_fail(stack.failure, _trial(stack, order))


async def _trial(stack: Stack, order: RunOptions) -> TrialResult:
    loaded = load(order.benchmark, order.seed)
    asked = engineering_request(order, loaded)
    began_s = time.monotonic()
    await stack.artifacts.put(loaded.environment_code, CODE_TYPE)
    end = await Solving(stack, asked, Console(file=io.StringIO())).run()
    calls = [event for event in await stack.bus.history(asked.run_id) if isinstance(event, ModelCalled)]
    spent = total_of(await spent_by_role(stack.bus, asked.run_id))
    return trial_of(asked, end, calls, spent, time.monotonic() - began_s)


def trial_of(
    asked: EngineeringRequested,
    end: RunSucceeded | RunFailed,
    calls: Sequence[ModelCalled],
    spent: Usage,
    time_s: float,
) -> TrialResult:
    """Return what a run came to."""
    variant = asked.assignment.variant
    acts = [call for call in calls if call.role == "engineer" and call.purpose == "act"]
    trial = TrialResult(
        benchmark=variant.benchmark,
        seed=variant.seed,
        executor=asked.executor,
        model=asked.model,
        run_id=asked.run_id,
        solved=isinstance(end, RunSucceeded),
        steps=len(acts),
        model_calls=len(calls),
        input_tokens=spent.input_tokens,
        output_tokens=spent.output_tokens,
        cost_usd=spent.cost_usd,
        time_s=time_s,
    )
    if isinstance(end, RunFailed):
        return trial.model_copy(update={"reason": f"{end.reason}: {end.detail}"})
    return trial.model_copy(update={"unit_price_usd": end.bill.unit_price_usd, "mass_kg": end.bill.mass_kg})


def _median(values: Sequence[float | None]) -> float | None:
    """Return the median; None where nothing is known, or not all of it."""
    known = [value for value in values if value is not None]
    return median(known) if known and len(known) == len(values) else None
