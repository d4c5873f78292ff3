"""Attempts to escape the watchdog, or to take what it did not count. Each is stopped, and no neighbour is affected."""

import asyncio
import os
import shutil
import tempfile
from collections.abc import AsyncGenerator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from sandbox import watchdog
from sandbox.confinement.linux import system_call
from sandbox.disk import measure
from sandbox.host import JOB_NICENESS, SandboxHost
from sandbox.jobs import JobFailedError
from sandbox.usage import usage_of
from sandbox.watchdog import Allowance, Watchdog
from sandbox.zygote.client import SandboxUnavailableError

from tests.sandbox.untrusted_code import ALLOWANCE, PROGRAMS, RUN_CODE, Code
from tests.support.confinement.ordinary_user import ORDINARY_UID

pytestmark = pytest.mark.asyncio(loop_scope="session")

SETFSUID = 122
PRELUDE = """
import ctypes, errno, mmap, os, time
libc = ctypes.CDLL(None, use_errno=True)

def code_of(attempt):
    try:
        attempt()
    except OSError as error:
        return errno.errorcode[error.errno]
    return 'done'
"""
RENAME_THREAD = "print(libc.prctl(15, ctypes.c_char_p(NAME), 0, 0, 0))\n"
RENAME_PROCESS = "print(code_of(lambda: open('/proc/self/comm', 'wb').write(NAME)))\n"
NAMES = {
    "no UTF-8": b"\xff\xfe",
    "a line in Unicode only": b"a\x1cb\x85c",
    "two fields": b"x\nRssAnon: 0",
    "carriage return": b"a\rb\x0bc",
}


@asynccontextmanager
async def started(
    folder: Path, parallel_jobs: int = 2, allowance: Allowance = ALLOWANCE
) -> AsyncGenerator[SandboxHost]:
    """A host of one test, which is stopped whatever happens."""
    host = SandboxHost(PROGRAMS, folder, parallel_jobs, allowance)
    await host.start()
    try:
        yield host
    finally:
        await host.stop()


async def output_of(host: SandboxHost, code: str) -> str:
    """Run code in a child of its own and return what it printed."""
    return (await host.run_job(RUN_CODE, Code(text=PRELUDE + code))).text


@pytest.mark.parametrize("name", NAMES.values(), ids=NAMES.keys())
async def test_child_cannot_rename_itself(strict_host: SandboxHost, name: bytes) -> None:
    assert await output_of(strict_host, f"NAME = {name!r}\n{RENAME_THREAD}{RENAME_PROCESS}") == "-1\nEACCES\n"


async def test_dead_watchdog_ends_its_children_and_makes_the_host_unusable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def surprise(_self: Watchdog, *_: object) -> object:
        raise RuntimeError("a fault of the watchdog")

    async with started(tmp_path) as host:
        running = asyncio.create_task(output_of(host, "os.write(1, b'begun')\ntime.sleep(30)"))
        watched = host._watchdog._watched  # pyright: ignore[reportPrivateUsage] - to wait for the child
        while not watched:  # noqa: ASYNC110 - no event tells of it
            await asyncio.sleep(0.02)
        monkeypatch.setattr(Watchdog, "_offenders", surprise)
        assert "watchdog has ended" in await asyncio.wait_for(host.failure(), 20)
        with pytest.raises(JobFailedError, match="watchdog has ended"):
            await asyncio.wait_for(running, 20)
        assert await host.problem() is not None
        with pytest.raises(SandboxUnavailableError, match="watchdog has ended"):
            await output_of(host, "print(1)")
    assert os.listdir(tmp_path) == []  # noqa: PTH208 - a folder without children is listed at once


