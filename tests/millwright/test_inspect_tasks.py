"""The task for Inspect: scripted models write designs by its tools, and the scores are our verdicts."""

from pathlib import Path

import pytest
from benchmarks.loader import file_of, read_witness
from inspect_ai import eval as evaluate  # pyright: ignore[reportUnknownVariableType] - partly typed
from inspect_ai.log import EvalLog, read_eval_log
from inspect_ai.model import Model, ModelOutput, ModelUsage, get_model
from millwright import judge
from millwright.inspect_tasks import OPENED, machines

from tests.support.readme import first_benchmark, python_block

RAMP = python_block("assembly = ")
pytestmark = [  # of Inspect itself: a parameter of its own retries, streams that it leaves to the collector
    pytest.mark.filterwarnings("ignore:The 'initial' parameter is deprecated:DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]


def scripted(*steps: tuple[str, dict[str, object]]) -> Model:
    """A model that calls a tool in each step, and then stops."""
    outputs = [ModelOutput.for_tool_call("mockllm/model", name, arguments) for name, arguments in steps]
    outputs.append(ModelOutput.from_content("mockllm/model", "Done."))
    for each in outputs:
        each.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)  # it would fetch a tokenizer
    return get_model("mockllm/model", custom_outputs=outputs)


def evaluated(tmp_path: Path, benchmarks: str, seeds: str, model: Model, replicas: int) -> EvalLog:
    task = machines(benchmarks, seeds, replicas)
    (log,) = evaluate(task, model=model, display="none", log_dir=str(tmp_path / "logs"), max_samples=1)
    return log


@pytest.fixture(scope="module")
def drop(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(first_benchmark(tmp_path_factory.mktemp("worlds")))


def test_design_written_by_tools_is_scored_by_physics(tmp_path: Path, drop: str) -> None:
    model = scripted(
        ("view_file", {"path": "utils/__init__.py"}),
        ("run_cell", {"code": "from build123d import Box\nblock = Box(1, 2, 3)\nshow(block)\nprint(block.volume)"}),
        ("write_file", {"path": "script.py", "text": RAMP}),
        ("edit_file", {"path": "script.py", "old_text": "no such text", "new_text": ""}),
        ("submit_design", {}),
    )
    log = evaluated(tmp_path, drop, "1", model, replicas=4)
    assert log.status == "success", log.error
    (sample,) = read_eval_log(log.location).samples or []
    assert sample.scores is not None
    score = sample.scores["physics"]
    assert score.value == {"solved": 1.0, "makeable": 1.0, "replicas": 1.0}
    assert score.answer == RAMP
    assert score.explanation is not None
    assert score.explanation == judge(RAMP, drop, seed=1, replicas=4).markdown()
    task, answers = sample.messages[1].text, [each.text for each in sample.messages if each.role == "tool"]
    assert "## Limits" in task
    assert "6.0" in answers[1]
    assert "SOLVED" in answers[4]
    assert not OPENED


def test_sample_without_script_scores_nothing(tmp_path: Path, drop: str) -> None:
    log = evaluated(tmp_path, drop, "2", scripted(), replicas=2)
    (sample,) = log.samples or []
    assert sample.scores is not None
    assert sample.scores["physics"].value == {"solved": 0.0, "makeable": 0.0, "replicas": 0.0}


@pytest.mark.sample(1)
@pytest.mark.parametrize("name", ["drop-catch", "gravity-chute", "push-flat", "slalom"])
def test_witness_has_the_verdicts_of_judge(tmp_path: Path, name: str) -> None:
    witness = read_witness(file_of(name))
    for seed in (0, 1):
        model = scripted(("write_file", {"path": "script.py", "text": witness}))
        log = evaluated(tmp_path, name, str(seed), model, replicas=4)
        (sample,) = log.samples or []
        assert sample.scores is not None
        verdict = judge(witness, name, seed=seed, replicas=4)
        assert sample.scores["physics"].explanation == verdict.markdown()
        assert sample.scores["physics"].value == {"solved": 1.0, "makeable": 1.0, "replicas": 1.0}
