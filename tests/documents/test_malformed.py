"""Malformed documents are refused with the line, the reason and how to mend it."""

import pickle
from collections.abc import Callable

import pytest
from documents.benchmark_plan import read_benchmark_plan
from documents.journal import read_journal
from documents.plan import read_plan
from documents.problems import DocumentError
from documents.refusal import read_refusal
from documents.todo import read_todo

from tests.documents.valid_documents import BENCHMARK_PLAN, JOURNAL, PLAN, PROOF, TODO

FLOOR = "| floor | 2 | 3d_printing | pla | 120 | 8.50 |"
POST = "| post | 3 | cnc | pom | 40.5 | 6 |"
DRAW = "| wall height | 150 | 250 | mm |"

Spoilt = tuple[str, str, int, str]
"""What is replaced, by what, the line of the problem, and words of its reason."""

PLANS: list[Spoilt] = [
    ("# Plan\n", "# My plan\n", 1, "first line is `# My plan`"),
    (PLAN, "", 1, "first line is empty"),
    ("## Idea\n\nRoll down a slope of 8 degrees, round the wall.\n\n", "", 3, "`## Idea` is missing"),
    ("Roll down a slope of 8 degrees, round the wall.\n\n", "", 3, "`## Idea` is empty"),
    ("## Risks", "## Dangers", 22, "`## Dangers` is none of the sections"),
    ("## Risks\n\n", "## Idea\n\nTwice.\n\n## Risks\n\n", 22, "`## Idea` stands twice"),
    ("## Idea", "# Idea", 3, "`# Idea` is no section"),
    ("# Plan\n\n", "# Plan\n\nHello.\n\n", 3, "`Hello.` stands in no section"),
    ("# Plan\n\n## Idea", "# Plan\n\n## Motion", 3, "`## Idea` is missing"),
    ("| part | count |", "| part | pieces |", 9, "is not line 1 of the table"),
    ("| --- | --- | --- | --- | --- | --- |\n", "", 10, "is not line 2 of the table"),
    (FLOOR, FLOOR[:-6], 11, "is no row of 6 cells"),
    (FLOOR, "floor and posts", 11, "is no row of 6 cells"),
    (f"{FLOOR}\n{POST}\n| servo | 1 | catalog | mg996r | 55 | 9.95 |\n", "", 7, "the table of `## Parts` is empty"),
    ("3d_printing", "printing", 11, "`printing` is no method"),
    ("| pla |", "| wood |", 11, "`wood` is no material"),
    ("| cnc | pom |", "| cnc | pla |", 12, "`pla` cannot be made by `cnc`"),
    ("mg996r", "mg997r", 13, "nothing is sold as 'mg997r'; did you mean mg996r"),
    ("mg996r", "MG996R", 13, "`MG996R` is sold as `mg996r`"),
    ("| 120 |", "| 120 g |", 11, "mass_g is `120 g`"),
    ("| 8.50 |", "| -8.50 |", 11, "price_usd is `-8.50`"),
    ("| floor | 2 |", "| floor | two |", 11, "count is `two`"),
    ("| floor | 2 |", "| floor | 0 |", 11, "count is `0`"),
    ("| post |", "| floor |", 12, "the part `floor` stands in two rows"),
    ("| post |", "|  |", 12, "the part has no name"),
    ("Moved by: gravity, on a slope of 8 degrees\n\n", "", 17, "`## Motion` begins with `1. the ball"),
    ("1. the ball rolls to the corner\n2. it drops into the goal zone\n", "", 15, "`## Motion` has no stages"),
    ("2. it drops", "3. it drops", 20, "stage 3 stands where 2 belongs"),
    ("2. it drops", "- it drops", 20, "is no stage"),
    ("- the corner stops the ball: a bevel", "- the corner stops the ball, a bevel", 24, "is no item of `## Risks`"),
    ("## Idea\n\n", "## Idea\n", 4, "follows without an empty line"),
    ("## Idea\n\n", "## Idea\n\n\n", 5, "there is an empty line too many"),
    ("| 120 |", "|  120 |", 11, "the line is `| floor | 2 | 3d_printing | pla |  120"),
    ("round the wall.", "round the wall. ", 5, "blanks at its end"),
    ("round the wall.", "round the wall.\r", 5, "strange line break"),
]
BENCHMARK_PLANS: list[Spoilt] = [
    ("## Motion and motors", "## Motion", 12, "`## Motion` is none of the sections"),
    ("- floor: a plate", "- a plate", 10, "is no item of `## World`"),
    ("- gate: opens by a servo, once in 4 s\n\n", "", 12, "`## Motion and motors` is empty"),
    ("| quantity | from |", "| quantity | min |", 18, "is not line 1 of the table"),
    (DRAW, "| wall height | 250 | 150 | mm |", 20, "250 is above 150"),
    (DRAW, "| wall height | low | 250 | mm |", 20, "the bounds are `low` and `250`"),
    (DRAW, "| wall height | 150 | 250 |  |", 20, "a name and a unit"),
    ("1. a channel", "a channel", 25, "is no stage"),
]
TODOS: list[Spoilt] = [
    ("# TODO", "# Todo", 1, "first line is `# Todo`"),
    (TODO[8:], "", 1, "the list has no item"),
    ("T2", "T4", 4, "T4 stands where T2 belongs"),
    ("- [ ] T2: build", "- [ ] build", 4, "is no item"),
    ("- [ ] T2", "* [ ] T2", 4, "is no item"),
    ("- [ ] T2", "- [X] T2", 4, "`[X]` is no state"),
    (" (reason: the rail is screwed)", "", 5, "T3 is dropped without a reason"),
    ("build the legs", "build the legs (reason: they stand)", 4, "T2 is open and gives a reason"),
    ("\n- [ ] T2", "\n\n- [ ] T2", 4, "an empty line too many"),
    ("build the legs", "build\nthe legs", 5, "`the legs` is no item"),
]
JOURNALS: list[Spoilt] = [
    ("# Journal\n", "", 1, "first line is empty"),
    ("## J1: build the legs\n\n", "", 3, "stands in no entry"),
    ("## J1: build", "## build", 3, "begins no entry"),
    ("## J2:", "## J3:", 9, "J3 stands where J2 belongs"),
    ("- Result: one floats\n", "", 3, "the entry has no Result"),
    ("- Result: one floats\n", "- Result:\n", 5, "is no line of an entry"),
    ("- Reflection: it is slow", "- Feeling: it is slow", 12, "is no line of an entry"),
    ("- Reflection: it is slow", "- Reflection: it is slow\nand loud", 13, "`and loud` is no line of an entry"),
    ("- Next step: submit", "- Next step: submit\n- Result: done", 14, "`Result` stands twice"),
    (
        "- Result: solved\n- Reflection: it is slow",
        "- Reflection: slow\n- Result: solved",
        12,
        "`Result` comes too late",
    ),
]
PROOFS: list[Spoilt] = [
    ("[cell 3]", "[cell three]", 1, "`[cell three]` is no citation"),
    ("[simulation 1]", "[Simulation 0]", 1, "`[Simulation 0]` is no citation"),
    (PROOF, "It cannot be done: [cell 3].", 1, "the proof says 16 characters"),
    (PROOF, "The goal lies under the floor, and nothing can open the floor, whatever I try.", 1, "cites nothing"),
    (PROOF, PROOF * 200, 1, "20000 are the most"),
]
TABLE = [
    *((read_plan, PLAN, each) for each in PLANS),
    *((read_benchmark_plan, BENCHMARK_PLAN, each) for each in BENCHMARK_PLANS),
    *((read_todo, TODO, each) for each in TODOS),
    *((read_journal, JOURNAL, each) for each in JOURNALS),
    *((read_refusal, PROOF, each) for each in PROOFS),
]


