"""`millwright migrate`."""

from contextlib import ExitStack

from contracts.envelope import SERVICES
from local_stack.migration import migrate_database, migrate_stream
from local_stack.settings import CliSettings, passwords_of, read_settings
from rich.console import Console
from store.users import CATALOG_READER

from cli.administration import (
    create_backup_bucket,
    log_servers,
    provision_accounts,
    require_admin,
    require_own_passwords,
)
from cli.entry import OK, run
from cli.screen import output_console

MIGRATED = {"NATS_URL": "the stream", "DATABASE_URL": "the database"}


def migrate() -> None:
    """Update database tables and stream to the version of this code; services never do this.

    On external servers it also creates the buckets and, for each service that has a password, a user in the database
    and in MinIO.
    """
    run(_migrate(read_settings(), output_console()))


async def _migrate(settings: CliSettings, console: Console) -> int:
    require_admin("migrate", settings)
    passwords = passwords_of((*SERVICES, CATALOG_READER))
    require_own_passwords(passwords, settings)
    with ExitStack() as cleanup:
        servers = await log_servers(settings, cleanup)
        lines = await migrate_database(servers)
        makes_s3_users = settings.millwright_s3_users == "minio"
        environment = {**servers, **settings.external_s3()}
        lines += await provision_accounts(environment, passwords, makes_s3_users=makes_s3_users)
        lines += await create_backup_bucket(settings)
        lines += await migrate_stream(servers)
        for line in lines:
            console.print(line, soft_wrap=True)
        for variable in set(MIGRATED) - set(servers):
            console.print(f"{MIGRATED[variable]} was left alone: {variable} is not set", soft_wrap=True)
    return OK
