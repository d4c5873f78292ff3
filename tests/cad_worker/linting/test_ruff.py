"""Ruff on agents' scripts: no finding in a sound script, and the line of the fault in a broken one."""

import time

import pytest
from benchmarks.loader import CODE, FILE, SUITE, WITNESS, read_witness
from kernel_host.linting import ruff
from kernel_host.linting.ruff import lint
from kernel_host.linting.star_imports import PREDEFINED_NAMES
from kernel_host.sessions.session import Session
from langchain_core.messages import BaseMessage, HumanMessage, SystemMessage
from offline_expert.engineer.policy import decide

from tests.cad_worker.cells import run
from tests.cad_worker.linting.sound import HEADER, SOUND
from tests.support.routing_problems import facts_observation

pytestmark = pytest.mark.asyncio(loop_scope="session")


def no_modules(_path: str) -> None:
    """Read a module of a workspace that has none."""


def expert_script(benchmark: str, seed: int) -> str:
    """Return the first script.py that the offline expert writes for a variant."""
    conversation: list[BaseMessage] = [SystemMessage("# Role: engineer\n\nRules."), HumanMessage("# Assignment")]
    conversation.append(decide(conversation))
    conversation.append(HumanMessage(facts_observation(benchmark, seed)))
    return decide(conversation).tool_calls[0]["args"]["text"]


SUITE_SCRIPTS = {
    f"{file.parent.name}/{name}": text
    for file in sorted(SUITE.glob(f"*/{FILE}"))
    for name, text in ((CODE, file.with_name(CODE).read_text()), (WITNESS, read_witness(file)))
}
EXPERT_SCRIPTS = {
    f"expert {benchmark} {seed}": expert_script(benchmark, seed)
    for benchmark in ("gravity-chute", "detour")
    for seed in (0, 3)
}
SCRIPTS = {**SOUND, **SUITE_SCRIPTS, **EXPERT_SCRIPTS}

BROKEN = {
    "an undefined name under star imports": ("base = Bxo(1, 2, 3)", 3, "F821", "Bxo"),
    "an undefined name in a function": ("def f():\n    return widht * 2\n\n\nprint(f())", 4, "F821", "widht"),
    "a tool that was not imported": ("simulate(Box(1, 1, 1))", 3, "F821", "simulate"),
    "a module that was not imported": ("print(np.zeros(3))", 3, "F821", "np"),
    "a deleted name": ("width = 3\ndel width\nprint(width)", 5, "F821", "width"),
    "a local name outside of its function": (
        "def f():\n    width = 3\n    return width\n\n\nf()\nprint(width)",
        9,
        "F821",
        "width",
    ),
    "a syntax error": ("def f(:\n    pass", 3, "invalid-syntax", "parameter"),
    "an unclosed bracket": ("box = Box(1, 2,\nprint(box)\n", 5, "invalid-syntax", ""),
    "a return outside of a function": ("return 5", 3, "F706", "return"),
    "a format string without its argument": ('print("{} {}".format(1))', 3, "F524", "format"),
}
"""The code below the imports, and line, rule and a word of the finding."""


async def test_corpus_of_sound_scripts_is_large() -> None:
    assert len(SCRIPTS) >= 35


@pytest.mark.sample(15)
@pytest.mark.parametrize("name", SCRIPTS)
async def test_sound_script_has_no_findings(name: str) -> None:
    report = await lint("script.py", SCRIPTS[name], no_modules)
    assert report.findings == ()
    assert report.note == ""


@pytest.mark.parametrize("name", BROKEN)
async def test_broken_script_has_a_finding_at_its_line(name: str) -> None:
    body, line, rule, word = BROKEN[name]
    report = await lint("script.py", HEADER + body, no_modules)
    assert [each for each in report.findings if (each.line, each.rule) == (line, rule) and word in each.message], report


@pytest.mark.full
async def test_sound_scripts_run_in_a_kernel(session: Session) -> None:
    for name, text in SOUND.items():
        session.workspace.write(f"sound_{name}.py", text)
    done = await run(session, "\n".join(f"import sound_{name}" for name in SOUND), timeout_s=120.0)
    assert done.observation.status == "ok", done.observation.error


