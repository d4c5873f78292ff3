"""Every class of the file format refuses what it does not know, and numbers that are not finite."""

from collections.abc import Iterable, Iterator
from copy import deepcopy
from functools import cache
from math import inf, nan
from pathlib import Path
from typing import Any, cast

import pytest
import yaml
from benchmarks import benchmark_file, file_model, file_payload, randomisation
from benchmarks.benchmark_file import BenchmarkFile
from benchmarks.consistency import faults_of
from benchmarks.loader import CODE_TYPE, FILE, SUITE, built_in, load
from benchmarks.variant import extreme_variants, make_variant
from contracts.models.artifact import ArtifactRef
from contracts.models.benchmark import Variant
from pydantic import BaseModel, ValidationError

CODE = ArtifactRef(sha256="0" * 64, media_type=CODE_TYPE, size_bytes=0)
Place = tuple[str | int, ...]
CLASSES = [
    each
    for module in (benchmark_file, file_model, file_payload, randomisation)
    for each in vars(module).values()
    if isinstance(each, type) and issubclass(each, BaseModel) and each.__module__ == module.__name__
]


def full_file() -> dict[str, Any]:
    """Return a copy of a file in which every class of the format occurs."""
    return deepcopy(_full_file())


@cache
def _full_file() -> dict[str, Any]:
    content = yaml.safe_load((SUITE / "gravity-chute" / FILE).read_text("utf-8"))
    box = {"min_mm": [-200, 100, 0], "max_mm": [-100, 200, 9]}
    content["payload"] |= {"restitution": 0.5, "start_rotation_deg": [0, 90, 0], "start_velocity_mm_s": [1, 0, 0]}
    content["randomisation"] |= {"payload_size": {"low": 0.9, "high": 1.1}}
    obstacles = [{"label": "block", "box": box}]
    return {**content, "units": "mm", "supply_limit_w": 20, "replica_jitter_mm": 2, "obstacles": obstacles}


def items(value: Any) -> Iterable[tuple[str | int, Any]]:
    """Return the fields of a mapping, or the items of a list."""
    if isinstance(value, dict):
        return cast("dict[str, Any]", value).items()
    return enumerate(cast("list[Any]", value)) if isinstance(value, list) else ()


def places(value: Any, path: Place = ()) -> Iterator[Place]:
    """Yield the path of every mapping in a file."""
    if isinstance(value, dict):
        yield path
    for key, each in items(value):
        yield from places(each, (*path, key))


def numbers(value: Any, path: Place = ()) -> Iterator[Place]:
    """Yield the path of every number in a file."""
    if isinstance(value, int | float):
        yield path
    for key, each in items(value):
        yield from numbers(each, (*path, key))


def at(content: Any, path: Place) -> Any:
    for step in path:
        content = content[step]
    return content


def test_valid_file_has_no_faults() -> None:
    assert faults_of(BenchmarkFile.model_validate(full_file())) == ()


@pytest.mark.parametrize("kind", CLASSES, ids=lambda kind: kind.__name__)
def test_file_class_forbids_unknown_fields(kind: type[BaseModel]) -> None:
    assert kind.model_config.get("extra") == "forbid"
    assert kind.model_config.get("allow_inf_nan") is False


@pytest.mark.parametrize("path", list(places(full_file())), ids=str)
def test_unknown_field_is_refused_at_every_place(path: Place) -> None:
    content = full_file()
    at(content, path)["max_price_usd"] = 1
    with pytest.raises(ValidationError) as caught:
        BenchmarkFile.model_validate(content)
    assert [(each["type"], each["loc"]) for each in caught.value.errors()] == [
        ("extra_forbidden", (*path, "max_price_usd"))
    ]


@pytest.mark.parametrize("path", list(numbers(full_file())), ids=str)
@pytest.mark.parametrize("number", [inf, -inf, nan])
def test_number_that_is_not_finite_is_refused_at_every_place(path: Place, number: float) -> None:
    content = full_file()
    at(content, path[:-1])[path[-1]] = number
    with pytest.raises(ValidationError):
        BenchmarkFile.model_validate(content)


def test_supply_limit_of_the_file_reaches_the_variant() -> None:
    file = BenchmarkFile.model_validate(full_file())
    assert all(each.supply_limit_w == 20 for each in extreme_variants(file, CODE).values())


@pytest.mark.parametrize("name", built_in())
def test_extreme_worlds_bound_those_of_all_seeds(name: str) -> None:
    loaded = load(name, 0)
    worlds = extreme_variants(loaded.file, CODE)
    for seed in range(50):
        for axis, size_mm in enumerate(make_variant(loaded.file, seed, CODE).bounds.size_mm):
            low_mm, high_mm = (worlds[each].bounds.size_mm[axis] for each in ("smallest", "largest"))
            assert low_mm - 0.01 <= size_mm <= high_mm + 0.01


def test_broken_folder_in_the_suite_hides_no_other_benchmark(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("broken", "gravity-chute"):
        (tmp_path / name).mkdir()
        for file in (FILE, "environment.py"):
            (tmp_path / name / file).write_bytes((SUITE / "gravity-chute" / file).read_bytes())
    (tmp_path / "broken" / FILE).write_text("name: [", "utf-8")
    (tmp_path / "empty").mkdir()
    monkeypatch.setattr("benchmarks.loader.SUITE", tmp_path)
    assert built_in() == ["broken", "gravity-chute"]
    assert isinstance(load("gravity-chute", 1).variant, Variant)
