"""The account of a run, whatever it was asked for: its first line, what it shows, and its files."""

from collections.abc import Sequence

import pytest
from contracts.envelope import Event, answering
from contracts.events.benchmark import (
    BenchmarkDrafted,
    BenchmarkPublished,
    BenchmarkRequested,
    DraftApproved,
    DraftCertified,
    DraftRefused,
    GenerationFailed,
)
from contracts.events.design import DesignInvalidated, DesignRejected, DesignSimulated, DesignSubmitted, DesignValidated
from contracts.events.question import QuestionAnswered, QuestionFailed
from contracts.events.run import EngineeringRequested, RunFailed, RunSucceeded
from contracts.events.simulation import FilmCompleted, FilmRequested
from contracts.models.questions.answers import ValidAnswer
from run_report.account import RunAccount
from run_report.accounts import account_of
from run_report.blocks import Drawings, Figures, Prose, TextTable
from run_report.record import NotReportableError

from tests.contracts.examples import full_examples
from tests.spatial_agent.question_harness import question_asked

EXAMPLES = full_examples()


def account(*types: type[Event], **changes: object) -> RunAccount:
    """Return the account of these examples, the last one changed."""
    events = [EXAMPLES[each] for each in types]
    return account_of([*events[:-1], events[-1].model_copy(update=changes)])


def kinds(sections: Sequence[object]) -> list[type[object]]:
    return [type(each) for each in sections]


def test_failed_run_names_what_its_last_design_lacks():
    found = account(
        EngineeringRequested, DesignSubmitted, DesignInvalidated, RunFailed, reason="deadline", detail="9 s."
    )
    assert found.outcome.line.startswith(
        "failed: deadline: 9 s. The last design was refused with 1 finding: over mass."
    )
    (table,) = found.sections
    assert isinstance(table, TextTable)
    assert table.rows[0][0] == "over mass"
    assert list(found.stored) == ["last_submission.zip"]
    assert not found.is_open


def test_failed_run_has_files_film_and_verdict_of_its_last_valid_design():
    valid = EXAMPLES[DesignValidated]
    assert isinstance(valid, DesignValidated)
    request = EXAMPLES[FilmRequested].model_copy(update={"scene": valid.scene, "window_s": None})
    film = EXAMPLES[FilmCompleted].model_copy(update={"causation_id": request.id})
    types = (EngineeringRequested, DesignValidated, DesignSimulated)
    events = [*(EXAMPLES[each] for each in types), request, film, EXAMPLES[DesignRejected], EXAMPLES[RunFailed]]
    found = account_of(events)
    assert ", rejected by the critic." in found.outcome.detail
    assert kinds(found.sections) == [Prose, Prose, Figures]
    assert {"assembly.step", "workspace.zip", "video.mp4", "poster.png"} <= found.stored.keys()
    assert list(found.written) == ["bill_of_materials.csv"]


def test_run_without_a_design_says_so():
    assert account(EngineeringRequested, RunFailed).outcome.detail.endswith("No design was judged.")
    assert account(EngineeringRequested).is_open


def test_solved_run_says_by_what():
    found = account(EngineeringRequested, RunSucceeded)
    assert " USD, " in found.outcome.detail
    assert "replicas" in found.outcome.detail
    assert {"bill_of_materials.csv", "report.md"} == found.written.keys()
    assert found.name.endswith(str(found.events[0].run_id)[:8])


def test_published_benchmark_has_world_certificate_review_and_archive():
    types = (BenchmarkRequested, BenchmarkDrafted, DraftCertified, DraftApproved, BenchmarkPublished)
    found = account(*types)
    assert found.outcome.word == "published"
    assert kinds(found.sections) == [Drawings, TextTable, Prose]
    assert found.stored.keys() == {"benchmark.zip"}
    assert found.written.keys() == {"plan.md", "certificate.json", "review.md"}
    assert found.script_name == "witness.py"
    assert found.script


def test_failed_generation_keeps_its_last_draft_and_why_it_was_refused():
    found = account(BenchmarkRequested, BenchmarkDrafted, DraftRefused, GenerationFailed)
    assert found.outcome.line.startswith("failed: drafts rejected: 5 drafts. 1 draft written.")
    assert kinds(found.sections) == [Drawings, TextTable]
    assert {"draft/benchmark.yaml", "draft/environment.py", "draft/witness.py"} <= found.written.keys()


def test_question_has_its_images_and_its_answer():
    asked = question_asked()
    answered = QuestionAnswered(
        **answering(asked, "spatial-agent"), answer=ValidAnswer(kind="integer", value=10), ending="returned", steps=2
    )
    found = account_of([asked, answered])
    assert found.outcome.line == "answer: 10"
    assert dict(found.facts)["shown"] == "3 frames of a video"
    assert list(found.stored) == ["video/00.png", "video/01.png", "video/02.png"]
    assert '"answer": 10' in found.written["answer.json"]
    assert found.name.startswith("question-Which-frame-is-the-brightest-")


@pytest.mark.parametrize(
    ("is_refusal", "line"), [(True, "no answer: refused: no depth"), (False, "no answer: model failed: no depth")]
)
def test_question_without_an_answer_says_why(is_refusal: bool, line: str):
    asked = question_asked()
    found = account_of(
        [
            asked,
            QuestionFailed(
                **answering(asked, "spatial-agent"), reason="model_failed", detail="no depth", is_refusal=is_refusal
            ),
        ]
    )
    assert found.outcome.line == line
    assert '"outcome": "no answer"' in found.written["answer.json"]


def test_events_of_no_run_have_no_account():
    with pytest.raises(NotReportableError, match="no events"):
        account_of([])
