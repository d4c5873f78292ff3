"""Every reason for which the loader refuses a benchmark: a change of a valid benchmark."""

from collections.abc import Callable
from copy import deepcopy
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


def _lengths_times(factor: float) -> Change:
    def change(folder: Path) -> None:
        text = (folder / FILE).read_text("utf-8")
        content: Any = yaml.safe_load(text)
        boxes = [content["bounds"], content["build_zone"], content["goal_zone"]]
        boxes += [zone["box"] for zone in content["forbid_zones"]]
        for box in boxes:
            for end in ("min_mm", "max_mm"):
                box[end] = [each * factor for each in box[end]]
        payload, randomisation = content["payload"], content["randomisation"]
        payload["size_mm"] *= factor
        payload["start_mm"] = [each * factor for each in payload["start_mm"]]
        randomisation["start_spread_mm"] = [each * factor for each in randomisation["start_spread_mm"]]
        (folder / FILE).write_text(yaml.safe_dump(content), "utf-8")

    return change


_in_metres, _in_micrometres = _lengths_times(1e-3), _lengths_times(1e3)


def _two_zones_of_one_label(folder: Path) -> None:
    content: Any = yaml.safe_load((folder / FILE).read_text("utf-8"))
    content["forbid_zones"] += deepcopy(content["forbid_zones"])  # a repeated object becomes an alias
    (folder / FILE).write_text(yaml.safe_dump(content), "utf-8")


def _start_at_the_goal(folder: Path) -> None:
    content: Any = yaml.safe_load((folder / FILE).read_text("utf-8"))
    goal, payload = content["goal_zone"], content["payload"]
    payload["start_mm"] = [goal["min_mm"][0] - payload["size_mm"] / 2, *payload["start_mm"][1:]]
    payload["start_mm"][1:] = [(low + high) / 2 for low, high in zip(goal["min_mm"], goal["max_mm"], strict=True)][1:]
    content["randomisation"] = {}
    (folder / FILE).write_text(yaml.safe_dump(content), "utf-8")


def _jitters(folder: Path) -> None:
    text = (folder / FILE).read_text("utf-8")
    (folder / FILE).write_text(f"{text}\nreplica_jitter_mm: 2\nreplica_jitter_share: 0.1\n", "utf-8")


def _no_valid_world(folder: Path) -> None:
    """At half the height, the payload keeps its size and starts in the zone that is below it."""
    content: Any = yaml.safe_load((folder / FILE).read_text("utf-8"))
    content["forbid_zones"][0]["box"] = _box([-200, -99, 300], [-99, 0, 445])
    content["randomisation"] = {"scale_z": {"low": 0.5, "high": 0.5}}
    (folder / FILE).write_text(yaml.safe_dump(content), "utf-8")


def _obstacles(*boxes: tuple[list[float], list[float]], label: str = "") -> Change:
    named = [{"label": label or f"block-{n}", "box": _box(*ends)} for n, ends in enumerate(boxes)]
    return _field("obstacles", named)


def _twice(folder: Path) -> None:
    text = (folder / FILE).read_text("utf-8")
    (folder / FILE).write_text(f"{text}\nhold_s: 5\n", "utf-8")


def _many(folder: Path) -> None:
    content: Any = yaml.safe_load((folder / FILE).read_text("utf-8"))
    content["build_zone"]["max_mm"][0] = 1000
    content["forbid_zones"] += deepcopy(content["forbid_zones"])  # a repeated object becomes an alias
    content["hold_s"] = 30
    content["payload"]["friction"] = 50
    (folder / FILE).write_text(yaml.safe_dump(content), "utf-8")


