"""What code in a kernel cannot do, tried from inside a real one."""

import asyncio
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Generator, Sequence
from pathlib import Path
from typing import Any

import pytest
from cad_worker.host import KernelHost
from cad_worker.session_protocol import CellDone, SessionOrder
from cad_worker.sessions.session import Session
from kernel.runtime.cell import CellReport
from sandbox.confinement import landlock, syscalls
from sandbox.zygote.client import Child, Zygote

from tests.cad_worker.running import run
from tests.cad_worker.sandbox.attacks import ATTACKS, HARMLESS_OUTSIDE, attempt, not_denied
from tests.cad_worker.sandbox.nobody import NOBODY, as_nobody, interpreter_folders
from tests.cad_worker.sandbox.trying import REPOSITORY, Defence, defend

TRYING = (sys.executable, "-B", "-m", "tests.cad_worker.sandbox.trying")


@pytest.fixture(scope="module")
def order_file(order: SessionOrder, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The order of a session, for another process."""
    file = tmp_path_factory.mktemp("orders") / "order.json"
    file.write_text(order.model_dump_json())
    return file


@pytest.fixture
def nobodys_folder(order_file: Path) -> Generator[Path]:
    """A folder of nobody's own, with the order in it: pytest's own folders are closed to others."""
    folder = Path(tempfile.mkdtemp(prefix="millwright-nobody-"))
    shutil.copy(order_file, folder)
    (folder / order_file.name).chmod(0o644)
    shutil.chown(folder, NOBODY)
    yield folder
    shutil.rmtree(folder)


@pytest.mark.asyncio(loop_scope="session")
async def test_s3_no_attack_succeeds_with_the_checker_circumvented(host: KernelHost, order: SessionOrder) -> None:
    assert len(ATTACKS) >= 120
    assert (await defend(host, order)).not_denied == {}


@pytest.mark.parametrize("abi", [2, 4])
@pytest.mark.asyncio(loop_scope="session")
async def test_s3_no_attack_succeeds_on_a_kernel_with_an_older_landlock(
    abi: int, host: KernelHost, order: SessionOrder, monkeypatch: pytest.MonkeyPatch
) -> None:
    forked = Zygote.fork

    async def fork_as_on_an_older_kernel(zygote: Zygote, *given: Any, **named: Any) -> Child:
        monkeypatch.setattr(zygote, "_landlock_abi", abi)
        return await forked(zygote, *given, **named)

    monkeypatch.setattr(Zygote, "fork", fork_as_on_an_older_kernel)
    defence = await defend(host, order)
    assert defence.not_denied == {}


@pytest.mark.skipif(os.geteuid() != 0, reason="the tests run as an ordinary user anyway")
@pytest.mark.asyncio(loop_scope="session")
async def test_s3_no_attack_succeeds_where_the_worker_is_an_ordinary_user(nobodys_folder: Path) -> None:
    command = as_nobody(TRYING, [*interpreter_folders(), REPOSITORY])
    defence = await _defended(command, nobodys_folder, nobodys_folder / "order.json")
    assert (defence.user, defence.not_denied) == (NOBODY, {})


def test_attacks_are_some_outside_of_the_sandbox(tmp_path: Path) -> None:
    for folder in ("mine", "other"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "script.py").write_text("pass\n")
    harmless = {name: ATTACKS[name] for name in HARMLESS_OUTSIDE}
    code = attempt(harmless, REPOSITORY, tmp_path / "other")
    ran = subprocess.run(
        (sys.executable, "-c", code), cwd=tmp_path / "mine", capture_output=True, text=True, check=True
    )
    assert not_denied(ran.stdout) == dict.fromkeys(harmless, "DONE")


@pytest.mark.asyncio(loop_scope="session")
async def test_what_only_a_later_landlock_governs_the_filter_governs_too() -> None:
    for _, names in landlock.SECCOMP_SUBSTITUTES.values():
        for name in names:
            assert name not in syscalls.ALLOWED or name == "creat"


async def _defended(command: Sequence[str], folder: Path, order_file: Path) -> Defence:
    process = await asyncio.create_subprocess_exec(
        *command, str(folder), str(order_file), cwd=REPOSITORY, stdout=subprocess.PIPE
    )
    printed, _ = await process.communicate()
    assert process.returncode == 0
    return Defence.model_validate_json(printed)


@pytest.mark.asyncio(loop_scope="session")
async def test_a_kernel_inherits_no_word_of_the_environment(session: Session) -> None:
    assert "PATH" in os.environ
    outcome = await run(session, "import random\nsorted([random][0]._os.environ)")
    assert "PATH" not in outcome.observation.output
    assert "NATS_URL" not in outcome.observation.output


@pytest.mark.asyncio(loop_scope="session")
async def test_memory_is_limited_and_the_kernel_survives_it(session: Session) -> None:
    outcome = await run(session, "hoard = [bytearray(1 << 26) for _ in range(100)]")
    assert outcome.observation.error is not None
    assert outcome.observation.error.type == "MemoryError"
    assert (await run(session, "1 + 1")).observation.output == "2\n"


@pytest.mark.asyncio(loop_scope="session")
async def test_a_kernel_has_no_descriptor_but_its_own(session: Session) -> None:
    code = (
        "import random\nos = [random][0]._os\nopen_ones = []\nfor each in range(256):\n    try:\n"
        "        os.fstat(each)\n        open_ones.append(each)\n    except OSError:\n        pass\nopen_ones"
    )
    assert (await run(session, code)).observation.output == "[0, 1, 2, 3, 4]\n"


@pytest.mark.asyncio(loop_scope="session")
async def test_words_that_are_printed_forge_nothing(session: Session) -> None:
    forged = CellDone(report=CellReport(), refusal="forged").model_dump_json()
    outcome = await run(session, f"print({forged!r})")
    assert outcome.refusal is None
    assert outcome.submitted is None
    assert "forged" in outcome.observation.output


@pytest.mark.asyncio(loop_scope="session")
async def test_a_kernel_that_talks_nonsense_is_killed(session: Session) -> None:
    outcome = await run(session, "import random\n[random][0]._os.write(3, bytes([255] * 64))\nwhile True: pass")
    assert outcome.observation.status == "killed"


@pytest.mark.parametrize("number", [9, 34, 40, 64])
@pytest.mark.asyncio(loop_scope="session")
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
tools = modules['kernel.api.engineering']._connected[0]
words = modules['cad_worker.session_protocol']
report = modules['kernel.runtime.cell'].CellReport()
"""


@pytest.mark.asyncio(loop_scope="session")
async def test_a_forged_report_of_megabytes_becomes_one_that_fits_an_event(session: Session) -> None:
    speech = "tools._channel.send(words.CellDone(report=report, refusal='x' * (4 << 20)))\nwhile True: pass"
    outcome = await run(session, SPEAK + speech)
    assert outcome.refusal is not None
    assert len(outcome.refusal) < 30_000


@pytest.mark.asyncio(loop_scope="session")
async def test_l4_asking_for_ever_ends_where_the_calls_are_answered(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cad_worker.sessions.session.MAX_TOOL_CALLS", 3)
    code = (
        "from build123d import Box\nfrom utils import simulate\nproblems = []\nfor _ in range(5):\n    try:\n"
        "        simulate(Box(1, 1, 1))\n    except RuntimeError as error:\n        problems.append(str(error))\n"
        "['already' in problem for problem in problems]"
    )
    assert (await run(session, code)).observation.output == "[False, False, False, True, True]\n"


@pytest.mark.asyncio(loop_scope="session")
async def test_a_file_named_like_the_tools_does_not_become_them(session: Session) -> None:
    session.workspace.write("utils.py", "raise RuntimeError('mine')\n")
    await run(session, "import random\n[random][0]._os._exit(7)")
    outcome = await run(session, "from utils import simulate\nsimulate.__name__")
    assert outcome.observation.output == "'simulate'\n"


@pytest.mark.asyncio(loop_scope="session")
async def test_a_kernel_that_hides_its_tools_finds_them_in_the_next(session: Session) -> None:
    hide = "    os.rename('utils', 'hidden')\n    os.mkdir('utils')\n"
    forge = "    os.write(os.open('utils/__init__.py', 65, 0o600), b'simulate = 5')\n"
    hidden = f"import random\nos = [random][0]._os\ntry:\n{hide}{forge}finally:\n    os._exit(7)"
    assert (await run(session, hidden)).observation.status == "killed"
    assert (await run(session, "import utils\nutils.simulate.__name__")).observation.output == "'simulate'\n"


@pytest.mark.asyncio(loop_scope="session")
async def test_folders_without_end_or_entrance_are_removed(host: KernelHost, order: SessionOrder) -> None:
    session = await host.open_session(order, {}, {})
    dig = "import random\nos = [random][0]._os\nos.mkdir('shut', 0)\n"
    dig += "for _ in range(3000):\n    os.mkdir('deep')\n    os.chdir('deep')\nos.close(os.open('f', 66))"
    assert (await run(session, dig)).observation.status in {"ok", "killed"}  # the watchdog may look in meanwhile
    assert "script.py" in session.workspace.files()
    await session.close()
    assert not session.workspace.folder.exists()
