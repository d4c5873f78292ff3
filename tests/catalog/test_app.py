"""Tests of the catalog's service on real servers."""

from collections.abc import AsyncIterator
from uuid import uuid4

import pytest
from artifacts.settings import S3Settings
from catalog.app import make_app
from catalog.settings import Settings
from chassis.app import App
from chassis.settings import BusSettings
from contracts.events.catalog import CatalogQueried, CatalogSearched, CatalogSearchRequested
from contracts.events.conversation import ModelCalled

from tests.agent.role_harness import engineering_requested


@pytest.fixture
async def asker(nats_url: str, database_url: str, s3_settings: S3Settings) -> AsyncIterator[App]:
    settings = s3_settings.model_dump() | {"nats_url": nats_url, "database_url": database_url}
    apps = [make_app(Settings.model_validate(settings)), App("cad-worker", BusSettings(nats_url=nats_url))]
    for app in apps:
        await app.start()
    yield apps[-1]
    for app in reversed(apps):
        await app.stop()


async def test_search_is_answered_over_the_bus(asker: App):
    opening = engineering_requested(model="offline")
    await asker.bus.publish(opening)
    request = CatalogSearchRequested(
        id=uuid4(), run_id=opening.run_id, role="engineer", producer="cad-worker", words="a 608 bearing"
    )
    outcome = await asker.bus.ask(request)
    assert isinstance(outcome, CatalogSearched)
    assert [find.id for find in outcome.found] == ["608zz"]
    history = await asker.bus.history(opening.run_id)
    assert [type(event) for event in history if event.role == "catalog"] == [ModelCalled, CatalogQueried, ModelCalled]
