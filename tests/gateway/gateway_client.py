"""A started gateway with an HTTP client."""

import ssl
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

import httpx
from gateway.app import GatewayApp, make_app
from gateway.settings import Settings

from tests.support.clusters.cluster import started

PROBLEM = "application/problem+json"
NO_AUTHORITIES = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
"""The gateway speaks plain HTTP: to load a machine's certificates for each test takes 0.1 s of CPU."""


@dataclass(frozen=True)
class RunningGateway:
    """A gateway and a client that sends no token."""

    app: GatewayApp
    client: httpx.AsyncClient


@dataclass(frozen=True)
class ServerSentEvent:
    """One event of a stream, as a browser reads it."""

    id: str
    name: str
    data: str


@asynccontextmanager
async def running(settings: Settings) -> AsyncGenerator[RunningGateway]:
    """Start a gateway, and stop it."""
    app = make_app(settings)
    assert isinstance(app, GatewayApp)
    async with started(app):
        limits = httpx.Limits(max_connections=None)
        async with httpx.AsyncClient(
            base_url=app.url, verify=NO_AUTHORITIES, trust_env=False, timeout=60, limits=limits
        ) as client:
            yield RunningGateway(app, client)


async def server_sent(response: httpx.Response) -> AsyncIterator[ServerSentEvent]:
    """Yield the events of a stream, without comments."""
    fields: dict[str, str] = {}
    async for line in response.aiter_lines():
        name, _, value = line.partition(": ")
        if line and name:
            fields[name] = value
        elif not line and "event" in fields:
            yield ServerSentEvent(fields.get("id", ""), fields["event"], fields.get("data", ""))
            fields = {}


def problem_of(response: httpx.Response, status: int) -> str:
    """Return the detail of a problem; fail unless the response is one with this status."""
    assert response.status_code == status, response.text
    assert response.headers["content-type"] == PROBLEM
    problem = response.json()
    assert problem["status"] == status
    assert problem["title"]
    detail = problem["detail"]
    assert isinstance(detail, str)
    assert detail
    return detail
