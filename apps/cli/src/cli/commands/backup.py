"""`millwright backup`: backups of the database and the artifacts."""

import asyncio
import logging
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer
from artifacts.port import ArtifactsUnavailableError
from backups.backup import KEPT, BackupError, Backups, Listing
from backups.database_dump import DumpError
from backups.manifest import Manifest
from chassis.observability.health_file import write_health
from contracts.settings import COMMAND
from contracts.text import counted
from local_stack.server_source import require_stopped_stack
from local_stack.settings import BACKUP_BUCKET, CliSettings, read_settings
from rich.console import Console
from store.backup_requests import BackupRequests
from store.errors import DatabaseOutageError, StoreError

from cli.backup_access import FOLDER, open_backups
from cli.entry import FAILED, OK, run
from cli.screen import output_console, print_mark

EXPECTED = (BackupError, DumpError, ArtifactsUnavailableError, StoreError)
NEXT = f"next: `{COMMAND} rebuild-stream`, `{COMMAND} migrate`, and then start the services"
EVERY_S = 5.0
"""How often to look for a request."""

_log = logging.getLogger(__name__)

Where = Annotated[
    str | None,
    typer.Option(
        "--where",
        metavar="PLACE",
        help=f"A folder, or {BACKUP_BUCKET}BUCKET; default: MILLWRIGHT_BACKUPS, or `{FOLDER}` in the data folder.",
    ),
]
Name = Annotated[str | None, typer.Argument(metavar="NAME", help="Of the backup; default: the newest.")]

