"""The whole service on real servers, with requests from another app."""

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
async def requester(settings: Settings) -> AsyncIterator[App]:
    app = App("test-requester", BusSettings(nats_url=settings.nats_url))
    await app.start()
    yield app
    await app.stop()


async def test_app_answers_simulation_and_film_requests(settings: Settings, requester: App) -> None:
    artifacts = Artifacts(settings)
    await artifacts.start()
    worker = make_app(settings)
    await worker.start()
    fields: dict[str, Any] = {"run_id": uuid4(), "role": "engineer", "producer": "test"}
    fields["scene"] = await put_json(artifacts, scenes.chute_scene())
    outcome = await requester.bus.ask(SimulationRequested.model_validate(fields | {"id": uuid4()}))
    assert isinstance(outcome, SimulationCompleted)
    assert outcome.result.verdict == "solved"
    judged = {"id": uuid4(), "trajectory_digest": outcome.result.trajectory_digest}
    film = await requester.bus.ask(FilmRequested.model_validate(fields | judged))
    assert isinstance(film, FilmCompleted)
    assert (await artifacts.get(film.media.glb)).startswith(b"glTF")
    assert await worker.health() == []
    await worker.stop()
    await artifacts.stop()


def test_settings_odd_video_width_is_rejected(settings: Settings) -> None:
    with pytest.raises(ValidationError, match="sim_video_width"):
        Settings.model_validate(settings.model_dump() | {"sim_video_width": 161})
