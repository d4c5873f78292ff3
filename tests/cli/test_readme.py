"""Whatever the README tells a user to type is understood."""

import re
from pathlib import Path

import pytest
from benchmarks.loader import built_in
from cli.main import app
from typer.testing import CliRunner

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
CALLS = sorted(set(re.findall(r"\./run ([a-z][^`\n…]*)", README)))
OF_THE_SCRIPT = set(re.findall(r"^    ([a-z-]+)\)", (ROOT / "run").read_text(encoding="utf-8"), re.MULTILINE))


def _help(command: str) -> str:
    result = CliRunner().invoke(app, [command, "--help"], env={"COLUMNS": "200", "TERM": "dumb"})
    assert result.exit_code == 0, result.output
    return result.output


def test_the_readme_shows_how_to_begin() -> None:
    assert {"demo", "test"} <= set(CALLS)
    assert {"test", "check", "perf"} <= OF_THE_SCRIPT


@pytest.mark.parametrize("call", CALLS)
def test_the_command_exists_with_its_options_and_its_benchmark(call: str) -> None:
    command, *rest = call.split()
    if command in OF_THE_SCRIPT:
        return
    known = _help(command)
    for option in [word for word in rest if word.startswith("--")]:
        assert option in known
    if command in {"solve", "eval"} and "--continue" not in rest:
        assert rest[0] in built_in()


def test_options_named_in_the_readme_are_those_of_solve() -> None:
    known = _help("solve")
    for option in set(re.findall(r"`(--[a-z-]+)`", README)):
        assert option in known, option


def test_pictures_and_documents_that_the_readme_links_are_there() -> None:
    for link in re.findall(r"\]\((?!https?:)([^)]+)\)", README):
        assert (ROOT / link).exists(), link
