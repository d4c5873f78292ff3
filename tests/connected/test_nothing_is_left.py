"""However the command ends, no process of ours remains."""

import signal
import time
from pathlib import Path

import pytest
from local_stack.data_folder import read_state
from local_stack.services import EMBEDDED, WORKERS

from perf.mortality.processes import Process, family, kill, table, wait_for
from tests.connected.command import Command, started

LEAVING_S = 30.0
"""On a machine that others keep busy. How long it takes on a quiet one is what `./run perf leaving` measures."""
SERVERS = ("nats-server", "postgres", "weed")
SERVICES = tuple(f"-m {name.replace('-', '_')}" for name in (*WORKERS, *EMBEDDED))


def _working(command: Command, *services: str) -> list[Process]:
    """Wait until the command is in the middle of a run; return everything that it has started."""
    wait_for(lambda: "kernel ready" in command.printed, 120, "a kernel", lambda: command.printed)
    assert command.process.poll() is None, command.printed
    family_now = family(command.process.pid)
    for words in (*SERVERS, *services):
        assert any(words in process.command for process in family_now), f"{words} does not run"
    return family_now


def _left(begun: list[Process], end_s: float) -> list[Process]:
    """Return which of these still live; as soon as none does, at the latest at `end_s` of the monotonic clock."""
    known = {(process.pid, process.command) for process in begun}
    while True:
        left = [process for process in table() if (process.pid, process.command) in known]
        if not left or time.monotonic() > end_s:
            return left
        time.sleep(0.05)


@pytest.mark.timeout(240)
def test_nothing_is_left_after_ctrl_c_and_the_run_is_cancelled(tmp_path: Path) -> None:
    with started(tmp_path, "solve", "detour", "--seed", "4") as command:
        begun = _working(command, "-m cad_worker", "-m sim_worker")
        command.process.send_signal(signal.SIGINT)
        end_s = time.monotonic() + LEAVING_S
        assert command.process.wait(LEAVING_S) == 130, command.printed
        assert _left(begun, end_s) == []
        assert "FAILED (cancelled)" in command.printed


@pytest.mark.timeout(240)
def test_nothing_is_left_after_kill_9(tmp_path: Path) -> None:
    with started(tmp_path, "solve", "detour", "--seed", "4", "--separate") as command:
        begun = _working(command, *SERVICES)
        assert read_state(tmp_path / "data") is not None
        kill(command.process.pid)
        assert command.process.wait() == -signal.SIGKILL
        assert _left(begun, time.monotonic() + LEAVING_S) == []
        assert read_state(tmp_path / "data") is None
