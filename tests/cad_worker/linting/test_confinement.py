"""The language server reads texts that are not ours: whatever they make of it, it sees, does and outlives nothing."""

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from cad_worker.linting import project as projects
from cad_worker.linting import pyright
from cad_worker.linting.linter import LintReport
from cad_worker.linting.project import Project
from cad_worker.linting.pyright import Pyright
from sandbox.confinement.confine import Confinement
from sandbox.confinement.sandboxed_exec import command_for

from tests.architecture.repository import ROOT
from tests.support.process_table import gone_within

ATTACKS = Path(__file__).with_name("attacks.js")
PEEK = "import hidden\n\nprint(hidden.ANSWER.wrong)\n"
WORKER = """
import asyncio
from cad_worker.linting.pyright import Pyright

async def main():
    linter = Pyright()
    await linter.check("script.py", "x = 1\\n", {})
    print(linter.server_pid, flush=True)
    await asyncio.sleep(60)

asyncio.run(main())
"""


@pytest.fixture
def project() -> Iterator[Project]:
    """A folder of a server that is not started."""
    project = Project()
    yield project
    project.erase()


def attacked(command: list[str], project: Project) -> dict[str, str]:
    ran = subprocess.run(command, env=project.environment(), capture_output=True, text=True, timeout=60, check=True)
    return json.loads(ran.stdout)


def test_no_attack_from_within_the_server_succeeds(project: Project) -> None:
    arguments = ["-e", ATTACKS.read_text(), str(ROOT), str(project.folder)]
    came = attacked(command_for(project.confinement(), arguments), project)
    assert len(came) == 15
    assert {name: code for name, code in came.items() if code not in {"EACCES", "EPERM"}} == {}


def test_the_attacks_are_some_where_nothing_is_confined(project: Project) -> None:
    arguments = ["-e", ATTACKS.read_text(), str(ROOT), str(project.folder)]
    came = attacked(unconfined(project.confinement(), arguments), project)
    assert came.pop("connect") == "ECONNREFUSED"
    assert set(came.values()) == {"DONE"}


@pytest.mark.parametrize(("is_confined", "told"), [(True, []), (False, [3])])
async def test_rules_that_point_outside_lead_nowhere(
    is_confined: bool, told: list[int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "hidden.py").write_text("ANSWER: int = 42\n")
    rules = projects.configuration() | {"extraPaths": [str(tmp_path)]}
    monkeypatch.setattr(projects, "configuration", lambda: rules)
    monkeypatch.setattr(pyright, "BUDGET_S", 60.0)
    if not is_confined:
        monkeypatch.setattr(projects, "command_for", unconfined)
    assert [each.line for each in (await lint(PEEK, {})).findings] == told


@pytest.mark.parametrize("name", ["pyrightconfig.json", "pyproject.toml"])
async def test_rules_among_the_texts_lead_nowhere(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "hidden.py").write_text("ANSWER: int = 42\n")
    monkeypatch.setattr(pyright, "BUDGET_S", 60.0)
    rules = {"pyrightconfig.json": json.dumps({"extraPaths": [str(tmp_path)]})}
    rules["pyproject.toml"] = f'[tool.pyright]\nextraPaths = ["{tmp_path}"]\n'
    report = await lint(f"# pyright: basic\n{PEEK}", {name: rules[name]})
    assert [each.message for each in report.findings if "wrong" in each.message] == []


def unconfined(confinement: Confinement, arguments: Sequence[str]) -> list[str]:
    return [str(confinement.program), *arguments]


async def lint(text: str, modules: dict[str, str]) -> LintReport:
    linter = Pyright()
    try:
        report = await linter.check("script.py", text, modules)
    finally:
        await linter.stop()
    assert report.note == ""
    return report


async def test_the_server_is_nobody_and_filtered() -> None:
    linter = Pyright()
    await linter.check("script.py", "x = 1\n", {})
    assert linter.server_pid is not None
    fields = status_of(linter.server_pid)
    await linter.stop()
    assert (fields["Seccomp"], fields["NoNewPrivs"]) == (["2"], ["1"])
    assert int(fields["CapEff"][0], 16) in {0, 1 << 2}  # at most reading, where our own home is closed
    assert (int(fields["Uid"][0]) == os.geteuid()) is (os.geteuid() != 0)


def status_of(pid: int) -> dict[str, list[str]]:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return {name: value.split() for name, _, value in (line.partition(":") for line in lines)}


@pytest.mark.parametrize("is_stopped", [False, True], ids=["idle", "deaf"])
async def test_the_server_is_gone_when_its_worker_is_killed_with_9(
    is_stopped: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    worker = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", WORKER), env={**os.environ, "TMPDIR": str(tmp_path)}, stdout=subprocess.PIPE
    )
    assert worker.stdout is not None
    server = int(await worker.stdout.readline())
    if is_stopped:
        os.kill(server, signal.SIGSTOP)  # it cannot notice that its input has ended
    worker.kill()
    await worker.wait()
    assert await asyncio.to_thread(gone_within, [server], 5)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    assert len(left_in(tmp_path)) == 1
    Project().erase()
    assert left_in(tmp_path) == []


def left_in(folder: Path) -> list[Path]:
    return list(folder.iterdir())
