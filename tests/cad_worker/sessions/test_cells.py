"""What a session remembers, shows and survives. Real children of a real zygote."""

import asyncio

import pytest
from cad_worker.sessions.session import Session

from tests.cad_worker.running import run

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_variables_imports_and_functions_stay_from_cell_to_cell(session: Session) -> None:
    await run(session, "import math\nradius = 3\ndef area(r):\n    return math.pi * r ** 2")
    outcome = await run(session, "area(radius)")
    assert outcome.observation.status == "ok"
    assert outcome.observation.output.startswith("28.27")


async def test_an_error_names_its_line_and_keeps_what_was_bound_before(session: Session) -> None:
    failed = await run(session, "kept = 1\nlost = kept / 0\nnever = 2")
    assert failed.observation.status == "error"
    assert failed.observation.error is not None
    assert (failed.observation.error.type, failed.observation.error.line) == ("ZeroDivisionError", 2)
    assert [each.name for each in failed.observation.variables] == ["kept"]
    assert (await run(session, "kept")).observation.output == "1\n"


async def test_parts_show_label_box_and_volume(session: Session) -> None:
    outcome = await run(session, 'import build123d as bd\nplate = bd.Box(10, 20, 30)\nplate.label = "plate"')
    (plate,) = outcome.observation.variables
    assert plate.summary == "label='plate', 10.0 x 20.0 x 30.0 mm from (-5.0, -10.0, -15.0), volume 6000 mm³"


async def test_the_world_lies_in_the_namespace(session: Session) -> None:
    outcome = await run(
        session, "print(benchmark.benchmark, limits.max_mass_kg, quantity, environment.children[0].label)"
    )
    assert outcome.observation.output == "table 1.0 100 floor\n"


async def test_objects_that_cannot_be_described_do_not_harm_the_summary(session: Session) -> None:
    code = (
        "class Evil:\n    def __repr__(self): raise RuntimeError('no')\n    __len__ = __repr__\n"
        "evil = Evil()\nplain = {1: 2}\nnested = [Evil()]\nsurrogate = '\\ud800'\nstr = list = type = 5"
    )
    outcome = await run(session, code)
    assert {each.name for each in outcome.observation.variables} >= {"evil", "plain", "nested", "surrogate", "str"}


async def test_an_endless_loop_is_interrupted_and_variables_are_kept(session: Session) -> None:
    await run(session, "kept = 41")
    outcome = await run(session, "while True:\n    pass", timeout_s=0.5)
    assert outcome.observation.status == "timeout"
    assert outcome.observation.error is not None
    assert outcome.observation.error.line in {1, 2}
    assert (await run(session, "kept + 1")).observation.output == "42\n"


async def test_a_cell_that_ignores_interrupts_is_killed_and_files_are_intact(session: Session) -> None:
    session.workspace.write("numbers.py", "ANSWER = 42\n")
    # The inner loop runs in a function of its own: its jumps would lie outside the `try` on Python 3.13.
    spin = "def spin():\n    while True:\n        pass\n"
    code = f"{spin}while True:\n    try:\n        spin()\n    except BaseException:\n        pass"
    outcome = await run(session, code, timeout_s=0.5)
    assert outcome.observation.status == "killed"
    assert outcome.observation.error is not None
    assert "did not stop within 0.5 s" in outcome.observation.error.message


async def test_a_dead_kernel_is_noticed_and_the_next_one_has_the_files(session: Session) -> None:
    session.workspace.write("mine.py", "ANSWER = 42\n")
    outcome = await run(session, "import random\n[random][0]._os._exit(7)", timeout_s=60)
    assert outcome.observation.status == "killed"
    assert outcome.observation.error is not None
    assert "exit code 7" in outcome.observation.error.message
    assert (await run(session, "from mine import ANSWER\nANSWER")).observation.output == "42\n"


async def test_long_output_keeps_head_tail_and_true_length(session: Session) -> None:
    outcome = await run(session, "print('first')\nfor _ in range(200):\n    print('x' * 100_000)\nprint('last')")
    observation = outcome.observation
    assert observation.output.startswith("first\n")
    assert observation.output.endswith("last\n")
    assert observation.output_chars == 6 + 200 * 100_001 + 5
    assert len(observation.output) < 7000


async def test_no_byte_that_is_printed_can_poison_the_log(session: Session) -> None:
    outcome = await run(session, "print('a\\x00b\\ud800c')\nraise ValueError('\\x00\\udfff')")
    text = outcome.observation.model_dump_json()
    assert "\\u0000" not in text
    assert outcome.observation.error is not None
    assert outcome.observation.error.message.encode()


async def test_refused_code_lists_every_violation_and_does_not_run(session: Session) -> None:
    outcome = await run(session, "touched = 1\nimport os\nopen('x')\n().__class__")
    assert outcome.observation.status == "refused"
    assert outcome.observation.error is not None
    assert [line.split(",")[0] for line in outcome.observation.error.message.splitlines()[1:]] == [
        "- line 2",
        "- line 3",
        "- line 4",
    ]
    assert (await run(session, "touched")).observation.status == "error"


async def test_a_workspace_module_is_read_anew_after_each_write(session: Session) -> None:
    for value in (1, 2):
        session.workspace.write("script.py", f"assembly = {value}\n")
        outcome = await run(session, "from script import assembly\nassembly")
        assert outcome.observation.output == f"{value}\n"


async def test_a_workspace_module_is_checked_too(session: Session) -> None:
    session.workspace.write("script.py", "import socket\n")
    outcome = await run(session, "import script")
    assert outcome.observation.status == "refused"


async def test_random_numbers_repeat_with_the_seed_of_the_cell(session: Session) -> None:
    code = "import random, numpy\n(random.random(), float(numpy.random.rand()))"
    assert (await run(session, code)).observation.output == (await run(session, code)).observation.output


async def test_words_of_a_late_thread_do_not_reach_the_next_cell(session: Session) -> None:
    code = (
        "import random\nimport time\nthreading = [random][0]._os.sys.modules['threading']\n"
        "def late():\n    time.sleep(0.2)\n    print('LATE')\nthreading.Thread(target=late).start()"
    )
    assert (await run(session, code)).observation.status == "ok"
    await asyncio.sleep(0.5)
    assert (await run(session, "1")).observation.output == "1\n"
