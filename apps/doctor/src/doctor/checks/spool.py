"""The check of the spool: artifacts that wait on this machine for upload to S3."""

import os
import time
from pathlib import Path

from artifacts.settings import S3Settings
from artifacts.spool import Spool
from contracts.settings import COMMAND
from local_stack.data_folder import existing_ancestor
from local_stack.errors import START_HINT, UserError
from local_stack.server_access import settings_from

from doctor.check import Check, failed, passed
from doctor.target import Target

UPLOAD_S = 60.0
"""While S3 answers, an artifact is uploaded well within this time."""
NO_SERVER = {"S3_ENDPOINT": "nowhere.invalid:9000", "S3_ACCESS_KEY": "no-user", "S3_SECRET_KEY": "no-password"}
"""Settings used while no server runs: only the spool's folder is read from the settings."""


def check_spool(target: Target, *, s3_answers: bool) -> Check:
    """Check that artifacts can be spooled, and are uploaded from there."""
    try:
        settings = settings_from(S3Settings, target.environment or NO_SERVER)
    except UserError as error:
        return failed("artifacts", "spool", "cannot be checked", "correct the variables of S3", str(error))
    root = settings.artifacts_spool
    if (refusal := _write_refusal(root)) is not None:
        fix = f"`chown -R {os.geteuid()} {root}` as its owner, or set ARTIFACTS_SPOOL to a folder of your own"
        return failed("artifacts", "spool", f"{root} cannot be written", fix, refusal)
    files = _files(Spool(root, f"{settings.s3_endpoint}-{settings.s3_bucket}").folder)
    spooled_bytes = sum(status.st_size for status in files)
    if spooled_bytes >= settings.artifacts_spool_limit_bytes:
        measured = f"{spooled_bytes >> 20} MB of {settings.artifacts_spool_limit_bytes >> 20} MB"
        fix = "start S3, services then empty the spool by themselves; or raise ARTIFACTS_SPOOL_LIMIT_BYTES"
        return failed("artifacts", "spool", f"{root} is full", fix, measured)
    oldest_s = max((time.time() - status.st_mtime for status in files), default=0.0)
    if s3_answers and oldest_s > UPLOAD_S:
        fix = (
            f"start the services (`{COMMAND} up`; {START_HINT}), which upload them; without services they may be "
            "removed, since no event names them"
        )
        measured = f"{len(files)}, the oldest for {oldest_s:.0f} s"
        return failed("artifacts", "spool", f"artifacts wait in {root}", fix, measured)
    return passed("artifacts", "spool", f"{root}, {len(files)} artifacts wait" if files else f"{root}, empty")


def _write_refusal(root: Path) -> str | None:
    """Return why the spool cannot be written, None if it can."""
    existing = existing_ancestor(root)
    if not existing.is_dir():
        return f"{existing} is a file"
    if not os.access(existing, os.W_OK | os.X_OK):
        return f"by user {os.geteuid()}"
    return None


def _files(folder: Path) -> list[os.stat_result]:
    try:
        return [path.stat() for path in folder.iterdir()]
    except FileNotFoundError:  # nothing was ever spooled, or an artifact was uploaded meanwhile
        return []
