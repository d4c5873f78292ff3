"""Who may do what on pages: sessions of browsers, keys of forms, and scopes."""

import re
from collections.abc import AsyncIterator

import httpx
import pytest
from benchmarks.archive import files_of, pack
from benchmarks.loader import SUITE
from gateway.http.sessions import COOKIE, SESSION_S, BrowserSessions
from gateway.settings import ApiToken, Settings
from pydantic import SecretStr
from store.log import EventLog

from tests.gateway.gateway_client import RunningGateway, problem_of, running
from tests.store.example_runs import log_entries, new_request, run_failure

READER = ApiToken(name="reader", token=SecretStr("r" * 32), scopes=frozenset(("read",)))
OWNER = ApiToken(name="owner", token=SecretStr("w" * 32), scopes=frozenset(("read", "run")))
KEY = re.compile(r'name="form_key" value="([0-9a-f]{64})"')
NEW = "/pages/new-run"
OWN = "/pages/own-benchmark"
ARCHIVE = {"archive": ("mine.zip", pack("mine", files_of(SUITE / "gravity-chute"), ".zip"))}
FORM = {"benchmark": "gravity-chute", "seed": "3", "quantity": "100", "max_parts": "12"}


@pytest.fixture
async def guarded(settings: Settings) -> AsyncIterator[RunningGateway]:
    async with running(settings.model_copy(update={"gateway_tokens": (READER, OWNER)})) as gateway:
        yield gateway


async def signed_in(gateway: RunningGateway, token: ApiToken) -> httpx.AsyncClient:
    """Return the client with the cookie of a session."""
    form = {"token": token.token.get_secret_value(), "next": NEW}
    response = await gateway.client.post("/pages/sign-in", data=form)
    assert (response.status_code, response.headers["location"]) == (303, NEW)
    cookie = response.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=strict" in cookie
    return gateway.client


async def form_key(client: httpx.AsyncClient, path: str = NEW) -> str:
    """Return the key in the form of a page."""
    found = KEY.search((await client.get(path)).raise_for_status().text)
    assert found is not None
    return found[1]


async def test_page_without_a_session_leads_to_the_sign_in(guarded: RunningGateway) -> None:
    response = await guarded.client.get("/pages/runs?outcome=failed")
    assert response.status_code == 303
    assert response.headers["location"] == "/pages/sign-in?next=%2Fpages%2Fruns%3Foutcome%3Dfailed"
    assert (await guarded.client.get(response.headers["location"])).status_code == 200
    problem_of(await guarded.client.get("/runs"), 401)


async def test_form_of_an_ended_session_leads_to_the_sign_in_and_back(guarded: RunningGateway) -> None:
    page = f"{guarded.app.url}{NEW}?benchmark=detour"
    response = await guarded.client.post(NEW, data=FORM, headers={"Referer": page})
    assert response.status_code == 303
    assert response.headers["location"] == "/pages/sign-in?next=%2Fpages%2Fnew-run%3Fbenchmark%3Ddetour"


async def test_sign_in_with_a_wrong_token_opens_no_session(guarded: RunningGateway) -> None:
    response = await guarded.client.post("/pages/sign-in", data={"token": "x" * 32})
    assert response.status_code == 403
    assert "set-cookie" not in response.headers


@pytest.mark.parametrize("target", ["https://evil.example/", "//evil.example", "/pages/\\evil.example", "/runs"])
async def test_sign_in_leads_to_own_pages_only(guarded: RunningGateway, target: str) -> None:
    form = {"token": "r" * 32, "next": target}
    assert (await guarded.client.post("/pages/sign-in", data=form)).headers["location"] == "/pages/runs"


async def test_session_reads_pages_and_artifacts_but_changes_nothing_by_the_api(guarded: RunningGateway) -> None:
    client = await signed_in(guarded, OWNER)
    assert (await client.get("/pages/runs")).status_code == 200
    assert (await client.get("/runs")).status_code == 200
    problem_of(await client.post("/runs", json={"benchmark": "gravity-chute"}), 401)


async def test_session_of_a_reader_may_not_request_runs(guarded: RunningGateway) -> None:
    client = await signed_in(guarded, READER)
    response = await client.post(NEW, data={**FORM, "form_key": "0" * 64})
    assert response.status_code == 403
    assert "scope run" in response.text


async def test_form_with_its_key_requests_one_run_however_often_it_is_sent(guarded: RunningGateway) -> None:
    client = await signed_in(guarded, OWNER)
    form = {**FORM, "form_key": await form_key(client), "key": "6f0f4a57-53c9-4c3f-8e5e-0d4c9d2b2a11"}
    first, second = [await client.post(NEW, data=form) for _ in range(2)]
    assert first.status_code == 303
    assert first.headers["location"] == second.headers["location"]
    run = (await client.get(first.headers["location"].replace("/pages", ""))).raise_for_status().json()
    assert run["assignment"]["limits"]["max_parts"] == 12
    actions = await client.get(f"{first.headers['location']}/act")
    assert "Cancel the run" in actions.text
    cancelled = await client.post(f"{first.headers['location']}/cancel", data={"form_key": await form_key(client)})
    assert cancelled.status_code == 303


