"""The command as people use it: forms of output, exit status, batches, and files that hang, burst or attack."""

import csv
import io
import os
import shutil
import struct
import subprocess
from pathlib import Path

import pytest
from cad_worker import file_quotes
from cad_worker.job_protocol import FileQuoteRequest
from cad_worker.jobs.part_file import quote_file
from contracts.quotes import QuoteChoice, QuoteReport
from run_report.quotes.page import report_page
from run_report.quotes.rows import report_csv
from run_report.quotes.text import report_text

from tests.architecture.repository import ROOT
from tests.cli.conftest import RunCommand
from tests.support.readme import python_block

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


def test_json_is_all_that_is_printed_and_other_forms_say_the_same(run_command: RunCommand) -> None:
    files = (ASSEMBLY, THIN, EMPTY, "missing.step")
    result = run_command("quote", *files, "--json", "--quantity", "1,10", "--method", "cnc,3d-printing")
    report = QuoteReport.model_validate_json(result.output)
    assert (result.code, report.verdict) == (2, "unusable")
    assert [file.verdict for file in report.files] == ["makeable", "not_makeable", "unusable", "unusable"]
    assert [file.problem_kind for file in report.files[2:]] == ["empty", "unreadable"]
    assert "[4/4]" in result.errors

    text = report_text(report)
    assert "2 parts, 3 pieces" in text
    assert "sum of all pieces, each made the cheapest way: 28.63 USD at 1" in text
    assert "4 files: 1 can be made, 1 cannot be made, 2 cannot be quoted" in text

    rows = list(csv.DictReader(io.StringIO(report_csv(report))))
    assert len(rows) == 3 * 2 * 2 + 2
    assert rows[-2]["problem"] == "is empty; export it again"
    pins = [row for row in rows if row["part"] == "pin" and row["method"] == "3d_printing"]
    assert [(row["quantity"], row["pieces"]) for row in pins] == [("1", "2"), ("10", "20")]


def test_run_called_from_another_folder_reads_and_writes_there(tmp_path: Path) -> None:
    shutil.copyfile(BRACKET, tmp_path / "bracket.step")
    command = (str(ROOT / "run"), "quote", "bracket.step", "--method", "cnc", "--json", "--out", "quote.json")
    # As from an activated environment, whose Python is not that which the environment was made with.
    env = {**os.environ, "PATH": f"{ROOT / '.venv/bin'}:{os.environ['PATH']}"}
    done = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr
    assert "set-up took" not in done.stderr
    assert QuoteReport.model_validate_json((tmp_path / "quote.json").read_bytes()).verdict == "makeable"


@pytest.mark.parametrize(("file", "code"), [(BRACKET, 0), (THIN, 1)])
def test_exit_status_is_that_of_the_worst_file(run_command: RunCommand, file: str, code: int) -> None:
    assert run_command("quote", file, "--quantity", "1").code == code


def test_page_escapes_names_and_names_its_marks() -> None:
    choice = QuoteChoice(methods=("3d_printing",), quantities=(1,))
    request = FileQuoteRequest(file="a<b>", name="</script><i>", choice=choice, has_view=True)
    result = quote_file(
        request.model_copy(update={"data": Path(THIN).read_bytes().replace(b"part 15", b"</script><i>")})
    )
    report = QuoteReport(choice=choice, files=(result.quote,), verdict=result.quote.verdict)
    page = report_page(report, [result.shown])
    assert "a&lt;b&gt;" in page
    assert "<i>" not in page
    assert 'data-go="1"' in page


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
    monkeypatch.setattr(file_quotes, "CPU_S", 5.0)
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


def test_design_for_a_benchmark_is_sent_to_try_and_a_part_that_imports_utils_is_quoted(
    run_command: RunCommand, tmp_path: Path
) -> None:
    (tmp_path / "ramp.py").write_text(python_block("assembly = "))
    (tmp_path / "block.py").write_text("from build123d import Box\nfrom utils import catalog_part\nb = Box(9, 9, 9)\n")
    result = run_command("quote", str(tmp_path), "--json", "--quantity", "1", "--method", "3d_printing")
    block, ramp = QuoteReport.model_validate_json(result.output).files
    assert (block.verdict, block.problem) == ("makeable", "")
    assert "a quote has no `environment`; judge it with" in ramp.problem
    assert "try BENCHMARK ramp.py" in ramp.problem


def test_cheapest_way_across_methods_is_the_first_line_in_every_form(run_command: RunCommand) -> None:
    """Few of the bent bracket are cut from sheet; of the drafted cup, 10 are printed and 10,000 moulded."""
    sheet, cup = (str(CORPUS / "step" / name) for name in ("sheet_bracket.step", "mould_cup_drafted.step"))
    text = run_command("quote", sheet, "--quantity", "10").output
    assert text.splitlines()[0].startswith("Cheapest way: ")
    report = QuoteReport.model_validate_json(run_command("quote", cup, "--quantity", "10,10000", "--json").output)
    (file,) = report.files
    assert [(each.quantity, each.method) for each in file.cheapest] == [
        (10, "3d_printing"),
        (10000, "injection_molding"),
    ]
    for each in file.cheapest:
        ways = [way for way in file.parts[0].ways if way.verdict == "makeable"]
        assert each.unit_price_usd == min(way.unit_price_usd(each.quantity) or 0.0 for way in ways)
    page = report_page(report, [()])
    first = next(line for line in page.split("<main>")[1].splitlines() if "<p>" in line)
    assert first.startswith("<p><strong>Cheapest way: 3D printing of")
    assert "injection moulding" in first.lower()
