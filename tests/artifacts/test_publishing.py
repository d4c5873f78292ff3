"""An event that names artifacts is published after their upload, however long that takes."""

import asyncio
from uuid import uuid4

from artifacts.client import Artifacts
from artifacts.settings import S3Settings
from chassis.app import App
from chassis.settings import BusSettings
from contracts.events.session import FileWriteRequested
from contracts.events.simulation import SimulationRequested

from tests.artifacts.conftest import MortalS3
from tests.artifacts.test_conformance import noise

LONG = "legs = 4\n" * 20_000


async def test_publishing_waits_while_s3_is_away(
    nats_url: str, mortal_s3: MortalS3, mortal_settings: S3Settings
) -> None:
    """One event names a blob, the other one has a text that becomes one; a third one is not held up by them."""
    app, artifacts = App("engineer", BusSettings(nats_url=nats_url)), Artifacts(mortal_settings)
    app.add_resource(artifacts)
    app.stores_large_fields_in(artifacts)
    await app.start()
    await mortal_s3.kill()
    about = {"run_id": uuid4(), "role": "engineer", "producer": "engineer"}
    scene = await artifacts.put(noise(1), "application/json")
    naming = SimulationRequested.model_validate({**about, "id": uuid4(), "scene": scene})
    long, short = (
        FileWriteRequested.model_validate({**about, "id": uuid4(), "path": "script.py", "text": text})
        for text in (LONG, "legs = 4\n")
    )
    publishing = [asyncio.create_task(app.bus.publish(event)) for event in (naming, long)]
    await app.bus.publish(short)
    await asyncio.sleep(0.5)
    assert await app.bus.history(short.run_id) == [short]
    await mortal_s3.revive()
    assert await asyncio.gather(*publishing) == [True, True]
    assert {event.id for event in await app.bus.history(short.run_id)} == {naming.id, long.id, short.id}
    assert await app.bus.find(long.run_id, "engineer", long.id) == long
    await app.stop()
