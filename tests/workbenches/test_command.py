"""The command: exit codes, printed findings and prices, in an environment without the rest of the repository."""

import re
import subprocess
from pathlib import Path

import pytest
from build123d import (
    Axis,
    Box,
    Compound,
    Pos,
    export_step,  # pyright: ignore[reportUnknownVariableType] - PathLike of anything
    fillet,
)
from build123d.topology import Shape
from workbenches.__main__ import MAKEABLE, NOT_MAKEABLE, USAGE_ERROR, main

from tests.support.isolated import ROOT, isolated_python, printed_outputs, python_examples, run_isolated


def step_file(folder: Path, shape: Shape[object]) -> str:
    file = folder / "part.step"
    assert export_step(shape, file)
    return str(file)


@pytest.fixture
def block(tmp_path: Path) -> str:
    return step_file(tmp_path, Box(60, 40, 20))


@pytest.fixture
def sharp_pocket(tmp_path: Path) -> str:
    return step_file(tmp_path, Box(60, 40, 20) - Pos(0, 0, 6) * Box(30, 20, 8))


def test_readme_example_prints_the_shown_output() -> None:
    readme = ROOT / "libs" / "workbenches" / "README.md"
    printed = [run_isolated(example, "workbenches", timeout_s=400) for example in python_examples(readme)]
    assert printed == printed_outputs(readme)


def test_installed_command_quotes_a_makeable_part(block: str) -> None:
    command = [isolated_python("workbenches").with_name("workbench"), block]
    options = ["--method", "cnc", "--material", "aluminium-6061", "--quantity", "100"]
    done = subprocess.run([*command, *options], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (MAKEABLE, "")
    assert done.stdout.startswith("# part: cnc of aluminum-6061, 100 pieces\n\n**Makeable.**\n")
    assert "48.00 cm3, 129.6 g" in done.stdout


def test_part_with_errors_prints_each_finding(sharp_pocket: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([sharp_pocket, "--method", "cnc", "--material", "pom"]) == NOT_MAKEABLE
    printed = capsys.readouterr().out
    assert printed.count("- error **cnc_sharp_corner**: part has a sharp inner corner at ") == 4


def test_unit_price_is_sum_of_printed_items(block: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([block, "--method", "3d-printing", "--material", "pla", "--quantity", "7"]) == MAKEABLE
    *items, total = (float(value) for value in re.findall(r"\| (\d+\.\d\d) \|", capsys.readouterr().out))
    assert total == pytest.approx(sum(items), abs=0.03)


def test_warnings_are_printed_and_do_not_forbid(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pocket = fillet(Box(30, 20, 12).edges().filter_by(Axis.Z), 2)
    file = step_file(tmp_path, Box(60, 40, 20) - Pos(0, 0, 4) * pocket)
    assert main([file, "--method", "cnc", "--material", "pom"]) == MAKEABLE
    assert "Recommendations:\n- warning **cnc_corner_radius**: " in capsys.readouterr().out


def test_two_solids_are_not_makeable(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = step_file(tmp_path, Compound(children=[Box(1, 1, 1), Pos(5, 0, 0) * Box(1, 1, 1)]))
    assert main([file, "--method", "cnc", "--material", "pom"]) == NOT_MAKEABLE
    assert "holds 2 solids, exactly 1 is needed" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("options", "names"),
    [
        (["--method", "casting", "--material", "pom"], "cnc, 3d_printing, injection_molding"),
        (["--method", "cnc", "--material", "cheese"], "aluminum-6061, aluminum-7075, steel-1018"),
        (["--method", "cnc", "--material", "pla"], "needs 3d_printing, not cnc"),
        (["--method", "cnc", "--material", "pom", "--tolerance", "exact"], "coarse, medium, fine"),
        (["--method", "cnc", "--material", "pom", "--quantity", "0"], "0 is not a positive number"),
    ],
)
def test_wrong_name_is_usage_error_with_choices(
    block: str, capsys: pytest.CaptureFixture[str], options: list[str], names: str
) -> None:
    with pytest.raises(SystemExit) as exited:
        main([block, *options])
    assert exited.value.code == USAGE_ERROR
    assert names in capsys.readouterr().err


@pytest.mark.parametrize("content", [None, b"rubbish", b"ISO-10303-21;\nrubbish"])
def test_unreadable_file_is_usage_error(tmp_path: Path, content: bytes | None) -> None:
    file = tmp_path / "part.step"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(SystemExit) as exited:
        main([str(file), "--method", "cnc", "--material", "pom"])
    assert exited.value.code == USAGE_ERROR
