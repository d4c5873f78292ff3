"""Designs judged in one process: verdicts, files, and that nothing is left behind."""

import os
import re
import subprocess
import sys
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
import pytest_asyncio
from benchmarks.loader import BenchmarkError
from millwright import JudgedDesign, ScriptError, Workshop
from millwright.script import script_files

from tests.support.readme import first_benchmark, python_block, python_blocks

RAMP = python_block("assembly = ")
REPLICAS = 4


@pytest_asyncio.fixture(loop_scope="session", scope="module")
async def workshop() -> AsyncGenerator[Workshop]:
    async with Workshop(threads=1) as opened:
        yield opened


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return first_benchmark(tmp_path_factory.mktemp("worlds"))


async def judged(workshop: Workshop, script: str, world: Path) -> JudgedDesign:
    return await workshop.judge(script, world, replicas=REPLICAS)


@pytest.mark.asyncio(loop_scope="session")
async def test_sound_design_is_solved_with_bill_and_files(workshop: Workshop, world: Path) -> None:
    trial = await judged(workshop, RAMP, world)
    verdict = trial.verdict
    assert verdict.is_solved
    assert verdict.success_rate == 1
    assert verdict.bill is not None
    assert f"SOLVED: {verdict.bill.unit_price_usd:.2f} USD" in verdict.headline
    assert verdict.markdown().startswith(f"# {verdict.headline}")
    files = trial.contents(has_film=False)
    assert {"assembly.step", "parts/ramp.step", "bill_of_materials.csv", "script/script.py"} <= files.keys()
    assert all(files.values())


@pytest.mark.asyncio(loop_scope="session")
async def test_design_that_misses_is_not_solved_and_says_why(workshop: Workshop, world: Path) -> None:
    flat = re.sub("ramp = .*", "ramp = Pos(-60, 0, 5) * Box(90, 120, 10)", RAMP)
    verdict = (await judged(workshop, flat, world)).verdict
    assert (verdict.outcome, verdict.is_solved) == ("not_solved", False)
    assert verdict.result is not None
    assert verdict.result.nominal.cause in verdict.headline


@pytest.mark.asyncio(loop_scope="session")
async def test_refused_design_has_findings_and_was_not_simulated(workshop: Workshop, world: Path) -> None:
    verdict = (await judged(workshop, RAMP.replace("Pos(125,", "Pos(0,"), world)).verdict
    assert verdict.outcome == "refused"
    assert verdict.result is None
    assert {finding.rule for finding in verdict.findings} >= {"interference"}
    assert verdict.findings[0].detail in verdict.headline


@pytest.mark.parametrize(
    ("script", "words"),
    [
        ("x = 1\nassembly = 1 / 0\n", "line 2, in <module>\n    assembly = 1 / 0"),
        ("assembly = 3\n", "assembly"),
        ("pass\n", "assembly"),
        ("import socket\nassembly = None\n", "socket"),
    ],
)
@pytest.mark.asyncio(loop_scope="session")
async def test_script_that_builds_nothing_failed_and_says_why(
    workshop: Workshop, world: Path, script: str, words: str
) -> None:
    verdict = (await judged(workshop, script, world)).verdict
    assert verdict.outcome == "script_failed"
    assert words in verdict.headline + verdict.markdown()


@pytest.mark.asyncio(loop_scope="session")
async def test_folder_of_modules_is_one_design(workshop: Workshop, world: Path, tmp_path: Path) -> None:
    (tmp_path / "shapes.py").write_text("LENGTH = 6\n", encoding="utf-8")
    script = "from shapes import LENGTH\n" + RAMP.replace("Box(6,", "Box(LENGTH,")
    (tmp_path / "script.py").write_text(script, encoding="utf-8")
    trial = await workshop.judge(tmp_path, world, replicas=REPLICAS)
    assert trial.verdict.is_solved
    assert trial.files.keys() == {"script.py", "shapes.py"}


@pytest.mark.asyncio(loop_scope="session")
async def test_unknown_benchmark_and_unusable_arguments_are_named(workshop: Workshop, world: Path) -> None:
    with pytest.raises(BenchmarkError, match="no-such"):
        await workshop.judge(RAMP, "no-such")
    with pytest.raises(ValueError, match="2 to 1000"):
        await workshop.judge(RAMP, world, replicas=1)
    (world.parent / "broken").mkdir()
    (world.parent / "broken" / "benchmark.yaml").write_text((world / "benchmark.yaml").read_text(encoding="utf-8"))
    (world.parent / "broken" / "environment.py").write_text("def build(variant):\n    return 1 / 0\n", encoding="utf-8")
    with pytest.raises(BenchmarkError, match="ZeroDivisionError"):
        await workshop.judge(RAMP, world.parent / "broken")


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("missing.py", "does not exist"),
        ("", "has no script.py"),
        ("latin.py", "is not UTF-8"),
        ("large.py", "at most"),
        ("pipe.py", "is not a file"),
    ],
)
def test_unusable_file_is_named_with_its_fault(name: str, words: str, tmp_path: Path) -> None:
    (tmp_path / "latin.py").write_bytes(b"\xe9 = 1")
    (tmp_path / "large.py").write_bytes(b"#" * (1 << 20) + b"\n\n")
    os.mkfifo(tmp_path / "pipe.py")
    with pytest.raises(ScriptError, match=words):
        script_files(tmp_path / name)


def test_text_that_is_no_script_is_refused() -> None:
    with pytest.raises(ScriptError, match=r"pass Path\('ramp.py'\)"):
        script_files("ramp.py")
    with pytest.raises(ScriptError, match="is empty"):
        script_files("  \n")


def test_call_from_a_script_ends_clean_and_leaves_no_process(world: Path, tmp_path: Path) -> None:
    (tmp_path / "ramp.py").write_text(RAMP, encoding="utf-8")
    code = next(block for block in python_blocks("docs/python.md") if "import judge" in block)
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    (tmp_path / "my-drop").symlink_to(world)
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("SOLVED: ")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["my-drop", "ramp.py"]


def test_command_prints_the_verdict_and_writes_the_files(world: Path, tmp_path: Path) -> None:
    (tmp_path / "ramp.py").write_text(RAMP, encoding="utf-8")
    command = [sys.executable, "-m", "cli", "try", str(world), str(tmp_path / "ramp.py"), "--replicas", "4"]
    out = tmp_path / "out"
    done = subprocess.run([*command, "--out", str(out)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("✓ SOLVED: ")
    assert {path.name for path in out.iterdir()} >= {"simulation.mp4", "assembly.step", "verdict.md", "mjcf.zip"}
    assert done.stdout.rstrip().endswith(f"next, open {out / 'simulation.mp4'}")
    (tmp_path / "ramp.py").write_text("assembly = 1 / 0\n", encoding="utf-8")
    done = subprocess.run([*command, "--json"], capture_output=True, text=True, check=False)
    assert (done.returncode, '"outcome": "script_failed"' in done.stdout) == (1, True)
    done = subprocess.run(
        [*command[:-3], str(tmp_path / "no.py"), "--json"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert "does not exist" in done.stderr
