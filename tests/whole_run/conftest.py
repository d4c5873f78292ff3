"""One run that all tests of this folder examine, each from another side: its events, its record, its telemetry."""

import asyncio
from dataclasses import replace

import pytest
from artifacts.settings import S3Settings
from chassis.administration.permissions import all_permissions
from local_stack.service_apps import build_detached_apps

from tests.flows.complete_runs import FORBIDDEN, CompleteRun
from tests.flows.guarded_endpoints import EndpointsWithPermissions
from tests.support.guarded_server import GuardedServer, connected_as, started_guarded_server
from tests.whole_run.observed_runs import ObservedRun, observe_run


@pytest.fixture(scope="session")
def observed(tmp_path_factory: pytest.TempPathFactory, database_url: str, s3_settings: S3Settings) -> ObservedRun:
    """A benchmark, solved from the request by the API to the learned skill, by services with their own users of a
    broker that has no other run."""
    permissions = all_permissions(build_detached_apps())
    with started_guarded_server(tmp_path_factory.mktemp("guarded"), permissions) as server:
        asyncio.run(try_forbidden(server))
        observed = asyncio.run(observe_run(EndpointsWithPermissions("", database_url, s3_settings, server)))
        return replace(observed, refusals=tuple(server.violations()))


@pytest.fixture(scope="session")
def complete(observed: ObservedRun) -> CompleteRun:
    """The events and files of that run."""
    return observed.run


async def try_forbidden(server: GuardedServer) -> None:
    """Publish as a user what it may not, as a proof that the broker's log has refusals."""
    async with connected_as(server, "cli") as connection:
        await connection.refused_publishing([FORBIDDEN])
