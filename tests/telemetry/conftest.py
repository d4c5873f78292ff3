"""The run that most tests of telemetry examine, done once."""

import asyncio
from dataclasses import replace

import pytest
from artifacts.settings import S3Settings
from chassis.stream.permissions import all_permissions
from local_stack.service_apps import build_detached_apps

from tests.flows.guarded_endpoints import EndpointsWithPermissions
from tests.support.guarded_server import started_guarded_server
from tests.telemetry.observed_runs import ObservedRun, observe_run


@pytest.fixture(scope="session")
def observed(tmp_path_factory: pytest.TempPathFactory, database_url: str, s3_settings: S3Settings) -> ObservedRun:
    """A run that every service exported something about; each has its own user of a broker that has no other run."""
    permissions = all_permissions(build_detached_apps())
    with started_guarded_server(tmp_path_factory.mktemp("guarded"), permissions) as server:
        run = asyncio.run(observe_run(EndpointsWithPermissions("", database_url, s3_settings, server)))
        return replace(run, refusals=tuple(server.violations()))
