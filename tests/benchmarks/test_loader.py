"""Benchmarks on disk: what the loader reads, and how it names what is wrong."""

from collections.abc import Callable
from pathlib import Path

import pytest
import yaml
from benchmarks.loader import SUITE, BenchmarkError, built_in, file_of, load

Edit = Callable[[dict[str, object]], object]


def copy(folder: Path, edit: Edit) -> Path:
    """Write a copy of gravity-chute with one change."""
    content = yaml.safe_load((SUITE / "gravity-chute" / "benchmark.yaml").read_text())
    edit(content)
    (folder / "benchmark.yaml").write_text(yaml.safe_dump(content))
    (folder / "environment.py").write_bytes((SUITE / "gravity-chute" / "environment.py").read_bytes())
    return folder


def error_of(folder: Path | str) -> str:
    with pytest.raises(BenchmarkError) as caught:
        load(str(folder), 0)
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize("name", built_in())
def test_built_in_benchmark_loads_by_name_and_folder(name: str) -> None:
    assert load(name, 3) == load(str(file_of(name)), 3)


def test_folder_means_its_benchmark_yaml() -> None:
    assert load(str(SUITE / "detour"), 3) == load("detour", 3)


def test_level_of_a_family_is_a_benchmark_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "world"
    folder.mkdir()
    copy(folder, lambda _content: None)
    text = (folder / "benchmark.yaml").read_text()
    (folder / "level-3.yaml").write_text(text.replace("level: 1", "level: 3"))
    monkeypatch.setattr("benchmarks.loader.SUITE", tmp_path)
    assert built_in() == [folder.name, f"{folder.name}-3"]
    assert load(f"{folder.name}-3", 0) == load(str(folder / "level-3.yaml"), 0)
    assert load(f"{folder.name}-3", 0).file.level == 3


def test_unknown_name_lists_the_known_ones(tmp_path: Path) -> None:
    assert "gravity-chute" in error_of(tmp_path / "nowhere")


def test_invalid_yaml_is_named_with_its_line(tmp_path: Path) -> None:
    folder = copy(tmp_path, lambda _content: None)
    (folder / "benchmark.yaml").write_text("name: [gravity\nlevel: 1\n")
    assert "line 2" in error_of(folder)


@pytest.mark.parametrize("content", [b"- a list\n", b"", b"\xff\xfe\x00broken"])
def test_file_without_fields_is_refused(tmp_path: Path, content: bytes) -> None:
    folder = copy(tmp_path, lambda _content: None)
    (folder / "benchmark.yaml").write_bytes(content)
    assert "benchmark.yaml" in error_of(folder)


def test_zone_with_min_above_max_is_named(tmp_path: Path) -> None:
    def swap(content: dict[str, object]) -> None:
        zones = content["forbid_zones"]
        assert isinstance(zones, list)
        zones[0]["box"] = {"min_mm": [30, -110, 0], "max_mm": [-90, 90, 90]}

    error = error_of(copy(tmp_path, swap))
    assert "closed-ground" in error
    assert "x runs from 30 to -90" in error


def test_unknown_field_is_named(tmp_path: Path) -> None:
    assert "gaol_zone" in error_of(copy(tmp_path, lambda content: content.update(gaol_zone=1)))


def test_missing_field_is_named(tmp_path: Path) -> None:
    assert "payload" in error_of(copy(tmp_path, lambda content: content.pop("payload")))


def test_missing_environment_is_named(tmp_path: Path) -> None:
    folder = copy(tmp_path, lambda _content: None)
    (folder / "environment.py").unlink()
    assert "environment.py" in error_of(folder)
