"""Programs that die, and programs that cannot live."""

import asyncio
import os
import signal
import sys
import threading
import time
from dataclasses import dataclass
from pathlib import Path

import pytest
from local_stack.errors import UserError
from local_stack.processes.child_process import ChildProcess, ProcessSpec
from local_stack.processes.supervisor import MAX_RESTARTS, Supervisor
from local_stack.services import ServiceProcess

from tests.support.processes import gone_within, is_alive, with_descendants

SLEEP = "import time; time.sleep(60)"
STUBBORN = """
import signal, subprocess, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
open("up", "w").close()
time.sleep(60)
"""


@dataclass
class Script:
    """A startable of one line of Python."""

    folder: Path
    code: str
    name: str = "script"
    starts: int = 0

    def prepare(self) -> None:
        self.starts += 1

    def program(self) -> ProcessSpec:
        command = (sys.executable, "-S", "-c", self.code)
        return ProcessSpec(self.name, command, self.folder, self.folder / "log", patience_s=0.5)

    def ready(self) -> bool:
        return True


TALKATIVE = """
import itertools, time
for number in itertools.count():
    print(f"line {number:06}", flush=True)
    time.sleep(0.001)
"""


async def test_log_of_a_talkative_program_stays_small(tmp_path: Path) -> None:
    supervisor = Supervisor(max_log_bytes=2000)
    supervisor.launch([Script(tmp_path, TALKATIVE)])
    watching = asyncio.create_task(supervisor.watch())
    log, kept = tmp_path / "log", tmp_path / "log.1"
    async with asyncio.timeout(60):
        while not kept.exists() or log.stat().st_size > 2000:  # noqa: ASYNC110 - nothing can be awaited here
            await asyncio.sleep(0.02)
        first = kept.read_text()
        while kept.read_text()[:11] == first[:11]:  # noqa: ASYNC110 - it goes on, at the new end
            await asyncio.sleep(0.02)
    watching.cancel()
    supervisor.stop()
    assert first.startswith("line 000000\n")
    assert b"\0" not in log.read_bytes() + kept.read_bytes()


async def test_program_that_dies_is_restarted(tmp_path: Path) -> None:
    reported: list[str] = []
    supervisor = Supervisor(reported.append)
    supervisor.launch([Script(tmp_path, SLEEP)])
    first = supervisor.pids()["script"]
    watching = asyncio.create_task(supervisor.watch())
    os.kill(first, signal.SIGKILL)
    async with asyncio.timeout(60):
        while supervisor.pids().get("script", first) == first:  # noqa: ASYNC110 - nothing can be awaited here
            await asyncio.sleep(0.05)
    watching.cancel()
    (line,) = reported
    assert line.startswith(f"script died (killed by signal 9; log: {tmp_path / 'log'})")
    second = supervisor.pids()["script"]
    supervisor.stop()
    assert not is_alive(second)


async def test_program_that_keeps_dying_is_given_up(tmp_path: Path) -> None:
    script = Script(tmp_path, "raise SystemExit('port 1 is taken')")
    reported: list[str] = []
    supervisor = Supervisor(reported.append)
    supervisor.launch([script])
    async with asyncio.timeout(60):
        with pytest.raises(UserError, match=r"script died more than 5 times .*port 1 is taken"):
            await supervisor.watch()
    assert script.starts == 1 + MAX_RESTARTS
    assert [line.partition("restarted")[2] for line in reported] == ["", *(f" in {s} s" for s in (0.2, 0.5, 1.0, 2.0))]
    supervisor.stop()


async def test_restart_limit_is_a_setting(tmp_path: Path) -> None:
    script = Script(tmp_path, "raise SystemExit('no')")
    supervisor = Supervisor(max_restarts=2)
    supervisor.launch([script])
    async with asyncio.timeout(60):
        with pytest.raises(UserError, match="script died more than 2 times"):
            await supervisor.watch()
    assert script.starts == 3
    supervisor.stop()


def test_program_that_ignores_sigterm_is_killed_with_its_children(tmp_path: Path) -> None:
    supervisor = Supervisor()
    supervisor.launch([Script(tmp_path, STUBBORN)])
    while not (tmp_path / "up").exists():
        time.sleep(0.02)
    family = with_descendants(supervisor.pids().values())
    assert len(family) == 2
    supervisor.stop()
    assert gone_within(family, 30)


def test_failed_start_leaves_no_process_behind(tmp_path: Path) -> None:
    good = Script(tmp_path, SLEEP)
    missing = ServiceProcess("no-such-service", dict(os.environ), tmp_path)
    supervisor = Supervisor()
    supervisor.launch([good, missing])
    family = with_descendants(supervisor.pids().values())
    with pytest.raises(UserError, match=r"no-such-service did not start: .*No module named no_such_service"):
        supervisor.wait_until_ready()
    supervisor.stop()
    assert gone_within(family, 30)


def test_child_process_needs_the_main_thread(tmp_path: Path) -> None:
    """The kernel sends the death signal when the starting thread ends."""
    caught: list[Exception] = []

    def start() -> None:
        try:
            ChildProcess(Script(tmp_path, SLEEP).program())
        except RuntimeError as error:
            caught.append(error)

    thread = threading.Thread(target=start)
    thread.start()
    thread.join()
    assert "main thread" in str(caught[0])
