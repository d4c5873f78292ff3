"""Every reason for which the loader refuses a benchmark: a change of a valid benchmark, and what the error names."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from shutil import copyfile
from typing import Any

import pytest
import yaml
from benchmarks.loader import CODE, FILE, SUITE, BenchmarkError, load

VALID = SUITE / "gravity-chute"
Change = Callable[[Path], object]


@dataclass(frozen=True)
class Refusal:
    """One reason."""

    title: str
    change: Change
    """Makes the benchmark in a folder invalid."""
    named: tuple[str, ...]
    """Field, value or limit that the error must name."""


def message(refusal: Refusal, folder: Path) -> str:
    """Return the loader's error about a changed copy of a valid benchmark, with `FOLDER` for its folder."""
    folder.mkdir()
    for name in (FILE, CODE):
        copyfile(VALID / name, folder / name)
    refusal.change(folder)
    with pytest.raises(BenchmarkError) as caught:
        load(str(folder), seed=0)
    return str(caught.value).replace(str(folder), "FOLDER")


def _field(path: str, value: object) -> Change:
    """Return a change that sets a field, such as `payload.size_mm`."""

    def change(folder: Path) -> None:
        content: Any = yaml.safe_load((folder / FILE).read_text("utf-8"))
        *parents, name = path.split(".")
        parent = content
        for step in parents:
            parent = parent[int(step) if step.isdigit() else step]
        parent[name] = value
        (folder / FILE).write_text(yaml.safe_dump(content), "utf-8")

    return change


def _without(name: str) -> Change:
    def change(folder: Path) -> None:
        content = yaml.safe_load((folder / FILE).read_text("utf-8"))
        del content[name]
        (folder / FILE).write_text(yaml.safe_dump(content), "utf-8")

    return change


def _file(data: bytes) -> Change:
    return lambda folder: (folder / FILE).write_bytes(data)


def _no_folder(folder: Path) -> None:
    for path in folder.iterdir():
        path.unlink()
    folder.rmdir()


def _box(low: list[float], high: list[float]) -> dict[str, list[float]]:
    return {"min_mm": low, "max_mm": high}


REFUSALS = (
    Refusal("unknown name", _no_folder, ("FOLDER", FILE, "gravity-chute")),
    Refusal("no benchmark.yaml", lambda folder: (folder / FILE).unlink(), (FILE,)),
    Refusal("no environment.py", lambda folder: (folder / CODE).unlink(), (CODE,)),
    Refusal("YAML that ends within a list", _file(b"name: [gravity\nlevel: 1\n"), (FILE, "line 2")),
    Refusal("bytes that are not text", _file(b"\xff\xfe\x00broken"), (FILE,)),
    Refusal("an impossible date", _file(b"name: 2026-99-99\n"), (FILE, "month")),
    Refusal("a list in place of fields", _file(b"- a list\n"), (FILE, "list")),
    Refusal("an empty file", _file(b""), (FILE, "empty")),
    Refusal("a missing field", _without("payload"), ("payload",)),
    Refusal("several missing fields", _file(b"name: x\n"), ("title", "6 more")),
    Refusal("an unknown field", _field("duration", 5), ("duration",)),
    Refusal("an unknown field of the payload", _field("payload.size", 40), ("payload.size", "unknown")),
    Refusal("an unknown limit", _field("limits.max_price_usd", 40), ("limits.max_price_usd", "unknown")),
    Refusal("an unknown field of a box", _field("goal_zone.max_m", 40), ("goal_zone.max_m", "unknown")),
    Refusal("a blank title", _field("title", " "), ("title", "' '")),
    Refusal("an unknown level", _field("level", 4), ("level", "4")),
    Refusal("a negative duration", _field("duration_s", -1), ("duration_s", "-1")),
    Refusal("text in place of a number", _field("payload.size_mm", "large"), ("payload.size_mm", "'large'")),
    Refusal("a label with a space", _field("forbid_zones.0.label", "closed ground"), ("forbid_zones", "closed ground")),
    Refusal("a scale range over twofold", _field("randomisation.scale_x", {"low": 0.5, "high": 1.4}), ("0.5", "1.4")),
    Refusal("shrinking by too much", _field("randomisation.shrink_up_to", 0.5), ("randomisation.shrink_up_to", "0.5")),
    Refusal("an unknown mirror axis", _field("randomisation.mirror", ["z"]), ("randomisation.mirror.0", "'z'")),
    Refusal(
        "a zone with its minimum above its maximum",
        _field("forbid_zones.0.box", _box([30, -110, 0], [-90, 90, 90])),
        ("closed-ground", "x runs from 30 to -90"),
    ),
    Refusal(
        "asymmetric bounds of a mirrored world",
        _field("bounds", _box([-300, -220, -20], [400, 220, 600])),
        ("randomisation.mirror", "x", "-300 to 400 mm"),
    ),
    Refusal(
        "a goal zone outside the build zone",
        _field("goal_zone", _box([10, -70, 130], [295, 190, 310])),
        ("goal_zone", "build_zone", "x = 10 to 295 mm"),
    ),
    Refusal("a start outside bounds", _field("payload.start_mm", [-290, -90, 470]), ("start", "x = -340 to -240 mm")),
    Refusal("a start in the goal zone", _field("payload.start_mm", [140, 60, 220]), ("start", "goal_zone", "mm")),
    Refusal(
        "a start in a forbid zone",
        _field("forbid_zones.0.box", _box([-200, -99, 400], [-99, 0, 500])),
        ("start", "closed-ground", "mm"),
    ),
    Refusal(
        "a forbid zone in the goal zone",
        _field("forbid_zones.0.box", _box([0, 0, 0], [50, 50, 200])),
        ("closed-ground", "goal_zone", "40 mm"),
    ),
    Refusal(
        "a build zone outside bounds",
        _field("build_zone", _box([-290, -210, 0], [310, 210, 590])),
        ("seed 0", "build_zone", "bounds"),
    ),
)
