"""Certificates of the suite: their records, what they come to, and their tables."""

from pathlib import Path

import pytest
from cli.certification.records import RecordFile, WorldRecord
from cli.certification.scores import SuiteScore, suite_markdown
from local_stack.errors import UserError


def record(benchmark: str, seed: int, **changes: object) -> WorldRecord:
    sound = {
        "benchmark": benchmark,
        "level": 2,
        "digest": f"digest-of-{benchmark}",
        "world": f"seed {seed}",
        "replicas": 32,
        "is_valid": True,
        "solves_itself": False,
        "is_solved": True,
        "is_robust": True,
        "fault": "",
        "success_rate": 1.0,
        "unit_price_usd": 100.0 + seed,
        "mass_kg": 0.5,
        "is_solved_by_baseline": False,
        "baseline_problem": "",
        "time_s": 2.5,
    }
    return WorldRecord.model_validate({**sound, **changes})


FLAKY = {"is_robust": False, "success_rate": 0.8, "fault": "the witness does not solve it robustly"}


def test_scores_count_the_worlds_of_each_benchmark() -> None:
    records = [
        *(record("b", seed, is_solved_by_baseline=seed == 1) for seed in range(3)),
        record("a-3", 0, level=3, is_solved_by_baseline=True),
        record("a-3", 1, level=3, **FLAKY),
    ]
    suite = SuiteScore.of(records, 32, "2026-11-24", "abc")
    hard, easy = suite.scores
    assert hard.cells == ("a-3", "3", "2/2", "2/2", "1/2", "0", "1/2", "100.50 USD", "0.500 kg", "no")
    assert easy.cells == ("b", "2", "3/3", "3/3", "3/3", "0", "1/3", "101.00 USD", "0.500 kg", "yes")
    assert suite.total.worlds == 5
    assert suite.total.faults == (
        "a-3, seed 1: the witness does not solve it robustly",
        "a-3: a straight chute solves 1 of 2 worlds, at level 3 at most 25%: put something in its way",
    )
    page = suite_markdown(suite)
    assert "- 2026-11-24, commit abc" in page
    assert "| b | 2 | 3/3 | 3/3 | 3/3 | 0 | 1/3 | 101.00 USD | 0.500 kg | yes |" in page


@pytest.mark.parametrize(("level", "solved", "count"), [(2, 4, 0), (3, 1, 0), (3, 2, 1)])
def test_straight_chute_is_a_fault_of_hard_benchmarks_beyond_a_quarter(level: int, solved: int, count: int) -> None:
    records = [record("a", seed, level=level, is_solved_by_baseline=seed < solved) for seed in range(4)]
    assert len(SuiteScore.of(records, 32, "2026-11-24", "abc").total.faults) == count


def test_records_survive_an_interruption_within_a_line(tmp_path: Path) -> None:
    path = tmp_path / "new" / "certificates.jsonl"
    kept = RecordFile(path)
    for seed in range(2):
        kept.append(record("a", seed))
    with path.open("a", encoding="utf-8") as file:
        file.write(record("a", 2).model_dump_json()[:40])
    resumed = RecordFile(path)
    assert set(resumed.known) == {("digest-of-a", f"seed {seed}", 32) for seed in range(2)}
    resumed.append(record("a", 2))
    assert RecordFile(path).known == resumed.known


def test_file_of_something_else_is_not_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("own work\n", "utf-8")
    with pytest.raises(UserError, match="line 1 is not a WorldRecord"):
        RecordFile(path)
    assert path.read_text("utf-8") == "own work\n"
