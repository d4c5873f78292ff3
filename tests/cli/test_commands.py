"""The command as people run it: exit codes, one line for what is wrong, nothing left behind."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from uuid import uuid4

import pytest
from benchmarks.loader import SUITE
from cli.main import main
from local_stack.servers.ports import free_ports
from local_stack.servers.postgres_home import erase
from local_stack.servers.secrets import read_secrets
from local_stack.state import State, is_held, read_state

from tests.support.processes import process_table

from .living import gone_within, with_descendants

WALL = """
from build123d import Box, Compound, Pos

def build(variant):
    wall = Pos(*variant.payload.start_mm) * Box(10, 100, 100)
    wall.label = "wall"
    return Compound(label="environment", children=[wall])
"""

LEAVING_S = 30.0
"""On a machine that others keep busy."""
JOINING = ("NATS_URL", "DATABASE_URL", "S3_ENDPOINT", "S3_ACCESS_KEY", "S3_SECRET_KEY", "OPENAI_API_KEY")

Told = Callable[..., tuple[int, str, str]]
Refused = Callable[..., str]


@pytest.fixture
def data(tmp_path: Path) -> Iterator[Path]:
    """A data folder of this test's own."""
    folder = tmp_path / "data"
    yield folder
    if (folder / "secrets.json").exists():
        erase(read_secrets(folder / "secrets.json").stack)


def environment(data: Path, **more: str) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if name not in JOINING}
    return {**kept, "MILLWRIGHT_DATA": str(data), **more}


