"""The example of docs/extensions.md, installed beside the product in an environment of its own."""

import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import NamedTuple

import pytest
from contracts.models.design import PackageMethod
from contracts.quotes import QuoteReport

from tests.architecture.repository import ROOT

PACKAGE = Path(__file__).parent / "millwright-workshop"
WITNESS = PACKAGE / "src/millwright_workshop/worlds/step-down/witness.py"
UV = ROOT / ".millwright/uv/bin/uv"
WATERJET = PackageMethod("workshop.waterjet")
PLATE = "from build123d import Box, Cylinder\npart = Box(200, 100, 20) - Cylinder(10, 20)\n"
BALL = "from build123d import Sphere\npart = Sphere(20)\n"


class Environment(NamedTuple):
    """An environment with all that the one of the tests has, and one package more."""

    python: Path
    folder: Path

    def run(self, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
        """Run Python with these arguments."""
        command = [self.python, *arguments]
        return subprocess.run(command, cwd=self.folder, capture_output=True, text=True, check=False, timeout=300)

    def millwright(self, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
        """Run the command."""
        return self.run("-m", "cli", *arguments)


def environment_with(package: Path, folder: Path) -> Environment:
    """Return a new environment in a folder."""
    path = folder / "environment"
    subprocess.run([UV, "venv", "--quiet", "--python", sys.executable, path], check=True)
    packages = sysconfig.get_path("purelib", vars={"base": str(path), "platbase": str(path)})
    link = f"import site; site.addsitedir({sysconfig.get_path('purelib')!r})\n"
    (Path(packages) / "product.pth").write_text(link, encoding="utf-8")
    python = path / "bin" / "python"
    command = [UV, "pip", "install", "--quiet", "--offline", "--no-deps", "--python", python, package]
    subprocess.run(command, check=True, cwd=ROOT)
    return Environment(python, folder)


@pytest.fixture(scope="module")
def extended(tmp_path_factory: pytest.TempPathFactory) -> Environment:
    folder = tmp_path_factory.mktemp("extended")
    (folder / "plate.py").write_text(PLATE, encoding="utf-8")
    (folder / "ball.py").write_text(BALL, encoding="utf-8")
    return environment_with(PACKAGE, folder)


def test_method_of_package_is_quoted_beside_our_own(extended: Environment) -> None:
    done = extended.millwright("quote", "plate.py", "--method", "workshop.waterjet,cnc", "--quantity", "1", "--json")
    report = QuoteReport.model_validate_json(done.stdout)
    ways = report.files[0].parts[0].ways
    assert [(way.method, way.verdict) for way in ways] == [(WATERJET, "makeable"), ("cnc", "makeable")]
    cut_mm2 = (2 * (200 + 100) + 20 * 3.14159265) * 20
    plate_usd = 200 * 100 * 20 * 2.7e-6 / 0.7 * 5.0
    assert ways[0].unit_price_usd(1) == pytest.approx(1.3 * (plate_usd + cut_mm2 / 900 / 60 * 120 + 25), rel=1e-3)


def test_shape_that_package_cannot_make_has_finding_of_its_rule(extended: Environment) -> None:
    done = extended.millwright("quote", "ball.py", "--method", "workshop.waterjet", "--json")
    way = QuoteReport.model_validate_json(done.stdout).files[0].parts[0].ways[0]
    assert (done.returncode, way.verdict, [each.rule for each in way.findings]) == (
        1,
        "not_makeable",
        ["workshop.not_a_plate"],
    )


def test_design_by_method_of_package_solves_world_of_package(extended: Environment, tmp_path: Path) -> None:
    done = extended.millwright("try", "workshop-step-down", WITNESS, "--no-film", "--out", tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    bill = (tmp_path / "bill_of_materials.csv").read_text(encoding="utf-8")
    assert bill.count("workshop.waterjet") == 2


def test_version_names_package(extended: Environment) -> None:
    assert "with millwright-workshop 0.1.0" in extended.millwright("--version").stdout


def test_model_of_package_is_called_by_its_name(extended: Environment) -> None:
    code = (
        "from agent.model.providers import make_endpoints\n"
        "from agent.settings import ModelSettings\n"
        "endpoints = make_endpoints('workshop:parrot', ModelSettings())\n"
        "with endpoints.borrow() as endpoint:\n"
        "    print(endpoint.name, endpoint.chat.invoke('turn left').content)\n"
    )
    done = extended.run("-c", code)
    assert done.stdout.strip() == "workshop turn left", done.stderr


def test_package_without_its_folder_is_named_with_remedy(tmp_path: Path) -> None:
    broken = shutil.copytree(PACKAGE, tmp_path / "broken")
    (broken / "src/millwright_workshop/waterjet/prices.py").unlink()
    done = environment_with(broken, tmp_path).millwright("quote", "plate.step", "--json")
    assert (done.returncode, done.stdout) == (1, "")
    reason = done.stderr.splitlines()[-1]
    assert "millwright-workshop announces millwright.methods: waterjet" in reason
    assert "the folder has no prices.py" in reason
