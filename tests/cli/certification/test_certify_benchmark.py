"""`millwright benchmark certify` and `show` for one benchmark, and the certificate of one world."""

from pathlib import Path

import pytest
from benchmarks.loader import WITNESS
from cad_worker.host import KernelHost
from cli.certification.certificates import Certificate, certify_world
from cli.certification.world_checks import worlds_of
from PIL import Image
from sim_worker.simulator import Simulator

from tests.cli.conftest import RunCommand

IDLE = """
from build123d import Box, Pos, Compound
from utils import ManufacturingMethod, bond_contacts
block = Pos(100, 50, 5.01) * Box(10, 10, 10)
block.label = "block"
block.metadata = {"manufacturing_method": ManufacturingMethod.PRINTING_3D, "material_id": "pla"}
assembly = Compound(label="machine", children=[block])
assembly.metadata = {"mechanism": [*bond_contacts(block, to=environment)]}
"""


@pytest.fixture
def folder(tmp_path: Path, run_command: RunCommand) -> Path:
    """Return the folder of a new benchmark."""
    assert run_command("benchmark", "new", "mine", "--in", str(tmp_path)).code == 0
    return tmp_path / "mine"


def test_new_benchmark_is_certified(folder: Path, run_command: RunCommand) -> None:
    result = run_command("benchmark", "certify", str(folder), "--seeds", "0")
    assert result.code == 0, result
    assert result.output.count("✓") == 3
    assert "3 worlds of 3 certified" in result.output


def test_witness_that_fails_certifies_no_world(folder: Path, run_command: RunCommand) -> None:
    (folder / WITNESS).write_text("gap = 0\n1 / gap\n", "utf-8")
    result = run_command("benchmark", "certify", str(folder), "--seeds", "0")
    assert result.code == 1, result
    assert result.output.count("ZeroDivisionError") == 3, result.output
    assert "0 worlds of 3 certified" in result.output


def test_extreme_worlds_have_limits_of_their_own_size() -> None:
    """Not those of the first seed, which its lengths scale."""
    worlds = worlds_of("gap-crossing", [0])
    nominal = worlds["seed 0"][0].file.limits.max_unit_price_usd
    prices = {name: loaded.limits.max_unit_price_usd for name, (loaded, _) in worlds.items()}
    assert nominal is not None
    assert (prices["smallest world"], prices["largest world"]) == (pytest.approx(nominal / 2), nominal * 2)


async def certificate_of(witness: str, folder: Path, host: KernelHost) -> Certificate:
    """Return the certificate that the first world of a folder gets with a witness."""
    name, world = next(iter(worlds_of(str(folder), [0]).items()))
    return await certify_world(name, world, witness, 29, host, Simulator(threads=1))


@pytest.mark.asyncio(loop_scope="session")
@pytest.mark.parametrize(
    ("witness", "reason"),
    [
        ("assembly = 3\n", "a int is not a build123d shape"),
        (IDLE, "does not solve it robustly: failed"),
        (IDLE.replace('"pla"', '"cheese"'), "cheese"),
    ],
)
async def test_witness_that_proves_nothing_is_reported_with_its_reason(
    folder: Path, kernel_host: KernelHost, witness: str, reason: str
) -> None:
    assert reason in (await certificate_of(witness, folder, kernel_host)).fault


def test_worlds_are_drawn_side_by_side(folder: Path, run_command: RunCommand) -> None:
    file = folder / "pictures" / "worlds.png"
    result = run_command("benchmark", "show", str(folder), "--seeds", "0-1", "--picture", str(file))
    assert result.code == 0, result
    assert "picture of 3 worlds" in result.output
    with Image.open(file) as picture:
        assert picture.width == 3 * 480, "the nominal world and two seeds, in one row"
