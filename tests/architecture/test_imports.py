"""The direction of imports, as pyproject.toml configures import-linter."""

import os
import subprocess
import sys
import tomllib
from pathlib import Path

from tests.architecture.repository import ROOT

CONFIG = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]
BREACHES = {
    "contracts/plan.py": "import kernel",
    "artifacts/client.py": "import chassis",
    "offline_expert/expert.py": "import agent.knowing",
    "agent/knowing.py": "import contracts.plan",
    "engineer/handlers.py": "import planner",
    "kernel_host/host.py": "import geometry",
    "gateway/reads.py": "import gateway.writes",
    "gateway/writes.py": "import gateway.reads",
}
"""One breach of each contract, and of each kind of layering."""


def lint(folder: Path, environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    command = [Path(sys.executable).with_name("lint-imports"), "--config", ROOT / "pyproject.toml", "--no-cache"]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=60, check=False)


def test_import_contracts_are_kept(tmp_path: Path):
    linted = lint(tmp_path, {"PATH": os.defpath})
    assert linted.returncode == 0, linted.stdout


def test_every_import_contract_detects_a_breach(tmp_path: Path):
    for package in (*CONFIG["root_packages"], "offline_expert"):
        folder = tmp_path.joinpath(*package.split("."))
        folder.mkdir(exist_ok=True)
        (folder / "__init__.py").touch()
    for path, text in BREACHES.items():
        (tmp_path / path).write_text(text)
    linted = lint(tmp_path, {"PATH": os.defpath, "PYTHONPATH": str(tmp_path), "COLUMNS": "400"})
    assert linted.returncode == 1
    verdicts = linted.stdout.split("Broken contracts")[0]
    assert f"Contracts: 0 kept, {len(CONFIG['contracts'])} broken" in verdicts, linted.stdout
    for importer, imported in (("contracts", "kernel"), ("artifacts", "chassis"), ("engineer", "planner")):
        assert f"{importer} is not allowed to import {imported}" in linted.stdout
    assert "offline_expert.expert -> agent.knowing" in linted.stdout
