"""The commands of docs/deploy.md, from a clone to a solved benchmark.

Needs an engine: `./run test-deploy`.
"""

import subprocess
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.architecture.repository import ROOT
from tests.deploy.containers.compose_project import ComposeProject
from tests.deploy.containers.documented_commands import commands_in
from tests.deploy.containers.passwords import example_variables

PROJECT = "millwright-quick-start"
TIMEOUT_S = 1800.0
COMPOSE = "docker compose -f deploy/compose.yaml"


def _commands() -> tuple[list[str], list[str]]:
    """Return the lines of the quick start, and the other commands of the page with `down` last."""
    page = (ROOT / "docs/deploy.md").read_text("utf-8")
    quick_start, _, _ = page.partition("## Quick start\n")[2].partition("```\n")
    first = commands_in(f"{quick_start}```\n")
    others = [line for line in commands_in(page) if line not in first]
    return first, sorted(others, key=lambda line: " down" in line)


@contextmanager
def _shell(clone: Path, project: ComposeProject) -> Generator["Shell"]:
    project.provide_s3()
    # The shell's variables precede those of deploy/.env: the users of S3 have the example's passwords.
    shell = Shell(clone, project.environment | example_variables() | {"COMPOSE_PROJECT_NAME": PROJECT})
    try:
        yield shell
    finally:
        shell.run([f"{COMPOSE} --profile command down --volumes"])


class Shell:
    """Runs commands in a clone."""

    def __init__(self, folder: Path, environment: dict[str, str]) -> None:
        self._folder = folder
        self._environment = environment

    def run(self, lines: Iterable[str]) -> str:
        """Run them one after the other, each of which must succeed; return their output."""
        printed = ""
        for line in lines:
            ran = subprocess.run(
                ("sh", "-c", line),
                cwd=self._folder,
                env=self._environment,
                stdout=subprocess.PIPE,
                text=True,
                check=False,
                timeout=TIMEOUT_S,
            )
            assert ran.returncode == 0, f"{line}\n{ran.stdout}"
            printed += ran.stdout
        return printed


@pytest.mark.timeout(3600)
def test_documented_commands_solve_a_benchmark_from_a_clone(tmp_path: Path) -> None:
    (clone, *quick_start), others = _commands()
    assert clone.startswith("git clone ")
    assert len(quick_start) == 3
    folder = tmp_path / "millwright"
    subprocess.run(("git", "clone", "--quiet", str(ROOT), str(folder)), check=True)
    with _shell(folder, ComposeProject(PROJECT)) as shell:
        assert "SOLVED" in shell.run(quick_start)
        shell.run(others)
    assert len(list(folder.glob("**/gravity-chute-3-*/report.md"))) == 1
