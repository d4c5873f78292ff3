"""`millwright benchmark import`: from a foreign definition to a folder whose worlds are checked."""

from pathlib import Path

import pytest
from benchmarks.loader import load

from tests.benchmarks.foreign.definitions import definition, text_of
from tests.cli.conftest import RunCommand

SCRIPT = """from build123d import Box, Compound, Pos

def build():
    slab = Pos(0, 0, -5) * Box(300, 200, 10)
    slab.label = "slab"
    ball = Pos(-60, 0, 120) * Box(9, 9, 9)
    ball.label = "projectile_ball"
    return Compound(children=[Compound(children=[slab]), ball])
"""


def test_imported_benchmark_is_sound(tmp_path: Path, run_command: RunCommand) -> None:
    (tmp_path / "world.yaml").write_bytes(text_of(definition(script="world.py", name="foreign world")))
    (tmp_path / "world.py").write_text(SCRIPT, "utf-8")
    result = run_command("benchmark", "import", str(tmp_path / "world.yaml"), "--folder", str(tmp_path / "new"))
    assert result.code == 0, result
    assert "• units: none are stated; taken as mm" in result.output
    assert "✓ seed 0: 1 solid; without a machine the payload missed the goal" in result.output
    assert load(str(tmp_path / "new"), 0).variant.benchmark == "foreign_world"


def test_broken_script_is_reported_with_its_line(tmp_path: Path, run_command: RunCommand) -> None:
    (tmp_path / "world.yaml").write_bytes(text_of(definition()))
    (tmp_path / "world.py").write_text(SCRIPT.replace("Box(9,", "Box(nine,"), "utf-8")
    files = (str(tmp_path / "world.yaml"), "--script", str(tmp_path / "world.py"))
    result = run_command("benchmark", "import", *files, "--folder", str(tmp_path / "new"))
    assert result.code == 1, result
    assert "✗ seed 0: code_failed: line 6 of environment.py: NameError" in result.output


def test_definition_with_faults_writes_nothing(tmp_path: Path, run_command: RunCommand) -> None:
    (tmp_path / "world.yaml").write_bytes(text_of(definition(simulation_bounds=None)))
    result = run_command("benchmark", "import", str(tmp_path / "world.yaml"), "--folder", str(tmp_path / "new"))
    assert result.code == 2
    assert "simulation_bounds: this field is missing; add it" in result.errors
    assert not (tmp_path / "new").exists()


def test_script_beyond_the_folder_of_the_file_is_refused(tmp_path: Path, run_command: RunCommand) -> None:
    (tmp_path / "world.yaml").write_bytes(text_of(definition(script="../../etc/passwd")))
    result = run_command("benchmark", "import", str(tmp_path / "world.yaml"), "--folder", str(tmp_path / "new"))
    assert result.code == 2
    assert "is not beside the file" in result.errors


def test_packed_benchmark_is_imported_as_it_was(
    tmp_path: Path, run_command: RunCommand, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    packed = run_command("benchmark", "pack", "detour")
    assert packed.code == 0, packed
    assert "written: detour.tar.gz: " in packed.output
    result = run_command("benchmark", "import", "detour.tar.gz", "--no-check")
    assert result.code == 0, result
    assert load("./detour", 7) == load("detour", 7)
    again = run_command("benchmark", "pack", "./detour", "--output", "again.tar.gz")
    assert again.code == 0
    assert Path("again.tar.gz").read_bytes() == Path("detour.tar.gz").read_bytes()
