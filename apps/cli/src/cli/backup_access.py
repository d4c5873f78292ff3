"""Access to the servers and to the place of backups."""

import shutil
from collections.abc import AsyncGenerator
from contextlib import ExitStack, asynccontextmanager
from pathlib import Path

from artifacts.bucket import Bucket
from artifacts.object_store import BucketObjects, FolderObjects, ObjectStore
from artifacts.settings import S3Settings
from backups.backup import BackupError, Backups
from backups.database_dump import DumpError, PostgresTools
from local_stack.errors import UserError
from local_stack.server_access import as_user_errors
from local_stack.servers.binaries import postgres_installation
from local_stack.settings import BACKUP_BUCKET, CliSettings

from cli.administration import require_admin
from cli.log_access import History, open_history

FOLDER = "backups"
"""In the data folder of a local stack."""
PASSING = ("overlay", "tmpfs", "ramfs")
"""File systems of what is gone with its container."""
MOUNTS = Path("/proc/self/mountinfo")


@asynccontextmanager
async def open_backups(where: str | None, settings: CliSettings, *, writes: bool = False) -> AsyncGenerator[Backups]:
    """Open servers and backups; report problems of both as `UserError`.

    `writes`: the database must be of this version, and a bucket for backups is created.
    """
    require_admin("backup", settings)
    place = where or settings.millwright_backups or _own_folder(settings)
    with as_user_errors(), ExitStack() as cleanup:
        async with open_history(settings, any_version=not writes) as history:
            objects = await _objects(place, settings, history.s3, cleanup, writes=writes)
            bucket = _open_bucket(history.s3, cleanup)
            try:
                yield Backups(objects, bucket, history.database, _tools(history, settings))
            except (BackupError, DumpError) as error:
                raise UserError(str(error)) from error


def _own_folder(settings: CliSettings) -> str:
    """Return the place in the data folder of a local stack; external servers have none that lasts."""
    if settings.database_url is not None:
        raise UserError(
            "where are the backups of these servers to go? Set MILLWRIGHT_BACKUPS or --where to a folder that lasts, "
            f"such as a mounted volume, or to {BACKUP_BUCKET}BUCKET"
        )
    return str(settings.millwright_data / FOLDER)


async def _objects(
    place: str, settings: CliSettings, s3: S3Settings, cleanup: ExitStack, *, writes: bool
) -> ObjectStore:
    backup_s3 = settings.backup_s3(place, s3)
    if backup_s3 is None:
        folder = Path(place)
        kind = file_system_of(folder) if settings.services_elsewhere else None
        if kind in PASSING:
            raise UserError(
                f"backups in {folder} would be gone with this container (its file system is {kind}): mount a volume "
                f"there, or set MILLWRIGHT_BACKUPS to {BACKUP_BUCKET}BUCKET"
            )
        return FolderObjects(folder)
    bucket = _open_bucket(backup_s3, cleanup)
    if writes:
        await bucket.create()
    elif not await bucket.call(lambda client, name: client.bucket_exists(name)):
        raise UserError(f"there is no {bucket.location}: `millwright backup create` makes it, or choose with --where")
    return BucketObjects(bucket)


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


def file_system_of(folder: Path) -> str | None:
    """Return the kind of file system, such as `ext4` or `overlay`, that has a folder or would have it; None if unknown.

    The kernel's list of mounts (proc_pid_mountinfo(5)): field 5 is where, and the field after `-` the kind.
    """
    if not MOUNTS.is_file():
        return None
    kinds: dict[str, str] = {}
    for line in MOUNTS.read_text("utf-8").splitlines():
        before, _, after = line.partition(" - ")
        kinds[before.split()[4].encode().decode("unicode_escape")] = after.split()[0]
    resolved = folder.resolve()
    return next((kinds[str(each)] for each in (resolved, *resolved.parents) if str(each) in kinds), None)
