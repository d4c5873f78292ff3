"""What code in a kernel cannot do, tried from inside a real one.

The attacks go round the checker on purpose, by way of modules that hang on allowed ones: the sandbox must hold alone.
"""

import os
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from cad_worker.hosting.host import KernelHost
from cad_worker.sessions.messages import CellDone, SessionOrder
from cad_worker.sessions.session import Session
from kernel.cell import CellReport

from tests.cad_worker.running import run

pytestmark = pytest.mark.asyncio(loop_scope="session")

PRELUDE = """
import random
os = [random][0]._os
modules = os.sys.modules
load = modules['importlib'].import_module
io, socket, ctypes = modules['io'], modules['socket'], modules['ctypes']
libc = ctypes.CDLL(None, use_errno=True)

def system_call(number, *arguments):
    result = libc.syscall(number, *arguments)
    if result < 0:
        raise OSError(ctypes.get_errno(), 'denied')
    return result
"""

ATTACKS = {
    "read the password file": "io.open('/etc/passwd').read()",
    "list the root folder": "os.listdir('/')",
    "list the processes": "os.listdir('/proc')",
    "read its own environment": "io.open('/proc/self/environ', 'rb').read()",
    "read the parent's memory": "io.open(f'/proc/{os.getppid()}/mem', 'rb').read(1)",
    "read the repository": "io.open(REPOSITORY + '/pyproject.toml').read()",
    "read the benchmarks' solutions": "os.listdir(REPOSITORY + '/suite')",
    "read another workspace": "io.open(OTHER + '/script.py').read()",
    "write to another workspace": "io.open(OTHER + '/script.py', 'w').write('x')",
    "write outside": "io.open('/tmp/millwright-escaped', 'w').write('x')",
    "overwrite the library": "io.open(REPOSITORY + '/libs/kernel/src/kernel/checker.py', 'a')",
    "overwrite utils": "io.open('utils/__init__.py', 'w').write('x')",
    "remove from utils": "os.unlink('utils/__init__.py')",
    "make utils writable": "os.chmod('utils', 0o700)",
    "open a socket": "socket.socket()",
    "open a local socket": "socket.socket(socket.AF_UNIX)",
    "make a socket pair": "socket.socketpair()",
    "fork": "os.fork()",
    "start a program": "os.execv('/bin/sh', ['sh', '-c', 'true'])",
    "start a subprocess": "load('subprocess').run(['/bin/true'])",
    "spawn": "os.posix_spawn('/bin/true', ['true'], {})",
    "signal the parent": "os.kill(os.getppid(), 0)",
    "signal everyone": "os.kill(-1, 0)",
    "trace the parent": "system_call(101, 16, os.getppid(), 0, 0)",
    "read the parent by process_vm_readv": "system_call(310, os.getppid(), 0, 0, 0, 0, 0)",
    "open the parent by pidfd": "system_call(434, os.getppid(), 0)",
    "make a link": "os.symlink('/etc/passwd', 'link')",
    "make a hard link": "os.link('script.py', 'link')",
    "make a named pipe": "os.mkfifo('pipe')",
    "rename out": "os.rename('script.py', '/tmp/script.py')",
    "mount": "system_call(165, 0, 0, 0, 0, 0)",
    "make a namespace": "system_call(272, 0x10000000)",
    "clone a namespace": "system_call(56, 0x10000000, 0, 0, 0, 0)",
    "use a key ring": "system_call(250, 0, 0)",
    "load bpf": "system_call(321, 0, 0, 0)",
    "use io_uring": "system_call(425, 1, 0)",
    "use userfaultfd": "system_call(323, 0)",
    "make anonymous files": "system_call(319, b'x', 0)",
    "outlive the host": "system_call(157, 1, 0, 0, 0, 0)",
    "raise its limits": "load('resource').setrlimit(7, (4096, 4096))",
    "empty a file without the right to write": "os.open('script.py', os.O_RDONLY | os.O_TRUNC)",
    "empty a file without any right": "os.open('script.py', 3 | os.O_TRUNC)",
    "open by a call that hides its flags": "system_call(437, -100, b'script.py', bytes(24), 24)",
    "become someone else": "os.setuid(1)",
    "change the root folder": "os.chroot('.')",
}


REPOSITORY = Path(__file__).parents[3]


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def two_sessions(host: KernelHost, order: SessionOrder) -> AsyncIterator[tuple[Session, Session]]:
    """The attacker's session and its neighbour's."""
    sessions = [await host.open_session(order, {}, {}) for _ in range(2)]
    yield (sessions[0], sessions[1])
    for each in sessions:
        await each.close()


@pytest.mark.parametrize("attack", ATTACKS.values(), ids=ATTACKS.keys())
async def test_a_kernel_cannot(attack: str, two_sessions: tuple[Session, Session]) -> None:
    attacker, neighbour = two_sessions
    places = f"REPOSITORY = {str(REPOSITORY)!r}\nOTHER = {str(neighbour.workspace.folder)!r}\n"
    attempt = f"try:\n    print('DONE', {attack})\nexcept (PermissionError, ValueError):\n    print('DENIED')\n"
    outcome = await run(attacker, PRELUDE + places + attempt)
    assert outcome.observation.output == "DENIED\n", outcome.observation


