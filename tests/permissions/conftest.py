"""A NATS server with one user for each service, as `millwright permissions` configures it."""

import asyncio
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from chassis.stream.permissions import Permissions, all_permissions, authorization
from chassis.stream.provisioning import provision
from local_stack.servers.binaries import script
from local_stack.servers.ports import LOOPBACK, free_ports
from local_stack.service_apps import build_detached_apps

from tests.permissions.guarded_server import PASSWORD, GuardedServer


@pytest.fixture(scope="session")
def permissions() -> dict[str, Permissions]:
    """The permissions of each user."""
    return {each.user: each for each in all_permissions(build_detached_apps())}


@pytest.fixture(scope="session")
def guarded_server(
    tmp_path_factory: pytest.TempPathFactory, permissions: dict[str, Permissions]
) -> Iterator[GuardedServer]:
    """A NATS server with permissions and a stream, shared by all tests."""
    folder = tmp_path_factory.mktemp("guarded")
    server = GuardedServer(free_ports(1)[0], folder / "log")
    passwords = {each.password_variable: f"{PASSWORD}{each.user}" for each in permissions.values()}
    command = [str(script("nats-server")), "--config", str(_configuration(folder, server.port, permissions))]
    process = subprocess.Popen([*command, "--log", str(server.log)], env=os.environ | passwords)
    asyncio.run(provision(server.settings("admin")))
    yield server
    process.terminate()
    process.wait()


def _configuration(folder: Path, port: int, permissions: dict[str, Permissions]) -> Path:
    lines = (
        f'listen: "{LOOPBACK}:{port}"',
        f'jetstream {{ store_dir: "{folder}", sync_interval: always }}',
        authorization(list(permissions.values())),
    )
    path = folder / "nats-server.conf"
    path.write_text("\n".join(lines))
    return path
