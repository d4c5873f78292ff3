"""The check of all stored artifacts: each is read and compared with its digest."""

from artifacts.inspection import verify_blobs
from artifacts.port import REPAIR, ArtifactsUnavailableError
from artifacts.settings import S3Settings
from local_stack.server_access import settings_from

from doctor.check import Check, CheckFailure, failed, passed
from doctor.target import Target

NAME = "stored artifacts"


async def check_blobs(target: Target) -> Check:
    """Check everything in the bucket; it takes about as long as to download all of it."""
    try:
        found = await verify_blobs(settings_from(S3Settings, target.environment))
    except ArtifactsUnavailableError as error:
        return failed("artifacts", NAME, "cannot be read", target.restart_advice("S3_ENDPOINT"), str(error))
    failures = [
        CheckFailure(what=f"artifact {each.sha256} is damaged", measured=each.problem, fix=REPAIR)
        for each in found.damaged
    ]
    if failures:
        return Check(group="artifacts", name=NAME, failures=tuple(failures))
    return passed("artifacts", NAME, f"{found.count} of {found.size_bytes / 1e6:.1f} MB, all as their digests say")
