"""A run by the API alone: requested, followed to its end, and read, with all services in this process."""

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from artifacts.settings import S3Settings
from chassis.stream.permissions import all_permissions
from contracts.events.run import RunSucceeded
from local_stack.service_apps import build_detached_apps

from tests.flows.guarded_endpoints import EndpointsWithPermissions
from tests.gateway.gateway_client import ServerSentEvent, running, server_sent
from tests.gateway.gateway_settings import settings_on
from tests.support.clusters.cluster import in_process
from tests.support.guarded_server import started_guarded_server

TIMEOUT_S = 240.0
BODY = {"benchmark": "gravity-chute", "seed": 3, "model": "offline"}


@pytest.fixture
def endpoints(tmp_path: Path, database_url: str, s3_settings: S3Settings) -> Iterator[EndpointsWithPermissions]:
    """Servers on which each service has its own user of the broker."""
    with started_guarded_server(tmp_path, all_permissions(build_detached_apps())) as server:
        yield EndpointsWithPermissions("", database_url, s3_settings, server)


async def test_run_is_requested_followed_and_read_by_the_api(endpoints: EndpointsWithPermissions) -> None:
    settings = settings_on(endpoints).model_copy(update={"gateway_linger_s": 20.0})
    async with in_process(endpoints), running(settings) as gateway, asyncio.timeout(TIMEOUT_S):
        accepted = (await gateway.client.post("/runs", json=BODY)).raise_for_status().json()
        received: list[ServerSentEvent] = []
        async with gateway.client.stream("GET", accepted["live"]) as response:
            async for event in server_sent(response):
                received.append(event)
                if event.name in {"SkillLearned", "SkillRejected"}:
                    break
        names = [event.name for event in received]
        assert names[0] == "EngineeringRequested"
        assert names.count("RunSucceeded") == 1
        end = RunSucceeded.model_validate_json(received[names.index("RunSucceeded")].data)
        while (run := (await gateway.client.get(accepted["run"])).json())["end"] is None:  # noqa: ASYNC110 - the recorder is a moment behind
            await asyncio.sleep(0.1)
        assert run["summary"]["outcome"] == "succeeded"
        assert run["summary"]["unit_price_usd"] == end.bill.unit_price_usd
        page = (await gateway.client.get(f"{accepted['run']}/events", params={"limit": "200"})).json()
        assert page["events"]
        recorded = [each["event"]["id"] for each in page["events"]]
        assert recorded == [json.loads(event.data)["id"] for event in received][: len(recorded)]
        film = end.delivery.media
        assert film is not None
        views = film.key_frames[0].picture
        picture = await gateway.client.get(f"/artifacts/{views.sha256}")
        assert (picture.headers["content-type"], len(picture.content)) == (views.media_type, views.size_bytes)