async def test_a_kernel_inherits_no_word_of_the_environment(session: Session) -> None:
    assert "PATH" in os.environ
    outcome = await run(session, "import random\nsorted([random][0]._os.environ)")
    assert "PATH" not in outcome.observation.output
    assert "NATS_URL" not in outcome.observation.output


async def test_memory_is_limited_and_the_kernel_survives_it(session: Session) -> None:
    outcome = await run(session, "hoard = [bytearray(1 << 26) for _ in range(100)]")
    assert outcome.observation.error is not None
    assert outcome.observation.error.type == "MemoryError"
    assert (await run(session, "1 + 1")).observation.output == "2\n"


async def test_a_kernel_has_no_descriptor_but_its_own(session: Session) -> None:
    code = (
        "import random\nos = [random][0]._os\nopen_ones = []\nfor each in range(256):\n    try:\n"
        "        os.fstat(each)\n        open_ones.append(each)\n    except OSError:\n        pass\nopen_ones"
    )
    assert (await run(session, code)).observation.output == "[0, 1, 2, 3]\n"


async def test_words_that_are_printed_forge_nothing(session: Session) -> None:
    forged = CellDone(report=CellReport(), refusal="forged").model_dump_json()
    outcome = await run(session, f"print({forged!r})")
    assert outcome.refusal is None
    assert outcome.submitted is None
    assert "forged" in outcome.observation.output


async def test_a_kernel_that_talks_nonsense_is_killed(session: Session) -> None:
    outcome = await run(session, "import random\n[random][0]._os.write(3, bytes([255] * 64))\nwhile True: pass")
    assert outcome.observation.status == "killed"


@pytest.mark.parametrize("number", [9, 34, 40, 64])
async def test_every_way_to_die_has_a_name(session: Session, number: int) -> None:
    outcome = await run(
        session, f"import random\n[random][0]._os.kill([random][0]._os.getpid(), {number})\nwhile True: pass"
    )
    assert outcome.observation.status == "killed"
    assert outcome.observation.error is not None
    assert "was killed by" in outcome.observation.error.message


SPEAK = """
import random
modules = [random][0]._os.sys.modules
tools = modules['kernel.engineering']._connected[0]
words = modules['cad_worker.sessions.messages']
report = modules['kernel.cell'].CellReport()
"""


async def test_a_forged_report_of_megabytes_becomes_one_that_fits_an_event(session: Session) -> None:
    speech = "tools._channel.send(words.CellDone(report=report, refusal='x' * (4 << 20)))\nwhile True: pass"
    outcome = await run(session, SPEAK + speech)
    assert outcome.refusal is not None
    assert len(outcome.refusal) < 30_000


async def test_asking_for_ever_ends(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cad_worker.sessions.session.MAX_TOOL_CALLS", 3)
    code = (
        "from build123d import Box\nfrom utils import simulate\nproblems = []\nfor _ in range(5):\n    try:\n"
        "        simulate(Box(1, 1, 1))\n    except RuntimeError as error:\n        problems.append(str(error))\n"
        "['already' in problem for problem in problems]"
    )
    assert (await run(session, code)).observation.output == "[False, False, False, True, True]\n"


async def test_a_file_named_like_the_tools_does_not_become_them(session: Session) -> None:
    session.workspace.write("utils.py", "raise RuntimeError('mine')\n")
    await run(session, "import random\n[random][0]._os._exit(7)")
    outcome = await run(session, "from utils import simulate\nsimulate.__name__")
    assert outcome.observation.output == "'simulate'\n"


async def test_a_kernel_that_hides_its_tools_finds_them_in_the_next(session: Session) -> None:
    hide = "    os.rename('utils', 'hidden')\n    os.mkdir('utils')\n"
    forge = "    os.write(os.open('utils/__init__.py', 65, 0o600), b'simulate = 5')\n"
    hidden = f"import random\nos = [random][0]._os\ntry:\n{hide}{forge}finally:\n    os._exit(7)"
    assert (await run(session, hidden)).observation.status == "killed"
    assert (await run(session, "import utils\nutils.simulate.__name__")).observation.output == "'simulate'\n"


async def test_folders_without_end_or_entrance_are_removed(host: KernelHost, order: SessionOrder) -> None:
    session = await host.open_session(order, {}, {})
    dig = "import random\nos = [random][0]._os\nos.mkdir('shut', 0)\n"
    dig += "for _ in range(3000):\n    os.mkdir('deep')\n    os.chdir('deep')\nos.close(os.open('f', 66))"
    assert (await run(session, dig)).observation.status in {"ok", "killed"}  # the watchdog may look in meanwhile
    assert "script.py" in session.workspace.files()
    await session.close()
    assert not session.workspace.folder.exists()