@pytest.mark.parametrize(
    ("key", "headers", "status"),
    [
        ("", {}, 403),
        ("0" * 64, {}, 403),
        (None, {"Origin": "https://evil.example"}, 403),
        (None, {"Origin": "null"}, 403),
        (None, {"Sec-Fetch-Site": "cross-site"}, 403),
        (None, {"Sec-Fetch-Site": "same-site"}, 403),
    ],
)
async def test_form_of_another_site_is_refused(
    guarded: RunningGateway, key: str | None, headers: dict[str, str], status: int
) -> None:
    client = await signed_in(guarded, OWNER)
    given = await form_key(client) if key is None else key
    response = await client.post(NEW, data={**FORM, "form_key": given}, headers=headers)
    assert response.status_code == status
    assert response.headers["content-type"].startswith("text/html")


async def test_key_of_another_session_is_refused(guarded: RunningGateway) -> None:
    key = await form_key(await signed_in(guarded, READER), "/pages/runs")
    guarded.client.cookies.clear()
    client = await signed_in(guarded, OWNER)
    assert (await client.post(NEW, data={**FORM, "form_key": key})).status_code == 403


async def test_body_that_is_not_a_form_is_refused(guarded: RunningGateway) -> None:
    client = await signed_in(guarded, OWNER)
    assert (await client.post(NEW, json={**FORM, "form_key": await form_key(client)})).status_code == 415


async def test_form_with_files_needs_its_key_and_an_own_page_too(guarded: RunningGateway) -> None:
    client = await signed_in(guarded, OWNER)
    key = await form_key(client, OWN)
    sent = await client.post(OWN, data={"form_key": key, "seed": "4"}, files=ARCHIVE)
    assert sent.status_code == 303
    assert sent.headers["location"].startswith("/pages/runs/")
    others: list[tuple[str, dict[str, str]]] = [
        ("", {}),
        ("0" * 64, {}),
        (key, {"Origin": "null"}),
        (key, {"Sec-Fetch-Site": "cross-site"}),
    ]
    for given, headers in others:
        refused = await client.post(OWN, data={"form_key": given}, files=ARCHIVE, headers=headers)
        assert refused.status_code == 403
    assert (await client.post(OWN, data={"form_key": key})).status_code == 415
    bad = await client.post(OWN, data={"form_key": key, "seed": "4"}, files={"archive": ("x.zip", b"x")})
    assert bad.status_code == 415
    assert "neither a .zip nor a .tar.gz" in bad.text
    assert 'value="4"' in bad.text


async def test_form_without_tokens_needs_its_key_too(gateway: RunningGateway) -> None:
    assert (await gateway.client.post(NEW, data=FORM)).status_code == 403
    key = await form_key(gateway.client)
    response = await gateway.client.post(NEW, data={**FORM, "form_key": key, "seed": "none"})
    assert response.status_code == 422
    assert "seed" in response.text


async def test_run_that_has_not_ended_is_not_continued(gateway: RunningGateway, log: EventLog) -> None:
    request = new_request()
    await log.append(log_entries(request, first_sequence=10**13))
    form = {"form_key": await form_key(gateway.client), "instruction": "lighter"}
    response = await gateway.client.post(f"/pages/runs/{request.run_id}/continue", data=form)
    assert response.status_code == 409
    assert "has not ended" in response.text


async def test_run_that_has_ended_is_not_cancelled(gateway: RunningGateway, log: EventLog) -> None:
    request = new_request()
    await log.append(log_entries(request, run_failure(request), first_sequence=10**13))
    form = {"form_key": await form_key(gateway.client)}
    response = await gateway.client.post(f"/pages/runs/{request.run_id}/cancel", data=form)
    assert response.status_code == 409


def test_session_ends_by_time_with_its_token_and_by_any_change() -> None:
    now = [1000.0]
    sessions = BrowserSessions((READER, OWNER), frozenset[str](), clock=lambda: now[0])
    cookie = sessions.open(READER)
    assert sessions.token_of(cookie) == READER
    assert BrowserSessions((OWNER,), frozenset[str](), clock=lambda: now[0]).token_of(cookie) is None
    for wrong in (cookie[:-1] + ("0" if cookie[-1] != "0" else "1"), cookie.replace(".", "..", 1), "", "a.b.c", COOKIE):
        assert sessions.token_of(wrong) is None
    now[0] += SESSION_S + 1
    assert sessions.token_of(cookie) is None
