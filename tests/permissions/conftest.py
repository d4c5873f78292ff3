"""A NATS server with one user for each service, as `millwright permissions` configures it."""

from collections.abc import Iterator

import pytest
from chassis.administration.permissions import Permissions, all_permissions
from local_stack.service_apps import build_detached_apps

from tests.support.guarded_server import GuardedServer, started_guarded_server


@pytest.fixture(scope="session")
def permissions() -> dict[str, Permissions]:
    """The permissions of each user."""
    return {each.user: each for each in all_permissions(build_detached_apps())}


@pytest.fixture(scope="session")
def guarded_server(
    tmp_path_factory: pytest.TempPathFactory, permissions: dict[str, Permissions]
) -> Iterator[GuardedServer]:
    """A NATS server with permissions and a stream, shared by all tests."""
    with started_guarded_server(tmp_path_factory.mktemp("guarded"), list(permissions.values())) as server:
        yield server
