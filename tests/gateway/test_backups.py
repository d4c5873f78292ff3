"""Requests of backups by the API: who may make them, and what they answer."""

from uuid import uuid4

from gateway.settings import ApiToken, Settings
from pydantic import SecretStr
from store.backup_requests import BackupRequests
from store.database import Database
from store.settings import DatabaseSettings

from tests.gateway.gateway_client import RunningGateway, problem_of, running
from tests.gateway.test_access import READER, RUNNER, bearer

OPERATOR = ApiToken(name="operator", token=SecretStr("o" * 32), scopes=frozenset(("admin",)))


async def test_backup_is_requested_with_the_scope_admin_only(settings: Settings) -> None:
    guarded = settings.model_copy(update={"gateway_tokens": (READER, RUNNER, OPERATOR)})
    async with running(guarded) as gateway:
        problem_of(await gateway.client.post("/backups"), 401)
        for token in (READER, RUNNER):
            refused = await gateway.client.post("/backups", headers=bearer(token))
            assert "scope admin" in problem_of(refused, 403)
        accepted = await gateway.client.post("/backups", headers=bearer(OPERATOR))
        assert accepted.status_code == 202, accepted.text
        problem_of(await gateway.client.get(accepted.headers["location"], headers=bearer(OPERATOR)), 403)
        shown = await gateway.client.get(accepted.headers["location"], headers=bearer(READER))
        assert shown.json() == accepted.json()


async def test_requested_backup_is_followed_to_its_end(gateway: RunningGateway, database_url: str) -> None:
    database = Database(DatabaseSettings(database_url=database_url))
    requests = BackupRequests(database.engine)
    await requests.take()  # of another test
    headers = {"Idempotency-Key": str(uuid4())}
    first = await gateway.client.post("/backups", headers=headers)
    again = await gateway.client.post("/backups", headers=headers)
    other = await gateway.client.post("/backups")
    assert first.json() == again.json() == other.json()
    assert first.json()["state"] == "requested"
    taken = await requests.take()
    assert taken is not None
    await requests.finish(taken.id, name="2026-11-24T03-00-00Z")
    await database.stop()
    made = (await gateway.client.get(first.headers["location"])).json()
    assert (made["state"], made["name"], made["problem"]) == ("made", "2026-11-24T03-00-00Z", None)
    assert (await gateway.client.post("/backups", headers=headers)).json() == made
    problem_of(await gateway.client.get(f"/backups/{uuid4()}"), 404)
