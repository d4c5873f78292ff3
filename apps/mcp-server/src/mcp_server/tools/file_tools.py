"""Tools about files of parts: quoted when they come in, exported when they go out."""

import asyncio
import base64
import binascii
import mimetypes
import shutil
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import Annotated, get_args

from cad_worker.file_quotes import MAX_FILE_BYTES, QuotedFile, quote_file
from contracts.models.design import Method
from contracts.quotes import FileQuote, QuoteChoice, QuoteReport
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ResourceNotFoundError, ToolError
from mcp.types import CallToolResult, ResourceLink
from millwright.sessions.exports import Format
from parts_catalog.materials import MATERIALS
from parts_catalog.methods.registry import METHODS
from pydantic import Field
from run_report.quotes.text import report_text

from mcp_server.answers import ExportAnswer, ExportedFile
from mcp_server.calls import result
from mcp_server.errors import ClientError
from mcp_server.tokens import LOCAL_CLIENT
from mcp_server.tools.client import ClientTools, SessionId, client_name

FORMATS = len(get_args(Format))
EXPORT_REPLICAS = 2
"""Of a design that was not submitted before it is exported."""
URI = "millwright://sessions/{session}/exports/{+path}"
MEDIA_TYPES = {
    ".step": "model/step",
    ".glb": "model/gltf-binary",
    ".stl": "model/stl",
    ".3mf": "model/3mf",
    ".py": "text/x-python",
    ".md": "text/markdown",
    ".webp": "image/webp",
}


class FileTools(ClientTools):
    """Quotes files, exports designs."""

    async def quote_file(  # noqa: PLR0913, PLR0917 - the arguments of a tool
        self,
        ctx: Context,
        name: Annotated[
            str, Field(max_length=300, description="File name with its ending: .step, .stl, .3mf, .obj or .py.")
        ],
        data_base64: Annotated[
            str, Field(max_length=4 * MAX_FILE_BYTES // 3 + 4, description="Its content. Empty: `session` or a path.")
        ] = "",
        session: Annotated[str, Field(max_length=64, description="Session whose file is called `name`.")] = "",
        methods: list[Method] | None = None,
        materials: list[str] | None = None,
        quantities: Annotated[list[Annotated[int, Field(ge=1, le=1_000_000)]] | None, Field(max_length=6)] = None,
    ) -> Annotated[CallToolResult, FileQuote]:
        """Quote the parts of a CAD file: makeable or not, by which method and material, price, what to change first.

        On this machine `name` may be a path. Without `quantities`: 1 and 100.
        """
        client = client_name()
        unknown = [each for each in materials or () if each not in MATERIALS]
        if unknown:
            raise ToolError(f"{unknown[0]!r} is not a material: choose of {', '.join(MATERIALS)}")
        choice = QuoteChoice(
            methods=tuple(methods or METHODS),
            materials=tuple(materials or ()),
            quantities=tuple(quantities or (1, 100)),
        )

        async def quoted() -> CallToolResult:
            data = await self._data(client, name, data_base64, session)
            host = (await self.hub.workshop()).host
            quote = (await quote_file(host, QuotedFile(name=name, data=data), choice, has_view=False)).quote
            text = report_text(QuoteReport(choice=choice, files=(quote,), verdict=quote.verdict))
            return result(quote, text)

        return await self.answer(ctx, quoted(), session)

    async def export(
        self,
        ctx: Context,
        session: SessionId,
        formats: Annotated[list[Format], Field(min_length=1, max_length=FORMATS)],
    ) -> Annotated[CallToolResult, ExportAnswer]:
        """Export the design of script.py as files, which are read as resources.

        STEP of assembly and parts, GLB, STL and 3MF of printed parts, MJCF (a zip for MuJoCo), bill as CSV, film as
        MP4, the package for a workshop, or the scripts. A design with errors has none of the shapes: fix them first.
        """
        client = client_name()

        async def exported() -> CallToolResult:
            async with self.hub.use(client, session) as opened:
                design, files = await opened.export(frozenset(formats), EXPORT_REPLICAS)
                folder = self.hub.exports(client, session)
                await asyncio.to_thread(_replace, folder, files)
            rows = [_row(session, path, data) for path, data in files.items()]
            answer = ExportAnswer(
                headline=design.verdict.headline, files=rows, folder=str(folder) if client == LOCAL_CLIENT else ""
            )
            links = [
                ResourceLink(name=row.path, uri=row.uri, mime_type=row.media_type, size=row.size_bytes) for row in rows
            ]
            return result(answer, _listed(answer), *links)

        return await self.answer(ctx, exported(), session)

    async def read_export(self, session: str, path: str) -> bytes:
        """A file of the last export of a session."""
        try:
            folder = self.hub.exports(client_name(), session)
        except ClientError as error:
            raise ResourceNotFoundError(str(error)) from error
        file = folder / PurePosixPath(path)
        if not file.is_file():
            raise ResourceNotFoundError(f"the last export of session {session} has no file {path!r}; call export")
        return await asyncio.to_thread(file.read_bytes)

    async def _data(self, client: str, name: str, data_base64: str, session: str) -> bytes:
        if data_base64:
            try:
                return await asyncio.to_thread(base64.b64decode, data_base64, validate=True)
            except binascii.Error as error:
                raise ClientError(f"data_base64 is not base64: {error}; send the bytes of {name} encoded") from error
        try:
            if session:
                async with self.hub.use(client, session) as opened:
                    return await opened.read_bytes(name, MAX_FILE_BYTES + 1)
            if client == LOCAL_CLIENT:
                return await asyncio.to_thread(_read, Path(name))
        except OSError as error:
            raise ClientError(f"{name} cannot be read: {error.strerror or error}") from error
        raise ClientError(f"send the content of {name} as data_base64, or name a session that has it")


def _read(file: Path) -> bytes:
    """Return at most one byte more than is allowed: a device or a huge file must not fill the memory."""
    if not file.is_file():
        raise OSError("a folder" if file.is_dir() else "there is no such file")
    with file.open("rb") as opened:
        return opened.read(MAX_FILE_BYTES + 1)


def _replace(folder: Path, files: Mapping[str, bytes]) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    for path, data in files.items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)


def _row(session: str, path: str, data: bytes) -> ExportedFile:
    guessed = MEDIA_TYPES.get(PurePosixPath(path).suffix) or mimetypes.guess_type(path)[0]
    return ExportedFile(
        path=path,
        size_bytes=len(data),
        media_type=guessed or "application/octet-stream",
        uri=URI.replace("{session}", session).replace("{+path}", path),
    )


def _listed(answer: ExportAnswer) -> str:
    lines = [f"- {row.path} ({row.size_bytes} bytes): {row.uri}" for row in answer.files]
    return "\n".join([answer.headline, *lines, f"They lie in {answer.folder}." if answer.folder else ""]).strip()
