"""Evaluations of questions: trials from events, classes of failure, tables, the folder, and comparison."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from artifacts.testing import FakeArtifacts
from cli.evaluation.comparison import compare
from cli.evaluation.questions.failure import question_failure
from cli.evaluation.questions.margins import margins_md
from cli.evaluation.questions.question_folder import QuestionFolder, QuestionOptions, answers_of
from cli.evaluation.questions.sources import dataset_source, file_source, names_question_set
from cli.evaluation.questions.tables import QuestionEvaluation
from cli.evaluation.questions.trials import QuestionAttempt, QuestionTrial, question_trial
from cli.evaluation.questions.variants import VARIANTS, parse_variants
from contracts.envelope import Event, answering
from contracts.events.perception import PerceptionCompleted, PerceptionFailed
from contracts.events.question import QuestionAnswered, QuestionFailed
from contracts.events.session import CellCompleted
from contracts.models.observation import Observation
from contracts.models.questions.answers import ValidAnswer
from contracts.models.questions.question import PrimitiveUse, QuestionLimits
from local_stack.errors import UserError
from questions.generator.question_set import generate
from questions.media.images import SamplingOptions

from tests.contracts.examples import full_examples
from tests.spatial_agent.question_harness import question_asked
from tests.support.questions.dataset_copies import COPIES

ASKED = question_asked()
OPTIONS = QuestionOptions(
    questions="questions",
    digest="d",
    numbers=(0, 2),
    executors=("code", "single_pass"),
    model="offline",
    is_planned=True,
    limits=QuestionLimits(),
)


def make_trial(number: int, executor: str = "code", score: float = 1.0, **fields: Any) -> QuestionTrial:
    kind = ("distance", "size")[number % 2]
    given: dict[str, Any] = {
        "id": f"{kind}-1-{number}", "kind": kind, "level": 1, "number": number, "executor": executor,
        "model": "offline", "run_id": uuid4(), "score": score, "given": 1.0, "exact": 1.0, "steps": 4,
        "model_calls": 5, "perceptions": 2, "input_tokens": 100, "output_tokens": 10, "cost_usd": 0.0, "time_s": 1.0,
        "failure": None if score == 1 else "wrong", **fields,
    }  # fmt: skip
    return QuestionTrial(**given)


def answered(value: object, **fields: Any) -> QuestionAnswered:
    return QuestionAnswered(
        **answering(ASKED, "spatial-agent"),
        answer=ValidAnswer.model_validate({"kind": "number", "value": value}),
        ending="returned",
        steps=4,
        **fields,
    )


def cell(status: str) -> CellCompleted:
    example = full_examples()[CellCompleted]
    assert isinstance(example, CellCompleted)
    seen = Observation.model_validate({**dict(example.observation), "status": status})
    return example.model_copy(update={"observation": seen})


def failed(reason: str) -> QuestionFailed:
    return QuestionFailed.model_validate(
        QuestionFailed(**answering(ASKED, "spatial-agent"), reason="deadline", detail="x").model_dump()
        | {"reason": reason}
    )


@pytest.mark.parametrize(
    ("end", "events", "expected"),
    [
        (failed("steps_exhausted"), [cell("error")], "budget"),
        (failed("model_failed"), [], "model"),
        (failed("session_failed"), [], "system"),
        (answered(2.0), [full_examples()[PerceptionFailed], cell("error"), cell("ok")], "perception"),
        (answered(2.0), [full_examples()[PerceptionCompleted], cell("error"), cell("ok")], "code"),
        (answered(2.0), [full_examples()[PerceptionCompleted], cell("ok"), cell("ok")], "wrong"),
        (failed("single_pass_failed"), [cell("error")], "code"),
    ],
)
def test_class_of_failure_follows_from_the_end_and_what_came_before(
    end: QuestionAnswered | QuestionFailed, events: Sequence[Event], expected: str
) -> None:
    assert question_failure(end, events) == expected


def test_trial_has_score_steps_and_primitives() -> None:
    item = generate("distance", 1, 0).item
    end = answered(item.exact, primitives=(PrimitiveUse(name="for", count=2),))
    attempt = QuestionAttempt(1, "code", item, ASKED, 2.0)
    right = question_trial(attempt, end, [])
    assert (right.score, right.failure, right.steps, right.primitives) == (1.0, None, 4, {"for": 2})
    wrong = question_trial(attempt, failed("deadline"), [])
    assert (wrong.score, wrong.failure, wrong.reason) == (0.0, "budget", "deadline: x")


def test_tables_have_kinds_executors_intervals_and_primitives() -> None:
    used = {"tools.Reconstruct": 1, "for": 3, "numpy.array": 9, "ReturnAnswer": 1}
    trials = [make_trial(number, primitives=used) for number in range(4)]
    trials += [make_trial(number, "single_pass", score=number % 2) for number in range(4)]
    evaluation = QuestionEvaluation.of(trials)
    assert evaluation.ablation_md().splitlines() == [
        "| kind | `code` | `single_pass` |",
        "| --- | ---: | ---: |",
        "| distance | 2/2 | 0/2 |",
        "| size | 2/2 | 2/2 |",
        "| all | 4/4 | 2/4 |",
        "| 95 % interval | 51% to 100% | 15% to 85% |",
        "| failures |  | 2 wrong |",
    ]
    assert evaluation.primitives_md("code").splitlines()[::3] == [
        "| kind | `tools.Reconstruct` | `for` | `numpy.array` |",
        "| size | 1.0 | 3.0 | 9.0 |",
    ]


def test_accuracy_has_mean_scores_and_what_one_question_costs() -> None:
    trials = [make_trial(number, score=0.9 if number % 2 else 1.0, cost_usd=0.01) for number in range(3)]
    trials += [make_trial(number, "single_pass", score=0.0, cost_usd=None, steps=1) for number in range(3)]
    assert QuestionEvaluation.of(trials).accuracy_md().splitlines() == [
        "| kind | `code` | `single_pass` |",
        "| --- | ---: | ---: |",
        "| distance | 100.0% | 0.0% |",
        "| size | 90.0% | 0.0% |",
        "| all | 96.7% | 0.0% |",
        "| mean of kinds | 95.0% | 0.0% |",
        "| steps | 4.0 | 1.0 |",
        "| tokens | 110 | 110 |",
        "| cost, USD | 0.01000 | unknown |",
        "| time, s | 1.0 | 1.0 |",
    ]


def test_margins_are_wins_minus_losses_of_questions_that_both_answered() -> None:
    trials = [make_trial(number, score=score) for number, score in enumerate((1.0, 0.4, 1.0, 0.2))]
    trials += [make_trial(number, "single_pass", score=score) for number, score in enumerate((0.0, 0.5, 1.0))]
    evaluation = QuestionEvaluation.of(trials)
    assert margins_md(evaluation.margins).splitlines()[2:] == [
        "| distance | +50.0% (1:0) |",
        "| size | -100.0% (0:1) |",
        "| all | +0.0% (1:1) |",
    ]
    assert [round(each.difference, 3) for each in evaluation.margins] == [0.5, -0.1, 0.3]
    assert margins_md(evaluation.margins) in evaluation.page_md("Title", "Setting.")


async def test_public_data_set_is_asked_with_its_frames_and_size(tmp_path: Path) -> None:
    COPIES["cvbench"].write(tmp_path, 1)
    source = dataset_source("cvbench", tmp_path, SamplingOptions(max_frames=4, max_edge_px=48))
    with pytest.raises(UserError, match="cvbench has 1 questions: --seeds 0-0"):
        source.require(range(5))
    item, asked = await source.question(0, FakeArtifacts())
    assert (item.exact, len(asked.frames), asked.frames[0].width_px) == ("A", 4, 48)
    assert (asked.metadata.max_frames, asked.metadata.max_edge_px) == (4, 48)
    assert asked.metadata.notes.startswith("images 0 to 1 are video 1")
    (tmp_path / "CVBench" / "0" / "b.mp4").write_bytes(b"no video")
    with pytest.raises(UserError, match=r"^cvbench, data/test-.*\.parquet, row 1: b\.mp4 cannot be read as"):
        await source.question(0, FakeArtifacts())


def test_digest_of_a_data_set_follows_from_its_annotations(tmp_path: Path) -> None:
    digests: list[str] = []
    for count in (1, 2):
        COPIES["omnispatial"].write(tmp_path, count)
        digests.append(dataset_source("omnispatial", tmp_path, SamplingOptions()).digest)
    assert digests[0] != digests[1]
    with pytest.raises(UserError, match=r"dsi: .* has no metadatas/"):
        dataset_source("dsi", tmp_path, SamplingOptions())


def test_folder_resumes_and_refuses_other_options(tmp_path: Path) -> None:
    QuestionFolder(tmp_path, OPTIONS).append(make_trial(1, "single_pass"))
    resumed = QuestionFolder(tmp_path, OPTIONS)
    assert resumed.missing() == [(0, "code"), (1, "code"), (2, "code"), (0, "single_pass"), (2, "single_pass")]
    assert [each.number for each in answers_of(tmp_path)] == [1]
    with pytest.raises(UserError, match="with other digest; give the same options"):
        QuestionFolder(tmp_path, OPTIONS.model_copy(update={"digest": "e"}))
    with pytest.raises(UserError, match="with other max_frames; give the same options"):
        QuestionFolder(tmp_path, OPTIONS.model_copy(update={"max_frames": 8}))


def test_two_evaluations_are_compared_by_pairs_of_equal_questions() -> None:
    first = [make_trial(number) for number in range(4)]
    second = [make_trial(number, "single_pass", score=float(number % 2)) for number in range(4)]
    *_, total = compare(first, second)
    assert (total.both, total.only_first, total.only_second, total.difference) == (2, 2, 0, -0.5)


def test_variants_are_named_together_or_alone() -> None:
    assert parse_variants("ablation") == tuple(VARIANTS)
    assert parse_variants("single_pass, code") == ("code", "single_pass")
    assert parse_variants("code,tool-call,single-pass,none") == ("code", "tool_calls", "single_pass", "none")
    with pytest.raises(UserError, match="unknown executor 'tool' of questions"):
        parse_variants("tool")


def test_question_sets_are_known_by_name(tmp_path: Path) -> None:
    assert [names_question_set(each) for each in ("questions", "set.jsonl", "a/b.parquet", "detour")] == [
        True, True, True, False,
    ]  # fmt: skip
    with pytest.raises(UserError, match="cannot be read: No such file"):
        file_source(tmp_path / "none.jsonl", SamplingOptions())


def test_refusal_counts_as_wrong_and_is_named():
    item = generate("contact", 1, 0).item
    refused = failed("model_failed").model_copy(update={"is_refusal": True})
    trial = question_trial(QuestionAttempt(1, "code", item, ASKED, 2.0), refused, [])
    assert (trial.score, trial.given, trial.failure) == (0.0, None, "refused")
