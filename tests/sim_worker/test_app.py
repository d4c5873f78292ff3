"""The whole service on real servers: asked by one process's app, answered by another's."""

from collections.abc import AsyncIterator
from uuid import uuid4

import pytest
from artifacts.client import Artifacts
from artifacts.documents import put_json
from artifacts.settings import S3Settings
from chassis.app import App
from chassis.settings import BusSettings
from contracts.simulation import SimulationCompleted, SimulationRequested
from pydantic import ValidationError
from sim_worker.app import make_app
from sim_worker.settings import Settings

from tests.sim_worker import scenes


@pytest.fixture
def settings(nats_url: str, s3_settings: S3Settings) -> Settings:
    return Settings.model_validate(
        s3_settings.model_dump() | {"nats_url": nats_url, "sim_video_width": 160, "sim_video_height": 120}
    )


@pytest.fixture
async def asker(settings: Settings) -> AsyncIterator[App]:
    app = App("test-asker", BusSettings(nats_url=settings.nats_url))
    await app.start()
    yield app
    await app.stop()


async def test_a_request_on_the_bus_is_answered_with_a_verdict_and_stored_media(settings: Settings, asker: App) -> None:
    artifacts = Artifacts(settings)
    await artifacts.start()
    worker = make_app(settings)
    await worker.start()
    request = SimulationRequested(
        id=uuid4(),
        run_id=uuid4(),
        role="engineer",
        producer="test",
        scene=await put_json(artifacts, scenes.chute_scene()),
        with_media=True,
    )
    outcome = await asker.bus.ask(request)
    assert isinstance(outcome, SimulationCompleted)
    assert outcome.result.verdict == "solved"
    assert outcome.media is not None
    assert (await artifacts.get(outcome.media.glb)).startswith(b"glTF")
    assert await worker.health() == []
    await worker.stop()
    await artifacts.stop()


def test_a_film_of_odd_width_is_refused_with_the_name_of_the_setting(settings: Settings) -> None:
    with pytest.raises(ValidationError, match="sim_video_width"):
        Settings.model_validate(settings.model_dump() | {"sim_video_width": 161})
