"""The folder of an evaluation: it resumes, and refuses other options."""

from dataclasses import replace
from pathlib import Path

import pytest
from cli.evaluation.result_folder import RESULTS, EvaluationFolder, EvaluationOptions, results_of, with_witness
from cli.evaluation.trials import Evaluation, combine_options
from contracts.models.benchmark import Budget, Limits
from local_stack.errors import UserError
from run_requests.request import RunOptions

from tests.cli.certification.test_scores import record
from tests.cli.conftest import RunCommand
from tests.cli.evaluation.trials import make_trial

PLANNED = combine_options(["detour"], ["code"], range(3), RunOptions("detour", 0, "offline", 100, Limits()))


def opened(folder: Path, planned: list[RunOptions] = PLANNED) -> EvaluationFolder:
    return EvaluationFolder(folder, EvaluationOptions.of(planned))


def test_runs_with_a_result_are_skipped(tmp_path: Path) -> None:
    for seed in (2, 0):
        opened(tmp_path / "new").append(make_trial("code", seed, solved=True, steps=3))
    with (tmp_path / "new" / RESULTS).open("a", encoding="utf-8") as file:
        file.write('{"benchmark": "det')
    resumed = opened(tmp_path / "new")
    assert [each.seed for each in resumed.missing(PLANNED)] == [1]
    assert [each.seed for each in resumed.evaluation(PLANNED).trials] == [0, 2]
    assert len(results_of(tmp_path / "new")) == 2


def test_complete_evaluation_replaces_its_json_file(tmp_path: Path, run_command: RunCommand) -> None:
    for seed in range(3):
        opened(tmp_path / "done").append(make_trial("code", seed, solved=True, steps=3))
    arguments = ("eval", "detour", "--seeds", "0-2", "--model", "offline", "--output", str(tmp_path / "done"), "--json")
    file = tmp_path / "scores.json"
    file.write_text("{}")
    assert run_command(*arguments, str(file)).code == 0
    assert len(Evaluation.model_validate_json(file.read_text()).trials) == 3
    refused = run_command(*arguments, str(tmp_path))
    assert refused.code == 2
    assert "this is a folder; name a file" in refused.errors


@pytest.mark.parametrize(
    ("planned", "different"),
    [
        ([replace(each, model="openai:gpt-5") for each in PLANNED], "model"),
        ([replace(each, budget=Budget(max_steps=7)) for each in PLANNED], "budget"),
        (PLANNED[:2], "seeds"),
        ([replace(each, benchmark="push-flat") for each in PLANNED], "benchmarks"),
    ],
)
def test_other_options_are_refused_by_name(tmp_path: Path, planned: list[RunOptions], different: str) -> None:
    opened(tmp_path)
    with pytest.raises(UserError, match=f"with other {different}; give the same options"):
        opened(tmp_path, planned)


def test_price_and_mass_are_shares_of_the_witness_in_the_same_world() -> None:
    trial = make_trial("code", 1, solved=True, steps=1)  # 101 USD, 0.5 kg
    certified = [record("detour", seed, unit_price_usd=202.0, mass_kg=0.25) for seed in (1, 2)]
    compared = with_witness(trial, certified)
    assert (compared.price_share, compared.mass_share) == (0.5, 2.0)
    assert with_witness(trial, certified[1:]) == trial


def test_earlier_results_are_compared_with_witnesses_that_were_certified_later(tmp_path: Path) -> None:
    opened(tmp_path).append(make_trial("code", 1, solved=True, steps=1))
    certified = [record("detour", 1, unit_price_usd=202.0)]
    resumed = EvaluationFolder(tmp_path, EvaluationOptions.of(PLANNED), certified)
    (total,) = resumed.evaluation(PLANNED).totals
    assert total.price_share == 0.5
