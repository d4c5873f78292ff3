"""The Gymnasium environment: the official checker, rewards, attempts, and worlds drawn by the seed."""

import os
import re
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any, cast

import pytest
from gymnasium.utils.env_checker import check_env
from millwright.gym_environment import DesignEnvironment
from pyarrow.parquet import read_table  # pyright: ignore[reportMissingTypeStubs, reportUnknownVariableType]

from tests.architecture.repository import ROOT
from tests.support.processes import descendants
from tests.support.readme import first_benchmark, python_block

RAMP = python_block("assembly = ")


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> DesignEnvironment:
    return DesignEnvironment([str(first_benchmark(tmp_path_factory.mktemp("worlds")))], attempts=2, replicas=2)


def test_official_checker_finds_nothing(environment: DesignEnvironment) -> None:
    with warnings.catch_warnings(record=True) as advice:
        warnings.simplefilter("always")
        check_env(environment, skip_render_check=True)  # raises for what is wrong
    assert [str(each.message) for each in advice] == []


def test_proven_design_ends_episode_with_reward(environment: DesignEnvironment) -> None:
    observed, info = environment.reset(seed=1)
    assert "## Limits" in observed["task"]
    assert (observed["verdict"], info["benchmark"]) == ("", "my-drop")
    observed, reward, is_done, is_cut_off, info = environment.step(RAMP)
    assert (reward, is_done, is_cut_off, info["outcome"]) == (1.0, True, False, "solved")
    assert info["terms"] == {"runs": 1.0, "makeable": 1.0, "replicas": 1.0}
    assert "SOLVED" in observed["verdict"]


def test_episode_is_cut_off_after_its_attempts(environment: DesignEnvironment) -> None:
    environment.reset(seed=2)
    ends = [environment.step("assembly = 3")[1:4] for _ in range(2)]
    assert ends == [(0.0, False, False), (0.0, False, True)]


def test_shaping_pays_for_what_is_on_the_way(environment: DesignEnvironment) -> None:
    shaped = DesignEnvironment(environment.benchmarks, replicas=2, shaping={"runs": 0.1})
    shaped.reset(seed=3)
    assert shaped.step("from build123d import Box\nassembly = Box(1, 1, 1)")[1] == pytest.approx(0.1)
    shaped.reset(seed=3)
    assert shaped.step("1 / 0")[1] == 0.0


def test_same_seed_draws_same_world() -> None:
    environment = DesignEnvironment(["drop-catch", "gravity-chute"])
    worlds = [environment.reset(seed=seed) for seed in (5, 5, 6)]
    assert worlds[0] == worlds[1] != worlds[2]


def test_random_episodes_leave_no_process_and_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    environment = DesignEnvironment(["drop-catch"], replicas=2)
    environment.reset(seed=0)
    environment.step("assembly = None")
    before = len(descendants(os.getpid())), len(list(tmp_path.iterdir()))
    for seed, script in enumerate(("1 / 0", "import os\nos.abort()", "print('x' * 10_000_000)", RAMP)):
        environment.reset(seed=seed)
        environment.step(script)
    assert (len(descendants(os.getpid())), len(list(tmp_path.iterdir()))) == before


def test_blocks_of_the_docs_run(tmp_path: Path) -> None:
    page = (ROOT / "docs/evaluation-elsewhere.md").read_text("utf-8")
    first, second = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    done = subprocess.run([sys.executable, "-c", first], capture_output=True, text=True, check=False, timeout=300)
    assert done.stdout == "0.0 script_failed {'runs': 0.0, 'makeable': 0.0, 'replicas': 0.0}\n", done.stderr
    (tmp_path / "collect.py").write_text(second)
    subprocess.run([sys.executable, "collect.py"], cwd=tmp_path, check=True, timeout=300)
    table = cast("Any", read_table(tmp_path / "episodes.parquet"))
    columns: dict[str, list[Any]] = table.to_pydict()
    assert columns["reward"] == [0.0] * 4
    assert len(set(columns["task"])) == 4
    assert all("not_a_part" in text for text in columns["verdict"])
