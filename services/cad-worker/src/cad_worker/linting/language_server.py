"""A language server on pipes: the little of its protocol that a check needs."""

import asyncio
import json
from asyncio.subprocess import PIPE, Process
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from pydantic import BaseModel, JsonValue, ValidationError

MAX_MESSAGE_BYTES = 32 << 20


class ServerGoneError(RuntimeError):
    """The language server has ended or speaks nonsense; the next check needs another one."""


class _Message(BaseModel):
    id: int | str | None = None
    method: str | None = None
    params: JsonValue = None
    result: JsonValue = None
    error: JsonValue = None


class LanguageServer:
    """One process; one question at a time."""

    def __init__(self, process: Process) -> None:
        self._process = process
        self._asked = 0

    @classmethod
    async def start(cls, command: Sequence[str], env: Mapping[str, str], folder: Path) -> "LanguageServer":
        """Start the program and greet it; `folder` is its project."""
        process = await asyncio.create_subprocess_exec(
            *command, stdin=PIPE, stdout=PIPE, stderr=asyncio.subprocess.DEVNULL, env=dict(env), cwd=folder
        )
        server = cls(process)
        try:
            workspace: JsonValue = {"uri": folder.as_uri(), "name": "project"}
            abilities: JsonValue = {"textDocument": {"diagnostic": {"dynamicRegistration": False}}}
            await server.ask(
                "initialize",
                {
                    "processId": None,
                    "rootUri": folder.as_uri(),
                    "workspaceFolders": [workspace],
                    "capabilities": abilities,
                },
            )
            await server.tell("initialized", {})
        except BaseException:
            await server.stop()
            raise
        return server

    @property
    def pid(self) -> int:
        """Return the number of its process."""
        return self._process.pid

    async def stop(self) -> None:
        """Kill it: it holds nothing that would be lost."""
        with suppress(ProcessLookupError):
            self._process.kill()
        await self._process.wait()
        if self._process.stdin is not None:
            self._process.stdin.close()

    async def tell(self, method: str, params: JsonValue) -> None:
        """Say something that has no answer."""
        await self._send({"jsonrpc": "2.0", "method": method, "params": params})

    async def ask(self, method: str, params: JsonValue) -> JsonValue:
        """Return the answer; raise `ServerGoneError`. What it says or asks meanwhile gets an empty answer."""
        self._asked += 1
        number = self._asked
        await self._send({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        while True:
            said = await self._receive()
            if said.method is not None and said.id is not None:
                await self._send({"jsonrpc": "2.0", "id": said.id, "result": None})
            elif said.method is None and said.id == number:
                if said.error is not None:
                    raise ServerGoneError(f"{method} was answered with {str(said.error)[:300]}")
                return said.result

    async def _send(self, message: JsonValue) -> None:
        assert self._process.stdin is not None
        data = json.dumps(message).encode()
        try:
            self._process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(data) + data)
            await self._process.stdin.drain()
        except (BrokenPipeError, ConnectionResetError) as error:
            raise ServerGoneError("the language server has ended") from error

    async def _receive(self) -> _Message:
        assert self._process.stdout is not None
        try:
            header = await self._process.stdout.readuntil(b"\r\n\r\n")
            sizes = [line for line in header.split(b"\r\n") if line.lower().startswith(b"content-length:")]
            size_bytes = int(sizes[0].partition(b":")[2])
            if size_bytes > MAX_MESSAGE_BYTES:
                raise ServerGoneError(f"the language server says {size_bytes} bytes at once")
            return _Message.model_validate_json(await self._process.stdout.readexactly(size_bytes))
        except (
            asyncio.IncompleteReadError,
            asyncio.LimitOverrunError,
            IndexError,
            ValidationError,
            ValueError,
        ) as error:
            raise ServerGoneError("the language server has ended or speaks nonsense") from error
