"""`millwright check`: everything about a benchmark that can be known without a run."""

import re
from pathlib import Path
from shutil import copytree

import pytest
import yaml
from benchmarks.loader import SUITE

from tests.cli.conftest import RunCommand

FLAT = """
from build123d import Box, Compound, Pos

def build(variant):
    low, high = variant.bounds.min_mm, variant.bounds.max_mm
    ground = Pos(0, 0, -10) * Box(high[0] - low[0], high[1] - low[1], 20)
    ground.label = "ground"
    return Compound(children=[ground])
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with a copy of a built-in benchmark."""
    copytree(SUITE / "push-flat", tmp_path / "world")
    return tmp_path / "world"


def change(folder: Path, **fields: object) -> None:
    file = folder / "benchmark.yaml"
    file.write_text(yaml.safe_dump({**yaml.safe_load(file.read_text("utf-8")), **fields}), "utf-8")


def test_sound_benchmark_is_reported_with_its_worlds_and_a_picture(folder: Path, run_command: RunCommand) -> None:
    narrow = {"scale_x": {"low": 0.65, "high": 1.1}, "reason": "the floor is level"}
    change(folder, supply_limit_w=20, randomisation=narrow)
    picture = folder / "picture" / "world.png"
    result = run_command("check", str(folder), "--seeds", "0-1", "--picture", str(picture))
    assert result.code == 0, result
    assert "≤ 20 W for all motors together" in result.output
    found = re.findall(r"✓ (seed \d|\w+ world): 1 solid; without a machine the payload missed the goal", result.output)
    assert found == ["seed 0", "seed 1", "smallest world", "largest world"]
    assert "every solid is fixed" in result.output
    assert "no faults found" in result.output
    ranges = "scales x 0.65 to 1.1, y 1 to 1, z 1 to 1; zones shrink by up to 0; not the full range: the floor is level"
    assert ranges in " ".join(result.output.split())
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_faults_of_the_file_are_listed_one_to_a_line(folder: Path, run_command: RunCommand) -> None:
    change(folder, hold_s=99, duration_s=1e6, build_zone={"min_mm": [-999, -9, 0], "max_mm": [9, 9, 9]})
    result = run_command("check", str(folder))
    assert result.code == 1
    faults = [line for line in result.output.splitlines() if line.startswith("✗ ")]
    assert [fault.split(":")[0] for fault in faults] == ["✗ build_zone", "✗ duration_s"]
    assert "2 faults found" in result.output


def test_world_that_solves_itself_is_a_fault_in_every_seed(
    folder: Path, tmp_path: Path, run_command: RunCommand
) -> None:
    goal = {"min_mm": [-250, -60, 0], "max_mm": [-150, 60, 60]}
    payload = {"shape": "cube", "size_mm": 40, "start_mm": [-200, 0, 90], "density_kg_m3": 1000, "friction": 0.4}
    change(folder, goal_zone=goal, payload=payload, randomisation={})
    (folder / "environment.py").write_text(FLAT, "utf-8")
    picture = tmp_path / "self.png"
    result = run_command("check", str(folder), "--seeds", "3", "--picture", str(picture))
    assert result.code == 1
    assert result.output.count("solves_itself: without a machine the payload reaches the goal by itself") == 3
    assert "3 faults found" in result.output
    assert picture.exists(), "it shows how the world solves itself"


def test_fault_of_the_environment_is_shown_with_its_line(folder: Path, run_command: RunCommand) -> None:
    (folder / "environment.py").write_text(FLAT.replace("Box(high[0]", "Box(heigh[0]"), "utf-8")
    result = run_command("check", str(folder), "--seeds", "0")
    assert result.code == 1
    assert "code_failed: line 6 of environment.py: NameError" in result.output


def test_unknown_benchmark_is_a_fault(run_command: RunCommand) -> None:
    result = run_command("check", "nowhere-at-all")
    assert result.code == 1
    assert "name a folder that contains benchmark.yaml" in result.output


def test_check_ends_with_a_world_that_takes_too_long(
    folder: Path, run_command: RunCommand, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sandbox.host.JOB_S", 0.5)
    (folder / "environment.py").write_text("def build(variant):\n    while True:\n        pass\n", encoding="utf-8")
    result = run_command("check", str(folder), "--seeds", "0-2")
    assert result.code == 1
    assert "0.5 s of CPU time" in result.output
    assert "not checked, since that took too long: seed 1, seed 2, smallest world, largest world" in result.output
    assert "1 fault found" in result.output
