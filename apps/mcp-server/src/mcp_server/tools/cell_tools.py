"""Tools about sessions: opened and closed, their cells and their files."""

from typing import Annotated

from contracts.events.session import FileRefused
from documents.observation import observation_markdown
from documents.workspaces.archive import MAX_FILE_BYTES
from mcp.server.mcpserver import Context
from mcp.types import CallToolResult
from millwright.sessions.design_session import CELL_S, CellResult
from pydantic import Field

from mcp_server.answers import (
    CellAnswer,
    ClosedSession,
    FileAnswer,
    FileList,
    FileText,
    ListedSession,
    OpenedSession,
    PictureNote,
    SessionsAnswer,
)
from mcp_server.calls import result
from mcp_server.errors import ClientError
from mcp_server.pictures import picture
from mcp_server.tools.client import MAX_CODE_CHARS, BenchmarkName, ClientTools, Seed, SessionId, client_name

Path = Annotated[str, Field(max_length=300, description="Path inside the session, such as script.py.")]
Text = Annotated[str, Field(max_length=MAX_FILE_BYTES)]
Line = Annotated[int | None, Field(ge=1)]


class OpenSessionTools(ClientTools):
    """Opens sessions, runs cells, reads and writes files."""

    async def open_session(self, ctx: Context, benchmark: BenchmarkName, seed: Seed = 0) -> OpenedSession:
        """Open a CAD session: a Python kernel with build123d in the world of a benchmark, and its files.

        Read utils/__init__.py for the functions of `utils`, and skills/*/SKILL.md for how to design here.
        """
        client = client_name()

        async def opened() -> OpenedSession:
            session_id = await self.hub.open(client, self.hub.benchmarks.load(benchmark, seed))
            async with self.hub.use(client, session_id) as session:
                return OpenedSession(
                    session=session_id,
                    benchmark=benchmark,
                    seed=seed,
                    task_md=session.brief_md,
                    files=list(await session.files()),
                )

        return await self.answer(ctx, opened())

    async def list_sessions(self, ctx: Context) -> SessionsAnswer:
        """List your sessions, also those of earlier days and servers: any call with its id opens one again."""

        async def listed() -> SessionsAnswer:
            found = self.hub.sessions(client_name())
            rows = [
                ListedSession(session=name, has_kernel=self.hub.is_open(name), **card.model_dump(exclude={"client"}))
                for name, card in found.items()
            ]
            return SessionsAnswer(sessions=rows)

        return await self.answer(ctx, listed())

    async def close_session(
        self,
        ctx: Context,
        session: SessionId,
        forget: Annotated[bool, Field(description="Delete its files and log, too.")] = False,
    ) -> ClosedSession:
        """End the kernel of a session. Unless it is forgotten, any later call with its id opens it again."""
        await self.answer(ctx, self.hub.close(client_name(), session, forget=forget))
        return ClosedSession(session=session, is_deleted=forget)

    async def run_cell(
        self,
        ctx: Context,
        session: SessionId,
        code: Annotated[str, Field(max_length=MAX_CODE_CHARS, description="Python; variables stay for later cells.")],
        timeout_s: Annotated[float, Field(gt=0, le=120, description="CPU time.")] = CELL_S,
    ) -> Annotated[CallToolResult, CellAnswer]:
        """Run Python in the session's kernel, which has no network; what it shows comes back as pictures.

        `environment`, `benchmark` and `limits` describe the world. `show(part)` draws. From `utils`: `simulate`,
        `validate_and_price`, `price`, `catalog_part`, `glue`, `screw`, `drive` and more.
        """
        client = client_name()

        async def ran() -> CallToolResult:
            async with self.hub.use(client, session) as opened:
                return cell_result(await opened.run_cell(code, timeout_s=timeout_s))

        return await self.answer(ctx, ran(), session)

    async def list_files(self, ctx: Context, session: SessionId) -> FileList:
        """List the files of a session."""
        client = client_name()

        async def listed() -> FileList:
            async with self.hub.use(client, session) as opened:
                return FileList(files=list(await opened.files()))

        return await self.answer(ctx, listed(), session)

    async def view_file(
        self, ctx: Context, session: SessionId, path: Path, from_line: Line = None, to_line: Line = None
    ) -> FileText:
        """View a text file of a session, or some of its lines, counted from 1; at most 400 lines at once."""
        client = client_name()

        async def viewed() -> FileText:
            async with self.hub.use(client, session) as opened:
                seen = await opened.view_file(path, from_line, to_line)
            return FileText.model_validate(_accepted(seen), from_attributes=True)

        return await self.answer(ctx, viewed(), session)

    async def write_file(self, ctx: Context, session: SessionId, path: Path, text: Text) -> FileAnswer:
        """Write a whole file. script.py binds `assembly`, the design that is judged, and may import other files."""
        client = client_name()

        async def written() -> FileAnswer:
            async with self.hub.use(client, session) as opened:
                done = await opened.write_file(path, text)
            return FileAnswer.model_validate(_accepted(done), from_attributes=True)

        return await self.answer(ctx, written(), session)

    async def edit_file(
        self, ctx: Context, session: SessionId, path: Path, old_text: Text, new_text: Text
    ) -> FileAnswer:
        """Replace a text that occurs exactly once in a file."""
        client = client_name()

        async def edited() -> FileAnswer:
            async with self.hub.use(client, session) as opened:
                done = await opened.edit_file(path, old_text, new_text)
            return FileAnswer.model_validate(_accepted(done), from_attributes=True)

        return await self.answer(ctx, edited(), session)


def cell_result(cell: CellResult) -> CallToolResult:
    """Return the answer about a cell, with its pictures."""
    seen = cell.observation
    answer = CellAnswer(
        status=seen.status,
        output=seen.output,
        error="" if seen.error is None else f"{seen.error.type}: {seen.error.message}",
        elapsed_s=seen.elapsed_s,
        pictures=shown(cell),
        was_recovered=seen.recovery is not None,
    )
    return result(answer, observation_markdown(seen), *(picture(each.png) for each in cell.pictures))


def shown(cell: CellResult) -> list[PictureNote]:
    """Return what the pictures of a cell show."""
    return [PictureNote(label=each.label, shows=each.shows) for each in cell.pictures]


def _accepted(outcome: object) -> object:
    if isinstance(outcome, FileRefused):
        raise ClientError(f"{outcome.reason}: {outcome.detail}")
    return outcome
