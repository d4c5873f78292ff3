"""However the command ends, no process of ours remains."""

import signal
from pathlib import Path

import pytest

from perf.mortality.processes import Process, family, kill, table, wait_for
from tests.connected.command import Command, started

LEAVING_S = 5.0


def _working(command: Command) -> list[Process]:
    """Wait until the command is in the middle of a run; return everything that it has started."""
    wait_for(lambda: "kernel ready" in command.printed, 120, "a kernel")
    assert command.process.poll() is None, command.printed
    family_now = family(command.process.pid)
    for words in ("nats-server", "postgres", "weed", "cad_worker", "sim_worker"):
        assert any(words in process.command for process in family_now), f"{words} does not run"
    return family_now


def _left(begun: list[Process]) -> list[Process]:
    known = {(process.pid, process.command) for process in begun}
    return [process for process in table() if (process.pid, process.command) in known]


@pytest.mark.timeout(180)
def test_nothing_is_left_after_ctrl_c_and_the_run_is_cancelled(tmp_path: Path) -> None:
    with started(tmp_path, "solve", "detour", "--seed", "4") as command:
        begun = _working(command)
        command.process.send_signal(signal.SIGINT)
        wait_for(
            lambda: command.process.poll() is not None and not _left(begun),
            LEAVING_S,
            "an empty machine",
            lambda: (command.process.poll(), _left(begun), command.printed),
        )
        assert command.process.returncode == 130
        assert "cancelled" in command.printed


@pytest.mark.timeout(180)
def test_nothing_is_left_after_kill_9(tmp_path: Path) -> None:
    with started(tmp_path, "solve", "detour", "--seed", "4", "--separate") as command:
        begun = _working(command)
        kill(command.process.pid)
        command.process.wait()
        wait_for(lambda: not _left(begun), LEAVING_S, "an empty machine", lambda: _left(begun))
