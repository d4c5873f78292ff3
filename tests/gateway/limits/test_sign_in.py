"""Sessions of browsers: behind TLS, after signing out, and beside an address that guesses tokens."""

from collections.abc import AsyncIterator
from typing import Any
from uuid import uuid4

import httpx
import pytest
from chassis.app import App
from gateway.http.sessions import COOKIE
from gateway.settings import ApiToken, Settings
from pydantic import SecretStr

from tests.gateway.gateway_client import RunningGateway, problem_of, running
from tests.store.example_runs import new_request

OWNER = ApiToken(name="owner", token=SecretStr("w" * 32), scopes=frozenset(("read", "run")))
OTHER = ApiToken(name="other", token=SecretStr("v" * 32), scopes=frozenset(("read",)))
ATTEMPTS = 150
SIGN_IN = "/pages/sign-in"


@pytest.fixture
def guarded(settings: Settings) -> Settings:
    usual: dict[str, Any] = {"gateway_tokens": (OWNER, OTHER), "gateway_requests_per_minute": 600}
    return settings.model_copy(update=usual)


@pytest.fixture
async def gateway(guarded: Settings) -> AsyncIterator[RunningGateway]:
    async with running(guarded) as gateway:
        yield gateway


async def signed_in(client: httpx.AsyncClient, **headers: str) -> httpx.Response:
    response = await client.post(SIGN_IN, data={"token": OWNER.token.get_secret_value()}, headers=headers)
    assert response.status_code == 303, response.text
    return response


async def test_cookie_is_secure_behind_tls(gateway: RunningGateway) -> None:
    host = httpx.URL(gateway.app.url).netloc.decode()
    for headers, is_secure in (
        ({}, False),
        ({"Origin": f"https://{host}"}, True),
        ({"Origin": f"http://{host}"}, False),
    ):
        response = await signed_in(gateway.client, **headers)
        assert ("; Secure" in response.headers["set-cookie"]) == is_secure, headers


async def test_trusted_proxy_says_that_the_cookie_is_secure(guarded: Settings) -> None:
    https = {"X-Forwarded-Proto": "https"}
    for proxies, is_secure in (("127.0.0.1", True), ("10.0.0.0/8, 192.0.2.1", False), ((), False)):
        given = guarded.model_dump() | {"gateway_trusted_proxies": proxies}
        async with running(Settings.model_validate(given)) as gateway:
            response = await signed_in(gateway.client, **https)
            assert ("; Secure" in response.headers["set-cookie"]) == is_secure, proxies


async def test_session_that_was_signed_out_is_refused_by_all_gateways(
    gateway: RunningGateway, guarded: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gateway.http.sign_outs.READ_EVERY_S", 0.1)
    kept = (await signed_in(gateway.client)).cookies[COOKIE]
    other_session = (await signed_in(gateway.client)).cookies[COOKIE]
    gateway.client.cookies.clear()
    key = (await gateway.client.get("/pages/runs", headers=_cookie(kept))).text.split('name="form_key" value="')[1][:64]
    async with running(guarded) as replica:
        assert (await replica.client.get("/runs", headers=_cookie(kept))).status_code == 200
        out = await gateway.client.post("/pages/sign-out", data={"form_key": key}, headers=_cookie(kept))
        assert (out.status_code, out.headers["location"]) == (303, SIGN_IN)
        problem_of(await gateway.client.get("/runs", headers=_cookie(kept)), 401)
        assert (await gateway.client.get("/runs", headers=_cookie(other_session))).status_code == 200
    async with running(guarded) as replica:
        problem_of(await replica.client.get("/runs", headers=_cookie(kept)), 401)


async def test_wrong_tokens_of_an_address_lock_no_neighbour_out(gateway: RunningGateway) -> None:
    statuses = [await _attempt(gateway.client) for _ in range(ATTEMPTS)]
    assert statuses[0] == 403
    assert statuses[-1] == 429
    assert (await gateway.client.get(SIGN_IN)).status_code == 200
    await signed_in(gateway.client)
    assert (await gateway.client.get("/pages/runs")).status_code == 200


async def test_trusted_proxy_tells_its_clients_apart(guarded: Settings) -> None:
    given = guarded.model_dump() | {"gateway_trusted_proxies": "127.0.0.1"}
    async with running(Settings.model_validate(given)) as gateway:
        first, second = ({"X-Forwarded-For": f"203.0.113.{number}"} for number in (1, 2))
        assert [await _attempt(gateway.client, **first) for _ in range(20)][-1] == 429
        assert await _attempt(gateway.client, **second) == 403


async def test_token_has_a_share_of_the_event_streams(guarded: Settings, publisher: App) -> None:
    request = new_request()
    await publisher.bus.publish(request)
    path = f"/runs/{request.run_id}/events/live"
    limits = {"gateway_open_streams": 3, "gateway_streams_per_caller": 2}
    async with running(guarded.model_copy(update=limits)) as gateway:
        own, other = ({"Authorization": f"Bearer {each.token.get_secret_value()}"} for each in (OWNER, OTHER))
        async with (
            gateway.client.stream("GET", path, headers=own) as first,
            gateway.client.stream("GET", path, headers=own) as second,
            gateway.client.stream("GET", path, headers=other) as third,
        ):
            assert [each.status_code for each in (first, second, third)] == [200, 200, 200]
            refused = await gateway.client.get(path, headers=own)
            assert "GATEWAY_STREAMS_PER_CALLER" in problem_of(refused, 429)
            assert refused.headers["retry-after"]
            assert "GATEWAY_OPEN_STREAMS" in problem_of(await gateway.client.get(path, headers=other), 503)


async def _attempt(client: httpx.AsyncClient, **headers: str) -> int:
    return (await client.post(SIGN_IN, data={"token": str(uuid4())}, headers=headers)).status_code


def _cookie(value: str) -> dict[str, str]:
    return {"Cookie": f"{COOKIE}={value}"}
