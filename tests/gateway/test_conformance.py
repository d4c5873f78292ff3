# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportUnknownParameterType=false, reportMissingTypeArgument=false, reportAttributeAccessIssue=false
# schemathesis leaves its type parameters open
"""Generated requests: every answer is one that docs/openapi.json describes, and none is a failure of the gateway.

Schemathesis makes the requests and checks the answers; its pytest plugin is not loaded.
"""

import asyncio
import threading
from collections.abc import Iterator

import pytest
import schemathesis
from artifacts.settings import S3Settings
from hypothesis import HealthCheck, Phase, given
from hypothesis import settings as hypothesis_settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from tests.gateway.gateway_client import running
from tests.gateway.gateway_settings import settings_on
from tests.gateway.regenerate import FILE
from tests.support.clusters.cluster import Endpoints

EXAMPLES = 50
SCHEMA = schemathesis.openapi.from_path(FILE)
OPERATIONS = {result.ok().label: result.ok() for result in SCHEMA.get_all_operations()}
CHECKS = [not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]


@pytest.fixture(scope="module")
def address(nats_url: str, database_url: str, s3_settings: S3Settings) -> Iterator[str]:
    """The address of a gateway on an event loop of its own, since the generated requests block."""
    settings = settings_on(Endpoints(nats_url, database_url, s3_settings))
    ready, stop, found = threading.Event(), asyncio.Event(), list[str]()
    loop = asyncio.new_event_loop()

    async def serve() -> None:
        async with running(settings) as gateway:
            found.append(gateway.app.url)
            ready.set()
            await stop.wait()

    thread = threading.Thread(target=lambda: loop.run_until_complete(serve()))
    thread.start()
    assert ready.wait(60)
    yield found[0]
    loop.call_soon_threadsafe(stop.set)
    thread.join()
    loop.close()


@pytest.mark.parametrize("label", OPERATIONS)
def test_answers_are_those_of_the_document(address: str, label: str) -> None:
    operation = OPERATIONS[label]

    @given(case=operation.as_strategy())
    @hypothesis_settings(
        max_examples=EXAMPLES,
        phases=[Phase.generate],
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.large_base_example],
        deadline=None,
        derandomize=True,
    )
    def check(case: schemathesis.Case) -> None:
        case.call_and_validate(base_url=address, checks=CHECKS)

    check()
