"""The Gymnasium environment: the official checker, rewards, attempts, and worlds drawn by the seed."""

import subprocess
import sys
import warnings

import pytest
from gymnasium.utils.env_checker import check_env
from millwright.gym_environment import DesignEnvironment

from tests.architecture.repository import ROOT
from tests.support.readme import first_benchmark, python_block

RAMP = python_block("assembly = ")


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> DesignEnvironment:
    return DesignEnvironment([str(first_benchmark(tmp_path_factory.mktemp("worlds")))], attempts=2, replicas=2)


def test_official_checker_finds_nothing(environment: DesignEnvironment) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # what it only advises would be found, too
        check_env(environment, skip_render_check=True)


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


def test_block_of_the_docs_runs() -> None:
    block = (ROOT / "docs/evaluation-elsewhere.md").read_text("utf-8").partition("```python\n")[2].partition("```")[0]
    done = subprocess.run([sys.executable, "-c", block], capture_output=True, text=True, check=False, timeout=300)
    assert done.stdout == "0.0 script_failed {'runs': 0.0, 'makeable': 0.0, 'replicas': 0.0}\n", done.stderr
