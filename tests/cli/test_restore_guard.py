"""A backup is restored only while nothing else uses the database."""

import asyncio
import os
from pathlib import Path

import psycopg
from local_stack.data_folder import acquire_lock
from local_stack.servers.server_stack import ServerStack
from store.migrate import migrate
from store.outages import APPLICATION
from store.settings import DatabaseSettings

from tests.cli.conftest import RunCommand


def test_restore_beside_a_running_stack_is_refused(tmp_path: Path, run_command: RunCommand) -> None:
    (tmp_path / "data").mkdir()
    lock = acquire_lock(tmp_path / "data")
    try:
        refused = run_command("backup", "restore", "--replace")
    finally:
        os.close(lock)
    assert refused.code == 2
    assert f"process {os.getpid()}) runs in {tmp_path / 'data'}: stop it with `millwright down`" in refused.errors


def test_restore_beside_sessions_of_services_is_refused(servers: ServerStack, run_command: RunCommand) -> None:
    with psycopg.connect(servers.database_url, autocommit=True) as admin:
        admin.execute("CREATE DATABASE restored_by_test")
    url = servers.database_url.rpartition("/")[0] + "/restored_by_test"
    asyncio.run(migrate(DatabaseSettings(database_url=url)))
    external = {**servers.environment(), "DATABASE_URL": url}
    with psycopg.connect(url, application_name=APPLICATION):
        beside = run_command("backup", "restore", "--where", "/nowhere", **external)
    alone = run_command("backup", "restore", "--where", "/nowhere", **external)
    assert "services use the database (millwright: 1)" in beside.errors
    assert "services" not in alone.errors
