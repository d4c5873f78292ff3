"""Code in a kernel that bypasses the checker: what it attacks holds, and what it forges does not count."""

import asyncio
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from cad_worker.host import KernelHost
from cad_worker.session_protocol import SessionOrder
from kernel_host.sessions.session import Session

from tests.cad_worker.cells import run
from tests.cad_worker.kernel_defence import KERNEL_ATTACKS, defend_kernel
from tests.support.confinement.attacks import Defence
from tests.support.confinement.ordinary_user import ORDINARY_UID, as_ordinary_user, interpreter_folders
from tests.support.isolated import ROOT

pytestmark = pytest.mark.asyncio(loop_scope="session")

BYPASS = "import random\nos = [random][0]._os\n"


@pytest.fixture
def unprivileged_folder(order: SessionOrder) -> Iterator[Path]:
    """A folder of an unprivileged user, with the order of a session: other users cannot enter pytest's folders."""
    folder = Path(tempfile.mkdtemp(prefix="sandbox-test-"))
    (folder / "order.json").write_text(order.model_dump_json())
    (folder / "order.json").chmod(0o644)
    shutil.chown(folder, ORDINARY_UID)
    yield folder
    shutil.rmtree(folder)


async def test_every_attack_is_denied_in_a_kernel(host: KernelHost, order: SessionOrder) -> None:
    assert len(KERNEL_ATTACKS) >= 125
    assert (await defend_kernel(host, order)).not_denied == {}


@pytest.mark.skipif(os.geteuid() != 0, reason="the other tests run as an ordinary user anyway")
async def test_every_attack_is_denied_where_the_worker_is_an_ordinary_user(unprivileged_folder: Path) -> None:
    arguments = (str(unprivileged_folder), str(unprivileged_folder / "order.json"))
    attack = (sys.executable, "-B", "-m", "tests.cad_worker.kernel_defence", *arguments)
    command = as_ordinary_user(attack, [*interpreter_folders(), ROOT])
    process = await asyncio.create_subprocess_exec(*command, cwd=ROOT, stdout=subprocess.PIPE)
    printed, _ = await process.communicate()
    defence = Defence.model_validate_json(printed)
    assert (process.returncode, defence.user, defence.not_denied) == (0, ORDINARY_UID, {})


FRAME = (
    BYPASS
    + """

def send(body):
    frame, sent = len(body).to_bytes(4, "big") + body, 0
    while sent < len(frame):
        sent += os.write(3, frame[sent : sent + (1 << 20)])
    while True:
        pass
"""
)
FLOODS = {
    "variables": """
one = '{"name":"a","type":"b","summary":"","change":"new"}'
body = '{"kind":"done","report":{"variables":[' + ','.join([one] * 400_000) + ']}}'
""",
    "parts": """body = '{"kind":"quote","component":{"parts":[' + '{},' * 7_000_000 + '{}]}}'""",
    "numbers": """body = '{"kind":"done","report":{"variables":[' + '0,' * 10_000_000 + '0]}}'""",
}


@pytest.mark.parametrize("flood", FLOODS.values(), ids=FLOODS)
async def test_message_of_millions_of_values_costs_the_host_little(session: Session, flood: str) -> None:
    began_s = time.process_time()
    killed = (await run(session, f"{FRAME}\n{flood}\nsend(body.encode())", timeout_s=60.0)).observation
    assert time.process_time() - began_s < 8.0
    assert killed.status == "killed"
    assert killed.error is not None
    assert "values, where at most 100000 are allowed" in killed.error.message
    assert (await run(session, "1 + 1")).observation.output == "2\n"


async def test_memory_is_limited_and_the_kernel_survives(session: Session) -> None:
    outcome = await run(session, "hoard = [bytes(1 << 26) for _ in range(1000)]")
    assert outcome.observation.error is not None
    assert outcome.observation.error.type == "MemoryError"
    assert (await run(session, "1 + 1")).observation.output == "2\n"


@pytest.mark.sample(2)
@pytest.mark.parametrize("number", [9, 34, 40, 64])
async def test_signal_that_killed_the_kernel_is_named(session: Session, number: int) -> None:
    outcome = await run(session, f"{BYPASS}os.kill(os.getpid(), {number})\nwhile True: pass")
    assert outcome.observation.status == "killed"
    assert outcome.observation.error is not None
    assert "was killed by" in outcome.observation.error.message


async def test_forged_report_of_megabytes_is_shortened(session: Session) -> None:
    code = f"""{BYPASS}
tools = os.sys.modules['kernel.api.host_tools']._connected[0]
report = os.sys.modules['kernel.runtime.cell'].CellReport()
done = os.sys.modules['cad_worker.session_protocol'].CellDone(report=report, refusal='x' * (4 << 20))
tools._channel.send(done)
while True: pass
"""
    outcome = await run(session, code)
    assert outcome.refusal is not None
    assert len(outcome.refusal) < 30_000


async def test_tool_calls_of_a_cell_are_limited(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kernel_host.sessions.session.MAX_TOOL_CALLS", 3)
    code = (
        "from build123d import Box\nfrom utils import simulate\nproblems = []\nfor _ in range(5):\n    try:\n"
        "        simulate(Box(1, 1, 1))\n    except RuntimeError as error:\n        problems.append(str(error))\n"
        "['already' in problem for problem in problems]"
    )
    assert (await run(session, code)).observation.output == "[False, False, False, True, True]\n"


async def test_file_named_utils_does_not_replace_the_tools(session: Session) -> None:
    session.workspace.write("utils.py", "raise RuntimeError('mine')\n")
    await run(session, f"{BYPASS}os._exit(7)")
    outcome = await run(session, "from utils import simulate\nsimulate.__name__")
    assert outcome.observation.output == "'simulate'\n"


async def test_tools_that_a_kernel_moved_away_are_back_in_the_next(session: Session) -> None:
    hide = "    os.rename('utils', 'hidden')\n    os.mkdir('utils')\n"
    forge = "    os.write(os.open('utils/__init__.py', 65, 0o600), b'simulate = 5')\n"
    moved = f"{BYPASS}try:\n{hide}{forge}finally:\n    os._exit(7)"
    assert (await run(session, moved)).observation.status == "killed"
    assert (await run(session, "import utils\nutils.simulate.__name__")).observation.output == "'simulate'\n"


async def test_files_are_listed_in_a_workspace_with_folders_thousands_deep(
    host: KernelHost, order: SessionOrder
) -> None:
    session = await host.open_session(order, {}, {})
    code = f"{BYPASS}os.mkdir('shut', 0)\nfor _ in range(3000):\n    os.mkdir('deep')\n    os.chdir('deep')"
    assert (await run(session, code)).observation.status in {"ok", "killed"}  # the watchdog may measure it meanwhile
    assert "script.py" in session.workspace.files()
    await session.close()
    assert not session.workspace.folder.exists()
