"""Nothing of ours outlives the worker, and nothing runs where it cannot be confined."""

import asyncio
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from cad_worker.host import KernelHost
from cad_worker.session_protocol import SessionOrder
from sandbox.confinement import landlock
from sandbox.confinement.confine import missing_features
from sandbox.scratch_root import ScratchRoot
from sandbox.zygote.client import SandboxUnavailableError

from tests.support.processes import descendants
from tests.cad_worker.running import run
from tests.cli.living import gone_within

WORKER = """
import asyncio, sys
from pathlib import Path
from cad_worker.host import KernelHost
from cad_worker.sessions.session import Cell
from cad_worker.session_protocol import SessionOrder

async def answer(wanted, ordinal):
    raise AssertionError

async def main():
    host = KernelHost(Path(sys.argv[1]))
    await host.start()
    order = SessionOrder.model_validate_json(Path(sys.argv[2]).read_text())
    session = await host.open_session(order, {}, {})
    code = "import random\\nprint([random][0]._os.getppid(), [random][0]._os.getpid())"
    outcome = await session.run(Cell(code, "c", 0, 9), answer)
    print(outcome.observation.output, flush=True)
    await session.run(Cell("while True:\\n    pass", "c", 0, 600), answer)

asyncio.run(main())
"""


@pytest.mark.asyncio(loop_scope="session")
async def test_zygote_and_kernels_die_with_a_killed_worker(order: SessionOrder, tmp_path: Path) -> None:
    (tmp_path / "order.json").write_text(order.model_dump_json())
    worker = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", WORKER, str(tmp_path / "kernels"), str(tmp_path / "order.json")),
        stdout=subprocess.PIPE,
    )
    assert worker.stdout is not None
    pids = [int(word) for word in (await worker.stdout.readline()).split()]
    assert len(pids) == 2
    worker.send_signal(signal.SIGKILL)
    await worker.wait()
    assert await asyncio.to_thread(gone_within, pids, 30)


STARTING = {
    "the zygote": (
        "sandbox.zygote.start",
        "import asyncio\nfrom cad_worker.host import PROGRAMS\nfrom sandbox.zygote.client import Zygote\n"
        "asyncio.run(Zygote(PROGRAMS).start())",
    ),
    "the trial picture": (
        "sim_worker.media.test_picture_start",
        "from sim_worker.media import graphics_check as g\ng.check()",
    ),
}


@pytest.mark.parametrize(("module", "start"), STARTING.values(), ids=STARTING.keys())
def test_who_is_still_importing_dies_with_a_killed_worker(module: str, start: str) -> None:
    worker = subprocess.Popen((sys.executable, "-c", start))
    while (child := _child_of(worker.pid, module)) is None:
        assert worker.poll() is None
        time.sleep(0.01)
    worker.kill()
    worker.wait()
    assert gone_within([child], 1.0)  # importing takes several


def _child_of(parent: int, module: str) -> int | None:
    return next((each.pid for each in descendants(parent) if module in each.command), None)


def test_what_a_killed_worker_left_is_erased_by_the_next_and_a_living_ones_is_not(tmp_path: Path) -> None:
    dead = tmp_path / "millwright-kernels-dead"
    (dead / "workspace" / "utils").mkdir(parents=True, mode=0o500)
    (dead / "workspace" / "script.py").write_text("assembly = None")
    living = ScratchRoot(tmp_path)
    next_one = ScratchRoot(tmp_path)
    assert not dead.exists()
    assert living.folder.exists()
    assert living.folder != next_one.folder
    living.leave()
    next_one.leave()
    assert not list(tmp_path.iterdir())


@pytest.mark.asyncio(loop_scope="session")
async def test_starting_and_stopping_leaves_no_process_and_no_descriptor(tmp_path: Path) -> None:
    before = _names("/proc/self/fd")
    host = KernelHost(tmp_path / "kernels")
    await host.start()
    await host.stop()
    assert _names("/proc/self/fd") == before
    assert _names(str(tmp_path / "kernels")) == set()


async def test_a_start_that_takes_too_long_says_what_was_waited_for_and_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sandbox.zygote.client.STOP_S", 0.0)
    before = {each.pid for each in descendants(os.getpid())}  # other tests' zygotes
    host = KernelHost(tmp_path, start_s=0.05)
    with pytest.raises(SandboxUnavailableError, match=r"has not imported CAD within 0\.05 s.*KERNEL_START_S"):
        await host.start()
    await host.stop()
    assert {each.pid for each in descendants(os.getpid())} <= before
    assert _names(str(tmp_path)) == set()


@pytest.mark.asyncio(loop_scope="session")
async def test_a_session_outlives_its_zygote_with_its_files(order: SessionOrder, tmp_path: Path) -> None:
    host = KernelHost(tmp_path / "kernels")
    await host.start()
    session = await host.open_session(order, {}, {"mine.py": "ANSWER = 42\n"})
    zygote = await run(session, "import random\n[random][0]._os.getppid()")
    os.kill(int(zygote.observation.output), signal.SIGKILL)
    assert (await run(session, "while True:\n    pass")).observation.status == "killed"
    assert (await run(session, "import mine\nmine.ANSWER")).observation.output == "42\n"
    await session.close()
    await host.stop()


def test_this_machine_can_confine() -> None:
    assert missing_features() == []


def test_an_old_kernel_is_named_with_its_mend(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(landlock, "abi", lambda: 1)
    (missing,) = missing_features()
    assert "Landlock ABI 1 found, 2 needed" in missing


def _names(folder: str) -> set[str]:
    return {each.name for each in Path(folder).iterdir()}
