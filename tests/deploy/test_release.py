"""A release: one wheel of all our packages, with constraints, SBOM, notices and their digests."""

import hashlib
import json
import subprocess
import zipfile
from email.message import Message
from email.parser import Parser
from pathlib import Path

import pytest

from tests.architecture.repository import ROOT
from tools import release
from tools.third_party import locked_packages


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("release")
    release.main(folder)
    return folder


@pytest.fixture(scope="module")
def wheel(folder: Path) -> zipfile.ZipFile:
    (path,) = folder.glob("*.whl")
    return zipfile.ZipFile(path)


@pytest.fixture(scope="module")
def metadata(wheel: zipfile.ZipFile) -> Message:
    (name,) = (each for each in wheel.namelist() if each.endswith(".dist-info/METADATA"))
    return Parser().parsestr(wheel.read(name).decode())


def test_wheel_has_every_module_of_ours_without_solutions_of_the_suite(wheel: zipfile.ZipFile) -> None:
    sources = [path for kind in ("libs", "services", "apps") for path in (ROOT / kind).glob("*/src/*/**/*.py")]
    modules = {str(Path(*path.relative_to(ROOT).parts[3:])) for path in sources}
    packed = {name for name in wheel.namelist() if name.endswith(".py")}
    left_out = modules - packed
    assert packed <= modules
    assert {Path(each).name for each in left_out} == {"witness.py", "chutes.py"}
    assert all(each.startswith("benchmarks/suite/") for each in left_out)


def test_wheel_needs_only_packages_of_others(metadata: Message) -> None:
    every = [each for each in metadata.get_all("Requires-Dist", []) if "extra ==" not in each]
    needed = {each.split(";")[0].split(">")[0].split("[")[0].strip() for each in every}
    assert needed <= locked_packages().keys()
    assert set(metadata.get_all("Provides-Extra", [])) == {"gym", "inspect", "models", "parquet", "views"}


def test_wheel_brings_command_task_and_licences(wheel: zipfile.ZipFile, metadata: Message) -> None:
    (points,) = (wheel.read(name).decode() for name in wheel.namelist() if name.endswith("entry_points.txt"))
    assert "millwright = cli.main:main" in points
    assert "millwright = millwright.inspect_registry" in points
    assert metadata.get_all("License-File") == ["LICENSE", "THIRD_PARTY.md"]


def test_bill_of_software_and_constraints_are_those_of_the_lock(folder: Path) -> None:
    components = json.loads((folder / "sbom.cdx.json").read_text())["components"]
    pinned = (folder / "constraints.txt").read_text()
    for name, version in locked_packages().items():
        assert any(each["name"] == name and each["version"] in version for each in components)
        assert f"{name}==" in pinned


def test_digests_are_those_of_all_files(folder: Path) -> None:
    lines = [line.split("  ") for line in (folder / "SHA256SUMS").read_text().splitlines()]
    assert {name for _, name in lines} == {path.name for path in folder.iterdir()} - {"SHA256SUMS"}
    assert all(hashlib.sha256((folder / name).read_bytes()).hexdigest() == digest for digest, name in lines)


def test_version_is_that_of_the_tag(tmp_path: Path) -> None:
    def git(*arguments: str) -> None:
        subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b", *arguments], cwd=tmp_path, check=True)

    git("init", "--quiet")
    git("commit", "--quiet", "--allow-empty", "--message", "one")
    assert release.version_of(tmp_path).startswith("0.0.0.dev0+")
    git("tag", "v1.2.3")
    assert release.version_of(tmp_path) == "1.2.3"


def test_folder_that_is_in_use_is_refused(tmp_path: Path) -> None:
    (tmp_path / "mine").touch()
    with pytest.raises(SystemExit, match="is not empty"):
        release.main(tmp_path)
