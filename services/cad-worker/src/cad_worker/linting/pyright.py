"""Pyright as a language server that lives beside the worker: the first text is slow, the next ones are not."""

import asyncio
from collections.abc import Mapping
from itertools import count

from contracts.models.observation import LintFinding
from pydantic import BaseModel, Field, JsonValue, ValidationError

from cad_worker.linting.language_server import LanguageServer, ServerGoneError
from cad_worker.linting.linter import LintReport
from cad_worker.linting.project import Project
from cad_worker.linting.pyright_filter import is_surely_wrong

BUDGET_S = 3.0
"""How long a write waits for it."""
PATIENCE_S = 30.0
"""How long a text may keep the server busy, or the server may take to start, before it is killed."""
MAX_FINDINGS = 30
MESSAGE_CHARS = 300


class _Position(BaseModel):
    line: int
    character: int


class _Range(BaseModel):
    start: _Position


class _Diagnostic(BaseModel):
    range: _Range
    message: str
    code: str = "syntax"
    severity: int = 1


class _Answer(BaseModel):
    items: list[_Diagnostic] = Field(default_factory=list[_Diagnostic])


class Pyright:
    """Checks one text after another. Nothing of a text outlives its check but what the server keeps in memory."""

    def __init__(self) -> None:
        """Start nothing yet."""
        self._project: Project | None = None
        self._server: LanguageServer | None = None
        self._one_at_a_time = asyncio.Lock()
        self._numbers = count()
        self._checks: set[asyncio.Task[LintReport]] = set()

    async def start(self) -> None:
        """Begin with no server: the first text brings it up."""

    async def stop(self) -> None:
        """End the server and what it is at."""
        for check in self._checks:
            check.cancel()
        await asyncio.gather(*self._checks, return_exceptions=True)
        await self._drop_server()
        if self._project is not None:
            await asyncio.to_thread(self._project.erase)
            self._project = None

    @property
    def server_pid(self) -> int | None:
        """Return the process of the server, if one is up."""
        return None if self._server is None else self._server.pid

    async def check(self, path: str, text: str, modules: Mapping[str, str]) -> LintReport:
        """Report on a text; after `BUDGET_S` report that it took too long, while the server comes to its end alone."""
        check = asyncio.create_task(self._patiently(path, text, modules), name="pyright")
        self._checks.add(check)
        check.add_done_callback(self._checks.discard)
        await asyncio.wait({check}, timeout=BUDGET_S)
        if not check.done():
            return LintReport(note=f"pyright took longer than {BUDGET_S:g} s")
        return check.result()

    async def _patiently(self, path: str, text: str, modules: Mapping[str, str]) -> LintReport:
        async with self._one_at_a_time:
            try:
                async with asyncio.timeout(PATIENCE_S):
                    return await self._looked(path, text, modules)
            except (TimeoutError, ServerGoneError) as error:
                await self._drop_server()
                return LintReport(note=f"pyright gave up on this text ({error or 'it took too long'})")
            except asyncio.CancelledError:
                await self._drop_server()
                raise

    async def _looked(self, path: str, text: str, modules: Mapping[str, str]) -> LintReport:
        server = await self._living_server()
        assert self._project is not None
        place = await asyncio.to_thread(self._project.lay_out, f"text{next(self._numbers)}", {**modules, path: text})
        uri = (place / path).as_uri()
        try:
            document: JsonValue = {"uri": uri, "languageId": "python", "version": 1, "text": text}
            await server.tell("textDocument/didOpen", {"textDocument": document})
            answer = await server.ask("textDocument/diagnostic", {"textDocument": {"uri": uri}})
            await server.tell("textDocument/didClose", {"textDocument": {"uri": uri}})
        finally:
            await asyncio.to_thread(self._project.remove, place)
        try:
            said = _Answer.model_validate(answer).items
        except ValidationError as error:
            raise ServerGoneError("it speaks nonsense") from error
        errors = [each for each in said if each.severity == 1 and is_surely_wrong(each.code, each.message)]
        return LintReport(tuple(_finding(each) for each in errors[:MAX_FINDINGS]))

    async def _living_server(self) -> LanguageServer:
        if self._server is None:
            if self._project is None:
                self._project = await asyncio.to_thread(Project)
            command, environment = self._project.server_command(), self._project.environment()
            self._server = await LanguageServer.start(command, environment, self._project.folder)
        return self._server

    async def _drop_server(self) -> None:
        server, self._server = self._server, None
        if server is not None:
            await server.stop()


def _finding(said: _Diagnostic) -> LintFinding:
    start = said.range.start
    message = " ".join(said.message.split())
    return LintFinding(
        tool="pyright",
        rule=said.code,
        line=start.line + 1,
        column=start.character + 1,
        message=message[:MESSAGE_CHARS],
    )
