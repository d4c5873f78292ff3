"""Steps shared by `migrate` and `rebuild-stream`: the admin's rights, the servers of the log, and service accounts."""

from collections.abc import Mapping
from contextlib import ExitStack
from urllib.parse import urlsplit

from artifacts.bucket import Bucket
from artifacts.bucket_setup import KEPT_DAYS, enable_versioning
from artifacts.client import Artifacts
from artifacts.retry import retry_within
from artifacts.settings import S3Settings
from artifacts.users import provision_users as provision_s3_users
from contracts.envelope import SERVICES
from contracts.settings import COMMAND
from local_stack.database_users import provision_database_users
from local_stack.errors import UserError, admin_hint
from local_stack.server_access import as_user_errors, settings_from, wait_for_servers
from local_stack.settings import CliSettings
from store.settings import DatabaseSettings

from cli.log_access import join_or_start

EXAMPLE_PREFIX = "change-"
"""How each password of deploy/.env.example begins."""


def require_admin(command: str, settings: CliSettings) -> None:
    """Raise `UserError` when a URL has the user of a service, such as `cli`; see `millwright permissions`."""
    for variable, url in (("NATS_URL", settings.nats_url), ("DATABASE_URL", settings.database_url)):
        user = urlsplit(url or "").username
        if user in SERVICES:
            raise UserError(
                f"`{COMMAND} {command}` needs the admin's rights, but the user in {variable} is {user}; "
                f"{admin_hint('' if command == 'migrate' else command)}"
            )


def require_own_passwords(passwords: Mapping[str, str], settings: CliSettings) -> None:
    """Raise `UserError` for a password of deploy/.env.example, which everyone knows, unless the settings accept it."""
    used = {
        "NATS_URL": urlsplit(settings.nats_url or "").password,
        "DATABASE_URL": urlsplit(settings.database_url or "").password,
        "S3_SECRET_KEY": settings.s3_secret_key,
        **passwords,
    }
    public = sorted(name for name, password in used.items() if (password or "").startswith(EXAMPLE_PREFIX))
    if public and not settings.millwright_example_passwords:
        raise UserError(
            f"{len(public)} passwords are those of deploy/.env.example, which are public ({', '.join(public)}): write "
            "deploy/.env with deploy/make-env, or change them; MILLWRIGHT_EXAMPLE_PASSWORDS=yes accepts them for a test"
        )


async def log_servers(settings: CliSettings, cleanup: ExitStack) -> Mapping[str, str]:
    """Return the variables of NATS and Postgres: of external servers, which may be only one of them, or of local ones.

    Local servers that do not run are started, and stopped by `cleanup`.
    """
    named = {"NATS_URL": settings.nats_url, "DATABASE_URL": settings.database_url}
    external = {variable: url for variable, url in named.items() if url is not None}
    if external:
        await wait_for_servers(external)
        return external
    local = join_or_start(settings, cleanup, "nats-server", "postgres")
    return {variable: local[variable] for variable in named}


async def provision_accounts(
    environment: Mapping[str, str], passwords: Mapping[str, str], *, makes_s3_users: bool = True
) -> list[str]:
    """Create a user for each service with a password, and the bucket; return a line for each result.

    Servers without a variable are left alone. The database must be migrated. Raises `UserError`.
    """
    results: list[str] = []
    with as_user_errors():
        if passwords and "DATABASE_URL" in environment:
            users = await provision_database_users(settings_from(DatabaseSettings, environment), passwords)
            results.append(f"database users: {', '.join(users)}")
        if "S3_ENDPOINT" in environment:
            s3 = settings_from(S3Settings, environment)
            results.append(f"bucket: {await _create_bucket(s3)}")
            if passwords and makes_s3_users:
                results.append(f"bucket users: {', '.join(await provision_s3_users(s3, passwords))}")
                await enable_versioning(s3)
                results.append(f"overwritten and deleted artifacts are kept for {KEPT_DAYS} days")
    return results


async def _create_bucket(settings: S3Settings) -> str:
    artifacts = Artifacts(settings)
    await artifacts.start()
    await artifacts.stop()
    return settings.s3_bucket


async def create_backup_bucket(settings: CliSettings) -> list[str]:
    """Create the bucket of MILLWRIGHT_BACKUPS, if that is one; return a line for it. Raises `UserError`."""
    place, external = settings.millwright_backups, settings.external_s3()
    if place is None or not external:
        return []
    s3 = settings.backup_s3(place, settings_from(S3Settings, external))
    if s3 is None:
        return []
    bucket = Bucket(s3)
    bucket.open()
    try:
        with as_user_errors():
            await retry_within(s3.s3_connect_timeout_s, bucket.create)
    finally:
        bucket.close()
    return [f"backups: {bucket.location}"]