REFUSALS = (
    Refusal("unknown name", _no_folder),
    Refusal("no benchmark.yaml", lambda folder: (folder / FILE).unlink()),
    Refusal("no environment.py", lambda folder: (folder / CODE).unlink()),
    Refusal("YAML that ends within a list", _file(b"name: [gravity\nlevel: 1\n")),
    Refusal("bytes that are not text", _file(b"\xff\xfe\x00broken")),
    Refusal("an impossible date", _file(b"name: 2026-99-99\n")),
    Refusal("a list in place of fields", _file(b"- a list\n")),
    Refusal("an empty file", _file(b"")),
    Refusal("a missing field", _without("payload")),
    Refusal("several missing fields", _file(b"name: x\n")),
    Refusal("an unknown field", _field("duration", 5)),
    Refusal("an unknown field of the payload", _field("payload.size", 40)),
    Refusal("an unknown limit", _field("limits.max_price_usd", 40)),
    Refusal("an unknown field of a box", _field("goal_zone.max_m", 40)),
    Refusal("a blank title", _field("title", " ")),
    Refusal("an unknown level", _field("level", 4)),
    Refusal("a negative duration", _field("duration_s", -1)),
    Refusal("text in place of a number", _field("payload.size_mm", "large")),
    Refusal("a label with a space", _field("forbid_zones.0.label", "closed ground")),
    Refusal("a scale below a half", _field("randomisation.scale_x", {"low": 0.4, "high": 1.4})),
    Refusal("a scale range upside down", _field("randomisation.scale_x", {"low": 1.4, "high": 0.5})),
    Refusal("two jitters", _jitters),
    Refusal("shrinking by too much", _field("randomisation.shrink_up_to", 0.5)),
    Refusal("an unknown mirror axis", _field("randomisation.mirror", ["z"])),
    Refusal(
        "a zone with its minimum above its maximum",
        _field("forbid_zones.0.box", _box([30, -110, 0], [-90, 90, 90])),
    ),
    Refusal(
        "asymmetric bounds of a mirrored world",
        _field("bounds", _box([-300, -220, -20], [400, 220, 600])),
    ),
    Refusal(
        "a goal zone outside bounds",
        _field("goal_zone", _box([10, -70, 130], [305, 190, 310])),
    ),
    Refusal("a start outside bounds", _field("payload.start_mm", [-290, -90, 470])),
    Refusal("a start in the goal zone", _field("payload.start_mm", [140, 60, 220])),
    Refusal(
        "a start in a forbid zone",
        _field("forbid_zones.0.box", _box([-200, -99, 400], [-99, 0, 500])),
    ),
    Refusal(
        "a forbid zone in the goal zone",
        _field("forbid_zones.0.box", _box([0, 0, 0], [50, 50, 200])),
    ),
    Refusal(
        "a build zone outside bounds",
        _field("build_zone", _box([-290, -210, 0], [310, 210, 590])),
    ),
    Refusal("an unknown unit", _field("units", "m")),
    Refusal("an infinite duration", _field("duration_s", float("inf"))),
    Refusal("a duration that is not a number", _field("duration_s", float("nan"))),
    Refusal("a duration of days", _field("duration_s", 1e6)),
    Refusal("a hold time beyond the duration", _field("hold_s", 30.0)),
    Refusal("an infinite scale", _field("randomisation.scale_x", {"high": float("inf")})),
    Refusal("a world in metres", _in_metres),
    Refusal("a world in micrometres", _in_micrometres),
    Refusal("friction of 50", _field("payload.friction", 50)),
    Refusal("a payload of 1 mm", _field("payload.size_mm", 1)),
    Refusal("a payload denser than osmium", _field("payload.density_kg_m3", 1e5)),
    Refusal("no supply", _field("supply_limit_w", 0)),
    Refusal("two zones of one label", _two_zones_of_one_label),
    Refusal(
        "a forbid zone outside bounds",
        _field("forbid_zones.0.box", _box([-400, -110, 0], [-90, 90, 90])),
    ),
    Refusal("a start that touches the goal zone", _start_at_the_goal),
    Refusal("a seed without a valid world", _no_valid_world),
    Refusal("an obstacle outside bounds", _obstacles(([0, 0, 0], [400, 9, 9]))),
    Refusal(
        "two obstacles in one place",
        _obstacles(([-200, 100, 0], [-100, 200, 9]), ([-150, 100, 0], [-50, 200, 9])),
    ),
    Refusal(
        "two obstacles of one label",
        _obstacles(([-200, 100, 0], [-100, 200, 9]), ([-50, 100, 0], [-20, 200, 9]), label="block"),
    ),
    Refusal("a zone that binds no one", _field("forbid_zones.0.binds", "ball")),
    Refusal("a field that occurs twice", _twice),
    Refusal(
        "faults in many places",
        _many,
    ),
)
