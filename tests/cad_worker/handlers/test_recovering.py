"""A session whose worker or kernel died goes on: files from the log, variables by running its cells again."""

import pytest
from artifacts.testing import FakeArtifacts
from cad_worker.sessions.images import MAX_PER_SESSION
from cad_worker.sessions.manager import SessionManager
from cad_worker.sessions.session import MAX_TOOL_CALLS
from cad_worker.sessions.tool_replies import load_replies
from contracts.events.session import SessionRequested
from documents.observation import observation_markdown

from tests.cad_worker.handlers.leasing import FirstAndNext
from tests.cad_worker.handlers.talking import (
    BUILDS,
    DIES,
    QUOTES,
    SIMULATES,
    Asked,
    Tables,
    Talk,
    digests,
    takes_over,
    told,
)

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_k14_the_next_worker_has_equal_variables_and_asks_no_tool_again(
    talk: Talk, asked: SessionRequested, next_worker: SessionManager, leases: FirstAndNext, asked_tools: Asked
) -> None:
    seen = [await talk.runs(code) for code in (*BUILDS, QUOTES, SIMULATES, "numbers = [price, luck]")]
    assert [each.status for each in seen] == [*["ok"] * 5, "error", *["ok"] * 4], [each.error for each in seen]
    asked_before = (asked_tools.quotes, asked_tools.simulations)
    assert asked_before == (1, 1)
    await takes_over(next_worker, asked, leases)
    after = await talk.runs("print(luck, price, told, made, half == luck, noise.sum(), len(volumes))")
    recovery = told(after)
    assert recovery.replayed_cells == 10
    assert (recovery.lost, recovery.different, recovery.remarks) == ((), (), ())
    names = {variable.name for each in seen for variable in each.variables}
    assert set(recovery.restored) == names >= {"base", "luck", "noise", "volumes", "half", "price", "told", "made"}
    assert (asked_tools.quotes, asked_tools.simulations) == asked_before
    assert after.status == "ok"
    assert (await talk.runs("1")).recovery is None


async def test_what_a_tool_replied_is_kept_with_the_cell(
    talk: Talk, asked: SessionRequested, artifacts: FakeArtifacts, asked_tools: Asked
) -> None:
    for code in BUILDS[:4]:
        assert (await talk.completes(code)).tool_replies is None
    completed = await talk.completes(f"{QUOTES}\nvalidate_and_price(base)")
    replies = (await load_replies(artifacts, completed.tool_replies)).replies
    assert [(each.ordinal, each.tool) for each in replies] == [(0, "quote"), (1, "quote")]
    assert replies[0].arguments == replies[1].arguments
    assert asked_tools.quotes == 2


async def test_files_are_what_they_were_whoever_wrote_them(
    talk: Talk, asked: SessionRequested, sessions: SessionManager, next_worker: SessionManager, leases: FirstAndNext
) -> None:
    await talk.writes("sizes.py", "WIDTH = 1\n")
    await talk.runs("from sizes import WIDTH\nfirst = WIDTH")
    await talk.writes("sizes.py", "WIDTH = 12\n")
    await talk.writes("lid.py", "LID = 3\n")
    await talk.runs("from sizes import WIDTH\nfrom lid import LID")
    before = digests(sessions)
    await takes_over(next_worker, asked, leases)
    assert digests(next_worker) == before
    after = await talk.runs("print(first, WIDTH, LID)")
    assert after.output == "1 12 3\n"
    assert told(after).files == ("lid.py", "sizes.py")


async def test_a_cell_that_takes_its_kernel_with_it_takes_nothing_else(
    talk: Talk, asked: SessionRequested, sessions: SessionManager, asked_tools: Asked
) -> None:
    await talk.writes("sizes.py", "WIDTH = 12\n")
    for code in (*BUILDS, QUOTES):
        await talk.runs(code)
    before = digests(sessions)
    killed = await talk.runs(f"made = 0\n{DIES}")
    assert killed.status == "killed"
    recovery = told(killed)
    assert recovery.replayed_cells == 8
    assert (recovery.lost, recovery.different) == ((), ())
    assert {"base", "luck", "made"} <= set(recovery.restored)
    assert digests(sessions) == before
    assert asked_tools.quotes == 1
    assert (await talk.runs("print(made, WIDTH if 'WIDTH' in dir() else '-')")).output == "42 -\n"


async def test_what_a_killed_cell_had_printed_is_there_in_full(
    talk: Talk, asked: SessionRequested, artifacts: FakeArtifacts
) -> None:
    seen = await talk.runs(f"for n in range(5000):\n    print(n)\n{DIES}")
    assert (seen.status, seen.output_chars) == ("killed", 23_890)
    assert seen.full_output is not None
    assert (await artifacts.get(seen.full_output)).decode() == "".join(f"{n}\n" for n in range(5000))
    assert "23890 characters in all; the full text is kept with the run" in observation_markdown(seen)


