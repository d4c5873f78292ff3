"""What may change in a list of things to do, in a journal, and in a plan's figures."""

import pytest
from contracts.models.benchmark import Limits
from documents import journal, todo
from documents.plan import check_budget, read_plan
from documents.problems import DocumentError

from tests.documents.valid_documents import JOURNAL, PLAN, TODO


def _changes_todo(text: str) -> None:
    todo.check_change(todo.read_todo(TODO), todo.read_todo(text))


def _changes_journal(text: str) -> None:
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
def test_work_goes_on_and_comes_back_and_grows(old: str, new: str) -> None:
    _changes_todo(TODO.replace(old, new))


@pytest.mark.parametrize(
    ("old", "new", "line", "reason"),
    [
        ("build the legs", "build a leg", 4, "T2 says `build a leg`"),
        ("- [-] T3: glue the rail (reason: the rail is screwed)\n", "", 5, "T3 was taken out"),
        ("- [-] T3: glue the rail (reason: the rail is screwed)", "- [ ] T3: glue the rail", 5, "from dropped to open"),
        ("is screwed", "is bent", 5, "T3 was dropped for another reason"),
        ("[x] T1: measure the world", "[-] T1: measure the world (reason: no)", 3, "T1 goes from done to dropped"),
        (
            "T1: measure the world\n- [ ] T2: build the legs",
            "T1: build the legs\n- [ ] T2: measure the world",
            3,
            "T1 says",
        ),
    ],
)
def test_what_was_agreed_stays(old: str, new: str, line: int, reason: str) -> None:
    assert old in TODO
    with pytest.raises(DocumentError) as caught:
        _changes_todo(TODO.replace(old, new))
    assert caught.value.problems[0].line == line
    assert reason in caught.value.problems[0].reason


def test_a_journal_only_grows() -> None:
    _changes_journal(JOURNAL)
    _changes_journal(JOURNAL + "\n## J3: submit\n\n- Result: approved\n- Reflection: good\n- Next step: none\n")


@pytest.mark.parametrize(
    ("old", "new", "line", "reason"),
    [
        ("one floats", "all stand", 3, "entry J1 was changed"),
        ("it is slow", "it is fast", 9, "entry J2 was changed"),
        (JOURNAL[JOURNAL.index("\n## J2") :], "", 9, "entry J2 was taken out: `simulate`"),
    ],
)
def test_what_is_written_in_a_journal_stays(old: str, new: str, line: int, reason: str) -> None:
    with pytest.raises(DocumentError) as caught:
        _changes_journal(JOURNAL.replace(old, new))
    assert (caught.value.problems[0].line, caught.value.problems[0].reason) == (line, reason)


def test_a_plan_within_its_limits_breaks_none() -> None:
    plan = read_plan(PLAN)
    assert (float(plan.mass_g), float(plan.price_usd), plan.part_count) == (416.5, 44.95, 6)
    assert check_budget(plan, Limits()) == ()
    assert check_budget(plan, Limits(max_unit_price_usd=44.95, max_mass_kg=0.4165, max_parts=6)) == ()


def test_each_limit_that_a_plan_breaks_by_its_own_figures_is_told_with_both() -> None:
    limits = Limits(max_unit_price_usd=44.9, max_mass_kg=0.4, max_parts=5)
    told = [(problem.line, problem.reason) for problem in check_budget(read_plan(PLAN), limits)]
    assert told == [
        (7, "the masses add up to 416.5 g, and 400 g are the most"),
        (7, "the prices add up to 44.95 USD, and 44.9 USD are the most"),
        (7, "the counts add up to 6 parts, and 5 parts are the most"),
    ]
