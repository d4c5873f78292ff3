"""A complete run that the tests of this folder examine, done once."""

import asyncio
from dataclasses import replace

import pytest
from artifacts.settings import S3Settings
from chassis.stream.permissions import all_permissions
from local_stack.service_apps import build_detached_apps

from tests.flows.complete_runs import FORBIDDEN, CompleteRun, order, run_once
from tests.flows.guarded_endpoints import EndpointsWithPermissions
from tests.support.guarded_server import GuardedServer, connected_as, started_guarded_server


@pytest.fixture(scope="session")
def complete(tmp_path_factory: pytest.TempPathFactory, database_url: str, s3_settings: S3Settings) -> CompleteRun:
    """A benchmark, solved from request to learned skill, by services with their own users of the broker."""
    permissions = all_permissions(build_detached_apps())
    with started_guarded_server(tmp_path_factory.mktemp("guarded"), permissions) as server:
        asyncio.run(try_forbidden(server))
        endpoints = EndpointsWithPermissions("", database_url, s3_settings, server)
        run = asyncio.run(run_once(endpoints, order("gravity-chute", 3)))
        return replace(run, refusals=tuple(server.violations()))


async def try_forbidden(server: GuardedServer) -> None:
    """Publish as a user what it may not, as a proof that the broker's log has refusals."""
    async with connected_as(server, "cli") as connection:
        await connection.refused_publishing([FORBIDDEN])
