"""`millwright servers add|remove`: announcements of servers that do not announce themselves."""

import asyncio
import re
from typing import Annotated

import typer
from chassis.servers.registry import MAX_TTL_S, AnnouncedServer, ServerKind
from local_stack.errors import UserError
from local_stack.settings import CliSettings, read_settings
from pydantic import ValidationError
from rich.console import Console

from cli.commands.servers.protocol_probe import problem_of
from cli.commands.servers.server_list import registry_of
from cli.entry import OK, run
from cli.screen import output_console

ANNOUNCE_EVERY_S = 10.0
TTL_S = 30.0
"""Of one announcement of a server that is watched: three may fail."""
UNITS_S = {"s": 1, "m": 60, "h": 3600}

Url = Annotated[
    str, typer.Argument(metavar="URL", help="http://HOST:8500 of perception, http://HOST:8000/v1 of a model")
]
Kind = Annotated[ServerKind, typer.Option(help="What the server answers.")]
ModelName = Annotated[str | None, typer.Option(metavar="openai:NAME", help="The model that it serves.")]
Duration = Annotated[
    str | None,
    typer.Option(
        "--for", metavar="TIME", help="Such as 90s, 30m or 4h. Default: while this command runs and it answers."
    ),
]


def add(url: Url, kind: Kind, model: ModelName = None, for_: Duration = None) -> None:
    """Announce a server, which must prove its protocol: once for a time, or again and again for as long as it does."""
    ttl_s = TTL_S if for_ is None else parse_duration_s(for_)
    server = parse_server(url, kind, model, ttl_s)
    work = _announce_once if for_ is not None else _announce_while_healthy
    run(work(server, read_settings(), output_console()))


def remove(url: Url, kind: Kind, model: ModelName = None) -> None:
    """Remove the announcement of a server."""
    run(_remove(parse_server(url, kind, model, TTL_S), read_settings(), output_console()))


def parse_duration_s(text: str) -> float:
    """Return seconds; raise `UserError`."""
    found = re.fullmatch(r"(\d+)([smh])", text)
    seconds = int(found[1]) * UNITS_S[found[2]] if found else 0
    if not 0 < seconds <= MAX_TTL_S:
        raise UserError(f"--for {text!r} is not a time of up to {MAX_TTL_S / 3600:.0f} hours, such as 90s, 30m or 4h")
    return float(seconds)


def parse_server(url: str, kind: ServerKind, model: str | None, ttl_s: float) -> AnnouncedServer:
    """Return the entry of a server; raise `UserError`."""
    try:
        return AnnouncedServer(kind=kind, url=url.rstrip("/"), model=model, ttl_s=ttl_s)
    except ValidationError as error:
        problem = error.errors(include_url=False)[0]
        named = ".".join(map(str, problem["loc"])) or "server"
        raise UserError(
            f"{named} is not usable: {problem['msg']}; a model's server needs --model openai:NAME"
        ) from error


async def _announce_once(server: AnnouncedServer, settings: CliSettings, console: Console) -> int:
    problem = await asyncio.to_thread(problem_of, server, settings)
    if problem is not None:
        raise UserError(f"{server.url} cannot be announced: {problem}")
    async with registry_of(settings) as registry:
        await registry.announce(server)
    console.print(f"{server.url} is announced for {server.ttl_s:.0f} s")
    return OK


async def _announce_while_healthy(server: AnnouncedServer, settings: CliSettings, console: Console) -> int:
    was_healthy = False
    async with registry_of(settings) as registry:
        try:
            while True:
                problem = await asyncio.to_thread(problem_of, server, settings)
                if problem is None:
                    await registry.announce(server)
                elif was_healthy:
                    await registry.withdraw(server)
                if was_healthy != (problem is None) or not was_healthy:
                    console.print(f"{server.url} is announced" if problem is None else f"{server.url}: {problem}")
                was_healthy = problem is None
                await asyncio.sleep(ANNOUNCE_EVERY_S)
        finally:
            if was_healthy:
                await registry.withdraw(server)


async def _remove(server: AnnouncedServer, settings: CliSettings, console: Console) -> int:
    async with registry_of(settings) as registry:
        await registry.withdraw(server)
    console.print(f"{server.url} is announced no longer")
    return OK
