"""The doors through which a file of parts comes into the product, each with the answer that its user gets."""

import asyncio
import base64
import gzip
import re
import shutil
import sys
import zlib
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
from benchmarks.archive import files_of, pack
from benchmarks.loader import SUITE
from mcp import Client as McpClient
from mcp_server.benchmark_list import BenchmarkFolders
from mcp_server.hub import SessionHub
from mcp_server.server import make_server

from perf.web.__main__ import gateway
from tests.support.clusters.cluster import in_process, start_cluster
from tests.support.mcp_client.command import text_of

BENCHMARK = "gravity-chute"
COMMANDS = ("millwright quote", "millwright try", "millwright check")
SERVED = ("POST /quotes", "page of quotes", "POST /benchmark-archives", "MCP quote_file", "MCP run_cell", "MCP judge")
DOORS = (*COMMANDS, *SERVED)
LOOK_S = 0.5
HIDDEN = re.compile(r'<input type="hidden" name="([^"]+)" value="([^"]*)">')
GZIP = b"\x1f\x8b"
READS = """
import base64, zlib
import numpy as np
from build123d import Compound, import_step

np.frombuffer(zlib.decompress(base64.b85decode({packed!r})), np.uint8).tofile({name!r})
"""
ENVIRONMENT = """

def build(variant):
    return Compound(children=[import_step({name!r})])
"""
DESIGN = "assembly = Compound(children=[import_step({name!r})])\n"

Door = Callable[[str, bytes], Awaitable[str]]
"""Takes the name of a file and its bytes; returns what its user is answered. Raises `WrongAnswerError`."""


class WrongAnswerError(Exception):
    """A door answered as it must not: with a traceback, or as if the product had failed."""


@asynccontextmanager
async def opened_doors(folder: Path) -> AsyncGenerator[Mapping[str, Door]]:
    """Yield all doors by name, on servers and services that run until the block ends."""
    commands = _Commands(folder)
    async with (
        start_cluster(folder / "servers") as cluster,
        in_process(cluster.endpoints),
        gateway(cluster, folder) as url,
        httpx.AsyncClient(base_url=url, trust_env=False, timeout=120.0) as http,
        SessionHub(folder / "sessions", BenchmarkFolders([])) as hub,
        McpClient(make_server(hub)) as mcp,
    ):
        api, tools = _Api(http), _Tools(mcp)
        yield dict(
            zip(
                DOORS,
                (
                    *(commands.quote, commands.try_design, commands.check),
                    *(api.quote, api.quote_on_page, api.run_archive),
                    *(tools.quote_file, tools.run_cell, tools.judge),
                ),
                strict=True,
            )
        )


def reading(code: str, name: str, data: bytes) -> str:
    """Return a script that reads the file, which it contains."""
    unpacked = gzip.decompress(data) if data.startswith(GZIP) else data
    packed = base64.b85encode(zlib.compress(unpacked, 9)).decode()
    return (READS + code).format(name=f"{name.partition('.')[0]}.step", packed=packed)


