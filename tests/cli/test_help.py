"""How the command names itself, lists its commands and prints its version."""

import ast
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from cli.main import COMMANDS, GROUPS
from contracts.settings import typed_command

ROOT = Path(__file__).parents[2]
NAMED = re.compile(rf"(?<!another )\bmillwright ({'|'.join(COMMANDS)})\b")


def output(*command: str, **environment: str) -> str:
    done = subprocess.run(
        command, cwd=ROOT, env={**os.environ, **environment}, capture_output=True, text=True, check=False, timeout=120
    )
    return done.stdout + done.stderr


def test_command_is_named_as_it_was_typed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    program = tmp_path / "millwright"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", "")
    assert typed_command("./run", str(program)) == "./run"
    assert typed_command(None, str(program)) == str(program)
    assert typed_command(None, "-c") == "millwright"
    monkeypatch.setenv("PATH", str(tmp_path))
    assert typed_command(None, str(program)) == "millwright"


def test_error_and_usage_name_the_typed_command() -> None:
    printed = output(sys.executable, "-m", "cli", "events", "no-id", MILLWRIGHT_COMMAND="./run")
    assert printed.startswith("./run: ")
    assert "`./run runs`" in printed
    assert "Usage: ./run runs" in output(sys.executable, "-m", "cli", "runs", "--help", MILLWRIGHT_COMMAND="./run")


def test_every_command_is_in_a_group_and_in_the_help_of_run() -> None:
    assert sorted(name for names in GROUPS.values() for name in names) == sorted(COMMANDS)
    text = output("./run", "help")
    assert [name for name in COMMANDS if not re.search(rf"(?:\./run|,) {name}\b|run migrate.*{name}", text)] == []
    for case in re.findall(r"^    ([a-z-]+)\)", (ROOT / "run").read_text(), re.MULTILINE):
        assert f"./run {case}" in text, case


def test_version_is_printed_by_both_commands() -> None:
    printed = output("./run", "--version")
    assert re.fullmatch(r"millwright \d+\.\d+\.\d+\n", printed)
    assert output(sys.executable, "-m", "cli", "--version") == printed


@pytest.mark.parametrize("package", ["apps", "libs", "services"])
def test_no_text_for_users_names_the_command_by_itself(package: str) -> None:
    found: list[str] = []
    for path in (ROOT / package).glob("*/src/**/*.py"):
        if not re.search(r"\bmillwright\b", text := path.read_text()):
            continue
        tree = ast.parse(text)
        documented = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
        found += [
            f"{path}:{node.lineno}"
            for node in ast.walk(tree)
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in documented
            if NAMED.search(node.value)
        ]
    pages = (ROOT / package).glob("*/src/**/*.html")
    found += [str(path) for path in pages if NAMED.search(path.read_text())]
    assert found == []


def test_git_hooks_find_their_programs() -> None:
    hooks = re.findall(r"entry: (\S+)", (ROOT / ".pre-commit-config.yaml").read_text())
    assert hooks
    assert all((ROOT / each).exists() for each in hooks)
