"""Evaluation: many runs on one stack, and their results by benchmark and executor."""

import io
import time
from collections import Counter
from collections.abc import AsyncGenerator, Sequence
from dataclasses import replace
from itertools import product
from statistics import median
from typing import Self
from uuid import UUID

from agent.token_prices import spent_by_role, total_of
from benchmarks.loader import CODE_TYPE, load
from contracts.confidence import all_known, median_known, wilson_interval
from contracts.envelope import Event
from contracts.events.conversation import ModelCalled
from contracts.events.design import DesignSimulated, DesignSubmitted
from contracts.events.run import EngineeringRequested, RunFailed, RunSucceeded
from contracts.model import Model
from contracts.models.benchmark import Executor
from contracts.models.conversation import Usage
from local_stack.stack import Stack, run_or_fail
from pydantic import Field, NonNegativeFloat, NonNegativeInt, PositiveInt
from rich.console import Console
from run_requests.request import RunOptions, engineering_request

from cli.concurrency import finished
from cli.evaluation.failure import FailureClass, failure_class, last_design_failure
from cli.runs.execution import execute_run


class TrialResult(Model):
    """The result of one run."""

    benchmark: str
    level: NonNegativeInt = 0
    """Of the benchmark; 0 in files older than this field."""
    seed: NonNegativeInt
    executor: Executor
    model: str
    run_id: UUID
    solved: bool
    """Whether the run delivered a design that is proven: solved, and robust."""
    is_nominal_solved: bool = False
    """Whether physics found the nominal run of at least one judged design solved."""
    designs: NonNegativeInt = 0
    """How many designs the engineer submitted."""
    reason: str = ""
    """Why it failed."""
    failure: FailureClass | None = None
    """The class of that."""
    last_design_failure: FailureClass | None = None
    """Where the last judged design failed, whatever ended the run."""
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
    success_rate: NonNegativeFloat | None = None
    """Of the replicas of the delivered design; None without one, and in files older than this field."""
    unit_price_usd: NonNegativeFloat | None = None
    mass_kg: NonNegativeFloat | None = None
    price_share: NonNegativeFloat | None = None
    """Price as a share of the witness's in the same world; None if that is unknown."""
    mass_share: NonNegativeFloat | None = None

    @property
    def is_first_try(self) -> bool:
        """Whether the only design that was submitted solved the benchmark."""
        return self.solved and self.designs == 1


class Score(Model):
    """The results of one executor on one benchmark, or on all of one level: medians, those of price and mass over the
    solved runs."""

    benchmark: str
    level: NonNegativeInt = 0
    executor: Executor
    runs: PositiveInt
    nominal: NonNegativeInt = 0
    """Runs with a judged design whose nominal run was solved."""
    solved: NonNegativeInt
    first_try: NonNegativeInt = 0
    failures: dict[FailureClass, int] = Field(default_factory=dict[FailureClass, int])
    interval: tuple[float, float]
    """Wilson's 95 % confidence interval of the solved share."""
    success_rate: float | None = None
    """The least of the solved runs; None without one, or if one is unknown."""
    steps: float
    model_calls: float
    tokens: float
    cost_usd: float | None
    time_s: float
    unit_price_usd: float | None
    mass_kg: float | None
    price_share: float | None = None
    """Of the runs whose witness is known; here and below."""
    mass_share: float | None = None

    @classmethod
    def of(cls, trials: Sequence[TrialResult], name: str | None = None) -> Self:
        """Aggregate the trials of one executor and one benchmark, or of several under another name."""
        solved = sum(trial.solved for trial in trials)
        failures: Counter[FailureClass] = Counter(trial.failure for trial in trials if trial.failure is not None)
        return cls(
            benchmark=name or trials[0].benchmark,
            level=trials[0].level,
            executor=trials[0].executor,
            runs=len(trials),
            nominal=sum(trial.is_nominal_solved for trial in trials),
            solved=solved,
            first_try=sum(trial.is_first_try for trial in trials),
            failures=dict[FailureClass, int](failures.most_common()),
            interval=wilson_interval(solved, len(trials)),
            success_rate=min(all_known([trial.success_rate for trial in trials if trial.solved]), default=None),
            steps=median(trial.steps for trial in trials),
            model_calls=median(trial.model_calls for trial in trials),
            tokens=median(trial.input_tokens + trial.output_tokens for trial in trials),
            cost_usd=median_known(all_known([trial.cost_usd for trial in trials])),
            time_s=median(trial.time_s for trial in trials),
            unit_price_usd=median_known(all_known([trial.unit_price_usd for trial in trials if trial.solved])),
            mass_kg=median_known(all_known([trial.mass_kg for trial in trials if trial.solved])),
            price_share=median_known(trial.price_share for trial in trials),
            mass_share=median_known(trial.mass_share for trial in trials),
        )


