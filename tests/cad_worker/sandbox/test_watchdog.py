"""A kernel that takes too much is killed and told why; its session goes on, and its neighbours do not notice."""

import asyncio
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from cad_worker.host import KernelHost
from cad_worker.session_protocol import SessionOrder
from cad_worker.sessions.session import Session
from sandbox import watchdog
from sandbox.watchdog import Allowance

from tests.cad_worker.running import run

pytestmark = pytest.mark.asyncio(loop_scope="session")

ALLOWANCE = Allowance(memory_mib=500, threads=20, disk_mib=16, entries=100)
PRELUDE = "import random\nimport time\nos = [random][0]._os\n"
GREEDY = {
    "memory that the limit on data does not count": (
        "mmap = os.sys.modules['importlib'].import_module('mmap')\n"
        "flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS\nhoard = mmap.mmap(-1, 700 << 20, flags)\n"
        "for place in range(0, 700 << 20, 4096):\n    hoard[place] = 1\ntime.sleep(30)",
        "of memory",
    ),
    "many small objects": ("hoard = []\nwhile True:\n    hoard.append([0.5])", "of memory"),
    "threads": (
        "threading = os.sys.modules['threading']\n"
        "for _ in range(40):\n    threading.Thread(target=time.sleep, args=(30,), daemon=True).start()\ntime.sleep(30)",
        "threads",
    ),
    "large files": (
        "for each in range(4):\n    file = os.open(f'large{each}', 65, 0o600)\n"
        "    for _ in range(8):\n        os.write(file, bytes(1 << 20))\ntime.sleep(30)",
        "MiB; files that cells wrote",
    ),
    "many files": (
        "for each in range(400):\n    os.close(os.open(f'small{each}', 65, 0o600))\ntime.sleep(30)",
        "files or folders",
    ),
    "files in folders that it has locked": (
        "os.mkdir('deep')\nos.chdir('deep')\n"
        "for each in range(400):\n    os.mkdir(f'small{each}')\nos.chdir('..')\ntime.sleep(30)",
        "files or folders",
    ),
}


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def strict_host(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[KernelHost]:
    """A host that allows little."""
    host = KernelHost(tmp_path_factory.mktemp("kernels"), allowance=ALLOWANCE)
    await host.start()
    yield host
    await host.stop()


@pytest_asyncio.fixture(loop_scope="session")
async def greedy(strict_host: KernelHost, order: SessionOrder) -> AsyncIterator[Session]:
    """A session that will take too much."""
    session = await strict_host.open_session(order, {"plan.md": b"# Plan\n"}, {"todo.md": "T1"})
    yield session
    await session.close()


@pytest.mark.parametrize(("code", "why"), GREEDY.values(), ids=GREEDY.keys())
async def test_k6_a_greedy_kernel_is_killed_and_told_why(
    greedy: Session, strict_host: KernelHost, order: SessionOrder, code: str, why: str
) -> None:
    neighbour = await strict_host.open_session(order, {}, {})
    await run(neighbour, "kept = 7")
    greedy.workspace.write("lib/mine.py", "ANSWER = 42\n")
    outcome = await run(greedy, PRELUDE + code, timeout_s=25)
    assert outcome.observation.status == "killed", outcome.observation
    assert outcome.observation.error is not None
    assert why in outcome.observation.error.message
    own = tuple(path for path in greedy.workspace.files() if not path.startswith("skills/"))
    assert own == (
        "lib/mine.py",
        "plan.md",
        "script.py",
        "todo.md",
        "utils/__init__.py",
    )
    assert (await run(greedy, "1 + 1")).observation.output == "2\n"
    assert (await run(neighbour, "kept")).observation.output == "7\n"
    await neighbour.close()


async def test_when_the_machine_runs_short_the_largest_kernel_goes_first(
    strict_host: KernelHost, order: SessionOrder, greedy: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    modest = await strict_host.open_session(order, {}, {})
    await run(modest, "kept = 7")
    await run(greedy, "hoard = b'x' * (200 << 20)")
    sleeping = asyncio.create_task(run(greedy, "import time\ntime.sleep(20)"))
    await asyncio.sleep(1)  # it is in the cell now, not between two
    monkeypatch.setattr(watchdog, "available_mib", lambda: 9000.0 if sleeping.done() else 100.0)
    outcome = await sleeping
    assert outcome.observation.error is not None
    assert "there were 100 MiB left" in outcome.observation.error.message
    assert (await run(modest, "kept")).observation.output == "7\n"
    await modest.close()