HIDDEN_BYTES = {
    "space beyond the end of a file": (
        "file = os.open('large', os.O_CREAT | os.O_WRONLY, 0o600)\n"
        "ask = lambda: libc.fallocate(file, 1, ctypes.c_long(0), ctypes.c_long(1 << 30))\n"
        "print(ask(), errno.errorcode[ctypes.get_errno()], os.fstat(file).st_blocks)",
        "-1 EPERM 0\n",
    ),
    "space of a new file": (
        "file = os.open('large', os.O_CREAT | os.O_WRONLY, 0o600)\n"
        "print(code_of(lambda: os.posix_fallocate(file, 0, 1 << 27)))",
        "EPERM\n",
    ),
    "a file without a name": (
        "print(code_of(lambda: os.open('.', os.O_TMPFILE | os.O_RDWR, 0o600)))",
        "EPERM\n",
    ),
    "a file that has lost its name": (
        "file = os.open('large', os.O_CREAT | os.O_WRONLY, 0o600)\nprint(code_of(lambda: os.unlink('large')))\n"
        "print(code_of(lambda: libc.unlinkat(-100, b'large', 0) and os.unlink('large')))",
        "EPERM\nEPERM\n",
    ),
    "a file that another has replaced": (
        "files = [os.open(name, os.O_CREAT | os.O_WRONLY, 0o600) for name in 'ab']\n"
        "print(code_of(lambda: os.rename('a', 'b')), code_of(lambda: os.replace('a', 'b')), sorted(os.listdir()))",
        "EPERM EPERM ['a', 'b']\n",
    ),
}


@pytest.mark.parametrize(("code", "printed"), HIDDEN_BYTES.values(), ids=HIDDEN_BYTES.keys())
async def test_child_cannot_take_disk_that_no_name_shows(strict_host: SandboxHost, code: str, printed: str) -> None:
    assert await output_of(strict_host, code) == printed


async def test_child_can_empty_and_overwrite_its_files(strict_host: SandboxHost) -> None:
    code = "for text in ('long', 'x'):\n    open('a', 'w').write(text)\nos.mkdir('b')\nos.rmdir('b')\n"
    assert await output_of(strict_host, f"{code}print(open('a').read(), os.listdir())") == "x ['a']\n"


@pytest.fixture
def folder_of_ordinary_user() -> Iterator[Path]:
    """A folder of an ordinary user: pytest's cannot be entered by others."""
    folder = Path(tempfile.mkdtemp(prefix="sandbox-test-"))
    if os.geteuid() == 0:
        shutil.chown(folder, ORDINARY_UID)
    yield folder
    for each in folder.iterdir():  # hidden ones, too
        each.chmod(0o700)
    shutil.rmtree(folder)


def become_ordinary() -> None:
    """Give up root's rights to files, in this thread alone: the system call, unlike libc's function, is for one."""
    if os.geteuid() == 0:
        system_call(SETFSUID, ORDINARY_UID)


@pytest.mark.parametrize("mode", [0o300, 0o600, 0o000])
async def test_folder_that_hides_its_contents_is_reported(folder_of_ordinary_user: Path, mode: int) -> None:
    """In a process without root's right to read everything."""
    hidden = folder_of_ordinary_user / "hidden"
    hidden.mkdir()
    (hidden / "large").write_bytes(bytes(1 << 20))
    if os.geteuid() == 0:
        for each in (hidden, hidden / "large"):
            shutil.chown(each, ORDINARY_UID)
    hidden.chmod(mode)
    with ThreadPoolExecutor(1, initializer=become_ordinary) as thread:
        assert thread.submit(measure, folder_of_ordinary_user, 100).result().is_hidden
    assert measure(folder_of_ordinary_user, 100).is_hidden == (os.geteuid() != 0)


async def test_no_child_is_killed_when_others_have_filled_the_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def free_mib(_folder: Path) -> float:
        return 1.0

    monkeypatch.setattr(watchdog, "free_disk_mib", free_mib)
    async with started(tmp_path, allowance=Allowance()) as host:
        assert await output_of(host, "open('a', 'wb').write(bytes(1 << 20))\ntime.sleep(2)\nprint(7)") == "7\n"
    assert caplog.text.count("1 MiB of disk left") == 1


async def test_address_space_is_limited(strict_host: SandboxHost) -> None:
    code = "print(code_of(lambda: mmap.mmap(-1, 100 << 30, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, mmap.PROT_READ)))"
    assert await output_of(strict_host, code) == "ENOMEM\n"


