"""From what a user says to the request that opens a run."""

from dataclasses import dataclass, field
from uuid import uuid4

from agent.models import check
from contracts.benchmark import Assignment, Budget, Limits
from contracts.engineering import EngineeringRequested

from cli.errors import CannotGoOnError
from cli.loading import LoadedBenchmark


@dataclass(frozen=True)
class Order:
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


def request(order: Order, loaded: LoadedBenchmark) -> EngineeringRequested:
    """Return the request of a new run."""
    run_id = uuid4()
    assignment = Assignment(
        variant=loaded.variant,
        limits=loaded.file.limits.overridden_by(order.limits),
        quantity=order.quantity,
    )
    return EngineeringRequested(
        id=uuid4(),
        run_id=run_id,
        role="planner",
        producer="cli",
        assignment=assignment,
        budget=order.budget,
        model=order.model,
    )


def require_model(order: Order) -> None:
    """Raise `CannotGoOnError` when the model is unknown, or lacks its key, or a price for the cost to be limited."""
    problem = check(order.model, priced=order.budget.max_cost_usd is not None)
    if problem is not None:
        raise CannotGoOnError(problem)
