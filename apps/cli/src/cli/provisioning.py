"""What separate services need of servers that they share: a user each, in the database and in S3, and the bucket."""

from collections.abc import Mapping

from agent.loop.checkpoints import CheckpointsUnavailableError, set_up_checkpoints
from artifacts.bucket_setup import KEPT_DAYS, keep_versions
from artifacts.client import Artifacts
from artifacts.settings import S3Settings
from artifacts.users import provide_users as provide_s3_users
from local_stack.errors import UserError
from local_stack.readiness import as_user_errors
from local_stack.server_settings import settings_from
from store.settings import DatabaseSettings
from store.users import provide_users


async def provision_accounts(
    environment: Mapping[str, str], passwords: Mapping[str, str], *, makes_s3_users: bool = True
) -> list[str]:
    """Make users for services that have passwords, and the bucket; return, in words, what is there now.

    What the variables do not name is left alone. The database is migrated already. Raises `CannotGoOnError`.
    """
    said: list[str] = []
    with as_user_errors():
        if passwords and "DATABASE_URL" in environment:
            users = await _provide_users(settings_from(DatabaseSettings, environment), passwords)
            said.append(f"the database lets in {', '.join(users)}")
        if "S3_ENDPOINT" in environment:
            s3 = settings_from(S3Settings, environment)
            said.append(f"there is a bucket {await _provide_bucket(s3)}")
            if passwords and makes_s3_users:
                said.append(f"the bucket lets in {', '.join(await provide_s3_users(s3, passwords))}")
                await keep_versions(s3)
                said.append(f"what is overwritten there is kept for {KEPT_DAYS} days")
    return said


async def _provide_users(settings: DatabaseSettings, passwords: Mapping[str, str]) -> list[str]:
    """LangGraph makes its tables itself; here once, so that they belong to nobody who works with them."""
    try:
        await set_up_checkpoints(settings.database_url)
    except CheckpointsUnavailableError as error:
        raise UserError(str(error)) from error
    return await provide_users(settings, passwords)


async def _provide_bucket(settings: S3Settings) -> str:
    artifacts = Artifacts(settings)
    await artifacts.start()
    await artifacts.stop()
    return settings.s3_bucket
