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
from cli.loading import SUITE
from cli.main import main
from cli.servers.ports import free_ports
from cli.servers.postgres_place import erase
from cli.servers.secrets import read_secrets
from cli.state import State, is_held, read_state

from .living import gone_within, is_alive, with_descendants

WALL = """
from build123d import Box, Compound, Pos

def build(variant):
    wall = Pos(*variant.payload.start_mm) * Box(10, 100, 100)
    wall.label = "wall"
    return Compound(label="environment", children=[wall])
"""

JOINING = ("NATS_URL", "DATABASE_URL", "S3_ENDPOINT", "S3_ACCESS_KEY", "S3_SECRET_KEY", "OPENAI_API_KEY")

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


def run(data: Path, *arguments: str, **more: str) -> tuple[int, str, str]:
    out, err = (process := start(data, *arguments, **more)).communicate(timeout=120)
    return process.returncode, out, err


@pytest.fixture
def refused(data: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Refused:
    """Run, in this process, what must be refused; return what it says, having touched nothing."""

    def call(*arguments: str, **more: str) -> str:
        for name in JOINING:
            monkeypatch.delenv(name, raising=False)
        for name, value in {"MILLWRIGHT_DATA": str(data), **more}.items():
            monkeypatch.setenv(name, value)
        monkeypatch.setattr(sys, "argv", ["millwright", *arguments])
        with pytest.raises(SystemExit) as exit_:
            main()
        assert exit_.value.code == 2
        assert not data.exists()
        return capsys.readouterr().err.strip()

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
    monkeypatch.setattr("cli.reaching.PATIENCE_S", 0.0)
    (port,) = free_ports(1)
    told = refused("events", str(uuid4()), DATABASE_URL=f"postgresql://me:secret@127.0.0.1:{port}/db")
    assert f"no server answers at 127.0.0.1:{port} (DATABASE_URL)" in told
    assert "secret" not in told


def test_what_is_no_run_is_refused(refused: Refused) -> None:
    assert "'nope' is no run" in refused("events", "nope")


@pytest.mark.parametrize("option", [("--seed", "-1"), ("--quantity", "0"), ("--max-parts", "none")])
def test_options_out_of_range_are_usage_errors(refused: Refused, option: tuple[str, str]) -> None:
    assert option[0] in refused("solve", "detour", *option)


def test_an_empty_database_has_no_runs_and_says_so(data: Path) -> None:
    assert run(data, "runs") == (0, "no runs yet: millwright solve gravity-chute\n", "")
    run_id = uuid4()
    code, _, err = run(data, "events", str(run_id))
    assert (code, err.strip()) == (2, f"millwright: there is no run {run_id}: `millwright runs` lists them")
    assert not is_held(data)


def wait_for_state(data: Path, process: subprocess.Popen[str]) -> State:
    deadline = time.monotonic() + 100
    while (state := read_state(data)) is None:
        assert process.poll() is None, process.communicate()[1]
        assert time.monotonic() < deadline
        time.sleep(0.1)
    return state


def zygotes(family: set[int]) -> list[int]:
    return [pid for pid in family if b"cad_worker.hosting.zygote" in command_of(pid)]


def command_of(pid: int) -> bytes:
    """Return a process's command line; nothing where it has just ended."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except (FileNotFoundError, ProcessLookupError):
        return b""


def until_kernels_run(process: subprocess.Popen[str]) -> set[int]:
    deadline = time.monotonic() + 60
    while not zygotes(family := with_descendants([process.pid])):
        assert process.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.1)
    return family


@pytest.fixture(scope="module")
def up_data(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The data folder of a stack that is up; Ctrl-C ends it, and nothing remains within 5 s."""
    data = tmp_path_factory.mktemp("up") / "data"
    up = start(data, "up")
    wait_for_state(data, up)
    family = until_kernels_run(up)
    yield data
    up.send_signal(signal.SIGINT)
    begun = time.monotonic()
    out, err = up.communicate(timeout=20)
    assert up.returncode == 0, out + err
    assert gone_within(family, max(0.0, 5 - (time.monotonic() - begun)))
    assert not (data / "stack.json").exists()
    erase(read_secrets(data / "secrets.json").stack)


def test_what_holds_passwords_is_for_its_owner_alone(up_data: Path) -> None:
    for name in ("stack.json", "secrets.json", "nats/nats-server.conf"):
        assert (up_data / name).stat().st_mode & 0o777 == 0o600


def test_a_run_beside_a_stack_that_is_up_is_solved_delivered_and_told(up_data: Path, tmp_path: Path) -> None:
    code, out, err = run(up_data, "solve", "gravity-chute", "--seed", "2", "--out", str(tmp_path / "machine"))
    assert code == 0, out + err
    assert "SOLVED" in out
    lying_there = {path.name for path in (tmp_path / "machine").iterdir()}
    assert lying_there >= {"script.py", "assembly.step", "bill_of_materials.csv", "video.mp4", "simulation.glb"}
    assert lying_there >= {"parts", "keyframes", "poster.png", "contact_sheet.png", "mujoco.zip", "report.md"}
    lines = (tmp_path / "machine" / "bill_of_materials.csv").read_text().splitlines()
    assert sum(",3d_printing," in line for line in lines) == len(list((tmp_path / "machine" / "parts").glob("*.step")))
    (run_id,) = set(re.findall(r"run ([0-9a-f-]{36})", out))
    code, told, err = run(up_data, "events", run_id)
    assert code == 0, err
    assert [line.split()[0] for line in told.splitlines()] == [str(n) for n in range(1, len(told.splitlines()) + 1)]
    assert "EngineeringRequested" in told.splitlines()[0]
    assert "RunSucceeded" in told
    code, listed, _ = run(up_data, "runs")
    assert code == 0
    assert re.search(rf"{run_id} .* succeeded", listed)
    assert re.search(r"recorder lag: 0 of \d+$", listed.strip())
    code, again, err = run(up_data, "cancel", run_id)
    assert (code, "it had ended already: SOLVED" in again) == (0, True), err


def test_a_payload_inside_a_wall_is_bad_input(up_data: Path, tmp_path: Path) -> None:
    shutil.copytree(SUITE / "gravity-chute", tmp_path / "wall")
    (tmp_path / "wall" / "environment.py").write_text(WALL)
    code, _, err = run(up_data, "solve", str(tmp_path / "wall"))
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
    out, err = solving.communicate(timeout=20)
    assert solving.returncode == 130, out + err
    assert "FAILED (cancelled)" in out


def test_a_second_stack_and_an_unknown_run_are_refused_beside_it(up_data: Path) -> None:
    code, _, err = run(up_data, "up")
    assert (code, "another millwright" in err) == (2, True), err
    code, _, err = run(up_data, "cancel", str(uuid4()))
    assert (code, "there is no run" in err) == (2, True), err


def test_the_doctor_finds_nothing_beside_a_stack_that_is_up(up_data: Path) -> None:
    code, out, err = run(up_data, "doctor", "--json")
    checks = {check["name"]: check for check in json.loads(out)}
    assert [finding for check in checks.values() for finding in check["findings"]] == [], out
    assert code == 0, err
    assert checks["holder"]["detail"] == "a millwright that is up"
    assert re.fullmatch(r"Postgres \d+\.\d+ at 127\.0\.0\.1:\d+", checks["Postgres"]["detail"])
    assert re.fullmatch(r"\d+ consumers, as the services plan them", checks["wiring"]["detail"])
    assert checks["clocks"]["detail"] == "3 servers go as this machine does"
    secrets = read_secrets(up_data / "secrets.json")
    assert not any(word in out for word in (secrets.nats_password, secrets.postgres_password, secrets.s3_secret_key))


def test_nothing_is_left_when_the_command_is_killed_with_9(data: Path) -> None:
    up = start(data, "up", "--separate")
    wait_for_state(data, up)
    family = until_kernels_run(up)
    words = [Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode() for pid in family]
    for service in ("planner", "critic", "engineer", "skill_learner", "recorder", "cad_worker", "sim_worker"):
        assert any(f"-m {service}" in each for each in words), json.dumps(words)
    up.kill()
    up.communicate()
    assert gone_within(family, 5), [pid for pid in family if is_alive(pid)]
    assert read_state(data) is None
