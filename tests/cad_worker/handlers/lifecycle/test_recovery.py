"""Sessions survive their worker and kernel: files come from the log, variables from replayed cells."""

import pytest
from artifacts.testing import FakeArtifacts
from contracts.cell_limits import MAX_SESSION_PICTURES, MAX_TOOL_CALLS
from contracts.events.session import SessionRequested
from documents.observation import observation_markdown
from kernel_host.session_manager.manager import SessionManager
from kernel_host.sessions.tool_replies import load_replies

from tests.cad_worker.handlers.logged_client import (
    BUILDS,
    DIES,
    QUOTES,
    SIMULATES,
    LoggedClient,
    ToolCounts,
    Workers,
    file_digests,
    recovery_of,
    take_over,
)
from tests.cad_worker.handlers.worker_leases import WorkerLeases

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_takeover_restores_variables_without_calling_tools(
    logged: LoggedClient,
    open_request: SessionRequested,
    next_manager: SessionManager,
    leases: WorkerLeases,
    tool_counts: ToolCounts,
) -> None:
    seen = [await logged.run_cell(code) for code in (*BUILDS, QUOTES, SIMULATES, "numbers = [price, luck]")]
    assert [each.status for each in seen] == [*["ok"] * 5, "error", *["ok"] * 4], [each.error for each in seen]
    calls_before = (tool_counts.quotes, tool_counts.simulations)
    assert calls_before == (1, 1)
    await take_over(next_manager, open_request, leases)
    after = await logged.run_cell("print(luck, price, message, made, half == luck, noise.sum(), len(volumes))")
    recovery = recovery_of(after)
    assert recovery.replayed_cells == 10
    assert (recovery.lost, recovery.different, recovery.remarks) == ((), (), ())
    names = {variable.name for each in seen for variable in each.variables}
    assert set(recovery.restored) == names >= {"base", "luck", "noise", "volumes", "half", "price", "message", "made"}
    assert (tool_counts.quotes, tool_counts.simulations) == calls_before
    assert after.status == "ok"
    assert (await logged.run_cell("1")).recovery is None


async def test_tool_replies_are_stored_with_the_cell(
    logged: LoggedClient, open_request: SessionRequested, artifacts: FakeArtifacts, tool_counts: ToolCounts
) -> None:
    for code in BUILDS[:4]:
        assert (await logged.complete_cell(code)).tool_replies is None
    completed = await logged.complete_cell(f"{QUOTES}\nvalidate_and_price(base)")
    replies = (await load_replies(artifacts, completed.tool_replies)).replies
    assert [(each.ordinal, each.tool) for each in replies] == [(0, "quote"), (1, "quote")]
    assert replies[0].arguments == replies[1].arguments
    assert tool_counts.quotes == 2


async def test_takeover_restores_files(
    logged: LoggedClient,
    open_request: SessionRequested,
    manager: SessionManager,
    next_manager: SessionManager,
    leases: WorkerLeases,
) -> None:
    await logged.write_file("sizes.py", "WIDTH = 1\n")
    await logged.run_cell("from sizes import WIDTH\nfirst = WIDTH")
    await logged.write_file("sizes.py", "WIDTH = 12\n")
    await logged.write_file("lid.py", "LID = 3\n")
    await logged.run_cell("from sizes import WIDTH\nfrom lid import LID")
    before = file_digests(manager)
    await take_over(next_manager, open_request, leases)
    assert file_digests(next_manager) == before
    after = await logged.run_cell("print(first, WIDTH, LID)")
    assert after.output == "1 12 3\n"
    assert recovery_of(after).files == ("lid.py", "sizes.py")


async def test_killed_kernel_is_replayed_with_files_and_variables(
    logged: LoggedClient, open_request: SessionRequested, manager: SessionManager, tool_counts: ToolCounts
) -> None:
    await logged.write_file("sizes.py", "WIDTH = 12\n")
    for code in (*BUILDS, QUOTES):
        await logged.run_cell(code)
    before = file_digests(manager)
    killed = await logged.run_cell(f"made = 0\n{DIES}")
    assert killed.status == "killed"
    recovery = recovery_of(killed)
    assert recovery.replayed_cells == 8
    assert (recovery.lost, recovery.different) == ((), ())
    assert {"base", "luck", "made"} <= set(recovery.restored)
    assert file_digests(manager) == before
    assert tool_counts.quotes == 1
    assert (await logged.run_cell("print(made, WIDTH if 'WIDTH' in dir() else '-')")).output == "42 -\n"


async def test_output_of_a_killed_cell_is_stored_in_full(
    logged: LoggedClient, open_request: SessionRequested, artifacts: FakeArtifacts
) -> None:
    seen = await logged.run_cell(f"for n in range(5000):\n    print(n)\n{DIES}")
    assert (seen.status, seen.output_chars) == ("killed", 23_890)
    assert seen.full_output is not None
    assert (await artifacts.get(seen.full_output)).decode() == "".join(f"{n}\n" for n in range(5000))
    assert (
        f"23890 characters in total; the full text is artifact `{seen.full_output.sha256[:12]}`"
        in observation_markdown(seen)
    )


