"""No process of a command remains when Ctrl-C ends it; `test_killed_processes.py` kills one with -9."""

import signal
import time
from pathlib import Path

from local_stack.servers.secrets import read_secrets
from local_stack.servers.stack_records import erase

from tests.support.clusters.command import start_command
from tests.support.processes import Process, descendants, process_table, wait_for

SHUTDOWN_S = 60.0
"""On a busy machine. `./run chaos shutdown` measures how long it takes on a quiet one."""
RUNNING = ("nats-server", "postgres", "weed", "-m cad_worker", "-m sim_worker")


def _remaining(processes: list[Process], end_s: float) -> list[Process]:
    """Return the processes that are still alive, as soon as there are none or at `end_s` of the monotonic clock."""
    known = {(process.pid, process.command) for process in processes}
    while True:
        remaining = [process for process in process_table() if (process.pid, process.command) in known]
        if not remaining or time.monotonic() > end_s:
            return remaining
        time.sleep(0.05)


def test_ctrl_c_cancels_the_run_and_ends_all_processes(tmp_path: Path) -> None:
    with start_command(tmp_path, "solve", "gravity-chute", "--seed", "4") as command:
        wait_for(lambda: "kernel ready" in command.printed, 180, "a kernel", lambda: command.printed)
        assert command.process.poll() is None, command.printed
        processes = descendants(command.process.pid)
        for text in RUNNING:
            assert any(text in process.command for process in processes), f"{text} does not run"
        command.process.send_signal(signal.SIGINT)
        end_s = time.monotonic() + SHUTDOWN_S
        assert command.wait(SHUTDOWN_S) == 130, command.printed
        assert _remaining(processes, end_s) == []
        assert "FAILED (cancelled)" in command.printed
    erase(read_secrets(tmp_path / "data" / "secrets.json").stack)
