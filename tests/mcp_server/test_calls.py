"""Calls of the tools by the official client in this process: what they answer, and what they refuse."""

import asyncio
import base64
from collections.abc import AsyncGenerator, Generator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import pytest_asyncio
from build123d import Box
from build123d.exporters3d import export_step  # pyright: ignore[reportUnknownVariableType] - partly typed
from cad_worker.file_quotes import MAX_FILE_BYTES
from mcp import Client
from mcp_server.benchmark_list import BenchmarkFolders
from mcp_server.hub import CARD, HubLimits, SessionCard, SessionHub
from mcp_server.server import make_server
from millwright.sessions.session_log import SessionLog
from sim_worker.media.film import VideoFormat

from tests.support.mcp_client.command import Calls, text_of, until
from tests.support.readme import first_benchmark, python_block

RAMP = python_block("assembly = ")
SMALL_FILM = VideoFormat(160, 120)


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def hub(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[SessionHub]:
    folder = tmp_path_factory.mktemp("mcp")
    async with SessionHub(folder / "sessions", BenchmarkFolders([first_benchmark(folder)]), None, SMALL_FILM) as opened:
        yield opened


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def calls(hub: SessionHub) -> AsyncGenerator[Calls]:
    """A client in a task of its own: where a fixture begins and ends are two tasks, which its task group forbids."""
    ready: asyncio.Future[Client] = asyncio.get_running_loop().create_future()
    done = asyncio.Event()

    async def connect() -> None:
        async with Client(make_server(hub)) as client:
            ready.set_result(client)
            await done.wait()

    connection = asyncio.create_task(connect())
    yield Calls(await ready)
    done.set()
    await connection


@contextmanager
def limited(hub: SessionHub, **limits: int) -> Generator[None]:
    usual, hub.limits = hub.limits, HubLimits(**limits)
    try:
        yield
    finally:
        hub.limits = usual


async def opened(calls: Calls) -> str:
    return str((await calls.data("open_session", benchmark="my-drop"))["session"])


async def forgotten(calls: Calls) -> None:
    """Delete all sessions."""
    for row in (await calls.data("list_sessions"))["sessions"]:
        await calls.data("close_session", session=row["session"], forget=True)


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def session(calls: Calls) -> str:
    name = await opened(calls)
    await calls.data("write_file", session=name, path="script.py", text=RAMP)
    return name


@pytest.mark.asyncio(loop_scope="module")
async def test_every_tool_has_a_description_and_an_output_schema(calls: Calls) -> None:
    tools = (await calls.client.list_tools()).tools
    assert len(tools) == 18
    assert [tool.name for tool in tools if not tool.description or tool.output_schema is None] == []


@pytest.mark.asyncio(loop_scope="module")
async def test_benchmarks_are_listed_and_described_with_their_worlds(calls: Calls) -> None:
    names = [row["name"] for row in (await calls.data("list_benchmarks"))["benchmarks"]]
    assert {"my-drop", "corridor"} <= set(names)
    task = await calls.data("describe_benchmark", benchmark="my-drop")
    assert "| environment | ground |" in str(task["task_md"])


@pytest.mark.asyncio(loop_scope="module")
async def test_verdict_of_a_script_is_that_of_the_session(calls: Calls, session: str) -> None:
    judged = await calls.data("judge", script=RAMP, benchmark="my-drop", replicas=4)
    submitted = await calls.data("submit", session=session, replicas=4)
    assert submitted["outcome"] == "solved"
    assert judged == submitted


@pytest.mark.asyncio(loop_scope="module")
async def test_design_is_exported_in_every_format(calls: Calls, session: str) -> None:
    formats = ["step", "glb", "stl", "3mf", "mjcf", "bill", "film", "build_package", "script"]
    exported = await calls.data("export", session=session, formats=formats)
    paths = {file["path"]: file["size_bytes"] for file in exported["files"]}
    assert paths.keys() >= {
        *("assembly.step", "parts/ramp.step", "assembly.glb", "printed/ramp.stl", "printed/ramp.3mf", "mjcf.zip"),
        *("bill_of_materials.csv", "simulation.mp4", "build_package.zip", "script/script.py", "verdict.md"),
    }
    assert all(paths.values())
    assert (Path(str(exported["folder"])) / "assembly.step").stat().st_size == paths["assembly.step"]


@pytest.mark.asyncio(loop_scope="module")
async def test_file_is_quoted_as_bytes_and_from_the_session(calls: Calls, session: str, tmp_path: Path) -> None:
    export_step(Box(30, 20, 5), tmp_path / "plate.step")
    step = base64.b64encode((tmp_path / "plate.step").read_bytes()).decode()
    quote = await calls.data("quote_file", name="plate.step", data_base64=step, methods=["cnc"])
    assert (quote["verdict"], quote["format"]) == ("makeable", "step")
    code = "from build123d import Box, export_step\nexport_step(Box(30, 20, 5), 'plate.step')"
    await calls.data("run_cell", session=session, code=code)
    assert (await calls.data("quote_file", name="plate.step", session=session))["verdict"] == "makeable"


@pytest.mark.asyncio(loop_scope="module")
async def test_catalog_finds_a_bearing_and_the_kernel_creates_it(calls: Calls, session: str) -> None:
    found = await calls.data("search_catalog", words="608 ball bearing")
    part = found["found"][0]["id"]
    code = f"from utils import catalog_part\nprint(catalog_part('{part}').volume > 100)"
    assert (await calls.data("run_cell", session=session, code=code))["output"] == "True\n"


@pytest.mark.parametrize(
    ("tool", "arguments", "words"),
    [
        ("nope", {}, "Unknown tool: nope"),
        ("run_cell", {"session": "../x", "code": "1"}, "you have no session '../x'"),
        ("run_cell", {"session": "0" * 32, "code": "1"}, "list_sessions lists yours"),
        ("run_cell", {"session": "0" * 32, "code": "#" * 200_001}, "at most 200000 characters"),
        ("run_cell", {"session": "0" * 32, "code": "1", "timeout_s": 1e9}, "less than or equal to 120"),
        ("open_session", {"benchmark": "my-dorp"}, "try my-drop"),
        ("open_session", {"benchmark": "my-drop", "seed": -1}, "greater than or equal to 0"),
        ("describe_benchmark", {"name": "my-drop"}, "benchmark: Field required. It takes benchmark (required), seed"),
        ("describe_benchmark", {"benchmark": "/etc"}, "there is no benchmark '/etc'"),
        ("judge", {"script": " ", "benchmark": "my-drop"}, "is empty"),
        ("judge", {"script": "x = 1\n", "benchmark": "my-drop", "replicas": 1}, "greater than or equal to 2"),
        ("quote_file", {"name": "a.step", "data_base64": "!"}, "is not base64"),
        ("quote_file", {"name": "/dev/zero"}, "there is no such file"),
        ("quote_file", {"name": "/"}, "a folder"),
        ("quote_file", {"name": "a.step", "data_base64": "eA==", "materials": ["unobtainium"]}, "is not a material"),
        ("search_catalog", {"words": ""}, "at least 1 character"),
    ],
)
@pytest.mark.asyncio(loop_scope="module")
async def test_wrong_call_is_refused_with_its_fault(
    calls: Calls, tool: str, arguments: dict[str, object], words: str
) -> None:
    assert words in await calls.error(tool, **arguments)


@pytest.mark.parametrize(
    ("tool", "arguments", "words"),
    [
        ("write_file", {"path": "../x.py", "text": ""}, "is not a path inside the workspace"),
        ("write_file", {"path": "utils/x.py", "text": ""}, "read_only"),
        ("view_file", {"path": "no.py"}, "does not exist"),
        ("edit_file", {"path": "script.py", "old_text": "nowhere", "new_text": ""}, "is not in script.py"),
        ("render", {"design": "ramp +"}, "is not a Python expression"),
        ("render", {"design": "no_such_part"}, "NameError"),
        ("simulate", {"design": "1 / 0"}, "ZeroDivisionError"),
        ("validate_and_price", {"design": "3"}, "price"),
        ("quote_file", {"name": "no.step"}, "cannot be read"),
        ("export", {"formats": []}, "at least 1 item"),
    ],
)
@pytest.mark.asyncio(loop_scope="module")
async def test_wrong_call_in_a_session_is_refused_with_its_fault(
    calls: Calls, session: str, tool: str, arguments: dict[str, object], words: str
) -> None:
    assert words in await calls.error(tool, session=session, **arguments)


@pytest.mark.asyncio(loop_scope="module")
async def test_huge_file_is_refused_before_it_is_read(calls: Calls) -> None:
    huge = "A" * (4 * MAX_FILE_BYTES // 3 + 8)
    assert "at most" in await calls.error("quote_file", name="a.step", data_base64=huge)


@pytest.mark.asyncio(loop_scope="module")
async def test_script_that_fails_exports_nothing_and_says_why(calls: Calls) -> None:
    name = await opened(calls)
    await calls.data("write_file", session=name, path="script.py", text="assembly = 1 / 0\n")
    assert "only a design without errors has shapes" in await calls.error("export", session=name, formats=["step"])
    assert (await calls.data("submit", session=name))["outcome"] == "script_failed"
    await calls.data("close_session", session=name, forget=True)
    assert "you have no session" in await calls.error("list_files", session=name)


@pytest.mark.asyncio(loop_scope="module")
async def test_endless_cell_is_interrupted_and_keeps_its_variables(calls: Calls, session: str) -> None:
    code = "kept = 7\nwhile True: pass"
    cell = await calls.data("run_cell", session=session, code=code, timeout_s=1)
    assert (cell["status"], "CellTimeout" in str(cell["error"])) == ("timeout", True)
    assert (await calls.data("run_cell", session=session, code="print(kept)"))["output"] == "7\n"


@pytest.mark.asyncio(loop_scope="module")
async def test_cancelled_cell_leaves_no_trace_and_its_kernel_is_rebuilt(calls: Calls, session: str) -> None:
    await calls.data("run_cell", session=session, code="before = 1")
    calls.stages.clear()
    cell = asyncio.create_task(calls.data("run_cell", session=session, code="after = 1\nwhile True: pass"))
    await until(lambda: bool(calls.stages))
    cell.cancel()
    await asyncio.gather(cell, return_exceptions=True)
    answer = await calls.call("run_cell", session=session, code="print(before, 'after' in globals())")
    assert "1 False" in text_of(answer)


@pytest.mark.asyncio(loop_scope="module")
async def test_calls_of_one_session_wait_for_each_other_up_to_a_limit(hub: SessionHub, calls: Calls) -> None:
    name = await opened(calls)
    await calls.data("run_cell", session=name, code="order = []")
    with limited(hub, waiting_calls=2):
        cells = [calls.client.call_tool("run_cell", {"session": name, "code": f"order += [{n}]"}) for n in range(5)]
        answers = await asyncio.gather(*cells)
    refused = [text_of(each) for each in answers if each.is_error]
    assert len(refused) == 2
    assert "one runs at a time" in refused[0]
    assert len(str((await calls.data("run_cell", session=name, code="print(*order)"))["output"]).split()) == 3


@pytest.mark.asyncio(loop_scope="module")
async def test_client_beyond_its_limits_loses_idle_kernels_but_no_session(hub: SessionHub, calls: Calls) -> None:
    await forgotten(calls)
    with limited(hub, open_per_client=1, kept_per_client=2):
        first, second = await opened(calls), await opened(calls)
        assert (hub.is_open(first), hub.is_open(second)) == (False, True)
        await calls.data("run_cell", session=first, code="x = 1")
        assert (hub.is_open(first), hub.is_open(second)) == (True, False)
        assert "delete one: close_session with forget" in await calls.error("open_session", benchmark="my-drop")
        await calls.data("close_session", session=second, forget=True)
        await opened(calls)


@pytest.mark.asyncio(loop_scope="module")
async def test_idle_kernel_ends_and_the_next_call_opens_it_again(hub: SessionHub, calls: Calls) -> None:
    name = await opened(calls)
    await calls.data("run_cell", session=name, code="x = 5")
    with limited(hub, idle_s=0):
        await until(lambda: not hub.is_open(name))
    cell = await calls.data("run_cell", session=name, code="print(x)")
    assert (cell["output"], cell["was_recovered"]) == ("5\n", True)


@pytest.mark.asyncio(loop_scope="module")
async def test_session_in_use_by_another_server_is_refused_until_that_closes_it(hub: SessionHub, calls: Calls) -> None:
    name = await opened(calls)
    await calls.data("close_session", session=name)
    other = SessionLog(hub.exports("local", name).parent)
    assert "open in another server" in await calls.error("run_cell", session=name, code="1")
    other.close()
    assert (await calls.data("run_cell", session=name, code="print(1)"))["output"] == "1\n"


def test_sessions_that_were_not_used_for_long_are_deleted(tmp_path: Path) -> None:
    then = datetime.now(UTC) - timedelta(days=30)
    for name, used_at in (("a" * 32, then), ("b" * 32, datetime.now(UTC))):
        card = SessionCard(client="local", benchmark="my-drop", seed=0, opened_at=then, used_at=used_at)
        (tmp_path / name).mkdir()
        (tmp_path / name / CARD).write_text(card.model_dump_json(), encoding="utf-8")
    SessionHub(tmp_path, BenchmarkFolders()).delete_old()
    assert [path.name for path in tmp_path.iterdir()] == ["b" * 32]
