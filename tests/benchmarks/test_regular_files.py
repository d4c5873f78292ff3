"""Folders of strangers: only regular files of a limited size are read, through every door."""

import os
from collections.abc import Callable
from pathlib import Path
from shutil import copytree

import pytest
from benchmarks.archive import files_of, unpack
from benchmarks.loader import SUITE, BenchmarkError, load, read_witness
from benchmarks.regular_file import MAX_FILE_BYTES, MAX_FILES
from cli.main import app
from typer.testing import CliRunner


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return Path(copytree(SUITE / "corridor", tmp_path / "corridor"))


def replace(file: Path, make: Callable[[Path], object]) -> Path:
    file.unlink(missing_ok=True)
    make(file)
    return file


STRANGE: dict[str, tuple[Callable[[Path], object], str]] = {
    "link": (lambda file: file.symlink_to("/etc/hostname"), "it is a link"),
    "link inside": (lambda file: file.symlink_to("benchmark.yaml"), "it is a link"),
    "endless device": (lambda file: file.symlink_to("/dev/zero"), "it is a link"),
    "FIFO": (os.mkfifo, "it is not a regular file"),
    "folder": (Path.mkdir, "it is not a regular file"),
    "large": (lambda file: file.write_bytes(b"#" * (MAX_FILE_BYTES + 1)), f"it has more than {MAX_FILE_BYTES} bytes"),
}


@pytest.mark.parametrize("name", ["benchmark.yaml", "environment.py", "witness.py"])
@pytest.mark.parametrize("kind", STRANGE)
def test_anything_but_a_small_regular_file_is_refused(folder: Path, name: str, kind: str) -> None:
    make, reason = STRANGE[kind]
    file = replace(folder / name, make)
    with pytest.raises(BenchmarkError) as refused:
        read_witness(folder / "benchmark.yaml") if name == "witness.py" else load(str(folder), 0)
    assert str(file) in str(refused.value)
    assert reason in str(refused.value)


@pytest.mark.parametrize("name", ["environment.py", "witness.py"])
def test_archive_is_made_of_regular_files_only(folder: Path, name: str) -> None:
    replace(folder / name, os.mkfifo)
    with pytest.raises(BenchmarkError, match="not a regular file"):
        files_of(folder)


def test_folder_of_too_many_files_is_not_packed(folder: Path) -> None:
    for number in range(MAX_FILES):
        (folder / f"level-{number}.yaml").write_bytes((folder / "benchmark.yaml").read_bytes())
    with pytest.raises(BenchmarkError, match=f"more than {MAX_FILES}"):
        files_of(folder)


@pytest.mark.parametrize("command", [("check",), ("solve", "--model", "offline"), ("benchmark", "import")])
def test_command_refuses_a_fifo_at_once(folder: Path, command: tuple[str, ...]) -> None:
    file = replace(folder / "benchmark.yaml", os.mkfifo)
    argument = file if "import" in command else folder
    result = CliRunner().invoke(app, [*command, str(argument)])
    assert result.exit_code != 0
    assert "it is not a regular file" in " ".join(f"{result.output} {result.exception}".split())


def test_archive_that_is_a_device_is_refused(tmp_path: Path) -> None:
    (tmp_path / "endless.tar.gz").symlink_to("/dev/zero")
    with pytest.raises(BenchmarkError, match="it is not a regular file"):
        unpack(tmp_path / "endless.tar.gz")
