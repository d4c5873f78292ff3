"""The command as a process, and the official client's calls of it."""

import asyncio
import os
import signal
import socket
import subprocess
import sys
from collections.abc import AsyncGenerator, Callable, Generator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import httpx2
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp.types import CallToolResult, TextContent

from tests.support.processes import gone_within, process_table, wait_for

START_S = 60.0


class Calls:
    """Calls tools and fails with their texts."""

    def __init__(self, client: Client) -> None:
        self.client = client
        self.stages: list[str] = []

    async def call(self, tool: str, /, **arguments: object) -> CallToolResult:
        """Return the answer of a tool that must succeed."""
        result = await self.client.call_tool(tool, arguments, progress_callback=self._progress)
        assert not result.is_error, text_of(result)
        return result

    async def data(self, tool: str, /, **arguments: object) -> dict[str, Any]:
        """Return the structured answer of a tool that must succeed."""
        content = (await self.call(tool, **arguments)).structured_content
        assert content is not None
        return content

    async def error(self, tool: str, /, **arguments: object) -> str:
        """Return the text of a call that must fail."""
        result = await self.client.call_tool(tool, arguments)
        assert result.is_error, result.structured_content
        return text_of(result)

    async def _progress(self, progress: float, total: float | None, message: str | None) -> None:
        self.stages.append(message or "")


def text_of(result: CallToolResult) -> str:
    """Return the texts of an answer."""
    return "\n".join(each.text for each in result.content if isinstance(each, TextContent))


async def until(condition: Callable[[], bool]) -> None:
    """Wait until a condition holds."""
    async with asyncio.timeout(60):
        while not condition():  # noqa: ASYNC110 - processes set no event
            await asyncio.sleep(0.05)


class Command:
    """`millwright mcp` with folders of its own."""

    def __init__(self, folder: Path, world: Path) -> None:
        self.scratch = folder / "tmp"
        self.scratch.mkdir(exist_ok=True)
        self._sessions = folder / "mcp"
        self._world = world
        self.environment = {**os.environ, "TMPDIR": str(self.scratch), "COLUMNS": "200"}

    def line(self, *arguments: str) -> list[str]:
        """Return the command line."""
        own = ["-m", "cli", "mcp", "--sessions", str(self._sessions), "--benchmark", str(self._world)]
        return [sys.executable, *own, *arguments]

    def token(self, name: str) -> str:
        """Create a client's token by the command."""
        made = subprocess.run(
            self.line("--new-token", name), env=self.environment, capture_output=True, text=True, check=True
        )
        return made.stdout.strip()

    @asynccontextmanager
    async def stdio(self) -> AsyncGenerator[Calls]:
        """Yield a client that has started the server."""
        python, *arguments = self.line()
        parameters = StdioServerParameters(command=python, args=arguments, env=self.environment)
        async with Client(parameters) as client:
            yield Calls(client)

    def stdio_server(self) -> int:
        """Return the process that the client has started."""
        [pid] = [each.pid for each in process_table() if each.command == " ".join(self.line())]
        return pid

    @contextmanager
    def http(self, *options: str) -> "Generator[HttpServer]":
        """Run the server on a free port, and end it."""
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port: int = probe.getsockname()[1]
        server = HttpServer(self, port, *options)
        try:
            yield server
        finally:
            server.stop()

    def leftovers(self) -> list[str]:
        """Return what a server that has ended left in the folder for temporary files."""
        return [path.name for path in self.scratch.glob("millwright-*")]


class HttpServer:
    """A server on a loopback port."""

    def __init__(self, command: Command, port: int, *options: str) -> None:
        self.port = port
        line = command.line("--http", "--port", str(port), *options)
        self.process = subprocess.Popen(line, env=command.environment, stderr=subprocess.PIPE)
        wait_for(self._is_listening, START_S, "the HTTP server")

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/mcp"

    @asynccontextmanager
    async def client(self, token: str, mode: str = "auto") -> AsyncGenerator[Calls]:
        """Yield a client with a token."""
        http = httpx2.AsyncClient(headers={"Authorization": f"Bearer {token}"}, timeout=120)
        async with http, Client(streamable_http_client(self.url, http_client=http), mode=mode) as client:
            yield Calls(client)

    def kill(self) -> None:
        """End it without a chance to clean up."""
        self.process.kill()
        self.process.communicate()

    def stop(self) -> None:
        """End it as a service manager does."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            self.process.communicate(timeout=60)
        assert gone_within([self.process.pid], 10)

    def _is_listening(self) -> bool:
        assert self.process.poll() is None, (self.process.stderr or sys.stderr).read()
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", self.port)) == 0
