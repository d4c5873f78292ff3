"""Legs of witnesses: one under each chute and under the pocket, and apart, in worlds where that once failed.

The witness runs here without a kernel; glue, which measures solids in one, is left out.
"""

import sys
from itertools import combinations
from types import SimpleNamespace
from typing import cast

import pytest
from benchmarks.loader import file_of, load, read_witness
from build123d import Part

CONTACT_MM = 0.001


def no_glue(*_: object, **__: object) -> tuple[()]:
    return ()


def apart_mm(one: Part, other: Part) -> float:
    return one.distance_to(other)  # pyright: ignore[reportUnknownMemberType] - a union of shapes


def parts_of(name: str, seed: int, monkeypatch: pytest.MonkeyPatch) -> dict[str, Part]:
    """Return the parts of the witness of a world by their labels."""
    methods = SimpleNamespace(PRINTING_3D="printing_3d")
    utils = SimpleNamespace(ManufacturingMethod=methods, bond_contacts=no_glue)
    monkeypatch.setitem(sys.modules, "utils", utils)
    loaded = load(name, seed)
    names: dict[str, object] = {}
    exec(loaded.environment_code.decode(), names)
    build = names["build"]
    assert callable(build)
    names = {"benchmark": loaded.variant, "environment": build(loaded.variant)}
    exec(read_witness(file_of(name)), names)
    return {part.label: part for part in cast("list[Part]", names["parts"])}


@pytest.mark.parametrize(
    ("name", "seed"), [("gap-crossing-3", 14), ("brake-and-hold-2", 20), ("brake-and-hold-2", 21), ("slide-box-2", 40)]
)
def test_every_chute_has_a_leg_and_no_two_legs_meet(name: str, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    parts = parts_of(name, seed, monkeypatch)
    chutes = {"-".join(label.split("-")[:2]) for label in parts}
    legs = {label: part for label, part in parts.items() if "leg" in label}

    assert {"-".join(label.split("-")[:2]) for label in legs if "pocket" not in label} == chutes
    assert any("pocket-leg" in label for label in legs)
    assert all(apart_mm(one, other) > CONTACT_MM for one, other in combinations(legs.values(), 2))
