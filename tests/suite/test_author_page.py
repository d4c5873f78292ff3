"""docs/benchmarks.md: its example works, and it names every field and every refusal."""

import re
from pathlib import Path
from typing import get_args

import pytest
from benchmarks import benchmark_file
from benchmarks.loader import CODE, FILE, LoadedBenchmark, load
from benchmarks.variant import extreme_variants
from contracts.events.run import EnvironmentRefused, WorldRefused
from pydantic import BaseModel
from sim_worker.world_check import check_world

from tests.support.environment_build import build_from_script

PAGE = (Path(__file__).parents[2] / "docs" / "benchmarks.md").read_text("utf-8")
FIELDS = sorted(
    {
        name
        for each in vars(benchmark_file).values()
        if isinstance(each, type) and issubclass(each, BaseModel) and each.__module__ == benchmark_file.__name__
        for name in each.model_fields
    }
)
REASONS = [
    reason
    for event in (EnvironmentRefused, WorldRefused)
    for reason in get_args(event.model_fields["reason"].annotation)
]


def block(language: str, name: str = "") -> str:
    """Return the page's only code block in a language that contains a name."""
    blocks = re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    [found] = [str(each) for each in blocks if name in each]
    return found


@pytest.fixture
def example(tmp_path: Path) -> LoadedBenchmark:
    """Return the page's moving example."""
    (tmp_path / FILE).write_text(block("yaml", "name: swinging-gate"), "utf-8")
    (tmp_path / CODE).write_text(block("python"), "utf-8")
    return load(str(tmp_path), 1)


@pytest.mark.parametrize("field", FIELDS)
def test_field_is_described(field: str) -> None:
    assert re.search(rf"[`{{ ]{field}\b", PAGE)


@pytest.mark.parametrize("reason", REASONS)
def test_refusal_is_listed_with_its_remedy(reason: str) -> None:
    assert re.search(rf"^\| `{reason}` \| .+ \| .+ \|$", PAGE, re.MULTILINE)


def test_moving_example_is_sound_in_a_seed_and_in_the_extreme_worlds(example: LoadedBenchmark) -> None:
    extremes = extreme_variants(example.file, example.variant.environment_code)
    for variant in (example.variant, *extremes.values()):
        build = build_from_script(example.environment_code.decode(), variant)
        assert build.files is not None, build.fault
        assert [motor.part for motor in build.files.geometry.mechanism.motors] == ["servo"]
        assert {solid.label: solid.is_mountable for solid in build.files.geometry.solids} == {
            "ground": True,
            "servo": False,
            "gate": False,
        }
        checked = check_world(build.files.scene)
        gate = checked.trajectory.joint_position[:, 0]
        assert float(gate.max()) > 0.6
        assert float(gate.min()) < -0.6, "about 40 degrees to either side"
