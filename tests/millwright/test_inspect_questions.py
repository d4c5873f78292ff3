"""The task for Inspect over question sets: the prompt of the executor without tools, and our scores."""

import json
from pathlib import Path

import pytest
from inspect_ai import eval as evaluate  # pyright: ignore[reportUnknownVariableType] - partly typed
from inspect_ai.log import EvalLog
from inspect_ai.model import ContentImage, ModelOutput, ModelUsage, get_model
from millwright.inspect_questions import questions
from PIL import Image
from questions.generator.question_set import numbered
from questions.scorers import score

pytestmark = [  # of Inspect itself: a parameter of its own retries, streams that it leaves to the collector
    pytest.mark.filterwarnings("ignore:The 'initial' parameter is deprecated:DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]


def asked(tmp_path: Path, source: str, numbers: str, *replies: str) -> EvalLog:
    """Ask questions of a scripted model, one after the other."""
    outputs = [ModelOutput.from_content("mockllm/model", each) for each in replies]
    for each in outputs:
        each.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)  # it would fetch a tokenizer
    model = get_model("mockllm/model", custom_outputs=outputs)
    (log,) = evaluate(
        "millwright/questions",
        model=model,
        task_args={"source": source, "numbers": numbers},
        display="none",
        log_dir=str(tmp_path / "logs"),
        max_samples=1,
    )
    assert log.status == "success", log.error
    return log


def scores(log: EvalLog) -> list[object]:
    return [(each.scores or {})["exact_answer"].value for each in log.samples or []]


def test_generated_questions_have_images_and_are_scored_by_their_rules(tmp_path: Path) -> None:
    items = [numbered(number).item for number in range(3)]
    answers = [json.dumps(item.exact) if not isinstance(item.exact, str) else item.exact for item in items]
    log = asked(tmp_path, "questions", "0-2", *(f"It is clear.\nANSWER: {each}" for each in answers))
    assert scores(log) == [1.0, 1.0, 1.0] == [score(item, item.exact) for item in items]
    samples = {each.id: each for each in log.samples or []}
    for item in items:
        sample = samples[item.id]
        assert not isinstance(sample.input, str)
        content = sample.input[1].content
        assert not isinstance(content, str)
        assert any(isinstance(each, ContentImage) for each in content)
        assert item.text in sample.input[1].text
        assert str(item.exact) not in sample.input[0].text


def test_file_of_questions_is_scored_as_eval_scores_it(tmp_path: Path) -> None:
    Image.new("RGB", (32, 32), "red").save(tmp_path / "a.png")
    record = {"image": "a.png", "question": "How many?", "answer": 2}
    (tmp_path / "set.jsonl").write_text("".join(json.dumps(record) + "\n" for _ in range(3)))
    log = asked(tmp_path, str(tmp_path / "set.jsonl"), "0-2", "ANSWER: 2", "ANSWER: 7", "I think it is two.")
    assert scores(log) == [1.0, 0.0, 0.0]
    explained = [(each.scores or {})["exact_answer"].explanation or "" for each in log.samples or []]
    assert "exact: 2" in explained[0]
    assert "ANSWER:" in explained[2]


def test_number_beyond_the_set_is_refused(tmp_path: Path) -> None:
    (tmp_path / "set.jsonl").write_text("")
    with pytest.raises(ValueError, match="has 0 questions"):
        questions(str(tmp_path / "set.jsonl"), "0-2")
