"""Children that exceed a limit are killed for it; others are not affected."""

import asyncio
import mmap
import os

import pytest
from sandbox.host import SandboxHost
from sandbox.jobs import JobFailedError
from sandbox.usage import usage_of

from tests.sandbox.untrusted_code import RUN_CODE, Code

pytestmark = pytest.mark.asyncio(loop_scope="session")

PRELUDE = "import mmap, os, threading, time\n"
EXCESSES = {
    "memory that RLIMIT_DATA does not count": (
        "hoard = mmap.mmap(-1, 500 << 20, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)\n"
        "for offset in range(0, 500 << 20, 4096):\n    hoard[offset] = 1\ntime.sleep(30)",
        "of memory",
    ),
    "many small objects": ("hoard = []\nwhile True:\n    hoard.append([0.5])", "of memory"),
    "threads": (
        "for _ in range(40):\n    threading.Thread(target=time.sleep, args=(30,), daemon=True).start()\ntime.sleep(30)",
        "threads",
    ),
    "large files": (
        "for each in range(4):\n    file = os.open(f'large{each}', 65, 0o600)\n"
        "    for _ in range(8):\n        os.write(file, bytes(1 << 20))\ntime.sleep(30)",
        "more than 16 MiB",
    ),
    "many files": (
        "for each in range(400):\n    os.close(os.open(f'small{each}', 65, 0o600))\ntime.sleep(30)",
        "files or folders",
    ),
    "many folders, a level deep": (
        "os.mkdir('deep')\nos.chdir('deep')\n"
        "for each in range(400):\n    os.mkdir(f'small{each}')\nos.chdir('..')\ntime.sleep(30)",
        "files or folders",
    ),
}


@pytest.mark.parametrize(("code", "reason"), EXCESSES.values(), ids=EXCESSES.keys())
async def test_child_is_killed_for_its_excess_alone(strict_host: SandboxHost, code: str, reason: str) -> None:
    modest = asyncio.create_task(strict_host.run_job(RUN_CODE, Code(text="import time\ntime.sleep(2)\nprint(7)")))
    with pytest.raises(JobFailedError, match=reason):
        await strict_host.run_job(RUN_CODE, Code(text=PRELUDE + code))
    assert (await modest).text == "7\n"


async def test_shared_memory_counts_like_any_other() -> None:
    """Children cannot map any, so that a process without a sandbox must show it."""
    before = usage_of(os.getpid())
    with mmap.mmap(-1, 64 << 20, mmap.MAP_SHARED | mmap.MAP_ANONYMOUS) as hoard:
        hoard.write(b"x" * len(hoard))
        after = usage_of(os.getpid())
    assert before is not None
    assert after is not None
    assert after.memory_mib - before.memory_mib > 60
