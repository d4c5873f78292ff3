"""`millwright benchmark harbor`: the tasks' own scripts give the rewards; a container is a folder here."""

import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from benchmarks.loader import SUITE

from tests.cli.conftest import RunCommand

TASK = "drop-catch-seed-1"


@pytest.fixture
def task(tmp_path: Path, run_command: RunCommand) -> Path:
    result = run_command("benchmark", "harbor", "drop-catch", "--seeds", "1", "--out", str(tmp_path / "tasks"))
    assert result.code == 0, result
    return tmp_path / "tasks" / TASK


def run_in_container(task: Path, script: str) -> None:
    """Run a script of a task with the paths that it has in a container below the task's folder."""
    text = (task / script).read_text(encoding="utf-8")
    for inside in ("/workspace", "/logs", "/tests", "/solution"):
        text = text.replace(f"{inside}/", f"{task}{inside}/")
    (task / "workspace").mkdir(exist_ok=True)
    environment = os.environ | {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    subprocess.run(["bash", "-c", text], cwd=task, env=environment, check=False, timeout=300)


def rewards(task: Path) -> dict[str, float]:
    return json.loads((task / "logs/verifier/reward.json").read_text(encoding="utf-8"))


def test_oracle_is_rewarded_as_our_judge_rewards_it(task: Path) -> None:
    run_in_container(task, "solution/solve.sh")
    run_in_container(task, "tests/test.sh")
    assert rewards(task) == {"reward": 1.0, "replicas": 1.0, "makeable": 1.0}


@pytest.mark.sample(1)
@pytest.mark.parametrize("text", ["assembly = 3", None, "while True pass"])
def test_missing_or_broken_script_has_no_reward(task: Path, text: str | None) -> None:
    if text is not None:
        (task / "workspace").mkdir()
        (task / "workspace/script.py").write_text(text, encoding="utf-8")
    run_in_container(task, "tests/test.sh")
    assert rewards(task) == {"reward": 0.0, "replicas": 0.0, "makeable": 0.0}


def test_agent_gets_the_world_without_its_solution(task: Path) -> None:
    fields = tomllib.loads((task / "task.toml").read_text(encoding="utf-8"))
    assert fields["artifacts"] == ["/workspace/script.py"]
    assert fields["verifier"]["environment_mode"] == "separate"
    given = sorted(each.name for each in (task / "environment").rglob("*") if each.is_file())
    assert given == ["Dockerfile", "benchmark.yaml", "environment.py", "variant.json"]
    variant = json.loads((task / "environment/world/variant.json").read_text(encoding="utf-8"))
    assert variant["seed"] == fields["metadata"]["seed"] == 1


def test_suite_is_one_task_for_each_benchmark_and_seed(tmp_path: Path, run_command: RunCommand) -> None:
    result = run_command("benchmark", "harbor", "suite", "--seeds", "0-1", "--out", str(tmp_path / "tasks"))
    worlds = len(list(SUITE.glob("*/benchmark.yaml"))) + len(list(SUITE.glob("*/level-*.yaml")))
    assert (result.code, len(list((tmp_path / "tasks").iterdir()))) == (0, 2 * worlds)


def test_verifier_has_its_files_in_an_image_of_its_own(task: Path) -> None:
    fields = tomllib.loads((task / "task.toml").read_text(encoding="utf-8"))
    assert "docker_image" not in fields["verifier"]["environment"], "a given image would have to contain the tests"
    assert "COPY --chown=10001:10001 . /tests" in (task / "tests/Dockerfile").read_text(encoding="utf-8")