backup = typer.Typer(
    help="Back up the database and the artifacts, verify backups, and restore one.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


@backup.command()
def create(
    where: Where = None,
    keep: Annotated[int, typer.Option(min=1, help="How many backups to keep; older ones are removed.")] = KEPT,
) -> None:
    """Make a backup; services may go on."""
    run(_create(where, keep, read_settings(), output_console()))


@backup.command()
def serve(
    where: Where = None,
    keep: Annotated[int, typer.Option(min=1, help="As of `create`.")] = KEPT,
    every: Annotated[
        float, typer.Option(min=0.1, metavar="SECONDS", help="How often to look for a request.")
    ] = EVERY_S,
) -> None:
    """Make the backups that the API's `POST /backups` requests, until Ctrl-C. One such process is enough."""
    run(serve_requests(where, keep, every, read_settings(), output_console()))


@backup.command("list")
def list_backups(where: Where = None) -> None:
    """List all backups, the oldest first."""
    run(_list(where, read_settings(), output_console()))


@backup.command()
def verify(name: Name = None, where: Where = None) -> None:
    """Read every byte of a backup, and name what is wrong."""
    run(_verify(name, where, read_settings(), output_console()))


@backup.command()
def restore(
    name: Name = None,
    where: Where = None,
    replace: Annotated[bool, typer.Option("--replace", help="Replace what the database has recorded.")] = False,
    damaged: Annotated[bool, typer.Option("--damaged", help="Do without artifacts whose copies are lost.")] = False,
) -> None:
    """Restore a backup, also of an older version, while no service runs."""
    run(_restore(name, where, output_console(), replaces=replace, damaged=damaged))


async def _create(where: str | None, keep: int, settings: CliSettings, console: Console) -> int:
    async with open_backups(where, settings, writes=True) as backups:
        made = await _make(backups, keep, console)
    return FAILED if made.missing or made.corrupt else OK


async def _make(backups: Backups, keep: int, console: Console) -> Manifest:
    async with backups.alone():
        made = await backups.create(datetime.now(UTC))
        print_mark(console, "success", f"{made.name} in {backups.objects.location}: {_contents(made)}")
        for line in _losses(made, backups):
            print_mark(console, "failure", line)
        _print_unreadable(await backups.read_all(), console)
        for name in await backups.remove_old(keep):
            print_mark(console, "detail", f"removed {name}")
    return made


def _losses(made: Manifest, backups: Backups) -> list[str]:
    where = backups.bucket.location
    return [
        *(f"artifact {each} is corrupt in {where}, and no backup has a whole copy" for each in made.corrupt),
        *(f"artifact {each} is named, but is not in {where}: no backup has it" for each in made.missing),
    ]


def _print_unreadable(listing: Listing, console: Console) -> None:
    for key, problem in listing.unreadable.items():
        print_mark(
            console, "failure", f"{key} in {listing.location} cannot be read: {problem}; remove it if it is lost"
        )


async def serve_requests(where: str | None, keep: int, every_s: float, settings: CliSettings, console: Console) -> int:
    """Make the backups that are requested, until this is cancelled; a database that is away is waited for."""
    problems: list[str] = []
    async with open_backups(where, settings, writes=True) as backups, _reported(problems, settings.health_file):
        requests = BackupRequests(backups.database.engine)
        console.print(f"waiting for requests of backups, which go to {backups.objects.location}", soft_wrap=True)
        while True:
            try:
                await requests.fail_interrupted()
                problems.clear()
                while True:
                    if not await serve_next(requests, backups, keep, console):
                        await asyncio.sleep(every_s)
            except DatabaseOutageError as error:
                problems[:] = [str(error)]
                print_mark(console, "failure", f"requests of backups wait: {error}")
                await asyncio.sleep(every_s)


@asynccontextmanager
async def _reported(problems: list[str], file: Path | None) -> AsyncGenerator[None]:
    """Keep writing the problems into the file of the process's health, if it has one."""

    async def health() -> list[str]:
        return problems

    writing = None if file is None else asyncio.create_task(write_health(health, file), name="write health")
    try:
        yield
    finally:
        if writing is not None:
            writing.cancel()
            with suppress(asyncio.CancelledError):
                await writing


async def serve_next(requests: BackupRequests, backups: Backups, keep: int, console: Console) -> bool:
    """Make the backup that is requested; return whether one was. A failure is stored with the request."""
    request = await requests.take()
    if request is None:
        return False
    # Whatever a backup fails by, services and later requests go on.
    (made,) = await asyncio.gather(_make(backups, keep, console), return_exceptions=True)
    if isinstance(made, Manifest):
        await requests.finish(request.id, name=made.name, problem="; ".join(_losses(made, backups)) or None)
        return True
    if not isinstance(made, EXPECTED):
        _log.error("the backup of request %s failed", request.id, exc_info=made)
    problem = str(made) or type(made).__name__
    print_mark(console, "failure", f"request {request.id}: {problem}")
    await requests.finish(request.id, problem=problem)
    return True


async def _list(where: str | None, settings: CliSettings, console: Console) -> int:
    async with open_backups(where, settings) as backups:
        listing = await backups.read_all()
    _print_unreadable(listing, console)
    for each in listing.manifests:
        console.print(f"{each.name}  {_contents(each)}", soft_wrap=True)
    if not listing.manifests:
        console.print(f"no backups yet: {COMMAND} backup create")
    return OK


async def _verify(name: str | None, where: str | None, settings: CliSettings, console: Console) -> int:
    async with open_backups(where, settings) as backups:
        manifest = await _find(name, backups, console)
        faults = await backups.verify(manifest)
    for fault in faults:
        print_mark(console, "failure", f"{manifest.name}: {fault}")
    if not faults:
        print_mark(console, "success", f"{manifest.name} is complete: {_contents(manifest)}")
    return FAILED if faults else OK


async def _restore(name: str | None, where: str | None, console: Console, *, replaces: bool, damaged: bool) -> int:
    settings = read_settings()
    require_stopped_stack(settings)
    async with open_backups(where, settings) as backups:
        manifest = await _find(name, backups, console)
        restored = await backups.restore(manifest, replaces=replaces, damaged=damaged)
        lost = [*restored.lost, *_losses(manifest, backups)]
    counts = restored.counts
    recorded = f"{counted(counts.events, 'event')} of {counted(counts.runs, 'run')}, {counted(counts.skills, 'skill')}"
    print_mark(console, "success", f"restored {manifest.name}: {recorded}")
    for line in lost:
        print_mark(console, "failure", line)
    print_mark(console, "info", NEXT)
    return FAILED if lost else OK


async def _find(name: str | None, backups: Backups, console: Console) -> Manifest:
    listing = await backups.read_all()
    _print_unreadable(listing, console)
    return listing.find(name)


def _contents(manifest: Manifest) -> str:
    size_mb = (manifest.dump.size_bytes + sum(each.size_bytes for each in manifest.artifacts)) / 1e6
    counts = (
        counted(manifest.events, "event"),
        counted(manifest.runs, "run"),
        counted(manifest.skills, "skill"),
        counted(len(manifest.artifacts), "artifact"),
    )
    return f"{', '.join(counts)}, {size_mb:.1f} MB"
