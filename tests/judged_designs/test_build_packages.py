"""The build packages of machines of the suite, opened with other software and compared with their bills."""

import io
import zipfile
from dataclasses import dataclass

import numpy as np
import pytest
import pytest_asyncio
from benchmarks.loader import load
from cad_worker.host import KernelHost
from cad_worker.job_protocol import BUILD, BuildRequest
from cad_worker.submissions import judge_script
from contracts.models.design import BillOfMaterials
from parts_catalog.materials import MATERIALS
from parts_catalog.pricing.infill import made_mass_kg
from PIL import Image

from tests.build_package.fake_board import Board
from tests.build_package.machines import RUN
from tests.build_package.other_software import pieces_of_3mf, stl_piece, unit_of_3mf
from tests.suite.worlds import witness
from tests.support.benchmark_solver import Bench

pytestmark = pytest.mark.asyncio(loop_scope="session")

MACHINES = ("lift-to-shelf", "slide-box", "push-flat", "sweeping-arm")
FACETS = 2e-3
"""Share of a volume that triangles may miss."""


@dataclass(frozen=True)
class Package:
    """A machine's bill and the files of its package."""

    bill: BillOfMaterials
    files: dict[str, bytes]

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
    assert verdict.judgement.bill is not None
    assert verdict.judgement.scene is not None
    assert verdict.design is not None
    judged = verdict.judgement
    build = BuildRequest(
        title=request.param,
        run=RUN,
        design=verdict.design,
        bill=verdict.judgement.bill,
        drives=verdict.judgement.scene.drives,
        assembly=judged.assembly,
        part_steps=judged.part_steps,
    )
    packed = (await kernel_host.run_job(BUILD, build)).zip
    with zipfile.ZipFile(io.BytesIO(packed)) as archive:
        return Package(verdict.judgement.bill, {path: archive.read(path) for path in archive.namelist()})


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
            assert mass_kg == pytest.approx(line.mass_kg, rel=FACETS)


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
    assert all(f"({path})" in readme for path in package.files if path != "README.md")


async def test_pictures_show_what_comes_in_colour(package: Package) -> None:
    pictures = [data for path, data in package.files.items() if path.startswith("assembly/")]
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
    assert ("control/main-1.py" in package.files) is bool(motors)
    if motors:
        board = Board(ends_ms=5000)
        board.run(package.files["control/main-1.py"].decode())
        assert any(max(widths.values(), default=0) > 0 for _, widths in board.history)
        assert board.widths
        assert set(board.widths.values()) == {0}
        assert "## 5. Power and control" in package.files["README.md"].decode()
