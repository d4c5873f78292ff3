"""`millwright mcp`."""

from pathlib import Path
from typing import Annotated

import typer
from contracts.settings import COMMAND
from local_stack.errors import UserError
from local_stack.settings import CliSettings
from mcp_server.benchmark_list import BenchmarkFolders
from mcp_server.hub import HubLimits, SessionHub
from mcp_server.server import PATH, serve_http, serve_stdio
from mcp_server.tokens import TokenError, TokenFile
from rich.text import Text
from sim_worker.media.film import VideoFormat
from sim_worker.settings import VideoSettings

from cli.entry import OK, run
from cli.screen import error_console

PORT = 8365


def mcp(  # noqa: PLR0913, PLR0917 - the options of a command
    http: Annotated[bool, typer.Option("--http", help="Serve streamable HTTP instead of standard input.")] = False,
    host: Annotated[
        str, typer.Option(help="Address of HTTP; another than loopback needs a proxy with TLS.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=1, max=65535, help="Port of HTTP.")] = PORT,
    new_token: Annotated[str | None, typer.Option(metavar="NAME", help="Print a token for a client, and end.")] = None,
    benchmark: Annotated[list[Path] | None, typer.Option(help="Folder of one more benchmark; several times.")] = None,
    sessions: Annotated[Path | None, typer.Option(help="Folder of the sessions and tokens.")] = None,
    idle_s: Annotated[float, typer.Option(min=1, help="Seconds after which an unused kernel is ended.")] = 900.0,
) -> None:
    """Serve kernel, workbenches and physics as tools to agents of others (MCP): no model, no servers, no key."""
    folder = sessions or CliSettings().millwright_data / "mcp"
    tokens = TokenFile(folder / "tokens")
    if new_token is not None:
        _print_token(tokens, new_token)
        return
    if http and not tokens.names():
        raise UserError(f"no client has a token yet: create one with `{COMMAND} mcp --new-token NAME`")
    size = VideoSettings()
    video_format = VideoFormat(size.sim_video_width, size.sim_video_height)
    limits = HubLimits(idle_s=idle_s)
    hub = SessionHub(folder / "sessions", BenchmarkFolders(benchmark or ()), limits, video_format)
    run(_served(hub, tokens if http else None, host, port))


def _print_token(tokens: TokenFile, name: str) -> None:
    try:
        typer.echo(tokens.create(name))
    except TokenError as error:
        raise UserError(str(error)) from error


async def _served(hub: SessionHub, tokens: TokenFile | None, host: str, port: int) -> int:
    if tokens is None:
        await serve_stdio(hub)
    else:
        error_console().print(Text(f"MCP: http://{host}:{port}{PATH}, for {', '.join(tokens.names())}"), soft_wrap=True)
        await serve_http(hub, tokens, host, port)
    return OK
