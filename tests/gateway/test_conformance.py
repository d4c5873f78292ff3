"""Generated requests: docs/openapi.json and the gateway agree. `python -m tests.gateway.conformance` sends more."""

import asyncio
import json
from pathlib import Path

import pytest
from artifacts.client import Artifacts
from artifacts.settings import S3Settings
from gateway.http.access import ALL_SCOPES
from gateway.settings import ApiToken
from pydantic import SecretStr
from store.database import Database
from store.log import EventLog
from store.settings import DatabaseSettings

from tests.gateway.gateway_settings import settings_on
from tests.gateway.generated_requests import findings_at, serving
from tests.gateway.regenerate import FILE
from tests.store.example_runs import log_entries
from tests.support.clusters.cluster import Endpoints, started
from tests.support.clusters.example_run import new_example_run

TOKEN = ApiToken(name="everything", token=SecretStr("e" * 32), scopes=ALL_SCOPES)
PARTS = 6
"""Of the paths, sorted: every sixth one from each of the first six."""


@pytest.mark.sample(1)
@pytest.mark.parametrize("part", range(PARTS))
def test_document_and_gateway_agree(
    part: int, nats_url: str, database_url: str, s3_settings: S3Settings, tmp_path: Path
) -> None:
    endpoints = Endpoints(nats_url, database_url, s3_settings)
    settings = settings_on(endpoints).model_copy(update={"gateway_tokens": (TOKEN,), "gateway_linger_s": 0.0})
    known = {"run_id": asyncio.run(_recorded_run(endpoints))}
    paths = sorted(json.loads(FILE.read_text("utf-8"))["paths"])[part::PARTS]
    chosen = [word for path in paths for word in ("--include-path", path)]
    with serving(settings) as address:
        found_nothing, report = findings_at(address, TOKEN, tmp_path, ("--phases", "coverage", *chosen), known)
    assert found_nothing, report


async def _recorded_run(endpoints: Endpoints) -> str:
    async with (
        started(artifacts := Artifacts(endpoints.s3)),
        started(database := Database(DatabaseSettings(database_url=endpoints.database_url))),
    ):
        run = await new_example_run(artifacts)
        await EventLog(database.engine).append(log_entries(*run.events, first_sequence=2 * 10**12))
    return str(run.run_id)