async def test_takeover_after_a_killed_kernel_skips_the_killing_cell(
    logged: LoggedClient, open_request: SessionRequested, next_manager: SessionManager, leases: WorkerLeases
) -> None:
    await logged.run_cell("kept = [1]")
    assert (await logged.run_cell(f"kept.append(2)\n{DIES}")).status == "killed"
    await logged.run_cell("kept.append(3)")
    await take_over(next_manager, open_request, leases)
    after = await logged.run_cell("print(kept)")
    assert after.output == "[1, 3]\n"
    assert recovery_of(after).replayed_cells == 2


async def test_timed_out_cell_is_not_replayed_and_its_variables_are_lost(
    logged: LoggedClient, open_request: SessionRequested, next_manager: SessionManager, leases: WorkerLeases
) -> None:
    await logged.run_cell("kept = 5")
    assert (await logged.run_cell("early = 1\nwhile True:\n    pass", timeout_s=0.5)).status == "timeout"
    await logged.run_cell("later = kept")
    await take_over(next_manager, open_request, leases)
    after = await logged.run_cell("print(kept, later)\nearly")
    assert after.output == "5 5\n"
    recovery = recovery_of(after)
    assert (recovery.replayed_cells, recovery.lost, recovery.restored) == (2, ("early",), ("kept", "later"))
    assert any("cell 2 had run out of time" in remark for remark in recovery.remarks)


async def test_replay_ends_at_a_diverging_tool_call_and_reports_it(
    logged: LoggedClient,
    open_request: SessionRequested,
    next_manager: SessionManager,
    leases: WorkerLeases,
    tool_counts: ToolCounts,
) -> None:
    for code in BUILDS[1:4]:
        await logged.run_cell(f"from build123d import *\n{code}")
    await logged.run_cell("import time\nwide = Box(time.time() % 50 + 1, 5, 5)\nwide.label = 'wide'")
    await logged.run_cell("wide.metadata = base.metadata")
    await logged.run_cell("from utils import validate_and_price\nprice = validate_and_price(wide)")
    await logged.run_cell("last = 1")
    await take_over(next_manager, open_request, leases)
    after = await logged.run_cell("print(base.label)")
    recovery = recovery_of(after)
    assert after.output == "base\n"
    assert recovery.different == ("wide",)
    assert set(recovery.lost) == {"price", "last"}
    assert recovery.replayed_cells == 6
    assert any("tool call" in remark for remark in recovery.remarks)
    assert tool_counts.quotes == 1


async def test_takeover_continues_the_count_of_images(
    logged: LoggedClient,
    open_request: SessionRequested,
    next_manager: SessionManager,
    leases: WorkerLeases,
    tool_counts: ToolCounts,
) -> None:
    shows = "import numpy as np\nfor each in range(3):\n    show(np.full((2, 2), each, np.uint8))"
    first = await logged.run_cell(f"from build123d import *\n{shows}")
    for code in BUILDS[1:4]:
        await logged.run_cell(code)
    before = await logged.run_cell(QUOTES)
    assert first.images_left == MAX_SESSION_PICTURES - 3
    assert before.images_left == MAX_SESSION_PICTURES - 3
    assert before.tool_calls_left == MAX_TOOL_CALLS - 1
    await take_over(next_manager, open_request, leases)
    after = await logged.run_cell(f"{shows}\n{QUOTES}\nvalidate_and_price(base)")
    assert recovery_of(after).replayed_cells == 5
    assert (len(after.images), after.images_left) == (3, MAX_SESSION_PICTURES - 6), "the replay shows no image again"
    assert after.tool_calls_left == MAX_TOOL_CALLS - 2, "replayed calls do not count"
    assert tool_counts.quotes == 3
    killed = await logged.run_cell(DIES)
    assert (killed.status, killed.images_left) == ("killed", MAX_SESSION_PICTURES - 6)


@pytest.mark.usefixtures("open_request")
async def test_files_that_a_lost_kernel_leaves_behind_are_restored_or_named(logged: LoggedClient) -> None:
    await logged.run_cell(
        "import random\nos = [random][0]._os\n"
        "def make(path, size):\n"
        "    descriptor = os.open(path, os.O_CREAT | os.O_WRONLY)\n"
        "    os.write(descriptor, bytes(size))\n"
        "make('kept.bin', 1000)\nmake('large.bin', 9 << 20)\nos.mkdir('data')\n"
        "make('data/kept.bin', 10)\nmake('data/.secret', 10)\nmake('.hidden', 10)"
    )
    killed = await logged.run_cell(DIES)
    (remark, *_) = recovery_of(killed).remarks
    assert "files were lost, write them again if you need them" in remark
    for lost in (".hidden (hidden", "data/.secret (hidden", "large.bin (more than 8 MiB)"):
        assert lost in remark
    assert "kept" not in remark
    listed = await logged.run_cell(
        "import random\nos = [random][0]._os\nprint(sorted(os.listdir() + os.listdir('data')))"
    )
    assert listed.output.count("kept.bin") == 2


async def test_replay_stops_at_its_time_limit(
    logged: LoggedClient, open_request: SessionRequested, leases: WorkerLeases, workers: Workers
) -> None:
    await logged.run_cell("first = 1")
    await logged.run_cell("import time\nsecond = 2\ntime.sleep(5)")
    await logged.run_cell("third = 3")
    worker = workers.new(replay_s=4)
    await take_over(worker, open_request, leases)
    recovery = recovery_of(await logged.run_cell("print(first)"))
    assert "third" in recovery.lost
    assert "first" in recovery.restored
    assert any("no cell ran again" in remark for remark in recovery.remarks)
    await worker.stop()
