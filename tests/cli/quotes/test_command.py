"""The command as people use it: forms of output, exit status, batches, and files that hang, burst or attack."""

import csv
import io
import json
import struct
from pathlib import Path

import pytest
from cli.quotes import answers
from contracts.models.quote import QuoteReport

from tests.cli.conftest import RunCommand

CORPUS = Path(__file__).parent / "corpus"
BRACKET = str(CORPUS / "step" / "bracket.step")
ASSEMBLY = str(CORPUS / "step" / "bracket_assembly_nested.step")
THIN = str(CORPUS / "step" / "fins_0.35.step")
EMPTY = str(CORPUS / "step" / "bracket_empty.step")

BUILDER = """
from build123d import *
from ocp_vscode import show
with BuildPart() as plate:
    Box(30, 20, 10)
    Hole(3)
show(plate)
"""
ASSEMBLED = """
from build123d import Box, Compound, Cylinder, Pos
base, pin = Box(30, 20, 10), Cylinder(5, 20)
base.label, pin.label = "base", "pin"
assembly = Compound(children=[base, Pos(50, 0, 0) * pin])
"""
HOSTILE = {
    "hangs.py": "while True: pass",
    "reads.py": "print(open('/etc/passwd').read())",
    "ends.py": "import os; os._exit(0)",
    "crashes.py": "import ctypes; ctypes.string_at(0)",
    "builds_nothing.py": "size = 3",
    "fails.py": "\n\nraise ValueError('no size')",
}


def test_json_is_all_that_is_printed_and_follows_its_schema(run_command: RunCommand) -> None:
    result = run_command("quote", BRACKET, EMPTY, "--json", "--quantity", "1,100", "--method", "cnc,3d-printing")
    report = QuoteReport.model_validate_json(result.output, strict=False)
    assert result.code == 2
    assert json.loads(result.output)["verdict"] == "unusable"
    assert [way.method for way in report.files[0].parts[0].ways] == ["3d_printing", "cnc"]
    assert [price.quantity for price in report.files[0].parts[0].ways[0].prices] == [1, 100]
    assert "[2/2]" in result.errors


@pytest.mark.parametrize(("file", "code"), [(BRACKET, 0), (THIN, 1), (EMPTY, 2), ("missing.step", 2)])
def test_exit_status_is_that_of_the_worst_file(run_command: RunCommand, file: str, code: int) -> None:
    assert run_command("quote", file, "--quantity", "1").code == code


def test_text_has_ways_findings_and_the_sum_of_an_assembly(run_command: RunCommand) -> None:
    output = run_command("quote", ASSEMBLY, "--quantity", "1,1000").output
    assert "2 parts, 3 pieces" in output
    assert "cheapest way: 3D printing of pla" in output
    assert "7 x mould_draft: bracket has a face at" in output
    assert "sum of all pieces, each made the cheapest way: 28.32 USD at 1" in output


def test_folder_is_quoted_as_a_table_with_progress(run_command: RunCommand) -> None:
    result = run_command("quote", str(CORPUS / "mesh"), "--quantity", "1")
    assert len([line for line in result.errors.splitlines() if "/6]" in line]) == 6
    assert "6 files: 4 can be made, 2 cannot be quoted" in result.output
    assert "bracket_open.stl" in result.output


def test_csv_has_a_row_for_each_part_way_and_quantity(run_command: RunCommand) -> None:
    output = run_command("quote", ASSEMBLY, EMPTY, "--csv", "--quantity", "1,10").output
    rows = list(csv.DictReader(io.StringIO(output)))
    assert len(rows) == 2 * 3 * 2 + 1
    assert rows[-1]["problem"] == "is empty; export it again"
    pins = [row for row in rows if row["part"] == "pin" and row["method"] == "3d_printing"]
    assert [(row["quantity"], row["pieces"]) for row in pins] == [("1", "2"), ("10", "20")]


def test_page_holds_parts_places_and_no_markup_of_names(run_command: RunCommand, tmp_path: Path) -> None:
    file = tmp_path / "a<b>.step"
    file.write_bytes(Path(BRACKET).read_bytes().replace(b"bracket", b"</script><i>"))
    page = tmp_path / "page.html"
    assert run_command("quote", str(file), "--html", "--out", str(page), "--quantity", "1").code == 0
    text = page.read_text("utf-8")
    assert "a&lt;b&gt;.step" in text
    assert "<i>" not in text
    assert text.count("data-packed") >= 1
    assert "Content-Security-Policy" in text


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--method", "casting"], "'casting' is not a method"),
        (["--material", "cheese"], "'cheese' is not a material"),
        (["--material", "pla", "--method", "cnc"], "pla needs 3d_printing, not cnc"),
        (["--quantity", "0"], "--quantity '0'"),
        (["--quantity", "many"], "--quantity 'many'"),
        (["--json", "--csv"], "choose one of"),
    ],
)
def test_wrong_option_is_refused_with_the_choices(run_command: RunCommand, options: list[str], words: str) -> None:
    result = run_command("quote", BRACKET, *options)
    assert (result.code, result.output) == (2, "")
    assert words in result.errors


def test_script_is_quoted_and_a_hostile_one_costs_its_own_line_only(
    run_command: RunCommand, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(answers, "CPU_S", 5.0)
    for name, code in (HOSTILE | {"builder.py": BUILDER, "assembled.py": ASSEMBLED}).items():
        (tmp_path / name).write_text(code)
    (tmp_path / "announces.stl").write_bytes(b"x".ljust(80) + struct.pack("<I", 2**32 - 1))
    result = run_command("quote", str(tmp_path), "--json", "--quantity", "1", "--method", "3d_printing")
    files = {Path(file.file).name: file for file in QuoteReport.model_validate_json(result.output).files}
    kinds = {name: file.problem_kind for name, file in files.items() if file.problem}
    assert kinds == {
        "hangs.py": "time_limit",
        "announces.stl": "truncated",
        **dict.fromkeys(HOSTILE.keys() - {"hangs.py"}, "script_failed"),
    }
    assert "fails in line 3: ValueError: no size" in files["fails.py"].problem
    assert [(part.name, part.count) for part in files["assembled.py"].parts] == [("base", 1), ("pin", 1)]
    assert files["builder.py"].parts[0].volume_mm3 == pytest.approx(6000 - 90 * 3.14159265, rel=1e-4)
