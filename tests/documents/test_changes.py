"""Legal changes of a TODO list and a journal, and the budget check of a plan."""

import pytest
from contracts.models.benchmark import Limits
from documents import journal, todo
from documents.parser import DocumentError
from documents.plan import check_budget, read_plan

from tests.documents.valid_documents import JOURNAL, PLAN, TODO


def _check_todo(text: str) -> None:
    todo.check_change(todo.read_todo(TODO), todo.read_todo(text))


def _check_journal(text: str) -> None:
    journal.check_change(journal.read_journal(JOURNAL), journal.read_journal(text))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("[ ] T2", "[x] T2"),
        ("[x] T1", "[ ] T1"),
        ("[ ] T2: build the legs", "[-] T2: build the legs (reason: they stand)"),
        ("is screwed)\n", "is screwed)\n- [ ] T4: look again\n- [x] T5: seen\n"),
    ],
)
def test_legal_todo_changes_are_accepted(old: str, new: str) -> None:
    _check_todo(TODO.replace(old, new))


@pytest.mark.parametrize(
    ("old", "new", "line", "reason"),
    [
        ("build the legs", "build a leg", 4, "`build a leg`"),
        ("- [-] T3: glue the rail (reason: the rail is screwed)\n", "", 5, "T3 was removed"),
        ("- [-] T3: glue the rail (reason: the rail is screwed)", "- [ ] T3: glue the rail", 5, "from dropped to open"),
        ("is screwed", "is bent", 5, "reason of T3"),
        ("[x] T1: measure the world", "[-] T1: measure the world (reason: no)", 3, "T1 goes from done to dropped"),
        (
            "T1: measure the world\n- [ ] T2: build the legs",
            "T1: build the legs\n- [ ] T2: measure the world",
            3,
            "text of T1",
        ),
    ],
)
def test_illegal_todo_changes_are_refused(old: str, new: str, line: int, reason: str) -> None:
    assert old in TODO
    with pytest.raises(DocumentError) as caught:
        _check_todo(TODO.replace(old, new))
    assert caught.value.problems[0].line == line
    assert reason in caught.value.problems[0].reason


def test_journal_may_grow() -> None:
    _check_journal(JOURNAL)
    _check_journal(JOURNAL + "\n## J3: submit\n\n- Result: approved\n- Reflection: good\n- Next step: none\n")


@pytest.mark.parametrize(
    ("old", "new", "line", "reason"),
    [
        ("one floats", "all stand", 3, "entry J1 was changed"),
        ("it is slow", "it is fast", 9, "entry J2 was changed"),
        (JOURNAL[JOURNAL.index("\n## J2") :], "", 9, "entry J2 was removed: `simulate`"),
    ],
)
def test_changed_or_removed_journal_entries_are_refused(old: str, new: str, line: int, reason: str) -> None:
    with pytest.raises(DocumentError) as caught:
        _check_journal(JOURNAL.replace(old, new))
    assert (caught.value.problems[0].line, caught.value.problems[0].reason) == (line, reason)


def test_plan_within_limits_passes_budget_check() -> None:
    plan = read_plan(PLAN)
    assert (float(plan.mass_g), float(plan.price_usd), plan.part_count) == (416.5, 44.95, 6)
    assert check_budget(plan, Limits()) == ()
    assert check_budget(plan, Limits(max_unit_price_usd=44.95, max_mass_kg=0.4165, max_parts=6)) == ()


def test_budget_check_reports_each_exceeded_limit() -> None:
    limits = Limits(max_unit_price_usd=44.9, max_mass_kg=0.4, max_parts=5)
    problems = check_budget(read_plan(PLAN), limits)
    assert [problem.line for problem in problems] == [7, 7, 7]
    for problem, planned, limit in zip(
        problems, ("416.5 g", "44.95 USD", "6 parts"), ("400 g", "44.9 USD", "5 parts"), strict=True
    ):
        assert planned in problem.reason
        assert limit in problem.reason
