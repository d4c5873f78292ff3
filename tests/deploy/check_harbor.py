"""A task of Harbor in its containers, as its runner uses them: `./run test-deploy tests/deploy/check_harbor.py`.

The agent's image gets the oracle's script; the verifier's image, which has nothing but its own files and that script,
gives the reward. Both without network.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
JUDGE = ("--target", "judge", "--build-arg", "SERVICE=cli", "--build-arg", "DEBIAN_PACKAGES=libegl1 libgl1")
INDEXES = ("PIP_INDEX_URL", "UV_DEFAULT_INDEX")
"""Of packages, where this machine names them."""
TASK, IMAGE, TAG = "drop-catch-seed-1", "millwright/judge:tested", "millwright/task:tested"
TIMEOUT_S = 1800.0


def docker(*arguments: str | Path) -> str:
    """Return the output of a command of docker."""
    done = subprocess.run(
        ["docker", *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        timeout=TIMEOUT_S,
    )
    assert done.returncode == 0, done.stdout[-4000:]
    return done.stdout


@pytest.fixture(scope="module")
def task(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a task, whose judge's image is built."""
    indexes = [word for name in INDEXES if name in os.environ for word in ("--build-arg", name)]
    docker("build", "--file", ROOT / "deploy/Dockerfile", *JUDGE, *indexes, "--tag", IMAGE, ROOT)
    tasks = tmp_path_factory.mktemp("harbor") / "tasks"
    command = ("benchmark", "harbor", "drop-catch", "--seeds", "1", "--image", IMAGE, "--out", str(tasks))
    subprocess.run([sys.executable, "-m", "cli", *command], check=True)
    return tasks / TASK


def run_in(folder: Path, shell: str, *options: str | Path) -> str:
    """Run a line in a container of an image that is built from a folder, as its ordinary user."""
    docker("build", "--tag", TAG, folder)
    return docker("run", "--rm", "--network", "none", *options, TAG, "bash", "-c", shell)


def reward_of(task: Path, script: Path) -> dict[str, float]:
    """Return what the verifier gives for a script."""
    shown = f"{script}:/workspace/script.py:ro"
    line = "bash /tests/test.sh && cat /logs/verifier/reward.json"
    output = run_in(task / "tests", line, "--volume", shown, "--tmpfs", "/logs:mode=1777")
    return json.loads(output.splitlines()[-1])


def test_oracle_is_rewarded_in_a_container(task: Path) -> None:
    assert reward_of(task, task / "solution/script.py") == {"reward": 1.0, "replicas": 1.0, "makeable": 1.0}


def test_empty_script_is_not_rewarded_in_a_container(task: Path, tmp_path: Path) -> None:
    empty = tmp_path / "script.py"
    empty.touch()
    empty.chmod(0o644)
    assert reward_of(task, empty) == {"reward": 0.0, "replicas": 0.0, "makeable": 0.0}


def test_agent_judges_its_script_in_a_container_that_compose_finds_healthy(task: Path) -> None:
    line = (
        "cp /solution/script.py script.py && python -m cli try world script.py --seed 1 --no-film --out out >/dev/null"
        " && cat out/verdict.md"
    )
    assert "SOLVED" in run_in(task / "environment", line, "--volume", f"{task / 'solution'}:/solution:ro")
    (found,) = json.loads(docker("image", "inspect", TAG))
    assert found["Config"]["Healthcheck"]["Test"] == ["CMD", "true"], "`compose up --wait` refuses NONE"
