"""Benchmarks on disk: what the loader reads, and how it names what is wrong."""

from collections.abc import Callable
from pathlib import Path

import pytest
import yaml
from benchmarks.loader import SUITE, built_in, file_of, load

Edit = Callable[[dict[str, object]], object]


def copy(folder: Path, edit: Edit) -> Path:
    """Write a copy of gravity-chute with one change."""
    content = yaml.safe_load((SUITE / "gravity-chute" / "benchmark.yaml").read_text())
    edit(content)
    (folder / "benchmark.yaml").write_text(yaml.safe_dump(content))
    (folder / "environment.py").write_bytes((SUITE / "gravity-chute" / "environment.py").read_bytes())
    return folder


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
