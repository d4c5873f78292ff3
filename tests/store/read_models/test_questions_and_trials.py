"""What the read models say about questions, and about skills: their trials and their use."""

from typing import Any
from uuid import uuid4

import pytest
from contracts.envelope import Event, answering
from contracts.events.conversation import ToolAnswered
from contracts.events.perception import PerceptionCompleted
from contracts.events.question import LookCompleted, QuestionAnswered, QuestionAsked, QuestionFailed
from contracts.events.run import EngineeringRequested
from contracts.events.session import CellCompleted, CellRequested, FileViewed
from contracts.events.skill import TrialCompleted, TrialRequested
from contracts.models.questions.answers import ValidAnswer
from contracts.skills import PinnedSkill, TrialMember
from sqlalchemy import Table
from store.read_models.projections.questions import QUESTIONS
from store.read_models.projections.skills import PINNED_SKILLS, SKILL_OPENINGS
from store.read_models.projections.trials import TRIAL_RUNS, TRIALS
from store.read_models.registry import rows_of
from store.read_models.writer import merge

from tests.store.example_runs import EXAMPLES, new_request


def _merged(model: Table, *events: Event) -> dict[str, Any]:
    """Return the row that events of one run make."""
    rows = [row.values for at, event in enumerate(events, 5) for row in rows_of(event, at) if row.table is model]
    (merged,) = merge(model, rows)
    return dict(merged)


def _of_run(opening: Event, *classes: type[Event]) -> list[Event]:
    own = {"run_id": opening.run_id, "kind": opening.kind}
    return [EXAMPLES[each].model_copy(update={**own, "id": uuid4(), "causation_id": opening.id}) for each in classes]


def _asked() -> QuestionAsked:
    run_id, example = uuid4(), EXAMPLES[QuestionAsked]
    assert isinstance(example, QuestionAsked)
    return example.model_copy(update={"id": run_id, "run_id": run_id, "kind": "question"})


@pytest.mark.parametrize(("value", "stored"), [("B", '"B"'), (2.5, "2.5"), (True, "true"), ((1.0, 2.0), "[1.0, 2.0]")])
def test_answered_question_is_one_row_with_its_answer_and_work(value: Any, stored: str) -> None:
    asked = _asked()
    work = _of_run(asked, CellCompleted, PerceptionCompleted, LookCompleted)
    again = _of_run(asked, CellCompleted)
    answer = ValidAnswer(kind="text", value=value)
    end = QuestionAnswered(**answering(asked, "spatial-agent"), answer=answer, ending="returned", steps=2)
    row = _merged(QUESTIONS, asked, *work, *again, end)
    assert (row["sequence"], row["text"], row["model"]) == (5, asked.question.text, asked.model)
    assert (row["cells"], row["perceptions"], row["looks"], row["steps"]) == (2, 1, 1, 2)
    assert (row["outcome"], row["ending"], row["answer"]) == ("answered", "returned", stored)
    assert (row["frames"], row["asked_by"]) == (len(asked.question.frames), asked.producer)


def test_failed_question_has_its_reason_and_no_answer() -> None:
    asked = _asked()
    end = QuestionFailed(**answering(asked, "spatial-agent"), reason="deadline", detail="1800 s are over")
    row = _merged(QUESTIONS, asked, end)
    assert (row["outcome"], row["reason"], row["detail"]) == ("failed", "deadline", "1800 s are over")
    assert row.get("answer") is None


def test_cell_of_an_engineering_run_makes_no_question() -> None:
    (cell,) = _of_run(new_request(), CellCompleted)
    assert [row for row in rows_of(cell, 1) if row.table is QUESTIONS] == []


def test_trial_is_one_row_with_figures_of_both_arms() -> None:
    requested = EXAMPLES[TrialRequested]
    assert isinstance(requested, TrialRequested)
    (end,) = _of_run(requested, TrialCompleted)
    assert isinstance(end, TrialCompleted)
    row, figures = _merged(TRIALS, requested, end), end.figures
    assert (row["name"], row["version"], row["verdict"]) == (requested.name, requested.version, end.verdict)
    assert row["benchmarks"].split() == [*requested.benchmarks]
    assert (row["pairs"], row["current_runs"], row["proposed_solved"]) == (
        figures.pairs,
        figures.current.runs,
        figures.proposed.solved,
    )
    assert (row["solved_gain"], row["solved_low"], row["avoided_high"]) == (
        figures.solved.mean,
        figures.solved.low,
        figures.avoided.high,
    )


def test_runs_of_a_trial_name_it_and_others_do_not() -> None:
    member = TrialMember(trial_id=uuid4(), arm="proposed")
    inside = new_request().model_copy(update={"trial": member})
    assert _merged(TRIAL_RUNS, inside) == {"run_id": inside.run_id, "trial_id": member.trial_id, "arm": "proposed"}
    outside = new_request().model_copy(update={"trial": None})
    assert isinstance(outside, EngineeringRequested)
    assert [row for row in rows_of(outside, 1) if row.table is TRIAL_RUNS] == []


def test_skills_that_a_run_pins_and_that_its_roles_open_have_rows() -> None:
    request = new_request()
    pinned = (PinnedSkill(for_role="engineer", name="lean-legs", version=3),)
    request = request.model_copy(update={"skills": pinned})
    view, cell, answer = _of_run(request, FileViewed, CellRequested, ToolAnswered)
    read = 'print(open("skills/lean-legs/references/a.md").read(), open("skills/build123d/SKILL.md").read())'
    path = '{"path": "skills/planning/SKILL.md"}'
    events = (
        request,
        view.model_copy(update={"path": "skills/mechanisms/SKILL.md"}),
        cell.model_copy(update={"code": read}),
        answer.model_copy(update={"tool": "view_file", "arguments_json": path, "has_failed": False}),
        answer.model_copy(update={"tool": "view_file", "arguments_json": path, "has_failed": True}),
        view.model_copy(update={"path": "script.py"}),
    )
    rows = [row for at, event in enumerate(events, 1) for row in rows_of(event, at)]
    opened = [row.values["name"] for row in rows if row.table is SKILL_OPENINGS]
    assert opened == ["mechanisms", "lean-legs", "build123d", "planning"]
    found = [row.values for row in rows if row.table is PINNED_SKILLS]
    assert found == [{"run_id": request.run_id, "for_role": "engineer", "name": "lean-legs", "version": 3}]