class Evaluation(Model):
    """All runs and their scores."""

    scores: tuple[Score, ...]
    levels: tuple[Score, ...] = ()
    """By level and executor."""
    totals: tuple[Score, ...] = ()
    """By executor."""
    trials: tuple[TrialResult, ...]

    @property
    def all_scores(self) -> tuple[Score, ...]:
        """By benchmark, by level, and of everything."""
        return (*self.scores, *self.levels, *self.totals)

    @classmethod
    def of(cls, trials: Sequence[TrialResult]) -> Self:
        """Aggregate by benchmark and executor, in the order of the trials."""
        groups: dict[tuple[str, Executor], list[TrialResult]] = {}
        levels: dict[tuple[int, Executor], list[TrialResult]] = {}
        totals: dict[Executor, list[TrialResult]] = {}
        for trial in trials:
            groups.setdefault((trial.benchmark, trial.executor), []).append(trial)
            levels.setdefault((trial.level, trial.executor), []).append(trial)
            totals.setdefault(trial.executor, []).append(trial)
        return cls(
            scores=tuple(Score.of(group) for group in groups.values()),
            levels=tuple(Score.of(levels[each], f"level {each[0]}") for each in sorted(levels) if each[0]),
            totals=tuple(_total(group) for group in totals.values()),
            trials=tuple(trials),
        )


def _total(trials: Sequence[TrialResult]) -> Score:
    count = len({trial.benchmark for trial in trials})
    return Score.of(trials, f"all {count}").model_copy(update={"level": 0})


def combine_options(
    benchmarks: Sequence[str], executors: Sequence[Executor], seeds: Sequence[int], template: RunOptions
) -> list[RunOptions]:
    """Return the options of a run for each combination; all other options are those of `template`."""
    return [
        replace(template, benchmark=name, executor=executor, seed=seed)
        for name, executor, seed in product(benchmarks, executors, seeds)
    ]


def run_trials(stack: Stack, runs: Sequence[RunOptions], at_once: int) -> AsyncGenerator[TrialResult]:
    """Execute all runs, at most `at_once` at the same time; yield each result as its run ends."""
    return finished((_run_or_fail(stack, options) for options in runs), at_once)


async def _run_or_fail(stack: Stack, options: RunOptions) -> TrialResult:
    return await run_or_fail(stack.failure, _run_trial(stack, options))


async def _run_trial(stack: Stack, options: RunOptions) -> TrialResult:
    loaded = load(options.benchmark, options.seed)
    request = engineering_request(options, loaded)
    began_s = time.monotonic()
    await stack.artifacts.put(loaded.environment_code, CODE_TYPE)
    end = await execute_run(stack, request, Console(file=io.StringIO()))
    events = await stack.bus.history(request.run_id)
    spent = total_of(await spent_by_role(stack.bus, request.run_id))
    result = trial_result(request, end, events, spent, time.monotonic() - began_s)
    return result.model_copy(update={"benchmark": options.benchmark})


def trial_result(
    request: EngineeringRequested,
    end: RunSucceeded | RunFailed,
    events: Sequence[Event],
    spent: Usage,
    time_s: float,
) -> TrialResult:
    """Return the result of a run from its end and its recorded events."""
    variant = request.assignment.variant
    calls = [event for event in events if isinstance(event, ModelCalled)]
    steps = [call for call in calls if call.role == "engineer" and call.purpose == "act"]
    judged = [event.result for event in events if isinstance(event, DesignSimulated)]
    trial = TrialResult(
        benchmark=variant.benchmark,
        level=variant.level,
        seed=variant.seed,
        executor=request.executor,
        model=request.model,
        run_id=request.run_id,
        solved=isinstance(end, RunSucceeded) and end.result.is_proven,
        is_nominal_solved=any(result.verdict == "solved" for result in judged),
        designs=sum(isinstance(event, DesignSubmitted) for event in events),
        last_design_failure=last_design_failure(events),
        steps=len(steps),
        model_calls=len(calls),
        input_tokens=spent.input_tokens,
        output_tokens=spent.output_tokens,
        cost_usd=spent.cost_usd,
        time_s=time_s,
    )
    if isinstance(end, RunFailed):
        failure = failure_class(end, events)
        return trial.model_copy(update={"reason": f"{end.reason}: {end.detail}", "failure": failure})
    reason = "" if trial.solved else f"not proven: physics found it {end.result.verdict} and {end.result.stability}"
    figures = {
        "success_rate": end.result.success_rate,
        "unit_price_usd": end.bill.unit_price_usd,
        "mass_kg": end.bill.mass_kg,
    }
    return trial.model_copy(update={"reason": reason, "failure": None if trial.solved else "physics", **figures})