async def test_page_tables_count_as_memory(strict_host: SandboxHost) -> None:
    """The tables of a mapping of which one byte in 2 MiB is read, and which RLIMIT_DATA does not count."""
    code = (
        "import ctypes\nsize = 50 << 30\n"
        "held = mmap.mmap(-1, size, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x4000, mmap.PROT_READ)\n"
        "held.madvise(15)\n"  # no huge pages
        "for offset in range(0, size, 1 << 21):\n    held[offset]\nprint(os.getpid(), flush=True)\ntime.sleep(2)"
    )
    measured: list[float] = []
    task = asyncio.create_task(output_of(strict_host, code))
    while not task.done():
        children = strict_host._zygote._children  # pyright: ignore[reportPrivateUsage] - to find the child
        measured += [usage.memory_mib for pid in list(children) if (usage := usage_of(pid))]
        await asyncio.sleep(0.05)
    await task
    assert max(measured) > 100  # a page of 4 KiB for each 2 MiB


async def test_children_yield_the_processor_to_the_host(strict_host: SandboxHost) -> None:
    code = "print(os.getpriority(os.PRIO_PROCESS, 0), os.sched_getscheduler(0) == os.SCHED_BATCH)"
    niceness = min(19, os.getpriority(os.PRIO_PROCESS, 0) + JOB_NICENESS)
    assert await output_of(strict_host, code) == f"{niceness} True\n"


@pytest.mark.skipif(not Path("/proc/self/autogroup").exists(), reason="Linux does not group processes by session")
async def test_niceness_of_a_child_counts_against_its_host(strict_host: SandboxHost) -> None:
    """In a session of its own it would not, where Linux divides the processor among sessions first."""
    task = asyncio.create_task(output_of(strict_host, "time.sleep(2)"))
    groups: set[str] = set()
    while not task.done():
        children = strict_host._zygote._children  # pyright: ignore[reportPrivateUsage] - to find the child
        groups |= {_autogroup_of(pid) for pid in list(children)} - {"gone"}
        await asyncio.sleep(0.05)
    await task
    assert groups == {_autogroup_of(os.getpid())}


def _autogroup_of(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/autogroup").read_text().strip()
    except OSError:
        return "gone"


THREAD_BOMB = """
import threading
threading.stack_size(1 << 16)
started = 0
try:
    while True:
        threading.Thread(target=time.sleep, args=(30,), daemon=True).start()
        started += 1
except RuntimeError:
    print(started)
time.sleep(5)
"""


async def threads_reached(host: SandboxHost, bomb: str) -> int:
    """Return how many threads a bomb got: killed by the guard, or refused more by the system in a namespace of its own,
    as an ordinary user's child has one where the machine allows it."""
    try:
        return int(await output_of(host, bomb))
    except JobFailedError as failure:
        return int(str(failure).split("it ran ")[1].split()[0])


async def test_thread_bomb_without_a_user_of_its_own_is_killed_early(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As under an ordinary user, where no limit of the system counts the threads of one child."""
    monkeypatch.setattr("sandbox.host.allocate_user", lambda: None)
    monkeypatch.setattr("sandbox.confinement.confine.allocate_user", lambda: None)
    async with started(tmp_path, allowance=Allowance()) as host:
        assert await threads_reached(host, THREAD_BOMB) < 2000


NATIVE_THREAD_BOMB = """
import ctypes, mmap, time
executable = mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC
code = mmap.mmap(-1, 4096, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, prot=executable)
# clone() in a loop, until it fails or enough threads exist; each of them calls pause()
code.write(bytes.fromhex(
    '53 4154 4155 4989fc 4989f5 31db b838000000 bf000f0100 4c89e6 31d2 4531d2 4531c0 0f05 85c0 7411 7807 ffc3 4c39eb'
    '72dc 89d8 415d 415c 5b c3 b822000000 0f05 ebf7'.replace(' ', '')))
stack = ctypes.create_string_buffer(4096)
address = ctypes.addressof(ctypes.c_char.from_buffer(code))
start = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_long)(address)
print(start(ctypes.addressof(stack) + 4096, 20000))
time.sleep(5)
"""


async def test_thread_bomb_in_machine_code_is_stopped_early(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It starts more threads in a tenth of a second than a watchdog that looks ten times a second may allow."""
    monkeypatch.setattr("sandbox.host.allocate_user", lambda: None)
    monkeypatch.setattr("sandbox.confinement.confine.allocate_user", lambda: None)
    async with started(tmp_path, allowance=Allowance()) as host:
        assert await threads_reached(host, NATIVE_THREAD_BOMB) < 600
