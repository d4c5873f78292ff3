"""The commands of docs/deploy.md, from a clone to a solved benchmark and a restored stack.

The backup goes into S3, the disks of NATS and Postgres are lost, and it is restored. Needs an engine:
`./run test-deploy`. With `-s` it prints the seconds of each command.
"""

import re
import subprocess
import time
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.architecture.repository import ROOT
from tests.deploy.containers.compose_project import ComposeProject
from tests.deploy.containers.documented_commands import commands_in
from tests.deploy.containers.manifests.watched_runs import report
from tests.support.measurements import setting

PROJECT = "millwright-quick-start"
TIMEOUT_S = 1800.0
RESTORES = "migrate backup restore"
LOST = ("nats", "postgres")
"""Servers whose disks are lost before the restoration."""
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
    shell = Shell(clone, project.environment | {"COMPOSE_PROJECT_NAME": PROJECT})
    try:
        yield shell
    finally:
        shell.run([f"{COMPOSE} --profile '*' down --volumes"])


class Shell:
    """Runs commands in a clone."""

    def __init__(self, folder: Path, environment: dict[str, str]) -> None:
        self._folder = folder
        self._environment = environment

    def run(self, lines: Iterable[str]) -> str:
        """Run them one after the other, each of which must succeed; return their output."""
        printed = ""
        for line in lines:
            began_s = time.monotonic()
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
            report(f"- {time.monotonic() - began_s:.0f} s: `{' '.join(line.split())}`")
            printed += ran.stdout
        return printed


def _lose_disks(shell: Shell) -> None:
    shell.run([f"{COMPOSE} rm --force --stop {' '.join(LOST)}"])
    shell.run(f"docker volume rm {PROJECT}_{name}" for name in LOST)


@pytest.mark.timeout(3600)
def test_documented_commands_lead_from_a_clone_to_a_restored_stack(tmp_path: Path) -> None:
    (clone, make_env, *quick_start), others = _commands()
    assert clone.startswith("git clone ")
    assert (make_env, len(quick_start)) == ("deploy/make-env", 2)
    folder = tmp_path / "millwright"
    subprocess.run(("git", "clone", "--quiet", str(ROOT), str(folder)), check=True)
    report(setting())
    with _shell(folder, ComposeProject(PROJECT)) as shell:
        shell.run([make_env])
        # S3's users have these passwords: a stand-in for MinIO gets them before `migrate`.
        (folder / "deploy/.env").write_text((folder / "deploy/.env.example").read_text("utf-8"))
        assert "SOLVED" in shell.run(quick_start)
        printed: dict[str, str] = {}
        for line in others:
            if RESTORES in line:
                _lose_disks(shell)
            printed[line] = shell.run([line])
        _check(printed)
    assert len(list(folder.glob("**/gravity-chute-3-*/report.md"))) == 1


def _check(printed: dict[str, str]) -> None:
    """The output of the commands is what the page promises."""

    def output_of(part: str) -> str:
        return "".join(text for line, text in printed.items() if part in line)

    assert '"runs"' in output_of("curl ")
    assert "SOLVED" in output_of("--seed 4")
    assert "published" in output_of(" generate ")
    restored = output_of(RESTORES)
    counts = [int(each) for each in re.findall(r"of (\d+) runs?", restored)]
    assert counts == [4], restored
    report(f"restored from S3: {restored.strip().splitlines()[0]}")
    assert "rebuilt: " in output_of("rebuild-stream")
    assert "no problems" in output_of("migrate doctor"), printed
