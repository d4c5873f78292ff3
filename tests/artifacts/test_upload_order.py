"""An event that names artifacts is published only after their upload."""

import asyncio
from uuid import uuid4

from artifacts.client import Artifacts
from artifacts.settings import S3Settings
from chassis.app import App
from chassis.settings import BusSettings
from contracts.events.session import FileWriteRequested
from contracts.events.simulation import SimulationRequested

from tests.artifacts.conftest import RestartableS3
from tests.artifacts.support import noise
from tests.support.clusters.cluster import started

LONG = "legs = 4\n" * 20_000


async def test_publishing_waits_for_uploads_in_an_outage(
    nats_url: str, restartable_s3: RestartableS3, own_settings: S3Settings
) -> None:
    """One event names a blob, and one has a text that becomes a blob; a third event does not wait for them."""
    app, artifacts = App("engineer", BusSettings(nats_url=nats_url)), Artifacts(own_settings)
    app.add_resource(artifacts)
    app.stores_large_fields_in(artifacts)
    async with started(app):
        await restartable_s3.kill()
        envelope = {"run_id": uuid4(), "role": "engineer", "producer": "engineer"}
        scene = await artifacts.put(noise(1), "application/json")
        with_blob = SimulationRequested.model_validate({**envelope, "id": uuid4(), "scene": scene})
        long, short = (
            FileWriteRequested.model_validate({**envelope, "id": uuid4(), "path": "script.py", "text": text})
            for text in (LONG, "legs = 4\n")
        )
        publishing = [asyncio.create_task(app.bus.publish(event)) for event in (with_blob, long)]
        await app.bus.publish(short)
        await asyncio.sleep(0.5)
        assert await app.bus.history(short.run_id) == [short]
        await restartable_s3.restart()
        assert await asyncio.gather(*publishing) == [True, True]
        assert {event.id for event in await app.bus.history(short.run_id)} == {with_blob.id, long.id, short.id}
        assert await app.bus.find(long.run_id, "engineer", long.id) == long
