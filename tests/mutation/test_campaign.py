"""The campaign's own tools: mutants of a text, named mutants that still have their place, results that go on."""

from pathlib import Path

import pytest

from tests.mutation.named_mutants import NAMED_MUTANTS, NamedMutant
from tests.mutation.operators import half_of, mutants
from tests.mutation.patches import lines_of_readers
from tests.mutation.results import MutantResult, ResultFile, digest_of, report
from tests.mutation.targets import ROOT, TARGETS, Target

SOURCE = '''"""A text."""
LIMIT = 2.5

def is_over(value: float, names: list[str] | None = None) -> bool:
    """Not changed: "a" < "b"."""
    _log.info("value %s", value)
    if value < 0:
        _log.warning("below %d", 0)
    if not names:
        return False
    if value > LIMIT and names:
        names.clear()
    return min(value, 3) + 1 != 0
'''
CHANGES = [
    (2, "2.5 -> 5.0"),
    (9, "not names -> (names)"),
    (9, "not names -> (not (not names))"),
    (10, "False -> True"),
    (11, "value > LIMIT -> (value >= LIMIT)"),
    (11, "value > LIMIT and names -> (not (value > LIMIT and names))"),
    (11, "value > LIMIT and names -> (value > LIMIT or names)"),
    (12, "names.clear() -> pass"),
    (13, "0 -> 1"),
    (13, "1 -> 2"),
    (13, "3 -> 4"),
    (13, "min -> max"),
    (13, "min(value, 3) + 1 -> (min(value, 3) - 1)"),
    (13, "min(value, 3) + 1 != 0 -> (min(value, 3) + 1 == 0)"),
    (13, "return min(value, 3) + 1 != 0 -> return None"),
]


def result(line: int, status: str) -> MutantResult:
    fields = {"target": "t", "file": "a.py", "line": line, "change": "1 -> 2", "digest": f"{line}", "seconds": 1.0}
    return MutantResult.model_validate(fields | {"status": status})


def test_every_operator_changes_one_place_of_a_text() -> None:
    found = mutants(SOURCE)
    assert [(mutant.line, mutant.change) for mutant in found] == CHANGES
    for mutant in found:
        compile(mutant.text, "mutant", "exec")
        assert len(mutant.text.splitlines()) == len(SOURCE.splitlines())


def test_mutant_stays_in_its_half_when_lines_move() -> None:
    files = [file for target in TARGETS for file in target.files()]
    halves: list[str] = []
    for file in files[:40]:
        source = file.read_text(encoding="utf-8")
        before, after = ([half_of(file.name, each) for each in mutants(text)] for text in (source, f"\n\n{source}"))
        assert before == after
        halves += before
    assert 0.45 < halves.count("held-out") / len(halves) < 0.55


@pytest.mark.parametrize("target", TARGETS, ids=[target.name for target in TARGETS])
def test_target_has_sources_tests_and_mutants(target: Target) -> None:
    assert all((ROOT / tests).exists() for tests in target.tests)
    files = target.files()
    assert sum(len(mutants(file.read_text(encoding="utf-8"))) for file in files) >= 10


@pytest.mark.parametrize("mutant", NAMED_MUTANTS, ids=[mutant.name for mutant in NAMED_MUTANTS])
def test_named_mutant_still_has_its_place(mutant: NamedMutant) -> None:
    assert mutant.target in {target.name for target in TARGETS}
    compile(mutant.applied((ROOT / mutant.file).read_text(encoding="utf-8")), mutant.file, "exec")


def test_interrupted_campaign_goes_on_behind_its_results(tmp_path: Path) -> None:
    file = ResultFile(tmp_path / "results.jsonl")
    file.add(result(1, "killed"))
    again = ResultFile(tmp_path / "results.jsonl")
    assert again.has("t", "1")
    assert not again.has("t", digest_of("another text"))


def test_report_has_score_and_survivors() -> None:
    lines = report([result(1, "killed"), result(2, "survived"), result(3, "timeout")], ["- a day"]).splitlines()
    assert "| t | 3 | 1 | 1 | 1 | 67% |" in lines
    assert lines[-1] == "- `a.py:2`: `1 -> 2`"


@pytest.mark.parametrize(
    ("before", "after", "lines"),
    [("2.5", "5.0", {4}), ("| None = None", "| None = 3", {4}), ("A text", "Another text", set[int]())],
)
def test_change_of_a_constant_or_default_concerns_the_functions_that_read_it(
    before: str, after: str, lines: set[int]
) -> None:
    assert lines_of_readers("a.py", SOURCE, SOURCE.replace(before, after)) == lines
