"""The command as people run it: exit codes, one line for what is wrong, nothing left behind."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from uuid import uuid4

import pytest
from cli.main import main
from cli.servers.ports import free_ports
from cli.servers.postgres_place import erase
from cli.servers.secrets import read_secrets
from cli.state import State, is_held, read_state

from .living import gone_within, is_alive, with_descendants

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
    return [pid for pid in family if b"cad_worker.zygote" in Path(f"/proc/{pid}/cmdline").read_bytes()]


def until_kernels_run(process: subprocess.Popen[str]) -> set[int]:
    deadline = time.monotonic() + 60
    while not zygotes(family := with_descendants([process.pid])):
        assert process.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.1)
    return family


def test_a_stack_that_is_up_is_joined_and_leaves_nothing_when_it_is_interrupted(data: Path) -> None:
    up = start(data, "up")
    state = wait_for_state(data, up)
    assert state.lasting
    assert (data / "stack.json").stat().st_mode & 0o777 == 0o600
    assert (data / "secrets.json").stat().st_mode & 0o777 == 0o600
    code, out, err = run(data, "runs")
    assert (code, "no runs yet" in out) == (0, True), err
    code, _, err = run(data, "up")
    assert (code, "another millwright" in err) == (2, True), err
    code, _, err = run(data, "cancel", str(uuid4()))
    assert (code, "there is no run" in err) == (2, True), err
    family = until_kernels_run(up)
    up.send_signal(signal.SIGINT)
    begun = time.monotonic()
    up.communicate(timeout=20)
    assert gone_within(family, max(0.0, 5 - (time.monotonic() - begun)))
    assert not (data / "stack.json").exists()


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
