"""Who may use the API, from where, how often, and with how large a body."""

from collections.abc import AsyncIterator
from typing import Any
from uuid import uuid4

import httpx
import pytest
from chassis.errors import CannotStartError
from gateway.http.rate_limit import MAX_CALLERS, RateLimit
from gateway.settings import ApiToken, Settings
from pydantic import SecretStr, ValidationError

from tests.gateway.gateway_client import RunningGateway, problem_of, running

READER = ApiToken(name="reader", token=SecretStr("r" * 32), scopes=frozenset(("read",)))
RUNNER = ApiToken(name="runner", token=SecretStr("w" * 32), scopes=frozenset(("run",)))
BODY = {"benchmark": "no-such-benchmark"}


def bearer(token: ApiToken) -> dict[str, str]:
    return {"Authorization": f"Bearer {token.token.get_secret_value()}"}


@pytest.fixture
def guarded(settings: Settings) -> Settings:
    return settings.model_copy(update={"gateway_tokens": (READER, RUNNER)})


async def test_request_without_a_valid_token_is_unauthorized(guarded: Settings) -> None:
    async with running(guarded) as gateway:
        for headers in (
            {},
            {"Authorization": "Bearer " + "x" * 32},
            {"Authorization": "Basic " + "r" * 32},
            {"Authorization": "Bearer"},
        ):
            response = await gateway.client.get("/runs", headers=headers)
            assert "GATEWAY_TOKENS" in problem_of(response, 401)
            assert response.headers["www-authenticate"].startswith("Bearer")
        problem_of(await gateway.client.get("/no/such/path"), 401)
        problem_of(await gateway.client.post("/runs", content=b"not json"), 401)


async def test_token_allows_what_its_scopes_say(guarded: Settings) -> None:
    async with running(guarded) as gateway:
        assert (await gateway.client.get("/runs", headers=bearer(READER))).status_code == 200
        refused = await gateway.client.post("/runs", headers=bearer(READER), json=BODY)
        assert "scope run" in problem_of(refused, 403)
        assert 'scope="run"' in refused.headers["www-authenticate"]
        problem_of(await gateway.client.get("/runs", headers=bearer(RUNNER)), 403)
        for action in ("cancel", "continue", "forks"):
            problem_of(await gateway.client.post(f"/runs/{uuid4()}/{action}", headers=bearer(READER), json={}), 403)
        assert "no benchmark" in problem_of(await gateway.client.post("/runs", headers=bearer(RUNNER), json=BODY), 404)


async def test_health_needs_no_token_and_shows_problems_to_readers_only(guarded: Settings) -> None:
    async with running(guarded) as gateway:
        response = await gateway.client.get("/health")
        assert (response.status_code, response.json()) == (200, {"status": "ok", "problems": []})
        assert (await gateway.client.get("/openapi.json")).status_code == 200


@pytest.mark.parametrize("host", ["evil.example", "evil.example:8420", "", "127.0.0.1.evil.example"])
async def test_foreign_host_is_refused_without_tokens(gateway: RunningGateway, host: str) -> None:
    response = await gateway.client.get("/runs", headers={"Host": host})
    assert "is served" in problem_of(response, 421) or "are served" in problem_of(response, 421)


async def test_page_of_another_site_is_refused_without_tokens(gateway: RunningGateway) -> None:
    response = await gateway.client.post("/runs", json=BODY, headers={"Origin": "https://evil.example"})
    assert "other sites" in problem_of(response, 403)
    assert (await gateway.client.get("/runs", headers={"Origin": gateway.app.url})).status_code == 200


async def test_body_that_is_not_declared_as_json_is_refused(gateway: RunningGateway) -> None:
    response = await gateway.client.post("/runs", content=b'{"benchmark": "x"}', headers={"Content-Type": "text/plain"})
    problem_of(response, 422)


async def test_large_body_is_refused_declared_or_not(gateway: RunningGateway) -> None:
    large = b"x" * (64 * 1024 + 1)

    async def chunks() -> AsyncIterator[bytes]:
        for start in range(0, len(large), 8192):
            yield large[start : start + 8192]

    assert "GATEWAY_BODY_LIMIT_BYTES" in problem_of(await gateway.client.post("/runs", content=large), 413)
    assert "GATEWAY_BODY_LIMIT_BYTES" in problem_of(await gateway.client.post("/runs", content=chunks()), 413)


async def test_caller_above_its_rate_waits(settings: Settings) -> None:
    async with running(settings.model_copy(update={"gateway_requests_per_minute": 12})) as gateway:
        responses = [await gateway.client.get("/health") for _ in range(4)]
        assert [each.status_code for each in responses] == [200, 200, 200, 429]
        assert "GATEWAY_REQUESTS_PER_MINUTE" in problem_of(responses[-1], 429)
        assert 1 <= int(responses[-1].headers["retry-after"]) <= 5


def test_rate_limit_fills_again_and_counts_each_caller_alone() -> None:
    now = [0.0]
    limit = RateLimit(60, clock=lambda: now[0])
    assert [limit.wait_s("a") for _ in range(15)] == [0.0] * 15
    assert limit.wait_s("a") == pytest.approx(1.0)
    assert limit.wait_s("b") == 0.0
    now[0] = 1.0
    assert limit.wait_s("a") == 0.0
    assert limit.wait_s("a") > 0.0


def test_rate_limit_remembers_a_bounded_number_of_callers() -> None:
    limit = RateLimit(60, clock=lambda: 0.0)
    for number in range(MAX_CALLERS + 50):
        limit.wait_s(str(number))
    assert limit.remembered == MAX_CALLERS


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1", "example.org"])
def test_address_beyond_this_machine_needs_tokens(settings: Settings, host: str) -> None:
    given: dict[str, Any] = settings.model_dump() | {"gateway_host": host}
    with pytest.raises(ValidationError, match="set GATEWAY_TOKENS"):
        Settings.model_validate(given)
    assert Settings.model_validate(given | {"gateway_tokens": (READER,)}).gateway_host == host


@pytest.mark.parametrize(
    "tokens",
    [
        "nonsense",
        '[{"name": "a", "token": "short", "scopes": ["read"]}]',
        '[{"name": "a", "token": "tttttttttttttttttttttttttttt", "scopes": ["everything"]}]',
        '[{"name": "a", "token": "tttttttttttttttttttttttttttt", "scopes": []},'
        ' {"name": "a", "token": "uuuuuuuuuuuuuuuuuuuuuuuuuuuu", "scopes": []}]',
    ],
)
def test_invalid_tokens_are_refused(settings: Settings, tokens: str) -> None:
    given: dict[str, Any] = settings.model_dump() | {"gateway_tokens": tokens}
    with pytest.raises(ValidationError):
        Settings.model_validate(given)


async def test_taken_port_is_named_with_its_fix(settings: Settings) -> None:
    async with running(settings) as gateway:
        port = httpx.URL(gateway.app.url).port
        with pytest.raises(CannotStartError, match="choose another GATEWAY_PORT"):
            async with running(settings.model_copy(update={"gateway_port": port})):
                pass
