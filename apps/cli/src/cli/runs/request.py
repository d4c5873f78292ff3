"""From what a user says to the request that opens a run."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from uuid import UUID, uuid4

from agent.model.role_model import check, check_name
from benchmarks.loader import LoadedBenchmark
from contracts.events.run import EngineeringRequested
from contracts.models.benchmark import Assignment, Budget, Executor, Limits
from contracts.models.continuation import Continuation
from local_stack.errors import UserError


@dataclass(frozen=True)
class RunOptions:
    """What a user wants."""

    benchmark: str
    """A built-in name, or a folder."""
    seed: int
    model: str
    quantity: int
    limits: Limits
    """Those that are set take the place of the benchmark's."""
    budget: Budget = field(default_factory=Budget)
    """What the run itself may use up."""
    executor: Executor = "code"
    """How the engineer acts."""


@dataclass(frozen=True)
class ContinuationOptions:
    """What a user wants of a run that goes on from an earlier one: its world stays, and all that is None here."""

    run_id: UUID
    """The run."""
    instruction: str
    model: str | None = None
    quantity: int | None = None
    limits: Limits = field(default_factory=Limits)
    budget: Mapping[str, float] = field(default_factory=dict[str, float])
    """Fields of `Budget`."""
    executor: Executor | None = None


def engineering_request(order: RunOptions, loaded: LoadedBenchmark) -> EngineeringRequested:
    """Return the request of a new run."""
    assignment = Assignment(
        variant=loaded.variant,
        limits=loaded.file.limits.overridden_by(order.limits),
        quantity=order.quantity,
    )
    return EngineeringRequested(
        id=uuid4(),
        run_id=uuid4(),
        role="planner",
        producer="cli",
        assignment=assignment,
        budget=order.budget,
        model=order.model,
        executor=order.executor,
    )


def continuation_request(
    sequel: ContinuationOptions, earlier: EngineeringRequested, continuation: Continuation
) -> EngineeringRequested:
    """Return the request of a run that goes on from an earlier one."""
    was = earlier.assignment
    assignment = Assignment(
        variant=was.variant, limits=was.limits.overridden_by(sequel.limits), quantity=sequel.quantity or was.quantity
    )
    return EngineeringRequested(
        id=uuid4(),
        run_id=uuid4(),
        role="planner",
        producer="cli",
        assignment=assignment,
        budget=budget_of(sequel.budget, earlier.budget),
        model=sequel.model or earlier.model,
        executor=sequel.executor or earlier.executor,
        continues=continuation,
    )


def budget_of(given: Mapping[str, float], base: Budget | None = None) -> Budget:
    """Return a run's budget; what is not given is as in `base`, or has its default."""
    for name, limit in given.items():
        if not math.isfinite(limit):
            raise UserError(f"{name} must be a number, not {limit}")
    return Budget.model_validate({**({} if base is None else base.model_dump()), **given})


def require_model(model: str, budget: Budget, *, keys_elsewhere: bool = False) -> None:
    """Raise `CannotGoOnError` when the model is unknown, or lacks its key, or a price for the cost to be limited.

    With `keys_elsewhere`, keys and prices are the roles' affair: the planner ends the run at once if they are missing.
    """
    problem = check_name(model) if keys_elsewhere else check(model, priced=budget.max_cost_usd is not None)
    if problem is not None:
        raise UserError(problem)
