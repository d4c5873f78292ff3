"""`millwright migrate`."""

from contextlib import ExitStack

from local_stack.migration import migrate_all
from local_stack.settings import CliSettings, read_settings, service_passwords
from rich.console import Console

from cli.admin_guard import require_admin
from cli.entry import OK, run
from cli.log_servers import log_servers
from cli.provisioning import provision_accounts
from cli.screen import screen

MIGRATED = {"NATS_URL": "the stream", "DATABASE_URL": "the database"}


def migrate() -> None:
    """Bring the database's tables and the stream to the version of this code; services do neither.

    On servers that exist it also makes the bucket, and for each service that has a password a user, in the database
    and in MinIO.
    """
    run(_migrate(read_settings(), screen()))


async def _migrate(surroundings: CliSettings, console: Console) -> int:
    require_admin("migrate", surroundings)
    with ExitStack() as leaving:
        servers = await log_servers(surroundings, leaving)
        lines = await migrate_all(servers)
        named = servers | surroundings.external_s3()
        makes_s3_users = surroundings.millwright_s3_users == "minio"
        for line in lines + await provision_accounts(named, service_passwords(), makes_s3_users=makes_s3_users):
            console.print(line, soft_wrap=True)
        for variable in set(MIGRATED) - set(servers):
            console.print(f"{MIGRATED[variable]} was left alone: {variable} is not set", soft_wrap=True)
    return OK
