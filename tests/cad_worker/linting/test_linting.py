"""What linters say of an agent's Python: nothing of a sound script, and the fault of a broken one."""

import os
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from benchmarks.loader import SUITE as BENCHMARKS
from cad_worker.linting import pyright
from cad_worker.linting.linters import Linters
from cad_worker.linting.pyright import Pyright
from cad_worker.linting.ruff import Ruff
from cad_worker.linting.star_imports import GIVEN_NAMES
from cad_worker.sessions.session import Session

from tests.cad_worker.linting.broken import BROKEN, Broken
from tests.cad_worker.linting.designs import expert_scripts
from tests.cad_worker.linting.sound import HEADER, SOUND
from tests.cad_worker.running import run

pytestmark = pytest.mark.asyncio(loop_scope="session")

SUITE = {f"{path.parent.name}/{path.name}": path.read_text() for path in sorted(BENCHMARKS.glob("*/*.py"))}
RIGHT = {**SOUND, **SUITE, **expert_scripts()}


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def linters() -> AsyncIterator[Linters]:
    """Both linters, with all the time that a loaded machine may need."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pyright, "BUDGET_S", 120.0)
        patch.setattr(pyright, "PATIENCE_S", 120.0)
        linters = Linters()
        await linters.start()
        yield linters
        await linters.stop()


async def test_the_corpus_is_large_enough() -> None:
    assert len(RIGHT) >= 20
    assert len(BROKEN) >= 15


@pytest.mark.parametrize("name", RIGHT)
async def test_a_sound_script_passes_clean(name: str, linters: Linters) -> None:
    report = await linters.check("script.py", RIGHT[name], {})
    assert report.findings == ()
    assert report.note == ""


@pytest.mark.parametrize("name", BROKEN)
async def test_a_broken_script_is_told_its_fault_and_place(name: str, linters: Linters) -> None:
    fault: Broken = BROKEN[name]
    report = await linters.check("script.py", HEADER + fault.body, {})
    assert [each for each in report.findings if each.line == fault.line and fault.word in each.message], report


async def test_the_sound_scripts_run(session: Session) -> None:
    for name, text in SOUND.items():
        session.workspace.write(f"sound_{name}.py", text)
    done = await run(session, "\n".join(f"import sound_{name}" for name in SOUND), timeout_s=120.0)
    assert done.observation.status == "ok", done.observation.error


@pytest.mark.parametrize("name", ["unused", "repeated", "annotation"])
async def test_style_is_nobodys_business(name: str, linters: Linters) -> None:
    text = {"unused": "import math\n", "repeated": "import math\nimport math\n", "annotation": 'x: int = "a"\n'}[name]
    assert (await linters.check("script.py", HEADER + text, {})).findings == ()


async def test_own_modules_are_known_and_their_star_imports_too(linters: Linters) -> None:
    sizes = {"sizes.py": "from math import *\nWIDTH = 3.0\n", "parts/legs.py": "COUNT = 4\n"}
    text = "from sizes import *\nfrom parts.legs import COUNT\n\nprint(WIDTH, pi, COUNT, HEIGHT)\n"
    found = (await linters.check("script.py", text, sizes)).findings
    assert [(each.line, each.message) for each in found] == [(4, "Undefined name `HEIGHT`")]


async def test_a_text_of_before_is_forgotten(linters: Linters) -> None:
    text = "from sizes import WIDTH\n\nprint(WIDTH.real, WIDTH.wrong)\n"
    assert "wrong" in (await linters.check("script.py", text, {"sizes.py": "WIDTH = 3.0\n"})).findings[0].message
    longer = "class Width:\n    real = wrong = 1\n\n\nWIDTH = Width()\n"
    assert (await linters.check("script.py", text, {"sizes.py": longer})).findings == ()


async def test_what_every_cell_knows_is_known_here(session: Session, linters: Linters) -> None:
    done = await run(session, f"print([each is None for each in ({', '.join(GIVEN_NAMES)})])")
    assert done.observation.status == "ok", done.observation.error
    assert (await linters.check("script.py", f"print({', '.join(GIVEN_NAMES)})\n", {})).findings == ()


@pytest.mark.parametrize("text", ["\ufeffx = 1\n", "x = (" * 300, "\x0c\r\n\u2028é = 'ü'\n", "", "\\\n"])
async def test_no_text_takes_the_linters_down(text: str, linters: Linters) -> None:
    await linters.check("script.py", text, {})
    report = await linters.check("script.py", HEADER + "Bxo(1)", {})
    assert [each.line for each in report.findings] == [3]


async def test_a_text_that_takes_too_long_is_said_so_and_blocks_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pyright, "BUDGET_S", 0.01)
    slow = Pyright()
    report = await slow.check("script.py", HEADER, {})
    await slow.stop()
    assert report.findings == ()
    assert "longer than 0.01 s" in report.note


async def test_a_server_that_was_killed_is_replaced(linters: Linters) -> None:
    await linters.check("script.py", "x = 1\n", {})
    pid = linters.server_pid
    assert pid is not None
    os.kill(pid, 9)
    reports = [await linters.check("script.py", "x = (1).wrong\n", {}) for _ in range(3)]
    assert [each.line for each in reports[-1].findings] == [1]
    assert linters.server_pid not in (None, pid)


async def test_nothing_is_left_when_the_linters_stop() -> None:
    linters = Linters()
    before = descriptors()
    await linters.check("script.py", "x = 1\n", {})
    await linters.stop()
    assert linters.server_pid is None
    assert descriptors() <= before


def descriptors() -> set[str]:
    """Return the open descriptors of this process."""
    return {each.name for each in Path("/proc/self/fd").iterdir()}


async def test_ruff_alone_finds_undefined_names_under_star_imports() -> None:
    report = await Ruff().check("script.py", HEADER + "print(Box, ManufacturingMethod, Bxo)\n", {})
    assert [(each.rule, each.message) for each in report.findings] == [("F821", "Undefined name `Bxo`")]
