"""Malformed documents: problems name the line and a fix; their wording is in golden/problems.txt."""

import pickle
import time
from collections.abc import Callable

import pytest
from documents.journal import read_journal
from documents.parser import MAX_LISTED, MAX_PROBLEMS, DocumentError
from documents.plan import read_plan
from documents.refusal import check_proof
from documents.todo import read_todo

from tests.documents.malformed import MALFORMED, Malformed
from tests.documents.valid_documents import PLAN


@pytest.mark.parametrize("case", MALFORMED, ids=[f"{case.document}: {case.fault}" for case in MALFORMED])
def test_malformed_document_is_refused_with_line_and_fix(case: Malformed) -> None:
    with pytest.raises(DocumentError) as caught:
        case.read(case.text)
    assert caught.value.document == case.document
    assert case.line in [problem.line for problem in caught.value.problems]
    assert all(problem.reason and problem.fix for problem in caught.value.problems)
    assert f"line {case.line}: " in str(caught.value)


def test_all_problems_are_listed_at_once_in_order() -> None:
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


def test_document_error_survives_pickling() -> None:
    with pytest.raises(DocumentError) as caught:
        read_todo("nothing")
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


def test_message_lists_first_problems_and_counts_rest() -> None:
    with pytest.raises(DocumentError, match="and 40 more"):
        read_todo("# TODO\n\n" + "nothing\n" * 60)


@pytest.mark.parametrize(
    ("read", "text"),
    [
        (read_journal, "# Journal\n\n" + "#\n" * 126_000),
        (read_todo, "# TODO\n\n" + "x\n" * 126_000),
        (read_plan, "# Plan\n\n" + "## x\n" * 50_000),
        (check_proof, "[cell " * 40_000),
    ],
    ids=["journal", "todo", "plan", "proof"],
)
def test_document_of_problems_is_refused_in_little_time(read: Callable[[str], object], text: str) -> None:
    began_s = time.process_time()
    with pytest.raises(DocumentError) as caught:
        read(text)
    assert time.process_time() - began_s < 5.0
    assert len(caught.value.problems) <= MAX_PROBLEMS


def test_end_of_a_long_list_of_problems_is_not_counted() -> None:
    with pytest.raises(DocumentError) as caught:
        read_todo("# TODO\n\n" + "x\n" * 200)
    assert str(caught.value).endswith(f"- and at least {MAX_PROBLEMS - MAX_LISTED} more")
