"""Which replies give a verdict, in what form, with which reasons and evidence."""

from uuid import UUID

import pytest
from agent.loop.replies import MalformedReplyError
from contracts.models.assessment import AssessmentRecord
from contracts.models.conversation import Message
from contracts.models.design import Evidence
from critic.verdict import REFUSAL, REVIEW, Verdict, is_verdict, read_design_verdict, read_verdict

from tests.contracts import example_values as values

COUNTED = AssessmentRecord(assessment=values.ASSESSMENT, fingerprint="ab12")
KNOWN = {
    name: Evidence(cell_id=UUID(int=1), name=name, summary="3 items", fingerprint=fingerprint)
    for name, fingerprint in (("stability", "ab12"), ("shares", "cd34"), ("empty", ""))
}


def reply(text: str) -> Message:
    return Message(author="assistant", text=text)


def read(text: str) -> tuple[bool, str]:
    verdict = read_verdict(reply(text))
    return verdict.is_positive, verdict.review_md


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("VERDICT: APPROVE\n\n- clear", (True, "- clear")),
        ("VERDICT: REJECT\nno", (False, "no")),
        ("Verdict: approved\n\n- clear", (True, "- clear")),
        ("**VERDICT: REJECT**\n\n- flat", (False, "- flat")),
        ("APPROVE\n\n- clear", (True, "- clear")),
        ("approve\n\n- clear", (True, "- clear")),
        ("Approved!\n\n- clear", (True, "- clear")),
        ("REJECT: it is flat", (False, "it is flat")),
        ("REJECT because it is flat", (False, "it is flat")),
        ("REJECTED since it is flat\n- and steep", (False, "it is flat\n- and steep")),
        ("## Verdict\n\nreject - it is flat", (False, "it is flat")),
        ("## Final decision\n\nAPPROVES\n\n- clear", (True, "- clear")),
        ("Hello.\n\nVERDICT: APPROVE\n\n- clear", (True, "- clear")),
        ("VERDICT: APPROVE\n\n- clear\n\nVERDICT: APPROVE", (True, "- clear")),
        ("VERDICT: APPROVE\n\n- clear\n\nAPPROVE: it is also cheap", (True, "- clear\n\nAPPROVE: it is also cheap")),
        ("```\nVERDICT: REJECT\n```\n\nVERDICT: APPROVE\n\n- clear", (True, "- clear")),
        ("VERDICT: APPROVE\n\n- it would be `REJECT` otherwise", (True, "- it would be `REJECT` otherwise")),
    ],
)
def test_clear_verdict_is_read_in_any_form(text: str, found: tuple[bool, str]) -> None:
    assert is_verdict(reply(text))
    assert read(text) == found


@pytest.mark.parametrize(
    "text",
    [
        "approve this plan, it is clear",
        "Approved it is.",
        "MAYBE\n\n- clear",
        "## Plan\n\nI approve",
        "The verdict is clear",
        "```\nVERDICT: REJECT\n```\n\n- flat",
        "VERDICT\n\n- clear",
    ],
)
def test_text_without_a_verdict_is_none(text: str) -> None:
    assert not is_verdict(reply(text))
    with pytest.raises(MalformedReplyError, match="The verdict is missing"):
        read(text)


@pytest.mark.parametrize(
    "text",
    [
        "VERDICT: APPROVE if the wall is moved\n\n- clear",
        "VERDICT: APPROVE, but only after a change\n\n- clear",
        "APPROVE - provided that it is moved\n\n- clear",
        "VERDICT: APPROVE or REJECT\n\n- clear",
        "VERDICT: APPROVE it\n\n- clear",
        "VERDICT: ~~APPROVE~~\n\n- clear",
        "VERDICT: APPROVE\n\n- clear\n\nVERDICT: REJECT\n\n- flat",
        "REJECT\n\nAPPROVE\n\n- clear",
        "VERDICT: REJECT. pending changes\n\n- flat",
    ],
)
def test_verdict_with_a_condition_or_a_second_one_is_not_clear(text: str) -> None:
    assert is_verdict(reply(text))
    with pytest.raises(MalformedReplyError, match="The verdict is not clear"):
        read(text)


@pytest.mark.parametrize(("before", "is_found"), [(0, True), (11, True), (12, False)])
def test_verdict_is_looked_for_in_the_first_twelve_lines(before: int, is_found: bool) -> None:
    greeting = "\n\n".join(["This is a long greeting."] * before)
    assert is_verdict(reply(f"{greeting}\n\nVERDICT: APPROVE\n\n- clear")) is is_found


