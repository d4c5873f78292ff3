"""The server: its tools and resources over stdio or HTTP."""

from collections.abc import Awaitable, Callable
from importlib import resources
from importlib.metadata import version
from typing import Any

from mcp.server.auth.settings import AuthSettings
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import CallToolResult, InputRequiredResult, ToolAnnotations
from pydantic import AnyHttpUrl, ValidationError

from mcp_server.hub import SessionHub
from mcp_server.tokens import TokenFile
from mcp_server.tools.benchmark_tools import BenchmarkTools
from mcp_server.tools.cell_tools import OpenSessionTools
from mcp_server.tools.design_tools import DesignTools
from mcp_server.tools.file_tools import URI, FileTools

NAME = "millwright"
PATH = "/mcp"
MAX_BODY_BYTES = 16 << 20
"""Of an HTTP request: a file of 12 MiB in base64."""
MAX_FAULTS = 5
INSTRUCTIONS = """Millwright: design manufacturable machines, and let physics judge them.
Work in a session: open_session, write script.py (build123d; it binds `assembly`), validate_and_price, simulate, look at
the pictures, change it, submit, export. run_cell tries things in the same kernel. Read the resource millwright://guide
first. A session's id stays valid when the server restarts. Lengths are mm, masses kg, prices USD."""

Tool = Callable[..., Awaitable[object]]


class ToolServer(MCPServer[Any]):
    """A server whose refusal of wrong arguments names each of them, and those that the tool takes."""

    async def call_tool(
        self, name: str, arguments: dict[str, Any], context: Context[Any, Any] | None = None
    ) -> CallToolResult | InputRequiredResult:
        """Call a tool; raise `ToolError` with its fault."""
        try:
            return await super().call_tool(name, arguments, context)
        except ToolError as error:
            if not isinstance(error.__cause__, ValidationError):
                raise
            schema = next(tool.input_schema for tool in await self.list_tools() if tool.name == name)
            raise ToolError(_refusal(name, error.__cause__, schema)) from error


def _refusal(tool: str, error: ValidationError, schema: dict[str, Any]) -> str:
    faults = "; ".join(f"{'.'.join(map(str, each['loc']))}: {each['msg']}" for each in error.errors()[:MAX_FAULTS])
    required = schema.get("required", [])
    takes = ", ".join(f"{each} (required)" if each in required else each for each in schema["properties"])
    return f"{tool} was not called: {faults}. It takes {takes or 'nothing'}"


def make_server(hub: SessionHub, tokens: TokenFile | None = None, url: str = "") -> ToolServer:
    """Return the server of a hub, which the caller opens and closes.

    `tokens`: who may use it over HTTP, at this `url`; None: stdio, whose only client started it.
    """
    auth = None if tokens is None else AuthSettings(issuer_url=AnyHttpUrl(url), resource_server_url=None)
    server = ToolServer(
        NAME,
        title="Millwright",
        instructions=INSTRUCTIONS,
        version=version("millwright"),
        auth=auth,
        token_verifier=tokens,
        log_level="WARNING",
    )
    for tool, is_read_only, is_destructive in _tools(hub):
        hints = ToolAnnotations(
            read_only_hint=is_read_only, destructive_hint=is_destructive, open_world_hint=False, idempotent_hint=False
        )
        server.add_tool(tool, annotations=hints)
    server.resource("millwright://guide", name="guide", mime_type="text/markdown")(guide)
    server.resource(URI, name="export", mime_type="application/octet-stream")(FileTools(hub).read_export)
    return server


def guide() -> str:
    """How designs are written: the functions of `utils`, parts, connections and drives."""
    text = (resources.files("kernel") / "baked" / "utils" / "__init__.py").read_text(encoding="utf-8")
    return (
        f"# Designing with Millwright\n\n{INSTRUCTIONS}\n\n## `from utils import …`\n\n" + text.split('"""')[1].strip()
    )


def _tools(hub: SessionHub) -> list[tuple[Tool, bool, bool]]:
    """Return each tool, whether it only reads, and whether it may destroy something."""
    sessions, designs = OpenSessionTools(hub), DesignTools(hub)
    files, benchmarks = FileTools(hub), BenchmarkTools(hub)
    reading: list[Tool] = [
        *(benchmarks.list_benchmarks, benchmarks.describe_benchmark, benchmarks.search_catalog, benchmarks.judge),
        *(sessions.list_sessions, sessions.list_files, sessions.view_file, files.quote_file),
        *(designs.render, designs.validate_and_price, designs.simulate, designs.submit),
    ]
    changing: list[Tool] = [sessions.open_session, sessions.run_cell, files.export]
    destroying: list[Tool] = [sessions.write_file, sessions.edit_file, sessions.close_session]
    return [
        *((tool, True, False) for tool in reading),
        *((tool, False, False) for tool in changing),
        *((tool, False, True) for tool in destroying),
    ]


async def serve_stdio(hub: SessionHub) -> None:
    """Serve the client that started this process, until it closes standard input."""
    async with hub:
        await make_server(hub).run_stdio_async()


async def serve_http(hub: SessionHub, tokens: TokenFile, host: str, port: int) -> None:
    """Serve clients with tokens until a signal ends the process."""
    async with hub:
        await make_server(hub, tokens, f"http://{host}:{port}").run_streamable_http_async(
            host=host, port=port, streamable_http_path=PATH, max_request_body_size=MAX_BODY_BYTES
        )
