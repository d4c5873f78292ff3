"""Trials of every executor are summed up alike, side by side."""

import io
from uuid import uuid4

import pytest
from cli.commands.eval import executors_of, scores_table, seeds_of
from cli.runs.evaluation import Evaluation, TrialResult, orders_of, trial_of
from cli.runs.request import RunOptions
from contracts.envelope import Role
from contracts.events.conversation import ModelCalled
from contracts.events.run import RunFailed, RunSucceeded
from contracts.models.benchmark import Executor, Limits
from contracts.models.conversation import Usage
from local_stack.errors import UserError
from rich.console import Console

from tests.agent.role_play import engineering_requested
from tests.contracts import example_values as values
from tests.contracts.examples import full_examples

EVERY = RunOptions("detour", 0, "openai:gpt-4o", 10, Limits(max_parts=9))


def trial(executor: Executor, seed: int, *, solved: bool, steps: int, cost_usd: float | None = 0.5) -> TrialResult:
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


def called(role: Role, purpose: str = "act") -> ModelCalled:
    call = full_examples()[ModelCalled]
    assert isinstance(call, ModelCalled)
    return ModelCalled.model_validate({**dict(call), "role": role, "purpose": purpose})


def test_every_benchmark_is_run_by_every_executor_under_every_seed() -> None:
    orders = orders_of(["detour", "push-flat"], ["code", "single_pass"], range(3, 5), EVERY)
    assert len({(each.benchmark, each.executor, each.seed) for each in orders}) == 8
    assert {(each.model, each.quantity, each.limits) for each in orders} == {("openai:gpt-4o", 10, EVERY.limits)}


def test_a_trial_counts_the_engineers_own_steps_and_everybodys_calls() -> None:
    asked = engineering_requested(executor="tool_call")
    calls = [called("planner"), called("engineer"), called("engineer"), called("engineer", "memory"), called("critic")]
    spent = Usage(input_tokens=900, output_tokens=80, cost_usd=0.02)
    failed = RunFailed.answering(asked, "planner", reason="steps_exhausted", detail="2 of 2")
    told = trial_of(asked, failed, calls, spent, 12.5)
    assert (told.steps, told.model_calls, told.solved, told.executor) == (2, 5, False, "tool_call")
    assert (told.reason, told.unit_price_usd) == ("steps_exhausted: 2 of 2", None)
    delivered = {"delivery": values.DELIVERY, "bill": values.BILL, "result": values.RESULT}
    told = trial_of(asked, RunSucceeded.answering(asked, "planner", **delivered), calls, spent, 12.5)
    assert (told.solved, told.unit_price_usd, told.mass_kg) == (True, values.BILL.unit_price_usd, values.BILL.mass_kg)


def test_sums_stand_side_by_side_with_medians_and_an_interval() -> None:
    told = [
        *(trial("code", seed, solved=seed < 3, steps=seed + 4) for seed in range(4)),
        *(trial("single_pass", seed, solved=False, steps=1, cost_usd=None) for seed in range(4)),
    ]
    code, single = Evaluation.of(told).scores
    assert (code.executor, code.solved, code.runs, code.steps, code.tokens) == ("code", 3, 4, 5.5, 5600)
    assert code.interval == pytest.approx((0.30, 0.95), abs=0.01)
    assert code.unit_price_usd == 105.0
    assert (single.solved, single.cost_usd, single.unit_price_usd) == (0, None, None)
    assert single.interval[0] == pytest.approx(0.0, abs=1e-9)
    shown = Console(file=io.StringIO(), width=200)
    shown.print(scores_table((code, single)))
    assert isinstance(shown.file, io.StringIO)
    first, second = shown.file.getvalue().splitlines()[1:]
    assert "3/4" in first
    assert "30% to 95%" in first
    assert "105.00 USD" in first
    assert "single_pass" in second
    assert "USD" not in second


def test_a_cost_that_is_not_known_of_every_run_is_not_told() -> None:
    (score,) = Evaluation.of(
        [trial("code", 0, solved=True, steps=2), trial("code", 1, solved=True, steps=2, cost_usd=None)]
    ).scores
    assert score.cost_usd is None


def test_what_was_measured_is_read_back_from_its_file() -> None:
    told = Evaluation.of([trial("code", 0, solved=True, steps=2)])
    assert Evaluation.model_validate_json(told.model_dump_json(indent=2)) == told


def test_executors_and_seeds_are_named_in_words() -> None:
    assert executors_of("single_pass, code,code") == ["code", "single_pass"]
    assert seeds_of("3") == range(3, 4)
    assert seeds_of("0-4") == range(5)


@pytest.mark.parametrize("text", ["", "x", "4-0", "-3", "0-5000", "1,2"])
def test_seeds_that_are_none_are_refused(text: str) -> None:
    with pytest.raises(UserError, match="--seeds"):
        seeds_of(text)


def test_an_unknown_executor_is_refused_with_the_known_ones() -> None:
    with pytest.raises(UserError, match="no executor 'cells': name some of code, tool_call, single_pass"):
        executors_of("code,cells")
