"""The whole service on real servers: asked by one process's app, answered by another's."""

from collections.abc import AsyncIterator
from typing import Any
from uuid import uuid4

import pytest
from artifacts.client import Artifacts
from artifacts.port import put_json
from artifacts.settings import S3Settings
from chassis.app import App
from chassis.settings import BusSettings
from contracts.events.simulation import FilmCompleted, FilmRequested, SimulationCompleted, SimulationRequested
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


async def test_requests_on_the_bus_are_answered_with_a_verdict_and_then_with_stored_media(
    settings: Settings, asker: App
) -> None:
    artifacts = Artifacts(settings)
    await artifacts.start()
    worker = make_app(settings)
    await worker.start()
    asked: dict[str, Any] = {"run_id": uuid4(), "role": "engineer", "producer": "test"}
    asked["scene"] = await put_json(artifacts, scenes.chute_scene())
    outcome = await asker.bus.ask(SimulationRequested.model_validate(asked | {"id": uuid4()}))
    assert isinstance(outcome, SimulationCompleted)
    assert outcome.result.verdict == "solved"
    seen = {"id": uuid4(), "trajectory_digest": outcome.result.trajectory_digest}
    film = await asker.bus.ask(FilmRequested.model_validate(asked | seen))
    assert isinstance(film, FilmCompleted)
    assert (await artifacts.get(film.media.glb)).startswith(b"glTF")
    assert await worker.health() == []
    await worker.stop()
    await artifacts.stop()


def test_a_film_of_odd_width_is_refused_with_the_name_of_the_setting(settings: Settings) -> None:
    with pytest.raises(ValidationError, match="sim_video_width"):
        Settings.model_validate(settings.model_dump() | {"sim_video_width": 161})
