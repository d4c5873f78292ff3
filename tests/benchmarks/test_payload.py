"""The payload of a benchmark's file: its measures and its material."""

from typing import Any

import pytest
from benchmarks.file_payload import FilePayload
from benchmarks.loader import load
from benchmarks.variant import make_variant
from contracts.models.geometry import rotated
from parts_catalog.materials import MATERIALS
from pydantic import ValidationError

SURFACE = {"density_kg_m3": 1000, "friction": 0.3}


def file_payload(**fields: Any) -> FilePayload:
    return FilePayload.model_validate({"start_mm": [0, 0, 100], **fields})


def test_material_gives_density_friction_and_restitution() -> None:
    nominal = file_payload(shape="ball", size_mm=40, material_id="steel-1018").nominal()
    steel = MATERIALS["steel-1018"]
    assert (nominal.density_kg_m3, nominal.friction, nominal.restitution) == (
        steel.density_kg_m3,
        steel.friction,
        steel.restitution,
    )
    greased = file_payload(shape="ball", size_mm=40, material_id="steel-1018", friction=0.05).nominal()
    assert (greased.density_kg_m3, greased.friction) == (steel.density_kg_m3, 0.05)


def test_longest_edge_is_the_size_of_a_box() -> None:
    assert file_payload(shape="box", edges_mm=[60, 40, 20], **SURFACE).nominal().size_mm == 60


@pytest.mark.parametrize(
    ("fields", "fault"),
    [
        ({"shape": "box", "size_mm": 40, **SURFACE}, "size_mm has no meaning for the shape box: it needs edges_mm"),
        ({"shape": "ball", **SURFACE}, "size_mm is missing for the shape ball"),
        ({"shape": "cylinder", "size_mm": 40, **SURFACE}, "length_mm is missing"),
        ({"shape": "capsule", "size_mm": 40, "length_mm": 30, **SURFACE}, "round ends"),
        ({"shape": "ball", "size_mm": 40, "density_kg_m3": 900}, "friction missing"),
        ({"shape": "ball", "size_mm": 40, "material_id": "cheese"}, "'cheese' is unknown; take one of aluminum-6061"),
        ({"shape": "ball", "size_mm": 40, "material_id": "pom", "density_kg_m3": 1}, "contradict"),
        ({"shape": "ball", "size_mm": 40, "restitution": 1.5, **SURFACE}, "less than or equal to 0.9"),
    ],
)
def test_payload_that_contradicts_itself_is_refused(fields: dict[str, Any], fault: str) -> None:
    with pytest.raises(ValidationError, match=fault):
        file_payload(**fields)


def test_mirrored_world_mirrors_rotation_and_velocity() -> None:
    loaded = load("gravity-chute", 0)
    thrown = file_payload(
        shape="cylinder", size_mm=30, length_mm=60, material_id="pom", start_rotation_deg=[20, 30, 40],
        start_velocity_mm_s=[100, 50, 20],
    ).model_copy(update={"start_mm": loaded.file.all_payloads[0].start_mm})  # fmt: skip
    file = loaded.file.model_copy(update={"payload": thrown})
    nominal = thrown.nominal()
    axis, velocity = rotated((0, 0, 1), nominal.start_quaternion), nominal.start_velocity_mm_s
    seen: set[tuple[bool, bool]] = set()
    for seed in range(20):
        made = make_variant(file, seed, loaded.variant.environment_code).payload
        signs = [1 if now * before > 0 else -1 for now, before in zip(made.start_mm, thrown.start_mm, strict=True)]
        assert rotated((0, 0, 1), made.start_quaternion) == pytest.approx(
            tuple(part * sign for part, sign in zip(axis, signs, strict=True))
        )
        assert made.start_velocity_mm_s == tuple(part * sign for part, sign in zip(velocity, signs, strict=True))
        seen.add((signs[0] < 0, signs[1] < 0))
    assert len(seen) == 4
