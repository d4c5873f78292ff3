"""The life of a host: what it starts ends with it, even if it is killed, and a killed zygote is replaced."""

import asyncio
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from sandbox.host import SandboxHost
from sandbox.scratch_root import PREFIX, ScratchRoot
from sandbox.zygote.client import ZygoteDiedError, ZygoteTimeoutError
from sandbox.zygote.messages import Programs

from tests.sandbox.untrusted_code import PROGRAMS, RUN_CODE, Code
from tests.support.confinement.parent_death import dies_with_parent
from tests.support.isolated import ROOT
from tests.support.processes import descendants, gone_within

HOST = """
import asyncio, sys
from pathlib import Path
from sandbox.host import SandboxHost
from tests.sandbox.untrusted_code import PROGRAMS, RUN_CODE, Code

async def main():
    host = SandboxHost(PROGRAMS, Path(sys.argv[1]))
    await host.start()
    print((await host.run_job(RUN_CODE, Code(text="import os\\nprint(os.getppid())"))).text, end="")
    endless = asyncio.create_task(host.run_job(RUN_CODE, Code(text="while True:\\n    pass")))
    while not host._zygote._children:
        await asyncio.sleep(0.01)
    print(*host._zygote._children, flush=True)
    await endless

asyncio.run(main())
"""


def test_new_root_removes_abandoned_roots_and_nothing_else(tmp_path: Path) -> None:
    others = ("sandbox-notes", "sandbox-zygote-1", "sandbox-self-test-1", "millwright-data")
    for name in (f"{PREFIX}abandoned", *others):
        (tmp_path / name / "inner").mkdir(parents=True)
    root = ScratchRoot(tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {*others, root.folder.name}
    root.remove()


async def test_zygote_and_children_die_with_a_killed_host(tmp_path: Path) -> None:
    host = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", HOST, str(tmp_path)), cwd=ROOT, stdout=subprocess.PIPE
    )
    assert host.stdout is not None
    pids = [int(await host.stdout.readline()) for _ in range(2)]
    host.send_signal(signal.SIGKILL)
    await host.wait()
    assert await asyncio.to_thread(gone_within, pids, 30)


def test_importing_zygote_dies_with_a_killed_host() -> None:
    programs = "Programs(entry_points=('sandbox.jobs:run',), preload=('build123d',))"  # its import takes seconds
    code = (
        "import asyncio\nfrom sandbox.zygote.client import Zygote\nfrom sandbox.zygote.messages import Programs\n"
        f"asyncio.run(Zygote({programs}).start())"
    )
    assert dies_with_parent(code, "sandbox.zygote.start")


def test_abandoned_scratch_root_is_erased_and_a_locked_one_is_not(tmp_path: Path) -> None:
    abandoned = tmp_path / f"{PREFIX}abandoned"
    (abandoned / "workspace" / "utils").mkdir(parents=True, mode=0o500)
    (abandoned / "workspace" / "script.py").write_text("assembly = None")
    first, second = ScratchRoot(tmp_path), ScratchRoot(tmp_path)
    assert not abandoned.exists()
    assert first.folder.exists()
    assert first.folder != second.folder
    first.remove()
    second.remove()
    assert not list(tmp_path.iterdir())


async def test_started_and_stopped_host_leaves_no_process_and_no_descriptor(tmp_path: Path) -> None:
    descriptors, processes = _names("/proc/self/fd"), {each.pid for each in descendants(os.getpid())}
    host = SandboxHost(PROGRAMS, tmp_path)
    await host.start()
    await host.stop()
    assert _names("/proc/self/fd") <= descriptors
    assert {each.pid for each in descendants(os.getpid())} <= processes
    assert _names(str(tmp_path)) == set()


async def test_start_that_takes_too_long_fails_and_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sandbox.zygote.client.STOP_S", 0.0)
    before = {each.pid for each in descendants(os.getpid())}
    host = SandboxHost(PROGRAMS, tmp_path, start_s=0.01)
    with pytest.raises(ZygoteTimeoutError, match=r"0\.01 s"):
        await host.start()
    await host.stop()
    assert {each.pid for each in descendants(os.getpid())} <= before
    assert _names(str(tmp_path)) == set()


async def test_start_fails_when_a_module_cannot_be_imported(tmp_path: Path) -> None:
    host = SandboxHost(Programs(entry_points=("no_such_module:run",)), tmp_path)
    with pytest.raises(ZygoteDiedError, match="imports"):
        await host.start()
    await host.stop()


async def test_killed_zygote_is_replaced(tmp_path: Path) -> None:
    host = SandboxHost(PROGRAMS, tmp_path)
    await host.start()
    zygote = await host.run_job(RUN_CODE, Code(text="import os\nprint(os.getppid())"))
    os.kill(int(zygote.text), signal.SIGKILL)
    await asyncio.sleep(0.1)
    assert (await host.run_job(RUN_CODE, Code(text="print(1)"))).text == "1\n"
    await host.stop()


def _names(folder: str) -> set[str]:
    return {each.name for each in Path(folder).iterdir()}
