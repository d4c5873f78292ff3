"""The README's way from a clone to a solved benchmark, and what docs/deploy.md adds, line by line.

Needs an engine: `./run test-deploy`.
"""

import re
import subprocess
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.architecture.repository import ROOT
from tests.deploy.composition import Composition
from tests.deploy.documented_commands import lines_in

PROJECT = "millwright-readme"
PATIENCE_S = 1800.0
COMPOSE = "docker compose -f deploy/compose.yaml"


def _readme() -> list[str]:
    blocks: list[str] = re.findall(r"```sh\n(.*?)```", (ROOT / "README.md").read_text("utf-8"), re.DOTALL)
    [block] = [block for block in blocks if COMPOSE in block]
    return block.strip().splitlines()


def _further() -> list[str]:
    """Return what docs/deploy.md says beyond the README, in its order, but what ends everything last."""
    lines = [line for line in lines_in((ROOT / "docs/deploy.md").read_text("utf-8")) if line not in _readme()]
    return sorted(lines, key=lambda line: " down" in line)


@contextmanager
def _shell(clone: Path, composition: Composition) -> Generator["Shell"]:
    composition.provide_s3()
    told = {name: value for name, value in composition.environment.items() if name != "MINIO_IMAGE"}
    shell = Shell(clone, told | {"COMPOSE_PROJECT_NAME": PROJECT})
    try:
        yield shell
    finally:
        shell.run([f"{COMPOSE} --profile command down --volumes"])


class Shell:
    """Somebody who types lines into a clone."""

    def __init__(self, folder: Path, environment: dict[str, str]) -> None:
        self._folder = folder
        self._environment = environment

    def run(self, lines: Iterable[str]) -> str:
        """Type them one after the other, each of which must succeed; return what they print."""
        printed = ""
        for line in lines:
            ran = subprocess.run(
                ("sh", "-c", line),
                cwd=self._folder,
                env=self._environment,
                stdout=subprocess.PIPE,
                text=True,
                check=False,
                timeout=PATIENCE_S,
            )
            assert ran.returncode == 0, f"{line}\n{ran.stdout}"
            printed += ran.stdout
        return printed


@pytest.mark.timeout(3600)
def test_five_lines_lead_from_a_clone_to_a_solved_benchmark_and_the_other_lines_work_too(tmp_path: Path) -> None:
    clone, *rest = _readme()
    assert clone.startswith("git clone ")
    assert len(rest) <= 4
    folder = tmp_path / "millwright"
    subprocess.run(("git", "clone", "--quiet", str(ROOT), str(folder)), check=True)
    with _shell(folder, Composition(PROJECT)) as shell:
        assert "SOLVED" in shell.run(rest)
        shell.run(_further())
    assert len(list(folder.glob("**/gravity-chute-3-*/report.md"))) == 1
