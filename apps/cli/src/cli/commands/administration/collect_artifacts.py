"""`millwright collect-artifacts`."""

from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from typing import Annotated

import typer
from artifacts.bucket import Bucket
from artifacts.collection import StoredBlob, delete_blobs, find_unreferenced
from artifacts.settings import S3Settings
from local_stack.errors import UserError
from local_stack.server_access import as_user_errors, settings_from
from local_stack.settings import CliSettings, read_settings
from rich.console import Console
from store.database import Database
from store.references import recorded_texts
from store.retention import unfinished_runs

from cli.administration import require_admin
from cli.entry import OK, run
from cli.log_access import join_or_start, open_database
from cli.screen import output_console

DAYS = 30
"""Younger artifacts stay: the event that names one is published after it."""


def collect_artifacts(
    days: Annotated[int, typer.Option(min=1, help="Keep what was stored in so many days.")] = DAYS,
    delete: Annotated[bool, typer.Option("--delete", help="Delete them; without it they are only counted.")] = False,
) -> None:
    """Find stored artifacts that no event and no skill names, and delete them with --delete.

    Needs a moment without unfinished runs: one of them may be about to name what an ended run left.
    """
    before = datetime.now(UTC) - timedelta(days=days)
    run(_collect(read_settings(), output_console(), before, delete=delete))


async def _collect(settings: CliSettings, console: Console, before: datetime, *, delete: bool) -> int:
    require_admin("collect-artifacts", settings)
    with ExitStack() as cleanup:
        environment = settings.external_s3() or join_or_start(settings, cleanup, "seaweedfs")
        bucket = Bucket(settings_from(S3Settings, environment))
        bucket.open()
        cleanup.callback(bucket.close)
        async with open_database(settings) as database:
            with as_user_errors():
                if delete:
                    await _require_no_unfinished_run(database)
                found = await find_unreferenced(bucket, recorded_texts(database.engine), before)
                if delete:
                    await delete_blobs(bucket, found)
    console.print(_line(found, before, delete=delete), soft_wrap=True)
    return OK


async def _require_no_unfinished_run(database: Database) -> None:
    unfinished = await unfinished_runs(database.engine)
    if unfinished:
        raise UserError(f"{len(unfinished)} runs have not ended: wait for them, or cancel them, before --delete")


def _line(found: list[StoredBlob], before: datetime, *, delete: bool) -> str:
    size_mb = sum(each.size_bytes for each in found) / 1e6
    what = f"{len(found)} artifacts of {size_mb:.1f} MB, stored before {before:%Y-%m-%d}, are named by nothing"
    return f"{what}; they were deleted" if delete else f"{what}; --delete deletes them"
