"""The README's way from a clone to a solved benchmark, line by line. Needs an engine: `./run test-deploy`."""

import os
import re
import subprocess
from pathlib import Path

import pytest

from tests.architecture.repository import ROOT

PROJECT = "millwright-readme"
PATIENCE_S = 1800.0


def _lines() -> list[str]:
    blocks: list[str] = re.findall(r"```sh\n(.*?)```", (ROOT / "README.md").read_text("utf-8"), re.DOTALL)
    [block] = [block for block in blocks if "docker compose" in block]
    return block.strip().splitlines()


@pytest.mark.timeout(3600)
def test_five_lines_lead_from_a_clone_to_a_solved_benchmark(tmp_path: Path) -> None:
    clone, *rest = _lines()
    assert clone.startswith("git clone ")
    assert len(rest) <= 4
    subprocess.run(("git", "clone", "--quiet", str(ROOT), str(tmp_path / "millwright")), check=True)
    surroundings = os.environ | {"COMPOSE_PROJECT_NAME": PROJECT}
    printed = ""
    try:
        for line in rest:
            ran = subprocess.run(
                ("sh", "-c", line),
                cwd=tmp_path / "millwright",
                env=surroundings,
                stdout=subprocess.PIPE,
                text=True,
                check=True,
                timeout=PATIENCE_S,
            )
            printed += ran.stdout
    finally:
        down = "docker compose -f deploy/compose.yaml down --volumes"
        subprocess.run(("sh", "-c", down), cwd=tmp_path / "millwright", env=surroundings, check=True)
    assert "SOLVED" in printed