async def test_a_worker_dies_after_a_kernel_has_and_the_session_is_what_it_was(
    talk: Talk, asked: SessionRequested, next_worker: SessionManager, leases: FirstAndNext
) -> None:
    await talk.runs("kept = [1]")
    assert (await talk.runs(f"kept.append(2)\n{DIES}")).status == "killed"
    await talk.runs("kept.append(3)")
    await takes_over(next_worker, asked, leases)
    after = await talk.runs("print(kept)")
    assert after.output == "[1, 3]\n"
    assert told(after).replayed_cells == 2


async def test_a_cell_that_ran_out_of_time_is_not_run_again_and_its_variables_are_said_to_be_lost(
    talk: Talk, asked: SessionRequested, next_worker: SessionManager, leases: FirstAndNext
) -> None:
    await talk.runs("kept = 5")
    assert (await talk.runs("early = 1\nwhile True:\n    pass", timeout_s=0.5)).status == "timeout"
    await talk.runs("later = kept")
    await takes_over(next_worker, asked, leases)
    after = await talk.runs("print(kept, later)\nearly")
    assert after.output == "5 5\n"
    recovery = told(after)
    assert (recovery.replayed_cells, recovery.lost, recovery.restored) == (2, ("early",), ("kept", "later"))
    assert any("cell 2 had run out of time" in remark for remark in recovery.remarks)


async def test_a_cell_that_asks_otherwise_than_then_ends_the_replay_and_that_is_told(
    talk: Talk, asked: SessionRequested, next_worker: SessionManager, leases: FirstAndNext, asked_tools: Asked
) -> None:
    for code in BUILDS[1:4]:
        await talk.runs(f"from build123d import *\n{code}")
    await talk.runs("import time\nwide = Box(time.time() % 50 + 1, 5, 5)\nwide.label = 'wide'")
    await talk.runs("wide.metadata = base.metadata")
    await talk.runs("from utils import validate_and_price\nprice = validate_and_price(wide)")
    await talk.runs("last = 1")
    await takes_over(next_worker, asked, leases)
    after = await talk.runs("print(base.label)")
    recovery = told(after)
    assert after.output == "base\n"
    assert recovery.different == ("wide",)
    assert set(recovery.lost) == {"price", "last"}
    assert recovery.replayed_cells == 6
    assert any("where it had asked" in remark for remark in recovery.remarks)
    assert asked_tools.quotes == 1


async def test_the_next_worker_counts_on_what_is_left_of_pictures_and_tool_calls(
    talk: Talk, asked: SessionRequested, next_worker: SessionManager, leases: FirstAndNext, asked_tools: Asked
) -> None:
    shows = "import numpy as np\nfor each in range(3):\n    show(np.full((2, 2), each, np.uint8))"
    first = await talk.runs(f"from build123d import *\n{shows}")
    for code in BUILDS[1:4]:
        await talk.runs(code)
    before = await talk.runs(QUOTES)
    assert first.images_left == MAX_PER_SESSION - 3
    assert before.images_left == MAX_PER_SESSION - 3
    assert before.tool_calls_left == MAX_TOOL_CALLS - 1
    await takes_over(next_worker, asked, leases)
    after = await talk.runs(f"{shows}\n{QUOTES}\nvalidate_and_price(base)")
    assert told(after).replayed_cells == 5
    assert (len(after.images), after.images_left) == (3, MAX_PER_SESSION - 6), "the replay showed nothing anew"
    assert after.tool_calls_left == MAX_TOOL_CALLS - 2, "a cell's calls are its own, replayed ones are nobody's"
    assert asked_tools.quotes == 3
    killed = await talk.runs(DIES)
    assert (killed.status, killed.images_left) == ("killed", MAX_PER_SESSION - 6)


async def test_the_time_for_running_cells_again_is_bounded(
    talk: Talk, asked: SessionRequested, leases: FirstAndNext, tables: Tables
) -> None:
    await talk.runs("import time\nfirst = 1\ntime.sleep(0.4)")
    await talk.runs("second = 2\ntime.sleep(0.4)")
    await talk.runs("third = 3")
    worker = tables.next(replay_s=0.6)
    await takes_over(worker, asked, leases)
    recovery = told(await talk.runs("print(first)"))
    assert "third" in recovery.lost
    assert "first" in recovery.restored
    assert any("no cell ran again" in remark for remark in recovery.remarks)
    await worker.stop()
