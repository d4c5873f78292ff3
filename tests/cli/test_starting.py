"""How little the command loads: a user waits for it at each call."""

import subprocess
import sys

import pytest
from cli.main import COMMANDS, app
from typer.testing import CliRunner

HEAVY = ("build123d", "mujoco", "anthropic", "openai", "langgraph", "sim_worker", "cad_worker")
TOLD = "import sys; print(*sorted(set({heavy}) & set(sys.modules)))"


def _heavy_after(statement: str) -> str:
    """Return what a fresh Python has loaded after a statement."""
    program = f"{statement}; {TOLD.format(heavy=HEAVY)}"
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.strip()


@pytest.mark.parametrize("name", COMMANDS)
def test_the_help_of_all_says_of_a_command_what_its_own_help_says(name: str) -> None:
    said = CliRunner().invoke(app, [name, "--help"], env={"COLUMNS": "200", "TERM": "dumb"}).output
    assert COMMANDS[name] in said


def test_what_needs_no_roles_and_no_workers_loads_none() -> None:
    assert not _heavy_after("import cli.main, cli.commands.runs, cli.commands.events")


def test_the_roles_load_no_provider_s_client_before_a_model_is_named() -> None:
    assert _heavy_after("import local_stack.services") == "langgraph"
