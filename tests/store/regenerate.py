"""Writes the golden file of the database schema from a new database: `python -m tests.store.regenerate`.

A migration that was released must not change: review the difference, which only a new migration may cause.
"""

import asyncio
from pathlib import Path
from tempfile import TemporaryDirectory

from local_stack.servers.server_stack import ServerStack

from tests.store.schema_listing import GOLDEN, SCHEMA_FILE, migrated_schema
from tests.support.golden import write_golden


def main() -> None:
    """Start servers of its own, and stop them."""
    with TemporaryDirectory() as folder:
        servers = ServerStack(Path(folder))
        servers.start()
        try:
            schema = asyncio.run(migrated_schema(servers.database_url))
        finally:
            servers.stop()
            servers.erase()
    write_golden(GOLDEN, {SCHEMA_FILE: lambda: schema})


if __name__ == "__main__":
    main()
