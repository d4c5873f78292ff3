"""The build packages of machines of the suite, opened with other software and compared with their bills."""

import csv
import io
import re
import zipfile
from dataclasses import dataclass
from math import pi
from pathlib import Path

import numpy as np
import pytest
import pytest_asyncio
from benchmarks.loader import load
from build_package.machine import TEETH
from cad_worker.host import KernelHost
from cad_worker.job_protocol import BUILD, BuildRequest
from cad_worker.submissions import judge_script
from contracts.models.design import BillOfMaterials
from contracts.models.scene import Scene
from parts_catalog.materials import MATERIALS
from parts_catalog.parts import part as catalog_part
from parts_catalog.pricing.infill import made_mass_kg
from PIL import Image

from tests.build_package.fake_board import Board
from tests.build_package.machines import RUN
from tests.build_package.other_software import (
    pieces_of_3mf,
    pieces_of_glb,
    rows_of_sheet,
    step_in_a_fresh_process,
    step_tree_in_a_fresh_process,
    stl_piece,
    unit_of_3mf,
)
from tests.build_package.robots import mjcf_facts, opened_sdf, opened_urdf, urdf_masses, urdf_movers
from tests.suite.worlds import witness
from tests.support.benchmark_solver import Bench

pytestmark = pytest.mark.asyncio(loop_scope="session")

MACHINES = (
    "lift-to-shelf",
    pytest.param("slide-box", marks=pytest.mark.full),
    pytest.param("push-flat", marks=pytest.mark.full),
    "sweeping-arm",
)
FACETS = 2e-3
"""Share of a volume that triangles may miss."""
TOOTHED_SHARE = 0.4
"""Of the mass of a pinion or rack, which the bill has as a disc or bar: a pinion's bore takes most of it."""


@dataclass(frozen=True)
class Package:
    """A machine's bill and the files of its package."""

    bill: BillOfMaterials
    scene: Scene
    files: dict[str, bytes]

    @property
    def teeth(self) -> dict[str, int]:
        """Numbers of teeth by label, as the bill states them."""
        lines = [each.what.split(" teeth of ") for each in self.bill.hardware if each.catalog_id == TEETH]
        return {label: int(count) for count, label in lines}

    @property
    def plates(self) -> dict[str, bytes]:
        return {path: data for path, data in self.files.items() if path.startswith("plates/")}


@pytest_asyncio.fixture(scope="module", loop_scope="session", params=MACHINES)
async def package(request: pytest.FixtureRequest, kernel_host: KernelHost) -> Package:
    loaded = load(request.param, 0)
    order = await Bench(kernel_host, replicas=2).order(loaded)
    verdict = await judge_script({"script.py": witness(request.param)}, order, kernel_host)
    assert not verdict.findings
    assert verdict.judgement is not None
    judged = verdict.judgement
    assert judged.bill is not None
    assert judged.scene is not None
    assert verdict.design is not None
    build = BuildRequest(
        title=request.param,
        run=RUN,
        design=verdict.design,
        bill=judged.bill,
        scene=judged.scene,
        assembly=judged.assembly,
        tooth_meshes=judged.tooth_meshes,
        part_steps=judged.part_steps,
    )
    packed = (await kernel_host.run_job(BUILD, build)).zip
    with zipfile.ZipFile(io.BytesIO(packed)) as archive:
        return Package(judged.bill, judged.scene, {path: archive.read(path) for path in archive.namelist()})


async def test_prints_have_the_names_sizes_and_masses_of_the_bill(package: Package) -> None:
    for kind in package.bill.kinds:
        line = kind[0]
        path = f"printed/{line.label}"
        (piece,) = pieces_of_3mf(package.files[f"{path}.3mf"]).values()
        assert unit_of_3mf(package.files[f"{path}.3mf"]) == "millimeter"
        for each in (piece, stl_piece(package.files[f"{path}.stl"])):
            assert each.is_closed
            assert each.low_mm == pytest.approx((0, 0, 0), abs=1e-4), "it stands on the bed"
            mass_kg = made_mass_kg(MATERIALS[line.material_id], line.method, each.volume_mm3, each.area_mm2)
            has_teeth = line.label in package.teeth
            assert mass_kg == pytest.approx(line.mass_kg, rel=TOOTHED_SHARE if has_teeth else FACETS)


async def test_pinion_and_rack_have_the_teeth_of_the_bill_and_the_travel_that_was_simulated(package: Package) -> None:
    drives = [drive for drive in package.scene.drives if drive.pinion_radius_mm is not None and drive.max_torque_n_m]
    readme = package.files["README.md"].decode()
    assert bool(package.teeth) == bool(drives)
    for drive in drives:
        assert drive.pinion_radius_mm is not None
        found = re.search(r"one turn of `pinion` moves `[^`]+` by ([0-9.]+) mm", readme)
        assert found is not None
        assert float(found[1]) == pytest.approx(2 * pi * drive.pinion_radius_mm, abs=0.01)
    for label, count in package.teeth.items():
        assert re.search(rf"\| `{re.escape(label)}` \| {count} \|", readme)
        (piece,) = pieces_of_3mf(package.files[f"printed/{label}.3mf"]).values()
        (line,) = (each for each in package.bill.lines if each.label == label)
        grown = max(np.array(piece.high_mm) - piece.low_mm) - max(line.box.size_mm)
        assert grown == pytest.approx(2.0, abs=0.3) if "pinion" in label else grown < 1.5, "two modules of 1 mm"


