"""`millwright benchmark`: a folder to begin with, its variants, its schema, its pictures."""

import json
from pathlib import Path

import pytest
from benchmarks.loader import FILE, WITNESS, load
from contracts.models.benchmark import Variant

from tests.cli.conftest import RunCommand


@pytest.fixture
def folder(tmp_path: Path, run_command: RunCommand) -> Path:
    """Return the folder of a new benchmark."""
    result = run_command("benchmark", "new", "mine", "--in", str(tmp_path))
    assert result.code == 0, result
    return tmp_path / "mine"


def test_new_benchmark_is_valid_under_every_seed(folder: Path) -> None:
    assert {load(str(folder), seed).variant.benchmark for seed in range(100)} == {"mine"}


def test_missing_witness_is_an_error_with_its_remedy(folder: Path, run_command: RunCommand) -> None:
    (folder / WITNESS).unlink()
    result = run_command("benchmark", "certify", str(folder))
    assert result.code == 2
    assert "millwright benchmark new" in result.errors


def test_existing_folder_is_not_overwritten(folder: Path, run_command: RunCommand) -> None:
    (folder / FILE).write_text("own work", "utf-8")
    result = run_command("benchmark", "new", "mine", "--in", str(folder.parent))
    assert result.code == 2
    assert "choose another name" in result.errors
    assert (folder / FILE).read_text("utf-8") == "own work"


def test_name_that_cannot_be_a_label_is_refused(tmp_path: Path, run_command: RunCommand) -> None:
    result = run_command("benchmark", "new", "../mine", "--in", str(tmp_path))
    assert result.code == 2
    assert "use a letter" in result.errors
    assert list(tmp_path.iterdir()) == []


def test_variant_is_that_of_the_seed(folder: Path, run_command: RunCommand) -> None:
    expected = load(str(folder), 5).variant
    shown = run_command("benchmark", "variant", str(folder), "--seed", "5", "--json").output
    assert Variant.model_validate_json(shown) == expected
    table = run_command("benchmark", "variant", str(folder), "--seed", "5").output
    assert all(draw.name in table for draw in expected.draws)
    assert all(f"{edge:g}" in table for edge in expected.goal_zone.min_mm)


def test_schema_describes_every_field_and_allows_no_other(folder: Path, run_command: RunCommand) -> None:
    schema = json.loads(run_command("benchmark", "schema").output)
    assert schema == json.loads((folder / "benchmark.schema.json").read_text("utf-8"))
    assert schema["additionalProperties"] is False
    assert {"name", "bounds"} <= set(schema["required"])
    assert schema["oneOf"] == [{"required": ["payload"]}, {"required": ["payloads"]}]
    assert "obstacles" in schema["properties"]
    assert (folder / FILE).read_text("utf-8").startswith("# yaml-language-server: $schema=benchmark.schema.json\n")
