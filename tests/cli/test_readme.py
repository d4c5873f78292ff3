"""The commands and options that the README shows exist."""

import re
from pathlib import Path

import pytest
from benchmarks.loader import built_in
from cli.main import app
from typer.testing import CliRunner

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
CALLS = sorted(set(re.findall(r"\./run ([a-z][^`\n…]*)", README)))
SCRIPT_COMMANDS = set(re.findall(r"^    ([a-z-]+)\)", (ROOT / "run").read_text(encoding="utf-8"), re.MULTILINE))


def _help(command: str) -> str:
    result = CliRunner().invoke(app, [command, "--help"], env={"COLUMNS": "200", "TERM": "dumb"})
    assert result.exit_code == 0, result.output
    return result.output


def test_readme_shows_the_first_commands() -> None:
    assert {"demo", "test"} <= set(CALLS)
    assert {"test", "check", "perf"} <= SCRIPT_COMMANDS


@pytest.mark.parametrize("call", CALLS)
def test_readme_command_exists_with_options_and_benchmark(call: str) -> None:
    command, *rest = call.split()
    if command in SCRIPT_COMMANDS:
        return
    known = _help(command)
    for option in [word for word in rest if word.startswith("--")]:
        assert option in known
    if command in {"solve", "eval"} and "--continue" not in rest:
        assert rest[0] in built_in()


def test_readme_options_are_those_of_solve() -> None:
    known = _help("solve")
    for option in set(re.findall(r"`(--[a-z-]+)`", README)):
        assert option in known, option


def test_readme_links_exist() -> None:
    for link in re.findall(r"\]\((?!https?:)([^)]+)\)", README):
        assert (ROOT / link).exists(), link