async def test_assembly_as_step_and_glb_has_every_part_and_the_fronts_of_its_motors(
    package: Package, tmp_path: Path
) -> None:
    labels = {body.label for body in package.scene.bodies if body.origin == "design"}
    pieces = pieces_of_glb(package.files["assembly/machine.glb"])
    assert set(pieces) == labels
    shape = step_in_a_fresh_process(package.files["assembly/machine.step"], tmp_path)
    assert shape.is_valid
    ends_mm = [each.low_mm for each in pieces.values()], [each.high_mm for each in pieces.values()]
    size_mm = sorted(1000 * (np.max(ends_mm[1], axis=0) - np.min(ends_mm[0], axis=0)))
    assert shape.size_mm == pytest.approx(size_mm, abs=0.2)
    assert shape.volume_mm3 == pytest.approx(1e9 * sum(each.volume_mm3 for each in pieces.values()), rel=FACETS)
    bought = sum(line.count for line in package.bill.hardware if line.is_part)
    assert len(pieces) == len(package.bill.lines) + bought
    fronts = [line for line in package.files["README.md"].decode().splitlines() if "mm long; boss Ø" in line]
    assert len(fronts) == bought, "the suite's machines buy motors only"


async def test_step_has_a_group_for_what_never_moves_and_for_each_joint(package: Package, tmp_path: Path) -> None:
    """The parts of a group are those that the simulated model joins without a joint between them."""
    name, groups = step_tree_in_a_fresh_process(package.files["assembly/machine.step"], tmp_path)
    assert name == "machine"
    found: dict[str, set[str]] = {}
    while groups:
        group, content = groups.pop()
        found[group] = {label for label, inside in content if not inside}
        groups += [each for each in content if each[1]]
    bodies = {body.label for body in package.scene.bodies if body.origin == "design"}
    assert sorted(label for labels in found.values() for label in labels) == sorted(bodies)
    moved = {joint.label: joint.child for joint in package.scene.joints if joint.child in bodies}
    assert set(found) == {"frame", *moved}
    assert all(child in found[label] for label, child in moved.items())
    for weld in package.scene.welds:
        if {weld.first, weld.second} <= bodies:
            assert any({weld.first, weld.second} <= labels for labels in found.values())


async def test_plates_hold_every_piece_of_the_bill_once_apart_and_on_the_bed(package: Package) -> None:
    found: list[str] = []
    for data in package.plates.values():
        pieces = pieces_of_3mf(data)
        found += pieces
        lows = np.array([piece.low_mm for piece in pieces.values()])
        highs = np.array([piece.high_mm for piece in pieces.values()])
        assert (lows >= -1e-4).all()
        assert (highs <= [800, 800, 1000]).all()
        for first in range(len(pieces)):
            for second in range(first):
                apart = np.maximum(lows[first] - highs[second], lows[second] - highs[first])[:2].max()
                assert apart > 5
    assert sorted(found) == sorted(line.label for line in package.bill.lines)


async def test_readme_names_every_part_file_and_step(package: Package) -> None:
    readme = package.files["README.md"].decode()
    bought = [line.what for line in package.bill.hardware]
    assert all(f"`{line.label}`" in readme for line in package.bill.lines)
    assert all(what in readme for what in bought)
    assert f"{package.bill.unit_price_usd:.2f}" in readme
    named = [path for path in package.files if path != "README.md" and not path.startswith("robot/meshes/")]
    assert all(f"({path})" in readme for path in named)


async def test_urdf_and_sdf_have_the_masses_of_the_bill_and_the_joints_of_the_simulated_model(
    package: Package, tmp_path: Path
) -> None:
    robot, model = opened_urdf(package.files, tmp_path), opened_sdf(package.files)
    masses, joints = mjcf_facts(package.scene)
    billed = {line.label: line.mass_kg for line in package.bill.lines}
    parts = {name: mass for name, mass in urdf_masses(robot).items() if name in masses}
    assert parts == pytest.approx(masses, rel=1e-5), "MJCF has six digits"
    assert {name: parts[name] for name in billed} == pytest.approx(billed, rel=1e-6)
    bought = sum(line.count * line.mass_kg for line in package.bill.hardware if line.is_part)
    assert sum(parts.values()) == pytest.approx(sum(billed.values()) + bought, rel=1e-6)
    assert {name: model.masses[name] for name in parts} == pytest.approx(parts, rel=1e-6)
    for movers in (urdf_movers(robot), model.movers):
        for label, joint in joints.items():
            name = f"{label}-joint" if label in masses else label
            assert movers[name].axis == pytest.approx(joint.axis, abs=1e-5)
            off = np.subtract(movers[name].place_m, joint.place_m)
            if joint.kind == "revolute":
                assert np.cross(off, joint.axis) == pytest.approx(np.zeros(3), abs=1e-5), "they have the same line"
            if joint.limits is not None:
                assert movers[name].limits == pytest.approx(joint.limits, abs=1e-5)


