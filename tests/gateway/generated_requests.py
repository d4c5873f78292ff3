# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportUnknownParameterType=false, reportMissingTypeArgument=false, reportAttributeAccessIssue=false
# schemathesis leaves its type parameters open
"""Generated requests for a gateway: every answer must be one that docs/openapi.json describes, and no failure."""

import asyncio
import threading
from collections import Counter
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from typing import Any

import schemathesis
from gateway.settings import Settings
from hypothesis import HealthCheck, Phase, given
from hypothesis import settings as hypothesis_settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from tests.gateway.gateway_client import running
from tests.gateway.regenerate import FILE

START_S = 120.0
SCHEMA = schemathesis.openapi.from_path(FILE)
OPERATIONS: dict[str, Any] = {result.ok().label: result.ok() for result in SCHEMA.get_all_operations()}
CHECKS = [not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]


@contextmanager
def serving(settings: Settings) -> Generator[str]:
    """Yield the address of a gateway on an event loop of its own, since the generated requests block."""
    ready, stop, found = threading.Event(), asyncio.Event(), list[str]()
    loop = asyncio.new_event_loop()

    async def serve() -> None:
        async with running(settings) as gateway:
            found.append(gateway.app.url)
            ready.set()
            await stop.wait()

    thread = threading.Thread(target=lambda: loop.run_until_complete(serve()))
    thread.start()
    try:
        assert ready.wait(START_S)
        yield found[0]
    finally:
        loop.call_soon_threadsafe(stop.set)
        thread.join()
        loop.close()


def check_operation(
    address: str,
    label: str,
    examples: int,
    headers: Mapping[str, str] | None = None,
    known: Mapping[str, str] | None = None,
) -> Counter[int]:
    """Send generated requests of an operation; return how many answers had each status.

    `known` are parameters of paths, and fields of bodies, that name something: every other request has them.
    Raises an error, with the request, for the first answer that the document does not describe.
    """
    operation = OPERATIONS[label]
    statuses = Counter[int]()

    @given(case=operation.as_strategy())
    @hypothesis_settings(
        max_examples=examples,
        phases=[Phase.generate],
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.large_base_example],
        deadline=None,
        derandomize=True,
    )
    def check(case: schemathesis.Case) -> None:
        if known is not None and statuses.total() % 2:
            case.path_parameters = _with_known(case.path_parameters, known)
            case.body = _with_known(case.body, known)
        answer = case.call(base_url=address, headers=None if headers is None else dict(headers))
        statuses[answer.status_code] += 1
        case.validate_response(answer, checks=CHECKS)

    check()
    return statuses


def _with_known(given: Any, known: Mapping[str, str]) -> Any:
    if not isinstance(given, dict):
        return given
    return {name: known.get(name, value) if isinstance(value, str) else value for name, value in given.items()}
