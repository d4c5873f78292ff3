"""Payloads of every shape from the file through environment.py, judge and kernel to physics and prompts."""

from pathlib import Path
from typing import Any

import pytest
import yaml
from agent.rendering.assignment import payload_table
from benchmarks.loader import CODE, FILE, SUITE, LoadedBenchmark, load
from cad_worker.host import KernelHost
from contracts.models.scene import Scene
from sim_worker.world_check import check_world

from tests.support.benchmark_solver import Bench

pytestmark = pytest.mark.asyncio(loop_scope="session")
WEDGE_CODE = '''

def payload(variant):
    """Return the payload around the origin: a ramp."""
    x, y, z = variant.payload.edges_mm
    return extrude(Plane.YZ * Polygon((-y / 2, -z / 2), (y / 2, -z / 2), (y / 2, z / 2), align=None), x / 2, both=True)
'''
CASES: dict[str, dict[str, Any]] = {
    "box": {"edges_mm": [60, 40, 20], "material_id": "pom", "start_rotation_deg": [0, 0, 30]},
    "cylinder": {"size_mm": 30, "length_mm": 60, "material_id": "steel-1018", "start_rotation_deg": [90, 0, 20]},
    "capsule": {"size_mm": 30, "length_mm": 60, "density_kg_m3": 1000, "friction": 0.3, "restitution": 0.6},
    "solid": {"edges_mm": [40, 30, 24], "material_id": "pla", "start_velocity_mm_s": [-50, 0, 0]},
}


def write_benchmark(folder: Path, shape: str, code: str = WEDGE_CODE) -> LoadedBenchmark:
    """Write gravity-chute with another payload."""
    content = yaml.safe_load((SUITE / "gravity-chute" / FILE).read_text("utf-8"))
    content["payload"] = {"shape": shape, "start_mm": [-180, -90, 470], **CASES[shape]}
    (folder / FILE).write_text(yaml.safe_dump(content), "utf-8")
    text = (SUITE / "gravity-chute" / CODE).read_text("utf-8")
    (folder / CODE).write_text(text.replace("import Box,", "import Plane, Polygon, extrude, Box,") + code, "utf-8")
    return load(str(folder), 1)


async def scene_of(loaded: LoadedBenchmark, host: KernelHost) -> Scene:
    build = await host.build_environment(loaded.environment_code.decode(), loaded.variant)
    assert build.files is not None, build.fault
    return build.files.scene


@pytest.mark.sample(1)
@pytest.mark.parametrize("shape", CASES)
async def test_world_with_the_payload_is_sound(shape: str, kernel_host: KernelHost, tmp_path: Path) -> None:
    loaded = write_benchmark(tmp_path, shape)
    scene = await scene_of(loaded, kernel_host)
    assert scene.payload.shape == shape
    assert len(scene.payload.hull_mm) == (6 if shape == "solid" else 0)
    assert "without a machine" in check_world(scene).without_machine
    table = payload_table(loaded.variant)
    assert "material" in table or shape == "capsule"
    assert ("rotation at the start" in table) == ("start_rotation_deg" in CASES[shape])
    assert ("velocity at its release" in table) == ("start_velocity_mm_s" in CASES[shape])


async def test_kernel_knows_the_corners_of_a_solid(kernel_host: KernelHost, tmp_path: Path) -> None:
    code = "p = benchmark.payload\nprint(p.shape, len(p.hull_mm), p.extents_mm)"
    printed = await Bench(kernel_host, 1).printed(write_benchmark(tmp_path, "solid"), code)
    assert "solid 6 (40.0, 30.0, 24.0)" in printed


@pytest.mark.parametrize(
    ("code", "fault"),
    [
        ("", "the function payload is missing"),
        ("\n\ndef payload(variant):\n    return Box(40, 30, 20)\n", "payload.edges_mm is 40 x 30 x 24 mm"),
        ("\n\ndef payload(variant):\n    return Box(40, 30, 24) + Pos(90, 0, 0) * Box(1, 1, 1)\n", "holds 2 solids"),
        ("\n\ndef payload(variant):\n    raise ValueError('no')\n", "of environment.py: ValueError: no"),
    ],
)
async def test_wrong_solid_is_refused_with_the_reason(
    code: str, fault: str, kernel_host: KernelHost, tmp_path: Path
) -> None:
    loaded = write_benchmark(tmp_path, "solid", code)
    build = await kernel_host.build_environment(loaded.environment_code.decode(), loaded.variant)
    assert build.fault is not None
    assert fault in build.fault.detail
