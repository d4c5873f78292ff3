"""Jobs: a reply, or an error with the reason, and nothing left behind."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from pydantic import BaseModel
from sandbox import host as host_module
from sandbox.host import SandboxHost
from sandbox.jobs import Job, JobFailedError

from tests.sandbox.untrusted_code import RUN_CODE, Code, Printed
from tests.support.processes import processes_below

pytestmark = pytest.mark.asyncio(loop_scope="session")


class OtherReply(BaseModel):
    """Not what the function returns."""

    number: int


async def test_job_returns_the_reply_of_its_function(host: SandboxHost) -> None:
    assert await host.run_job(RUN_CODE, Code(text="print(6 * 7)")) == Printed(text="42\n")


async def test_job_starts_in_an_empty_workspace_of_its_own(host: SandboxHost) -> None:
    code = Code(text="import os\nprint(os.listdir())\nopen('mine', 'w').close()\nprint(os.listdir())")
    for _ in range(2):
        assert (await host.run_job(RUN_CODE, code)).text == "[]\n['mine']\n"


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("1 / 0", "ZeroDivisionError"),
        ("import sys\nsys.stderr.write('the last words\\n')\nimport os\nos._exit(3)", "the last words"),
        ("import os\nos.kill(os.getpid(), 9)", "its process was killed by SIGKILL"),
        ("import os\nos.kill(os.getpid(), 11)", "its process crashed with SIGSEGV"),
        ("import os\nos.write(3, bytes([255] * 64))\nwhile True: pass", r"announced a message of 4096\.0 MiB"),
        ("import os, struct\nos.write(3, struct.pack('>I', 2) + b'{7')\nwhile True: pass", "malformed message"),
    ],
)
async def test_job_fails_with_the_reason(host: SandboxHost, code: str, reason: str) -> None:
    with pytest.raises(JobFailedError, match=reason):
        await host.run_job(RUN_CODE, Code(text=code))


async def test_job_fails_on_a_reply_of_another_class(host: SandboxHost) -> None:
    with pytest.raises(JobFailedError, match="malformed reply"):
        await host.run_job(Job(RUN_CODE.function, Code, OtherReply), Code(text=""))


async def test_job_fails_at_its_time_limit(host: SandboxHost, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(host_module, "JOB_S", 1.5)
    with pytest.raises(JobFailedError, match=r"1\.5 s"):
        await host.run_job(RUN_CODE, Code(text="while True:\n    pass"))


@pytest.mark.parametrize("pause_s", [0.0, 0.002, 0.3])
async def test_cancelled_jobs_leave_nothing_and_free_their_slots(host: SandboxHost, pause_s: float) -> None:
    root = root_of(host)
    before = set(root.iterdir())
    jobs = [asyncio.create_task(host.run_job(RUN_CODE, Code(text="while True:\n    pass"))) for _ in range(8)]
    await asyncio.sleep(pause_s)
    for job in jobs:
        job.cancel()
        with suppress(asyncio.CancelledError):
            await job
    await _until(lambda: set(root.iterdir()) == before and not processes_below(root))
    assert (await host.run_job(RUN_CODE, Code(text="print(1)"))).text == "1\n"


async def test_unknown_entry_point_is_rejected(host: SandboxHost) -> None:
    workspace = host.new_workspace()
    with pytest.raises(ValueError, match="os:abort is not an entry point"):
        await host.fork("os:abort", workspace, cpu_s=1)
    workspace.remove()


async def test_folders_without_access_or_thousands_deep_are_removed(host: SandboxHost) -> None:
    before = set(root_of(host).iterdir())
    code = (
        "import os\nos.mkdir('shut', 0)\nfor _ in range(3000):\n    os.mkdir('deep')\n    os.chdir('deep')\n"
        "open('f', 'w').close()"
    )
    with suppress(JobFailedError):  # the watchdog may measure it meanwhile
        await host.run_job(RUN_CODE, Code(text=code))
    assert set(root_of(host).iterdir()) == before


def root_of(host: SandboxHost) -> Path:
    """Return the folder of all workspaces."""
    workspace = host.new_workspace()
    workspace.remove()
    return workspace.path.parent


async def _until(condition: Callable[[], bool]) -> None:
    while not condition():  # noqa: ASYNC110 - the file system sets no event
        await asyncio.sleep(0.02)