async def test_workbook_has_prices_places_and_sizes_of_the_bill(package: Package) -> None:
    *rows, total = rows_of_sheet(package.files["bill.xlsx"], "bill")
    assert sum(row["unit_price_usd"] * row["count"] for row in rows) == pytest.approx(total["unit_price_usd"])
    assert total["unit_price_usd"] == pytest.approx(package.bill.unit_price_usd)
    if package.bill.supplied:
        *supplied, power = rows_of_sheet(package.files["bill.xlsx"], "power and control")
        whole_usd = sum(row["unit_price_usd"] * row["count"] for row in supplied)
        assert power["unit_price_usd"] == pytest.approx(whole_usd)
    placed = {row["part"]: row for row in rows_of_sheet(package.files["bill.xlsx"], "places and sizes")}
    for line in package.bill.lines:
        for axis, place, size in zip("xyz", line.box.center_mm, line.box.size_mm, strict=True):
            assert placed[line.label][f"place_{axis}_mm"] == pytest.approx(place)
            assert placed[line.label][f"size_{axis}_mm"] == pytest.approx(size)


async def test_prices_by_quantity_begin_with_the_bill_and_add_the_work(package: Package) -> None:
    prices = {row["quantity"]: row for row in rows_of_sheet(package.files["bill.xlsx"], "quantities")}
    assert set(prices) >= {1, 10, 100, 1000}
    assert prices[package.bill.quantity]["parts_and_hardware_usd"] == pytest.approx(package.bill.unit_price_usd)
    falling = [prices[each]["unit_price_usd"] for each in sorted(prices)]
    assert falling == sorted(falling, reverse=True)
    work = rows_of_sheet(package.files["bill.xlsx"], "work")
    pictures = [path for path in package.files if path.endswith(".png")]
    assert len([row for row in work if row["work"].startswith("step ")]) == len(pictures)
    hours = sum(row["minutes"] for row in work) / 60
    assert prices[1]["work_usd"] == pytest.approx(1.25 * 55 * (hours + 1))


async def test_pictures_show_what_comes_in_colour(package: Package) -> None:
    pictures = [data for path, data in package.files.items() if path.endswith(".png")]
    assert len(pictures) >= len(package.bill.lines) - 1, "one for each part but the first"
    for data in pictures:
        pixels = np.asarray(Image.open(io.BytesIO(data)).convert("RGB")).astype(int)
        orange = (pixels[..., 0] - pixels[..., 2] > 80).mean()
        grey = ((np.ptp(pixels, axis=-1) < 40) & (pixels.max(axis=-1) < 230)).mean()
        assert orange > 1e-4
        assert grey > 1e-3


async def test_machine_with_motors_has_a_program_that_runs_and_a_bill_that_names_the_supply(package: Package) -> None:
    supplied = [line for line in package.bill.hardware if "supplied by the benchmark" in line.what]
    motors = [line for line in package.bill.hardware if line.is_part]
    assert [line.unit_price_usd for line in supplied] == ([0.0] if motors else [])
    kinds = {catalog_part(line.catalog_id).subcategory for line in package.bill.supplied}
    assert kinds >= ({"power_supply", "controller", "switch", "wire", "connector"} if motors else set())
    assert (package.bill.supplied_usd > 20) is bool(motors)
    assert ("control/main-1.py" in package.files) is bool(motors)
    if motors:
        board = Board(ends_ms=5000)
        board.run(package.files["control/main-1.py"].decode())
        assert any(max(widths.values(), default=0) > 0 for _, widths in board.history)
        assert board.widths
        assert set(board.widths.values()) == {0}
        assert "## 5. Power and control" in package.files["README.md"].decode()


async def test_gaps_and_fits_name_parts_of_the_machine(package: Package) -> None:
    labels = {body.label for body in package.scene.bodies if body.origin == "design"}
    joints = {each.label for each in package.scene.joints}
    slides = any(each.kind == "linear" for each in package.scene.joints)
    gaps = list(csv.DictReader(io.StringIO(package.files.get("gaps.csv", b"").decode())))
    assert gaps or not slides, "what slides is near what guides it"
    for row in gaps:
        assert {row["part"], row["other_part"]} <= labels
        assert row["joint"] in joints
        assert 0 <= float(row["least_gap_mm"]) <= 3
