"""`millwright backup`: backups of the database and the artifacts."""

import asyncio
import shutil
from collections.abc import AsyncGenerator
from contextlib import ExitStack, asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer
from artifacts.bucket import Bucket
from artifacts.object_store import BucketObjects, FolderObjects, ObjectStore
from artifacts.port import ArtifactsUnavailableError
from artifacts.settings import S3Settings
from backups.backup import KEPT, BackupError, Backups
from backups.database_dump import DumpError, PostgresTools
from backups.manifest import Manifest
from documents.event_lines.text import counted
from local_stack.errors import UserError
from local_stack.running_services import require_no_services, require_stopped_stack
from local_stack.server_access import as_user_errors
from local_stack.servers.binaries import postgres_installation
from local_stack.settings import CliSettings, read_settings
from rich.console import Console
from store.backup_requests import BackupRequests
from store.errors import DatabaseOutageError

from cli.administration import require_admin
from cli.entry import FAILED, OK, run
from cli.log_access import History, open_history
from cli.screen import output_console, print_mark

BUCKET = "s3:"
FOLDER = "backups"
"""In the data folder of a local stack."""
EVERY_S = 5.0
"""How often to look for a request."""

Where = Annotated[
    str | None,
    typer.Option(
        "--where",
        metavar="PLACE",
        help=f"A folder, or {BUCKET}BUCKET on the same S3 server; default: MILLWRIGHT_BACKUPS, or `{FOLDER}` in the "
        "data folder.",
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
) -> None:
    """Restore a backup while no service runs."""
    run(_restore(name, where, read_settings(), output_console(), replaces=replace))


async def _create(where: str | None, keep: int, settings: CliSettings, console: Console) -> int:
    async with _open(where, settings) as backups:
        await _make(backups, keep, console)
    return OK


async def _make(backups: Backups, keep: int, console: Console) -> Manifest:
    made = await backups.create(datetime.now(UTC))
    print_mark(console, "success", f"{made.name} in {backups.objects.location}: {_contents(made)}")
    for digest in made.missing:
        print_mark(console, "failure", f"artifact {digest} is named, but is not in {backups.bucket.location}")
    for name in await backups.remove_old(keep):
        print_mark(console, "detail", f"removed {name}")
    return made


async def serve_requests(where: str | None, keep: int, every_s: float, settings: CliSettings, console: Console) -> int:
    """Make the backups that are requested, until this is cancelled; a database that is away is waited for."""
    async with _open(where, settings) as backups:
        requests = BackupRequests(backups.database.engine)
        await requests.fail_interrupted()
        console.print(f"waiting for requests of backups, which go to {backups.objects.location}", soft_wrap=True)
        while True:
            if not await _serve_or_wait(requests, backups, keep, console):
                await asyncio.sleep(every_s)


async def _serve_or_wait(requests: BackupRequests, backups: Backups, keep: int, console: Console) -> bool:
    try:
        return await serve_next(requests, backups, keep, console)
    except DatabaseOutageError as error:
        print_mark(console, "failure", f"requests of backups wait: {error}")
        return False


async def serve_next(requests: BackupRequests, backups: Backups, keep: int, console: Console) -> bool:
    """Make the backup that is requested; return whether one was. A failure is stored with the request."""
    request = await requests.take()
    if request is None:
        return False
    try:
        made = await _make(backups, keep, console)
    except (BackupError, DumpError, ArtifactsUnavailableError) as error:
        print_mark(console, "failure", f"request {request.id}: {error}")
        await requests.finish(request.id, problem=str(error))
    else:
        await requests.finish(request.id, name=made.name)
    return True


async def _list(where: str | None, settings: CliSettings, console: Console) -> int:
    async with _open(where, settings) as backups:
        found = await backups.manifests()
    for each in found:
        console.print(f"{each.name}  {_contents(each)}", soft_wrap=True)
    if not found:
        console.print("no backups yet: millwright backup create")
    return OK


async def _verify(name: str | None, where: str | None, settings: CliSettings, console: Console) -> int:
    async with _open(where, settings) as backups:
        manifest = await backups.find(name)
        faults = await backups.verify(manifest)
    for fault in faults:
        print_mark(console, "failure", f"{manifest.name}: {fault}")
    if not faults:
        print_mark(console, "success", f"{manifest.name} is complete: {_contents(manifest)}")
    return FAILED if faults else OK


async def _restore(
    name: str | None, where: str | None, settings: CliSettings, console: Console, *, replaces: bool
) -> int:
    require_stopped_stack(settings)
    async with _open(where, settings) as backups:
        await require_no_services(backups.database)
        manifest = await backups.find(name)
        counts = await backups.restore(manifest, replaces=replaces)
    restored = f"{counted(counts.events, 'event')} of {counted(counts.runs, 'run')}, {counted(counts.skills, 'skill')}"
    print_mark(console, "success", f"restored {manifest.name}: {restored}")
    print_mark(console, "info", "next: `millwright migrate`, then `millwright rebuild-stream`")
    return OK


@asynccontextmanager
async def _open(where: str | None, settings: CliSettings) -> AsyncGenerator[Backups]:
    """Open servers and backups; report problems of both as `UserError`."""
    require_admin("backup", settings)
    with as_user_errors(), ExitStack() as cleanup:
        async with open_history(settings) as history:
            objects = _objects(where or settings.millwright_backups, settings, history.s3, cleanup)
            bucket = _open_bucket(history.s3, cleanup)
            try:
                yield Backups(objects, bucket, history.database, _tools(history, settings))
            except (BackupError, DumpError) as error:
                raise UserError(str(error)) from error


def _objects(where: str | None, settings: CliSettings, s3: S3Settings, cleanup: ExitStack) -> ObjectStore:
    if where is None:
        return FolderObjects(settings.millwright_data / FOLDER)
    if not where.startswith(BUCKET):
        return FolderObjects(Path(where))
    name = where.removeprefix(BUCKET)
    if name == s3.s3_bucket:
        raise UserError(f"--where {where}: that bucket has the artifacts themselves; choose another one")
    return BucketObjects(_open_bucket(s3.model_copy(update={"s3_bucket": name}), cleanup))


def _open_bucket(s3: S3Settings, cleanup: ExitStack) -> Bucket:
    bucket = Bucket(s3)
    bucket.open()
    cleanup.callback(bucket.close)
    return bucket


def _tools(history: History, settings: CliSettings) -> PostgresTools:
    """Return Postgres's programs: for an external server those on the PATH, if there are any; else our own.

    Our own dump servers of their version and older ones, without TLS.
    """
    theirs = settings.database_url is not None and shutil.which("pg_dump") is not None
    return PostgresTools(history.database_url, None if theirs else postgres_installation() / "bin")


def _contents(manifest: Manifest) -> str:
    size_mb = (manifest.dump.size_bytes + sum(each.size_bytes for each in manifest.artifacts)) / 1e6
    counts = (
        counted(manifest.events, "event"),
        counted(manifest.runs, "run"),
        counted(manifest.skills, "skill"),
        counted(len(manifest.artifacts), "artifact"),
    )
    return f"{', '.join(counts)}, {size_mb:.1f} MB"
