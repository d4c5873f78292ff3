"""Comparison of two evaluations: pairs, intervals, and McNemar's test."""

from pathlib import Path
from random import Random

import pytest
from cli.commands.eval_compare import signed_share
from cli.evaluation.comparison import compare
from cli.evaluation.result_folder import RESULTS
from contracts.confidence import mcnemar_p, paired_interval
from local_stack.errors import UserError

from tests.cli.conftest import RunCommand
from tests.cli.evaluation.trials import make_trial


def test_pairs_are_equal_benchmarks_and_seeds() -> None:
    first = [make_trial("code", seed, solved=seed < 2, steps=3) for seed in range(6)]
    second = [make_trial("tool_call", seed, solved=seed >= 1, steps=5) for seed in range(1, 8)]
    detour, total = compare(first, second)
    assert (detour.both, detour.only_first, detour.only_second, detour.neither) == (1, 0, 4, 0)
    assert detour.difference == pytest.approx(4 / 5)
    assert (detour.steps, detour.tokens, detour.time_s) == (2, 2000, 20)
    assert detour.model_copy(update={"benchmark": "all"}) == total


def test_evaluations_without_a_common_run_are_refused() -> None:
    first = [make_trial("code", 1, solved=True, steps=3)]
    with pytest.raises(UserError, match="share no benchmark and seed"):
        compare(first, [make_trial("code", 2, solved=True, steps=3)])
    with pytest.raises(UserError, match="the second evaluation has detour seed 1 twice"):
        compare(first, [*first, make_trial("tool_call", 1, solved=True, steps=3)])


@pytest.mark.parametrize(
    ("only_first", "only_second", "p_value"),
    [(0, 0, 1.0), (5, 5, 1.0), (0, 1, 1.0), (2, 12, 2 * 106 / 2**14), (6, 0, 2 / 2**6)],
)
def test_mcnemar_is_the_exact_binomial_test(only_first: int, only_second: int, p_value: float) -> None:
    assert mcnemar_p(only_first, only_second) == pytest.approx(p_value)
    assert mcnemar_p(only_second, only_first) == mcnemar_p(only_first, only_second)


def test_interval_of_the_difference_covers_it_in_95_of_100_cases() -> None:
    random, covered, trials = Random(5), 0, 2000
    shares = (0.45, 0.25, 0.1, 0.2)  # both, one, other, neither
    for _ in range(trials):
        drawn = random.choices(range(4), shares, k=40)
        low, high = paired_interval(*(drawn.count(each) for each in range(4)))
        covered += low <= 0.15 <= high
    assert 0.93 <= covered / trials <= 0.98


def test_interval_mirrors_and_stays_within_its_limits() -> None:
    low, high = paired_interval(3, 7, 1, 4)
    assert paired_interval(3, 1, 7, 4) == pytest.approx((-high, -low))
    assert low < 6 / 15 < high
    for table in ((1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 9, 0), (0, 0, 0, 9)):
        low, high = paired_interval(*table)
        assert -1 <= low <= high <= 1


def test_command_prints_a_row_for_each_benchmark_and_all(tmp_path: Path, run_command: RunCommand) -> None:
    for name, fewest in (("one", 3), ("two", 0)):
        (tmp_path / name).mkdir()
        trials = [make_trial("code", seed, solved=seed >= fewest, steps=4) for seed in range(4)]
        text = "".join(trial.model_dump_json() + "\n" for trial in trials)
        (tmp_path / name / RESULTS).write_text(text, "utf-8")
    result = run_command("eval-compare", str(tmp_path / "one"), str(tmp_path / "two"))
    assert result.code == 0, result
    rows = [line.split() for line in result.output.splitlines()]
    assert rows[1][:6] == ["detour", "1", "0", "3", "0", "+75%"]
    assert rows[2][0] == "all"
    assert "4 pairs; 0 runs have no counterpart" in result.output
    missing = run_command("eval-compare", str(tmp_path / "one"), str(tmp_path / "three"))
    assert missing.code == 2
    assert "has no results.jsonl" in missing.errors


@pytest.mark.parametrize(("share", "shown"), [(-0.001, "+0%"), (0.0, "+0%"), (-0.006, "-1%"), (0.5, "+50%")])
def test_difference_that_rounds_to_nothing_has_a_plus(share: float, shown: str) -> None:
    assert signed_share(share) == shown
