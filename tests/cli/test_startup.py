"""What the command loads: a user waits for it at each call."""

import subprocess
import sys

import pytest
from cli.main import COMMANDS, app
from typer.testing import CliRunner

HEAVY = ("build123d", "mujoco", "anthropic", "openai", "langgraph", "sim_worker", "cad_worker")
REPORT = "import sys; print(*sorted(set({heavy}) & set(sys.modules)))"


def _heavy_after(*statements: str) -> list[str]:
    """Return which heavy libraries a fresh Python has loaded after each statement."""
    program = "\n".join(f"{each}; {REPORT.format(heavy=HEAVY)}" for each in statements)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


@pytest.mark.parametrize("name", COMMANDS)
def test_command_list_has_the_first_line_of_each_help(name: str) -> None:
    output = CliRunner().invoke(app, [name, "--help"], env={"COLUMNS": "200", "TERM": "dumb"}).output
    assert COMMANDS[name] in output


def test_reading_commands_load_no_roles_or_workers_and_embedded_services_no_provider_client() -> None:
    reading = "import cli.main, cli.commands.history.runs, cli.commands.history.events"
    assert _heavy_after(reading, "import local_stack.services") == ["", "langgraph"]
