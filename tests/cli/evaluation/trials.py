"""Results of runs, made for tests."""

from uuid import uuid4

from cli.runs.evaluation import TrialResult
from contracts.models.benchmark import Executor


def make_trial(executor: Executor, seed: int, *, solved: bool, steps: int, cost_usd: float | None = 0.5) -> TrialResult:
    """Return the result of a run of `detour`."""
    return TrialResult(
        benchmark="detour",
        seed=seed,
        executor=executor,
        model="m",
        run_id=uuid4(),
        solved=solved,
        steps=steps,
        model_calls=steps + 3,
        input_tokens=1000 * steps,
        output_tokens=100,
        cost_usd=cost_usd,
        time_s=10.0 * steps,
        unit_price_usd=100.0 + steps if solved else None,
        mass_kg=0.5 if solved else None,
    )