@pytest.mark.parametrize(
    ("read", "sound", "spoilt"), TABLE, ids=[f"{each[0].__name__}: {each[2][3]}" for each in TABLE]
)
def test_what_is_malformed_is_refused_with_its_line_and_reason(
    read: Callable[[str], object], sound: str, spoilt: Spoilt
) -> None:
    old, new, line, reason = spoilt
    assert old in sound
    with pytest.raises(DocumentError) as caught:
        read(sound.replace(old, new, 1))
    told = [(problem.line, problem.reason) for problem in caught.value.problems]
    assert any(at == line and reason in why for at, why in told), told
    assert all(problem.mend for problem in caught.value.problems)
    assert f"line {line}: " in str(caught.value)


def test_everything_that_is_wrong_is_told_at_once_and_in_order() -> None:
    text = PLAN
    for old, new in (
        ("| pla |", "| wood |"),
        ("| 6 |", "| six |"),
        ("2. it drops", "3. it drops"),
        ("## Risks", "## R"),
    ):
        text = text.replace(old, new)
    with pytest.raises(DocumentError) as caught:
        read_plan(text)
    assert [problem.line for problem in caught.value.problems] == [11, 12, 20, 22, 25]


def test_an_error_survives_the_way_between_processes() -> None:
    with pytest.raises(DocumentError) as caught:
        read_todo("nothing")
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


def test_of_very_many_problems_the_first_are_told() -> None:
    with pytest.raises(DocumentError, match="and 80 more"):
        read_todo("# TODO\n\n" + "nothing\n" * 100)
