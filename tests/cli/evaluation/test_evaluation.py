"""Evaluation: trials of several executors, their scores, and the options of `eval`."""

import io

import pytest
from cli.commands.eval import parse_executors, parse_seeds
from cli.evaluation.score_tables import evaluation_markdown, scores_table
from cli.evaluation.trials import Evaluation, combine_options, trial_result
from contracts.envelope import Role, answering
from contracts.events.conversation import ModelCalled
from contracts.events.design import DesignSimulated, DesignSubmitted
from contracts.events.run import RunFailed, RunSucceeded
from contracts.models.benchmark import Limits
from contracts.models.conversation import Usage
from local_stack.errors import UserError
from rich.console import Console
from run_requests.request import RunOptions

from tests.agent.role_harness import engineering_requested
from tests.cli.evaluation.trials import make_trial
from tests.contracts import example_values as values
from tests.contracts.examples import full_examples

TEMPLATE = RunOptions("detour", 0, "openai:gpt-4o", 10, Limits(max_parts=9))


def called(role: Role, purpose: str = "act") -> ModelCalled:
    call = full_examples()[ModelCalled]
    assert isinstance(call, ModelCalled)
    return ModelCalled.model_validate({**dict(call), "role": role, "purpose": purpose})


def test_options_combine_every_benchmark_executor_and_seed() -> None:
    combined = combine_options(["detour", "push-flat"], ["code", "single_pass"], range(3, 5), TEMPLATE)
    assert len({(each.benchmark, each.executor, each.seed) for each in combined}) == 8
    assert {(each.model, each.quantity, each.limits) for each in combined} == {("openai:gpt-4o", 10, TEMPLATE.limits)}


def test_trial_counts_engineer_steps_and_calls_of_all_roles() -> None:
    request = engineering_requested(executor="tool_call")
    calls = [called("planner"), called("engineer"), called("engineer"), called("engineer", "memory"), called("critic")]
    spent = Usage(input_tokens=900, output_tokens=80, cost_usd=0.02)
    failed = RunFailed(**answering(request, "planner"), reason="steps_exhausted", detail="2 of 2")
    trial = trial_result(request, failed, calls, spent, 12.5)
    assert (trial.steps, trial.model_calls, trial.solved, trial.executor) == (2, 5, False, "tool_call")
    assert (trial.reason, trial.unit_price_usd) == ("steps_exhausted: 2 of 2", None)
    assert (trial.failure, trial.level, trial.is_first_try) == ("budget", request.assignment.variant.level, False)
    succeeded = RunSucceeded(
        **answering(request, "planner"), delivery=values.DELIVERY, bill=values.BILL, result=values.RESULT
    )
    trial = trial_result(request, succeeded, calls, spent, 12.5)
    assert (trial.solved, trial.unit_price_usd, trial.mass_kg) == (
        True,
        values.BILL.unit_price_usd,
        values.BILL.mass_kg,
    )
    assert trial.success_rate == values.RESULT.success_rate


def test_scores_have_medians_and_an_interval() -> None:
    results = [
        *(make_trial("code", seed, solved=seed < 3, steps=seed + 4) for seed in range(4)),
        *(make_trial("single_pass", seed, solved=False, steps=1, cost_usd=None) for seed in range(4)),
    ]
    code, single = Evaluation.of(results).scores
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


def test_score_has_no_cost_unless_every_run_has_one() -> None:
    (score,) = Evaluation.of(
        [make_trial("code", 0, solved=True, steps=2), make_trial("code", 1, solved=True, steps=2, cost_usd=None)]
    ).scores
    assert score.cost_usd is None


def test_evaluation_survives_its_file() -> None:
    evaluation = Evaluation.of([make_trial("code", 0, solved=True, steps=2)])
    assert Evaluation.model_validate_json(evaluation.model_dump_json(indent=2)) == evaluation


def test_executors_and_seeds_are_parsed() -> None:
    assert parse_executors("single_pass, code,code") == ["code", "single_pass"]
    assert parse_seeds("3") == range(3, 4)
    assert parse_seeds("0-4") == range(5)


@pytest.mark.parametrize("text", ["", "x", "4-0", "-3", "0-5000", "1,2"])
def test_invalid_seeds_are_refused(text: str) -> None:
    with pytest.raises(UserError, match="--seeds"):
        parse_seeds(text)


def test_unknown_executor_is_refused_with_the_known_ones() -> None:
    with pytest.raises(UserError, match=r"unknown executor 'cells': .* code, tool_call, single_pass"):
        parse_executors("code,cells")


def test_first_try_is_one_submitted_design_that_solves() -> None:
    request = engineering_requested(executor="code")
    end = RunSucceeded(
        **answering(request, "planner"), delivery=values.DELIVERY, bill=values.BILL, result=values.RESULT
    )
    examples = full_examples()
    events = [examples[DesignSubmitted], examples[DesignSimulated]]
    once = trial_result(request, end, events, Usage(), 1.0)
    assert (once.is_first_try, once.is_nominal_solved, once.designs, once.failure) == (True, True, 1, None)
    twice = trial_result(request, end, [examples[DesignSubmitted], *events], Usage(), 1.0)
    assert (twice.is_first_try, twice.solved, twice.designs) == (False, True, 2)


def test_page_has_a_row_for_each_benchmark_each_level_and_all() -> None:
    trials = [
        make_trial("code", seed, solved=seed > 0, steps=2).model_copy(
            update={
                "level": 1 + seed % 2,
                "failure": None if seed else "physics",
                "price_share": 0.5,
                "success_rate": 0.9 + 0.01 * seed if seed else None,
            }
        )
        for seed in range(4)
    ]
    page = evaluation_markdown(Evaluation.of(trials), "2026-11-26", "abc")
    assert "- 2026-11-26, commit abc\n" in page
    assert "4 runs through all services, seeds 0 to 3, model `m`" in page
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in page.splitlines() if line.startswith("| ")]
    assert [(row[0], row[1], row[4], row[6], row[15], row[-1]) for row in rows[2:]] == [
        ("detour", "1", "3/4", "91%", "50%", "1 physics"),
        ("level 1", "1", "1/2", "92%", "50%", "1 physics"),
        ("level 2", "2", "2/2", "91%", "50%", ""),
        ("all 1", "", "3/4", "91%", "50%", "1 physics"),
    ]
