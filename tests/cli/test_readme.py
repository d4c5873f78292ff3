"""The commands and options of README.md and all pages are known; README's example works as shown."""

import re
from pathlib import Path

import pytest
from benchmarks.loader import built_in, load
from cad_worker.host import KernelHost
from cli.main import app
from typer.testing import CliRunner

from tests.support.benchmark_solver import Bench
from tests.support.readme import first_benchmark, python_block

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
PAGES = (README, *(page.read_text(encoding="utf-8") for page in sorted((ROOT / "docs").rglob("*.md"))))
SHOWN_CALL = re.compile(
    r"""
    (?:\./run\ |docker\ compose\ [^`\n…]*\ run\ --rm\ (?:cli|migrate)\ )  # the command, or its container
    (?P<call>[a-z][^`\n…]*)
    """,
    re.VERBOSE,
)
CALLS = sorted({found["call"].strip() for page in PAGES for found in SHOWN_CALL.finditer(page)})
SCRIPT_COMMANDS = set(re.findall(r"^    ([a-z-]+)\)", (ROOT / "run").read_text(encoding="utf-8"), re.MULTILINE))
EXAMPLES = ("my-drop", "swinging-gate")
"""The benchmarks that the reader makes."""
MAX_LINES = 80


def _help(*words: str) -> str:
    result = CliRunner().invoke(app, [*words, "--help"], env={"COLUMNS": "200", "TERM": "dumb"})
    assert result.exit_code == 0, result.output
    return result.output


def test_readme_shows_the_first_commands() -> None:
    assert {"demo", "test", f"solve {EXAMPLES[0]}"} <= set(CALLS)
    assert {"test", "check", "perf"} <= SCRIPT_COMMANDS


@pytest.mark.parametrize("call", CALLS)
def test_shown_command_exists_with_options_and_benchmark(call: str) -> None:
    command, *rest = call.split()
    if command in SCRIPT_COMMANDS and not (command == "check" and rest):
        return
    known = _help(command, *rest[: 1 if rest and not rest[0].startswith("-") else 0])  # it may be a group's command
    for option in [word for word in rest if word.startswith("--")]:
        assert option in known
    if command in {"solve", "eval", "check"} and rest and rest[0].islower():
        assert rest[0] in {*built_in(), *EXAMPLES} or rest[0].startswith("--")


def test_readme_options_are_those_of_solve() -> None:
    known = _help("solve")
    for option in set(re.findall(r"`(--[a-z-]+)`", README)):
        assert option in known, option


def test_readme_is_short() -> None:
    assert len(README.splitlines()) <= MAX_LINES


@pytest.mark.asyncio(loop_scope="session")
async def test_readme_script_solves_its_benchmark(kernel_host: KernelHost, tmp_path: Path) -> None:
    solution = await Bench(kernel_host, replicas=2).witness(
        load(str(first_benchmark(tmp_path)), 0), python_block("assembly = ")
    )
    assert solution.is_solved, (solution.refusal, solution.complaints, solution.result)
