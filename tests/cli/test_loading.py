"""What a benchmark on disk may do wrong, and what is said about it."""

from collections.abc import Callable
from pathlib import Path

import pytest
import yaml
from benchmarks.loader import SUITE, BenchmarkError, built_in, load

Edit = Callable[[dict[str, object]], object]


def copy(folder: Path, edit: Edit) -> Path:
    """Write gravity-chute anew, with one thing changed."""
    content = yaml.safe_load((SUITE / "gravity-chute" / "benchmark.yaml").read_text())
    edit(content)
    (folder / "benchmark.yaml").write_text(yaml.safe_dump(content))
    (folder / "environment.py").write_bytes((SUITE / "gravity-chute" / "environment.py").read_bytes())
    return folder


def complaint(folder: Path | str) -> str:
    with pytest.raises(BenchmarkError) as caught:
        load(str(folder), 0)
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize("name", built_in())
def test_a_built_in_benchmark_loads_by_name_and_by_folder(name: str) -> None:
    assert load(name, 3) == load(str(SUITE / name), 3) == load(str(SUITE / name / "benchmark.yaml"), 3)


def test_an_unknown_name_lists_the_known_ones(tmp_path: Path) -> None:
    assert "gravity-chute" in complaint(tmp_path / "nowhere")


def test_text_that_is_no_yaml_names_the_line(tmp_path: Path) -> None:
    folder = copy(tmp_path, lambda _content: None)
    (folder / "benchmark.yaml").write_text("name: [gravity\nlevel: 1\n")
    assert "line 2" in complaint(folder)


@pytest.mark.parametrize("content", [b"- a list\n", b"", b"\xff\xfe\x00broken"])
def test_a_file_that_is_no_benchmark_is_refused(tmp_path: Path, content: bytes) -> None:
    folder = copy(tmp_path, lambda _content: None)
    (folder / "benchmark.yaml").write_bytes(content)
    assert "benchmark.yaml" in complaint(folder)


def test_a_zone_with_min_above_max_is_named(tmp_path: Path) -> None:
    def turn_over(content: dict[str, object]) -> None:
        zones = content["forbid_zones"]
        assert isinstance(zones, list)
        zones[0]["box"] = {"min_mm": [30, -110, 0], "max_mm": [-90, 90, 90]}

    told = complaint(copy(tmp_path, turn_over))
    assert "closed-ground" in told
    assert "x runs from 30 to -90" in told


def test_a_field_that_nobody_knows_is_named(tmp_path: Path) -> None:
    assert "gaol_zone" in complaint(copy(tmp_path, lambda content: content.update(gaol_zone=1)))


def test_a_missing_field_is_named(tmp_path: Path) -> None:
    assert "payload" in complaint(copy(tmp_path, lambda content: content.pop("payload")))


def test_a_missing_environment_is_named(tmp_path: Path) -> None:
    folder = copy(tmp_path, lambda _content: None)
    (folder / "environment.py").unlink()
    assert "environment.py" in complaint(folder)