def start(data: Path, *arguments: str, **more: str) -> subprocess.Popen[str]:
    data.parent.mkdir(exist_ok=True)
    return subprocess.Popen(
        [sys.executable, "-m", "cli", *arguments],
        cwd=data.parent,
        env=environment(data, **more),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Told:
    """Run a command in this process: loading a fresh one takes seconds. Returns exit code, output and complaints."""

    def call(data: Path, *arguments: str, **more: str) -> tuple[int, str, str]:
        for name in JOINING:
            monkeypatch.delenv(name, raising=False)
        for name, value in {"MILLWRIGHT_DATA": str(data), **more}.items():
            monkeypatch.setenv(name, value)
        monkeypatch.setattr(sys, "argv", ["millwright", *arguments])
        capsys.readouterr()
        with pytest.raises(SystemExit) as exit_:
            main()
        assert isinstance(exit_.value.code, int)
        out, err = capsys.readouterr()
        return exit_.value.code, out, err

    return call


@pytest.fixture
def refused(data: Path, told: Told) -> Refused:
    """Run what must be refused; return what it says, having touched nothing."""

    def call(*arguments: str, **more: str) -> str:
        code, _, err = told(data, *arguments, **more)
        assert code == 2
        assert not data.exists()
        return err.strip()

    return call


def test_an_unknown_benchmark_is_refused_in_one_line(refused: Refused) -> None:
    told = refused("solve", "marble")
    assert told.startswith("millwright: no benchmark 'marble'")
    assert "\n" not in told


def test_an_unknown_model_and_a_missing_key_are_refused(refused: Refused) -> None:
    assert "'hal:9000' is unknown" in refused("solve", "detour", "--model", "hal:9000")
    assert "OPENAI_API_KEY" in refused("solve", "detour", "--model", "openai:gpt-9")


def test_a_folder_that_cannot_be_made_is_refused(refused: Refused, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert f"{tmp_path / 'file'} is not a folder" in refused("solve", "detour", "--out", str(tmp_path / "file" / "out"))


def test_a_full_disk_is_refused(refused: Refused, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.disk_usage", lambda _path: SimpleNamespace(free=5 << 20))  # pyright: ignore[reportUnknownLambdaType, reportUnknownArgumentType] - a stand-in
    assert "only 5 MB are free" in refused("solve", "detour")


def test_servers_to_join_are_all_named_or_none(refused: Refused) -> None:
    assert "DATABASE_URL" in refused("solve", "detour", NATS_URL="nats://127.0.0.1:4222")


def test_a_server_that_does_not_answer_is_named_without_its_password(
    refused: Refused, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("local_stack.readiness.PATIENCE_S", 0.0)
    (port,) = free_ports(1)
    told = refused("events", str(uuid4()), DATABASE_URL=f"postgresql://me:secret@127.0.0.1:{port}/db")
    assert f"no server answers at 127.0.0.1:{port} (DATABASE_URL)" in told
    assert "secret" not in told


def test_what_is_no_run_is_refused(refused: Refused) -> None:
    assert "'nope' is no run" in refused("events", "nope")


@pytest.mark.parametrize("option", [("--seed", "-1"), ("--quantity", "0"), ("--max-parts", "none")])
def test_options_out_of_range_are_usage_errors(refused: Refused, option: tuple[str, str]) -> None:
    assert option[0] in refused("solve", "detour", *option)


def test_an_empty_database_has_no_runs_and_says_so(data: Path, told: Told) -> None:
    assert told(data, "runs") == (0, "no runs yet: millwright solve gravity-chute\n", "")
    assert not is_held(data)


def wait_for_state(data: Path, process: subprocess.Popen[str]) -> State:
    deadline = time.monotonic() + 100
    while (state := read_state(data)) is None:
        assert process.poll() is None, process.communicate()[1]
        assert time.monotonic() < deadline
        time.sleep(0.1)
    return state


@pytest.fixture(scope="module")
def up_data(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The data folder of a stack that is up; Ctrl-C ends it, and nothing remains."""
    data = tmp_path_factory.mktemp("up") / "data"
    up = start(data, "up")
    wait_for_state(data, up)
    yield data
    family = with_descendants([up.pid])
    assert any("sandbox.zygote.start" in process.command for process in process_table() if process.pid in family)
    up.send_signal(signal.SIGINT)
    out, err = up.communicate(timeout=LEAVING_S)
    assert up.returncode == 0, out + err
    assert gone_within(family, LEAVING_S)
    assert not (data / "stack.json").exists()
    erase(read_secrets(data / "secrets.json").stack)


def test_what_holds_passwords_is_for_its_owner_alone(up_data: Path) -> None:
    for name in ("stack.json", "secrets.json", "nats/nats-server.conf"):
        assert (up_data / name).stat().st_mode & 0o777 == 0o600


def test_a_run_beside_a_stack_that_is_up_is_solved_delivered_and_told(
    up_data: Path, tmp_path: Path, told: Told
) -> None:
    code, out, err = told(up_data, "solve", "gravity-chute", "--seed", "2", "--out", str(tmp_path / "machine"))
    assert code == 0, out + err
    assert "SOLVED" in out
    lying_there = {path.name for path in (tmp_path / "machine").iterdir()}
    assert lying_there >= {"script.py", "assembly.step", "bill_of_materials.csv", "video.mp4", "simulation.glb"}
    assert lying_there >= {"parts", "keyframes", "poster.png", "contact_sheet.png", "mujoco.zip", "report.md"}
    lines = (tmp_path / "machine" / "bill_of_materials.csv").read_text().splitlines()
    assert sum(",3d_printing," in line for line in lines) == len(list((tmp_path / "machine" / "parts").glob("*.step")))
    (run_id,) = set(re.findall(r"run ([0-9a-f-]{36})", out))
    code, story, err = told(up_data, "events", run_id)
    assert code == 0, err
    assert [line.split()[0] for line in story.splitlines()] == [str(n) for n in range(1, len(story.splitlines()) + 1)]
    assert "EngineeringRequested" in story.splitlines()[0]
    assert "RunSucceeded" in story
    code, listed, _ = told(up_data, "runs")
    assert code == 0
    assert re.search(rf"{run_id} .* succeeded", listed)
    assert re.search(r"recorder lag: 0 of \d+$", listed.strip())
    code, again, err = told(up_data, "cancel", run_id)
    assert (code, "it had ended already: SOLVED" in again) == (0, True), err


def test_a_payload_inside_a_wall_is_bad_input(up_data: Path, tmp_path: Path, told: Told) -> None:
    shutil.copytree(SUITE / "gravity-chute", tmp_path / "wall")
    (tmp_path / "wall" / "environment.py").write_text(WALL)
    code, _, err = told(up_data, "solve", str(tmp_path / "wall"))
    assert code == 2
    assert len(err.strip().splitlines()) == 1
    assert "gravity-chute" in err
    assert "inside wall" in err


def test_a_run_that_is_interrupted_ends_as_cancelled(up_data: Path) -> None:
    solving = start(up_data, "solve", "gravity-chute", "--seed", "1")
    assert solving.stdout
    line = next(line for line in solving.stdout if "gravity-chute, seed 1" in line)
    assert line
    solving.send_signal(signal.SIGINT)
    out, err = solving.communicate(timeout=2 * LEAVING_S)
    assert solving.returncode == 130, out + err
    assert "FAILED (cancelled)" in out


def test_a_second_stack_and_an_unknown_run_are_refused_beside_it(up_data: Path, told: Told) -> None:
    code, _, err = told(up_data, "up")
    assert (code, "another millwright" in err) == (2, True), err
    for command in ("cancel", "events"):
        code, _, err = told(up_data, command, run_id := str(uuid4()))
        assert (code, err.strip()) == (2, f"millwright: there is no run {run_id}: `millwright runs` lists them")


def test_the_doctor_finds_nothing_beside_a_stack_that_is_up(up_data: Path, told: Told) -> None:
    code, out, err = told(up_data, "doctor", "--json")
    checks = {check["name"]: check for check in json.loads(out)}
    assert [finding for check in checks.values() for finding in check["findings"]] == [], out
    assert code == 0, err
    assert checks["holder"]["detail"] == "a millwright that is up"
    assert re.fullmatch(r"Postgres \d+\.\d+ at 127\.0\.0\.1:\d+", checks["Postgres"]["detail"])
    assert re.fullmatch(r"\d+ consumers, as the services plan them", checks["wiring"]["detail"])
    assert checks["clocks"]["detail"] == "3 servers go as this machine does"
    secrets = read_secrets(up_data / "secrets.json")
    assert not any(word in out for word in (secrets.nats_password, secrets.postgres_password, secrets.s3_secret_key))