class _Commands:
    """Commands, each a process of its own."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    async def quote(self, name: str, data: bytes) -> str:
        (self._folder / name).write_bytes(data)
        return await self._run("quote", str(self._folder / name))

    async def try_design(self, name: str, data: bytes) -> str:
        file = self._folder / f"{name}.py"
        file.write_text(reading(DESIGN, name, data))
        return await self._run("try", BENCHMARK, str(file), "--json")

    async def check(self, name: str, data: bytes) -> str:
        place = self._folder / name.replace(".", "-")
        shutil.copytree(SUITE / BENCHMARK, place)
        (place / "environment.py").write_text(reading(ENVIRONMENT, name, data))
        return await self._run("check", str(place), "--seeds", "0")

    async def _run(self, *command: str) -> str:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "cli", *command),
            cwd=self._folder,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
        )
        printed, _ = await process.communicate()
        text = printed.decode()
        if process.returncode not in {0, 1, 2} or "Traceback" in text:
            raise WrongAnswerError(f"exit code {process.returncode}: {text[-2000:]}")
        lines = [line for line in text.splitlines() if line.startswith("✗") or '"headline"' in line] or [text.strip()]
        return f"exit code {process.returncode}: {lines[0]}"


class _Api:
    """A gateway, with all services behind it."""

    def __init__(self, http: httpx.AsyncClient) -> None:
        self._http = http

    async def quote(self, name: str, data: bytes) -> str:
        sent = await self._http.post("/quotes", files={"file": (name, data)})
        return await self._quoted(sent, sent.headers.get("location", ""))

    async def quote_on_page(self, name: str, data: bytes) -> str:
        form = await self._http.get("/pages/quote")
        keys = dict(HIDDEN.findall(form.raise_for_status().text))
        sent = await self._http.post("/pages/quote", files={"file": (name, data)}, data=keys)
        return await self._quoted(sent, sent.headers.get("location", "").removeprefix("/pages"))

    async def run_archive(self, name: str, data: bytes) -> str:
        script = reading(ENVIRONMENT, name, data).encode()
        packed = pack("mine", files_of(SUITE / BENCHMARK) | {"environment.py": script}, ".zip")
        sent = await self._http.post("/benchmark-archives", files={"archive": ("mine.zip", packed)})
        if (refusal := _refusal(sent)) is not None:
            return refusal
        return await self._built(sent.headers["location"])

    async def _built(self, run: str) -> str:
        """Return how building the world of a run ended; the run is cancelled."""
        while True:
            for each in (await self._get(f"{run}/events"))["events"]:
                if (event := each["event"])["type"] in {"EnvironmentBuilt", "EnvironmentRefused"}:
                    await self._http.post(f"{run}/cancel")
                    return f"{event['type']}: {event.get('reason', '')}: {event.get('detail', '')}"
            await asyncio.sleep(LOOK_S)

    async def _quoted(self, sent: httpx.Response, address: str) -> str:
        if (refusal := _refusal(sent)) is not None:
            return refusal
        while (quote := (await self._get(address))["quote"]) is None:  # noqa: ASYNC110
            await asyncio.sleep(LOOK_S)
        return f"{quote['verdict']}: {quote['problem']}"

    async def _get(self, address: str) -> dict[str, Any]:
        return (await self._http.get(address)).raise_for_status().json()


def _refusal(sent: httpx.Response) -> str | None:
    """Return why a request was refused; None if it was accepted."""
    if sent.is_server_error:
        raise WrongAnswerError(f"{sent.status_code}: {sent.text[:2000]}")
    return f"{sent.status_code}: {sent.text[:500]}" if sent.is_client_error else None


class _Tools:
    """Tools that agents of others call."""

    def __init__(self, client: McpClient) -> None:
        self._client = client

    async def quote_file(self, name: str, data: bytes) -> str:
        return await self._call("quote_file", name=name, data_base64=base64.b64encode(data).decode())

    async def judge(self, name: str, data: bytes) -> str:
        return await self._call("judge", script=reading(DESIGN, name, data), benchmark=BENCHMARK, replicas=2)

    async def run_cell(self, name: str, data: bytes) -> str:
        opened = await self._client.call_tool("open_session", {"benchmark": BENCHMARK})
        assert opened.structured_content is not None
        session = str(opened.structured_content["session"])
        try:
            code = reading(DESIGN, name, data)
            return await self._call("run_cell", session=session, code=code, timeout_s=60)
        finally:
            await self._client.call_tool("close_session", {"session": session, "forget": True})

    async def _call(self, tool: str, **arguments: object) -> str:
        answer = await self._client.call_tool(tool, arguments)
        text = text_of(answer)
        if not text or "Internal" in text:
            raise WrongAnswerError(text or "no text")
        return f"{'error' if answer.is_error else 'answer'}: {text}"
