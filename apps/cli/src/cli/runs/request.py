"""Requests of runs, made from the options of a command."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from uuid import UUID, uuid4

from agent.model.role_model import model_name_problem, model_problem
from benchmarks.loader import LoadedBenchmark
from contracts.events.run import EngineeringRequested
from contracts.models.benchmark import Assignment, Budget, Executor, Limits
from contracts.models.continuation import Continuation
from local_stack.errors import UserError


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


def engineering_request(options: RunOptions, loaded: LoadedBenchmark) -> EngineeringRequested:
    """Return the request of a new run."""
    assignment = Assignment(
        variant=loaded.variant,
        limits=loaded.file.limits.overridden_by(options.limits),
        quantity=options.quantity,
    )
    return EngineeringRequested(
        id=uuid4(),
        run_id=uuid4(),
        role="planner",
        producer="cli",
        assignment=assignment,
        budget=options.budget,
        model=options.model,
        executor=options.executor,
    )


def continuation_request(
    options: ContinuationOptions, earlier: EngineeringRequested, continuation: Continuation
) -> EngineeringRequested:
    """Return the request of a run that continues an earlier one."""
    before = earlier.assignment
    assignment = Assignment(
        variant=before.variant,
        limits=before.limits.overridden_by(options.limits),
        quantity=options.quantity or before.quantity,
    )
    return EngineeringRequested(
        id=uuid4(),
        run_id=uuid4(),
        role="planner",
        producer="cli",
        assignment=assignment,
        budget=budget_of(options.budget, earlier.budget),
        model=options.model or earlier.model,
        executor=options.executor or earlier.executor,
        continues=continuation,
    )


def budget_of(given: Mapping[str, float], base: Budget | None = None) -> Budget:
    """Return a run's budget; fields that are not given are as in `base`, or have their defaults."""
    for name, limit in given.items():
        if not math.isfinite(limit):
            raise UserError(f"{name} must be a finite number, not {limit}")
    return Budget.model_validate({**({} if base is None else base.model_dump()), **given})


def require_model(model: str, budget: Budget, *, keys_elsewhere: bool = False) -> None:
    """Raise `UserError` when the model is unknown, or has no key, or no price although its cost is limited.

    With `keys_elsewhere` only the name is checked: the planner ends the run at once if key or price are missing.
    """
    problem = (
        model_name_problem(model) if keys_elsewhere else model_problem(model, priced=budget.max_cost_usd is not None)
    )
    if problem is not None:
        raise UserError(problem)
