"""No process of a command remains, however it ends."""

import signal
import time
from pathlib import Path

import pytest
from local_stack.data_folder import read_state
from local_stack.services import EMBEDDED, WORKERS

from tests.support.clusters.command import Command, start_command
from tests.support.processes import Process, descendants, kill, process_table, wait_for

SHUTDOWN_S = 30.0
"""On a busy machine. `./run chaos shutdown` measures how long it takes on a quiet one."""
SERVERS = ("nats-server", "postgres", "weed")
SERVICES = tuple(f"-m {name.replace('-', '_')}" for name in (*WORKERS, *EMBEDDED))


def _processes_during_run(command: Command, *services: str) -> list[Process]:
    """Wait until the command is in the middle of a run; return all its processes."""
    wait_for(lambda: "kernel ready" in command.printed, 120, "a kernel", lambda: command.printed)
    assert command.process.poll() is None, command.printed
    processes = descendants(command.process.pid)
    for text in (*SERVERS, *services):
        assert any(text in process.command for process in processes), f"{text} does not run"
    return processes


def _remaining(processes: list[Process], end_s: float) -> list[Process]:
    """Return the processes that are still alive, as soon as there are none or at `end_s` of the monotonic clock."""
    known = {(process.pid, process.command) for process in processes}
    while True:
        remaining = [process for process in process_table() if (process.pid, process.command) in known]
        if not remaining or time.monotonic() > end_s:
            return remaining
        time.sleep(0.05)


@pytest.mark.timeout(240)
def test_ctrl_c_cancels_the_run_and_ends_all_processes(tmp_path: Path) -> None:
    with start_command(tmp_path, "solve", "detour", "--seed", "4") as command:
        processes = _processes_during_run(command, "-m cad_worker", "-m sim_worker")
        command.process.send_signal(signal.SIGINT)
        end_s = time.monotonic() + SHUTDOWN_S
        assert command.wait(SHUTDOWN_S) == 130, command.printed
        assert _remaining(processes, end_s) == []
        assert "FAILED (cancelled)" in command.printed


@pytest.mark.timeout(240)
def test_kill_9_ends_all_processes(tmp_path: Path) -> None:
    with start_command(tmp_path, "solve", "detour", "--seed", "4", "--separate") as command:
        processes = _processes_during_run(command, *SERVICES)
        assert read_state(tmp_path / "data") is not None
        kill(command.process.pid)
        assert command.wait() == -signal.SIGKILL
        assert _remaining(processes, time.monotonic() + SHUTDOWN_S) == []
        assert read_state(tmp_path / "data") is None
