"""Requests of runs, made from the options of a command or of a request to the API."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from uuid import UUID, uuid4

from agent.model.role_model import model_name_problem, model_problem
from benchmarks.loader import LoadedBenchmark
from contracts.envelope import requesting_design
from contracts.events.run import EngineeringRequested
from contracts.models.benchmark import Assignment, Budget, Executor, Limits
from contracts.models.continuation import Continuation
from contracts.publishers import Client

from run_requests.errors import RunRequestError


@dataclass(frozen=True)
class RunOptions:
    """Options of a new run."""

    benchmark: str
    """A built-in name, or a folder."""
    seed: int
    model: str
    quantity: int
    limits: Limits
    """Those that are set replace the benchmark's."""
    budget: Budget = field(default_factory=Budget)
    """Limits on the resources of the run."""
    executor: Executor = "code"
    """How the engineer acts."""
    is_filmed: bool = True
    """Whether the delivery has a film."""


@dataclass(frozen=True)
class ContinuationOptions:
    """Options of a run that continues an earlier one; those that are None stay as they were."""

    run_id: UUID
    """Of the earlier run."""
    instruction: str
    """The user's instruction for the next attempt."""
    model: str | None = None
    quantity: int | None = None
    limits: Limits = field(default_factory=Limits)
    budget: Mapping[str, float] = field(default_factory=dict[str, float])
    """Fields of `Budget`."""
    executor: Executor | None = None
    after_cell: int | None = None
    """The cell of the earlier run's engineer from which on another way is tried; None: the end of that run."""


def engineering_request(
    options: RunOptions, loaded: LoadedBenchmark, producer: Client = "cli", run_id: UUID | None = None
) -> EngineeringRequested:
    """Return the request of a new run, under a new id or, so that a repeated request is the same one, under this id."""
    assignment = Assignment(
        variant=loaded.variant,
        limits=loaded.limits.overridden_by(options.limits),
        quantity=options.quantity,
    )
    return EngineeringRequested(
        **requesting_design(run_id or uuid4(), producer),
        assignment=assignment,
        budget=options.budget,
        model=options.model,
        executor=options.executor,
        is_filmed=options.is_filmed,
    )


def continuation_request(
    options: ContinuationOptions,
    earlier: EngineeringRequested,
    continuation: Continuation,
    producer: Client = "cli",
    run_id: UUID | None = None,
) -> EngineeringRequested:
    """Return the request of a run that continues an earlier one; `run_id` as of a new run."""
    before = earlier.assignment
    assignment = Assignment(
        variant=before.variant,
        limits=before.limits.overridden_by(options.limits),
        quantity=options.quantity or before.quantity,
    )
    return EngineeringRequested(
        **requesting_design(run_id or uuid4(), producer),
        assignment=assignment,
        budget=budget_of(options.budget, earlier.budget),
        model=options.model or earlier.model,
        executor=options.executor or earlier.executor,
        continues=continuation,
        is_filmed=earlier.is_filmed,
    )


def budget_of(given: Mapping[str, float], base: Budget | None = None) -> Budget:
    """Return a run's budget; fields that are not given are as in `base`, or have their defaults."""
    for name, limit in given.items():
        if not math.isfinite(limit):
            raise RunRequestError(f"{name} must be a finite number, not {limit}")
    return Budget.model_validate({**({} if base is None else base.model_dump()), **given})


def require_model(model: str, budget: Budget, *, keys_elsewhere: bool = False) -> None:
    """Raise `RunRequestError` when the model is unknown, or has no key, or no price although its cost is limited.

    With `keys_elsewhere` only the name is checked: the planner ends the run at once if key or price are missing.
    """
    problem = (
        model_name_problem(model) if keys_elsewhere else model_problem(model, priced=budget.max_cost_usd is not None)
    )
    if problem is not None:
        raise RunRequestError(problem)
