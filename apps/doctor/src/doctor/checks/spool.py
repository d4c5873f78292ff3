"""The spool: blobs that wait on this machine for S3."""

import os
import time
from pathlib import Path

from artifacts.settings import S3Settings
from artifacts.spool import Spool
from local_stack.containers import BRING_UP
from local_stack.errors import UserError
from local_stack.server_settings import settings_from

from doctor.check import Check, failed, passed
from doctor.target import Target

WAITS_LONG_S = 60.0
"""While S3 answers, a blob is uploaded well within this time."""
NOWHERE = {"S3_ENDPOINT": "nowhere.invalid:9000", "S3_ACCESS_KEY": "nobody", "S3_SECRET_KEY": "nothing"}
"""While no server runs, only the place of the spool is asked for."""


def check_spool(patient: Target, *, s3_answers: bool) -> Check:
    """Blobs can be spooled, and do not stay there."""
    try:
        settings = settings_from(S3Settings, patient.environment or NOWHERE)
    except UserError as error:
        return failed(
            "artifacts", "spool", "cannot be looked at", "set the variables of S3 as they must be", str(error)
        )
    root = settings.artifacts_spool
    if (refused := _refuses(root)) is not None:
        mend = f"`chown -R {os.geteuid()} {root}` as its owner, or set ARTIFACTS_SPOOL to a folder of your own"
        return failed("artifacts", "spool", f"{root} cannot be written", mend, refused)
    ours = _files(Spool(root, f"{settings.s3_endpoint}-{settings.s3_bucket}").folder)
    bytes_here = sum(status.st_size for status in ours)
    if bytes_here >= settings.artifacts_spool_limit_bytes:
        measured = f"{bytes_here >> 20} MB of {settings.artifacts_spool_limit_bytes >> 20} MB"
        mend = "bring S3 back, services then empty it by themselves; or raise ARTIFACTS_SPOOL_LIMIT_BYTES"
        return failed("artifacts", "spool", f"{root} is full", mend, measured)
    oldest_s = max((time.time() - status.st_mtime for status in ours), default=0.0)
    if s3_answers and oldest_s > WAITS_LONG_S:
        mend = (
            f"start the services (`millwright up`; {BRING_UP}), they upload it; without them it may be removed, no "
            "event names it"
        )
        return failed(
            "artifacts", "spool", f"blobs wait in {root}", mend, f"{len(ours)}, the oldest for {oldest_s:.0f} s"
        )
    return passed("artifacts", "spool", f"{root}, {len(ours)} blobs wait" if ours else f"{root}, nothing waits")


def _refuses(root: Path) -> str | None:
    existing = next(path for path in (root.absolute(), *root.absolute().parents) if path.exists())
    if not existing.is_dir():
        return f"{existing} is a file"
    if not os.access(existing, os.W_OK | os.X_OK):
        return f"by user {os.geteuid()}"
    return None


def _files(folder: Path) -> list[os.stat_result]:
    try:
        return [path.stat() for path in folder.iterdir()]
    except FileNotFoundError:  # no blob was ever spooled, or one was sent while we looked
        return []
