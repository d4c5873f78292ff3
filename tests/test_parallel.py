"""Tests in several processes: results, output and crashes are reported as from one."""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
FIRST = """
import os, pytest

def test_passes(tmp_path): (tmp_path / "file").write_text("x")
def test_fails(): print("shown"); assert os.getpid() == 1
@pytest.mark.skip
def test_is_skipped(): pass
"""
SECOND = """
import os, signal, pytest

@pytest.fixture(scope="session")
def shared():
    yield
    open("torn_down", "a").write("x")

def test_uses_it(shared): pass
"""
CRASHING = """
import os, signal

def test_kills_its_process(): os.kill(os.getpid(), signal.SIGKILL)
def test_never_runs(): pass
"""


def run(folder: Path, *options: str, **files: str) -> str:
    """Run pytest on these modules in two processes; return what it prints."""
    for name, text in files.items():
        (folder / f"test_{name}.py").write_text(text)
    command = [sys.executable, "-m", "pytest", "-q", "--disable-plugin-autoload", "-p", "tests.parallel"]
    setting = ["-c", "/dev/null", "--rootdir", str(folder), f"--basetemp={folder / 'temporary'}"]
    ran = subprocess.run(
        [*command, *setting, "--processes=2", *options, str(folder)],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert ran.stderr == ""
    return ran.stdout


def test_results_of_all_processes_are_reported(tmp_path: Path):
    printed = run(tmp_path, first=FIRST, second=SECOND.replace("torn_down", str(tmp_path / "torn_down")))
    assert re.search(r"^1 failed, 2 passed, 1 skipped", printed, re.MULTILINE)
    assert "Captured stdout call" in printed
    assert "assert os.getpid() == 1" in printed
    assert (tmp_path / "torn_down").read_text() == "x"


def test_process_that_dies_fails_its_test_and_the_rest_of_its_file_is_missed(tmp_path: Path):
    printed = run(tmp_path, crashing=CRASHING, second=SECOND.replace("torn_down", str(tmp_path / "torn_down")))
    assert "the process that ran this test ended with -9" in printed
    assert re.search(r"^FAILED .*test_crashing.py::test_kills_its_process\b", printed, re.MULTILINE)
    assert "2 tests did not run" in printed