@pytest.mark.parametrize("text", ["import math\n", "import math\nimport math\n", 'x: int = "a"\n'])
async def test_style_is_not_reported(text: str) -> None:
    assert (await lint("script.py", HEADER + text, no_modules)).findings == ()


async def test_own_modules_and_their_star_imports_are_known() -> None:
    modules = {"sizes.py": "from math import *\nWIDTH = 3.0\n", "parts/legs.py": "COUNT = 4\n"}
    text = "from sizes import *\nfrom parts.legs import COUNT\n\nprint(WIDTH, pi, COUNT, HEIGHT)\n"
    found = (await lint("script.py", text, modules.get)).findings
    assert [(each.line, each.message) for each in found] == [(4, "Undefined name `HEIGHT`")]


async def test_modules_that_import_each_other_are_known() -> None:
    modules = {"one.py": "from two import *\nA = 1\n", "two.py": "from one import *\nB = 1\n"}
    found = (await lint("script.py", "from one import *\nprint(A, B, C)\n", modules.get)).findings
    assert [each.message for each in found] == ["Undefined name `C`"]


async def test_names_of_a_module_with_an_unknown_star_import_are_not_checked() -> None:
    modules = {"one.py": "from two import *\n", "two.py": "from elsewhere import *\n", "three.py": "B = 1\n"}
    text = "from one import *; from three import *\nprint(A, B)\n"
    assert (await lint("script.py", text, modules.get)).findings == ()


async def test_two_star_imports_on_one_line_are_both_known() -> None:
    modules = {"one.py": "A = 1\n", "two.py": "B = 1\n"}
    found = (await lint("script.py", "from one import *; from two import *\nprint(A, B, C)\n", modules.get)).findings
    assert [(each.line, each.message) for each in found] == [(2, "Undefined name `C`")]


async def test_each_module_is_parsed_once_however_many_paths_lead_to_it() -> None:
    """Each of 40 modules imports all later ones: 2 ** 39 paths lead to the last."""
    names = [f"m{number}" for number in range(40)]
    modules = {
        f"{name}.py": "".join(f"from {later} import *\n" for later in names[number + 1 :]) + f"X{number} = 1\n"
        for number, name in enumerate(names)
    }
    began_s = time.process_time()
    found = (await lint("script.py", "from m0 import *\nprint(X0, X39, X40)\n", modules.get)).findings
    assert time.process_time() - began_s < 8.0
    assert [each.message for each in found] == ["Undefined name `X40`"]


async def test_repeated_import_of_many_names_is_read_once() -> None:
    modules = {"many.py": "".join(f"N{number} = 1\n" for number in range(3000))}
    began_s = time.process_time()
    report = await lint("script.py", "from many import *\n" * 4000, modules.get)
    assert time.process_time() - began_s < 10.0
    assert report.findings == ()


async def test_more_text_than_is_parsed_is_reported_in_the_note() -> None:
    modules = {"large.py": "X = 1\n" * 30_000}
    report = await lint("script.py", "from large import *\nprint(Y)\n", modules.get)
    assert report.findings == ()
    assert "more than 128 KiB together" in report.note
    assert "split the file" in report.note


async def test_names_of_every_cell_are_predefined(session: Session) -> None:
    done = await run(session, f"print([each is None for each in ({', '.join(PREDEFINED_NAMES)})])")
    assert done.observation.status == "ok", done.observation.error
    assert (await lint("script.py", f"print({', '.join(PREDEFINED_NAMES)})\n", no_modules)).findings == ()


@pytest.mark.parametrize("text", ["\ufeffx = 1\n", "x = (" * 300, "\x0c\r\n\u2028é = 'ü'\n", "", "\\\n"])
async def test_unusual_text_gets_a_report(text: str) -> None:
    assert (await lint("script.py", text, no_modules)).note == ""


async def test_timeout_is_reported_in_the_note(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ruff, "TIMEOUT_S", 0.0)
    report = await lint("script.py", HEADER, no_modules)
    assert report.findings == ()
    assert "longer than 0 s" in report.note
