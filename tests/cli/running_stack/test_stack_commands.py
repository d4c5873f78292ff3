"""Commands against a stack that `millwright up` started: a solved run, backups, cancellation, the doctor."""

import asyncio
import csv
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest
from benchmarks.loader import SUITE
from local_stack.data_folder import StackState, read_state
from local_stack.servers.secrets import read_secrets
from local_stack.servers.stack_records import erase
from store.backup_requests import BackupRequest, BackupRequests
from store.database import Database
from store.settings import DatabaseSettings

from tests.cli.conftest import EXTERNAL, RunCommand
from tests.support.processes import gone_within, process_table, with_descendants

WALL = """
from build123d import Box, Compound, Pos

def build(variant):
    wall = Pos(*variant.payload.start_mm) * Box(10, 100, 100)
    wall.label = "wall"
    return Compound(label="environment", children=[wall])
"""

STOP_S = 90.0
"""For a busy machine; how soon a command stops on a quiet one is what `./run chaos shutdown` measures."""


def start(data: Path, *arguments: str) -> subprocess.Popen[str]:
    """Start a command as a process of its own."""
    data.parent.mkdir(exist_ok=True)
    environment = {name: value for name, value in os.environ.items() if name not in EXTERNAL}
    return subprocess.Popen(
        [sys.executable, "-m", "cli", *arguments],
        cwd=data.parent,
        env={**environment, "MILLWRIGHT_DATA": str(data)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def wait_for_state(data: Path, process: subprocess.Popen[str]) -> StackState:
    """Wait until the stack is ready; its process' end, or the test's own time limit, ends the wait."""
    while (state := read_state(data)) is None:
        assert process.poll() is None, process.communicate()[1]
        time.sleep(0.1)
    return state


@pytest.fixture(scope="module")
def up_data(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The data folder of a stack that is up; Ctrl-C ends it, and no process remains."""
    data = tmp_path_factory.mktemp("up") / "data"
    up = start(data, "up")
    wait_for_state(data, up)
    yield data
    family = with_descendants([up.pid])
    assert any("sandbox.zygote.start" in process.command for process in process_table() if process.pid in family)
    up.send_signal(signal.SIGINT)
    out, err = up.communicate(timeout=STOP_S)
    assert up.returncode == 0, out + err
    assert gone_within(family, STOP_S)
    assert not (data / "stack.json").exists()
    erase(read_secrets(data / "secrets.json").stack)


def test_files_with_passwords_are_private(up_data: Path) -> None:
    for name in ("stack.json", "secrets.json", "gateway-token", "nats/nats-server.conf"):
        assert (up_data / name).stat().st_mode & 0o777 == 0o600


def test_solve_on_a_running_stack_delivers_and_records(up_data: Path, tmp_path: Path, run_command: RunCommand) -> None:
    folder, environment = tmp_path / "machine", {"MILLWRIGHT_DATA": str(up_data)}
    solved = run_command("solve", "gravity-chute", "--seed", "2", "--out", str(folder), **environment)
    assert solved.code == 0, solved
    assert "SOLVED" in solved.output
    delivered = {path.name for path in folder.iterdir()}
    assert delivered >= {"workspace", "assembly.step", "bill_of_materials.csv", "video.mp4", "simulation.glb"}
    assert delivered >= {
        "parts",
        "keyframes",
        "poster.png",
        "contact_sheet.png",
        "mujoco.zip",
        "report.md",
        "report.html",
    }
    lines = csv.DictReader((folder / "bill_of_materials.csv").read_text().splitlines())
    printed = sum(int(line["count"]) for line in lines if line["method"] == "3d_printing")
    assert printed == len(list((folder / "parts").glob("*.step")))
    (run_id,) = set(re.findall(r"run ([0-9a-f-]{36})", solved.output))
    shown = run_command("events", run_id, **environment)
    assert shown.code == 0, shown
    event_lines = shown.output.splitlines()
    assert [line.split()[0] for line in event_lines] == [str(number) for number in range(1, len(event_lines) + 1)]
    assert "EngineeringRequested" in event_lines[0]
    assert "RunSucceeded" in shown.output
    listed = run_command("runs", **environment)
    assert listed.code == 0
    assert re.search(rf"{run_id} .* succeeded", listed.output)
    assert re.search(r"recorder lag: 0 of \d+$", listed.output.strip())
    cancelled = run_command("cancel", run_id, **environment)
    assert (cancelled.code, "SOLVED" in cancelled.output) == (0, True), cancelled


async def requested_backup(database_url: str) -> BackupRequest:
    """Request a backup as the API does; return what came of it."""
    database = Database(DatabaseSettings(database_url=database_url))
    try:
        requests = BackupRequests(database.engine)
        asked = await requests.request(uuid4())
        while True:
            found = await requests.find(asked.id)
            assert found is not None
            if found.state in {"made", "failed"}:
                return found
            await asyncio.sleep(0.2)
    finally:
        await database.stop()


def test_requested_backup_is_made_by_the_stack(up_data: Path, run_command: RunCommand) -> None:
    stack = read_state(up_data)
    assert stack is not None
    made = asyncio.run(requested_backup(stack.environment["DATABASE_URL"]))
    assert made.state == "made", made.problem
    listed = run_command("backup", "list", MILLWRIGHT_DATA=str(up_data))
    assert str(made.name) in listed.output, listed


def test_payload_inside_a_wall_is_invalid_input(up_data: Path, tmp_path: Path, run_command: RunCommand) -> None:
    shutil.copytree(SUITE / "gravity-chute", tmp_path / "wall")
    (tmp_path / "wall" / "environment.py").write_text(WALL)
    result = run_command("solve", str(tmp_path / "wall"), MILLWRIGHT_DATA=str(up_data))
    assert result.code == 2
    assert len(result.errors.strip().splitlines()) == 1
    assert "gravity-chute" in result.errors
    assert "inside wall" in result.errors


def test_interrupted_run_ends_as_cancelled(up_data: Path) -> None:
    solving = start(up_data, "solve", "gravity-chute", "--seed", "1")
    assert solving.stdout
    assert next(line for line in solving.stdout if "gravity-chute, seed 1" in line)
    solving.send_signal(signal.SIGINT)
    out, err = solving.communicate(timeout=2 * STOP_S)
    assert solving.returncode == 130, out + err
    assert "FAILED (cancelled)" in out


def test_second_stack_and_unknown_run_are_refused(up_data: Path, run_command: RunCommand) -> None:
    result = run_command("up", MILLWRIGHT_DATA=str(up_data))
    assert (result.code, str(up_data) in result.errors) == (2, True), result
    for command in ("cancel", "events"):
        result = run_command(command, run_id := str(uuid4()), MILLWRIGHT_DATA=str(up_data))
        assert (result.code, run_id in result.errors) == (2, True), result
        assert len(result.errors.strip().splitlines()) == 1


def test_artifacts_of_recorded_runs_are_not_collected(up_data: Path, run_command: RunCommand) -> None:
    result = run_command("collect-artifacts", "--days", "1", MILLWRIGHT_DATA=str(up_data))
    assert result.code == 0, result.errors
    assert result.output.startswith("0 artifacts of 0.0 MB")


def test_doctor_finds_no_problem_on_a_running_stack(up_data: Path, run_command: RunCommand) -> None:
    result = run_command("doctor", "--json", MILLWRIGHT_DATA=str(up_data))
    checks = {check["name"]: check for check in json.loads(result.output)}
    assert [finding for check in checks.values() for finding in check["findings"]] == [], result.output
    assert result.code == 0, result.errors
    assert all(check.keys() == {"group", "name", "detail", "findings", "unseen"} for check in checks.values())
    assert re.fullmatch(r"Postgres \d+\.\d+ at 127\.0\.0\.1:\d+", checks["Postgres"]["detail"])
    assert re.match(r"\d+ consumers", checks["wiring"]["detail"])
    assert checks["clocks"]["detail"].startswith("3 servers")
    secrets = read_secrets(up_data / "secrets.json")
    passwords = (secrets.nats_password, secrets.postgres_password, secrets.s3_secret_key)
    assert not any(password in result.output for password in passwords)