def test_verdicts_of_a_refusal_are_others() -> None:
    upheld = read_verdict(reply("VERDICT: UPHELD\n\n- [cell 1]"), REFUSAL)
    assert (upheld.is_positive, upheld.review_md) == (True, "- [cell 1]")
    assert not read_verdict(reply("DENY\n\n- one try"), REFUSAL).is_positive
    with pytest.raises(MalformedReplyError, match="`VERDICT: UPHOLD` or `VERDICT: DENY`"):
        read_verdict(reply("VERDICT: APPROVE\n\n- clear"), REFUSAL)
    with pytest.raises(MalformedReplyError, match="`VERDICT: APPROVE` or `VERDICT: REJECT`"):
        read_verdict(reply("VERDICT: UPHOLD\n\n- clear"), REVIEW)


def test_verdict_alone_is_not_enough() -> None:
    with pytest.raises(MalformedReplyError, match="Reasons must follow the verdict"):
        read("VERDICT: APPROVE\n\n")


def read_design(text: str, counted: AssessmentRecord | None = COUNTED) -> Verdict:
    return read_design_verdict(reply(text), KNOWN, counted)


@pytest.mark.parametrize(
    ("rest", "reasons", "names"),
    [
        ("no", "no", []),
        ("- flat\n\n## Evidence\n\n- none", "- flat", []),
        ("- flat\n- steep\n## Evidence\n- none", "- flat\n- steep", []),
        ("- flat\n\n## Evidence\n\nN/A.", "- flat", []),
        ("## Reasons\n\n- flat\n\n## Evidence\n\n- `shares`: 3 of 30\n- stability", "- flat", ["shares", "stability"]),
        ("It is bad.\n\n## Reasons\n\n- flat", "It is bad.\n\n- flat", []),
        ("- flat\n\n## Evidence\n\nshares, stability and shares (all)", "- flat", ["shares", "stability"]),
        ("- flat\n\n## Evidence\n\n1. shares = 3\n2) stability - 3 of 30", "- flat", ["shares", "stability"]),
        ("- flat\n\n## Evidence variables\n\n* shares & stability", "- flat", ["shares", "stability"]),
        ("## Evidence\n\n- shares\n\n## Reasons\n\n- flat", "- flat", ["shares"]),
    ],
)
def test_rejection_of_a_design_has_reasons_and_named_evidence(rest: str, reasons: str, names: list[str]) -> None:
    verdict = read_design(f"VERDICT: REJECT\n\n{rest}")
    assert (verdict.is_positive, verdict.review_md) == (False, reasons)
    assert [each.name for each in verdict.evidence] == names
    assert verdict.assessment is None


@pytest.mark.parametrize(
    ("rest", "problem"),
    [
        ("## Evidence\n\n- shares", "Reasons must follow the verdict, under `## Reasons`"),
        ("- flat\n\n## Evidence\n\n- the shares of all", "this line is neither: - the shares of all"),
        (
            "- flat\n\n## Evidence\n\n- other",
            "has bound the evidence `other`; there are: `empty`, `shares`, `stability`",
        ),
        ("- flat\n\n## Evidence\n\n- empty", "`empty` has no fingerprint"),
        ("- flat\n\n## Code\n\n```python\nx = 1\n```", "Either a cell or the verdict"),
    ],
)
def test_unfounded_rejection_is_returned_with_its_problem(rest: str, problem: str) -> None:
    with pytest.raises(MalformedReplyError, match=problem):
        read_design(f"VERDICT: REJECT\n\n{rest}")


def test_approval_names_the_assessment_of_all_reruns() -> None:
    approved = read_design("VERDICT: APPROVE\n\n- it holds\n\n## Evidence\n\n- stability\n- shares")
    assert (approved.is_positive, approved.assessment) == (True, COUNTED.assessment)
    with pytest.raises(MalformedReplyError, match="None of the named variables is the assessment"):
        read_design("VERDICT: APPROVE\n\n- it holds\n\n## Evidence\n\n- shares")
    with pytest.raises(MalformedReplyError, match="so far: none was made"):
        read_design("VERDICT: APPROVE\n\n- it holds\n\n## Evidence\n\n- stability", None)
