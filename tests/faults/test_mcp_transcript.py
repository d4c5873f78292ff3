"""The way from a fault to a STEP file by the official client, over both transports, and on after kernel and server
were killed."""

import asyncio
import base64
import subprocess
import sys
from pathlib import Path

import pytest
from mcp.types import BlobResourceContents, ImageContent

from tests.support.mcp_client.command import Calls, Command, text_of, until
from tests.support.processes import descendants, gone_within, kill, wait_for
from tests.support.readme import first_benchmark, python_block

RAMP = python_block("assembly = ")
THIN = RAMP.replace("Box(6, 120, 60)", "Box(0.3, 120, 60)")
"""With a stop that is too thin to be printed."""


@pytest.fixture
def command(tmp_path: Path) -> Command:
    return Command(tmp_path, first_benchmark(tmp_path))


async def design(calls: Calls) -> str:
    """Open a session, fail a check, fix it, simulate, see the picture, export; return the session's id."""
    opened = await calls.data("open_session", benchmark="my-drop")
    session = str(opened["session"])
    assert "goal" in str(opened["task_md"])
    await calls.data("write_file", session=session, path="script.py", text=THIN)
    priced = await calls.data("validate_and_price", session=session)
    assert priced["is_makeable"] is False
    assert [finding["rule"] for finding in priced["findings"]] == ["print_thin_wall"]
    await calls.data("edit_file", session=session, path="script.py", old_text="Box(0.3,", new_text="Box(6,")
    priced = await calls.data("validate_and_price", session=session)
    assert priced["is_makeable"] is True
    await calls.data("run_cell", session=session, code="answer = 41 + 1")
    await simulated_step(calls, session)
    return session


async def simulated_step(calls: Calls, session: str) -> bytes:
    """Simulate with a film, look at its pictures, export the STEP file and return it."""
    result = await calls.call("simulate", session=session, replicas=4, film=True)
    pictures = [each for each in result.content if isinstance(each, ImageContent)]
    assert len(pictures) == 2
    assert all(500 < len(base64.b64decode(each.data)) < 150_000 for each in pictures)
    answer = result.structured_content
    assert answer is not None
    assert (answer["verdict"], answer["success_rate"]) == ("solved", 1.0)
    assert min(part["safety_factor"] for part in answer["strength"]) > 1
    exported = await calls.data("export", session=session, formats=["step"])
    [uri] = [file["uri"] for file in exported["files"] if file["path"] == "assembly.step"]
    [content] = (await calls.client.read_resource(uri)).contents
    assert isinstance(content, BlobResourceContents)
    step = base64.b64decode(content.blob)
    assert step.startswith(b"ISO-10303-21;")
    return step


async def assert_recovered(calls: Calls, session: str) -> None:
    """Variables are as before; a cell that runs while the host learns of the loss is reported as killed."""
    assert (await calls.data("run_cell", session=session, code="pass"))["was_recovered"]
    assert "42 machine" in text_of(await calls.call("run_cell", session=session, code="print(answer, assembly.label)"))


def kill_kernel(server: int) -> None:
    """Kill the process of the only kernel: the youngest child of the zygote."""
    kernel = max(each.pid for each in descendants(server))
    kill(kernel)
    wait_for(lambda: gone_within([kernel], 0), 10, "the end of the kernel")


async def test_transcript_over_stdio_goes_on_after_kernel_and_server_were_killed(command: Command) -> None:
    session, family = "", list[int]()
    with pytest.raises(BaseException):  # noqa: B017, PT011, PT012 - the client of a killed server may raise anything
        async with command.stdio() as calls:
            session = await design(calls)
            server = command.stdio_server()
            kill_kernel(server)
            await assert_recovered(calls, session)
            family = [server, *(each.pid for each in descendants(server))]
            kill(server)
            assert gone_within(family, 20)
            await calls.data("list_sessions")
    async with command.stdio() as calls:
        await assert_recovered(calls, session)
        await simulated_step(calls, session)
        server = command.stdio_server()
        family = [server, *(each.pid for each in descendants(server))]
    assert gone_within(family, 30)
    assert command.leftovers() == []


async def test_transcript_over_http_goes_on_after_kernel_and_server_were_killed(command: Command) -> None:
    token = command.token("laptop")
    with command.http() as server:
        async with server.client(token) as calls:
            session = await design(calls)
            kill_kernel(server.process.pid)
            await assert_recovered(calls, session)
        family = [each.pid for each in descendants(server.process.pid)]
        server.kill()
        assert gone_within(family, 20)
    with command.http() as server:
        async with server.client(token) as calls:
            await assert_recovered(calls, session)
            await simulated_step(calls, session)
    assert command.leftovers() == []


VANISHING = """
import asyncio, sys
from mcp import Client, StdioServerParameters
async def main():
    async with Client(StdioServerParameters(command=sys.argv[1], args=sys.argv[2:])) as client:
        opened = await client.call_tool("open_session", {"benchmark": "my-drop"})
        endless = {"session": opened.structured_content["session"], "code": "while True: pass"}
        task = asyncio.create_task(client.call_tool("run_cell", endless))
        await asyncio.sleep(0.5)
        print("runs", flush=True)
        await task
asyncio.run(main())
"""


def test_client_that_vanishes_during_a_cell_leaves_no_process_and_no_file(command: Command) -> None:
    line = [sys.executable, "-c", VANISHING, *command.line()]
    client = subprocess.Popen(line, env=command.environment, stdout=subprocess.PIPE)
    assert client.stdout is not None
    assert client.stdout.readline() == b"runs\n"
    server = command.stdio_server()
    family = [server, *(each.pid for each in descendants(server))]
    kill(client.pid)
    client.communicate()
    assert gone_within(family, 60)
    assert command.leftovers() == []


async def test_http_client_that_vanishes_during_a_cell_ends_it_and_idle_kernels_end(command: Command) -> None:
    token = command.token("laptop")
    with command.http("--idle-s", "1") as server:
        async with server.client(token) as calls:
            await calls.data("describe_benchmark", benchmark="my-drop")  # which needs the sandbox, but no kernel
            before = descendants(server.process.pid)
            session = str((await calls.data("open_session", benchmark="my-drop"))["session"])
            cell = asyncio.create_task(calls.data("run_cell", session=session, code="while True: pass"))
            await until(lambda: "runs the cell" in "".join(calls.stages))
            cell.cancel()
            await asyncio.gather(cell, return_exceptions=True)
            await until(lambda: descendants(server.process.pid) == before)
        async with server.client(token) as calls:
            assert (await calls.data("run_cell", session=session, code="print(1)"))["output"] == "1\n"
    assert command.leftovers() == []
