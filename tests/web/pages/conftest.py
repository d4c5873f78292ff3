"""A gateway with a recorder, on real servers, and pages of it in a browser."""

from collections.abc import AsyncIterator

import pytest_asyncio
from artifacts.client import Artifacts
from artifacts.settings import S3Settings
from chassis.app import App
from chassis.settings import BusSettings
from playwright.async_api import Browser, Page
from store.database import Database
from store.log import EventLog
from store.settings import DatabaseSettings

from tests.gateway.conftest import gateway, log, nats_url, settings
from tests.gateway.gateway_client import running
from tests.gateway.gateway_settings import settings_on
from tests.support.clusters.cluster import Endpoints, make_service, started
from tests.support.clusters.example_run import ExampleRun
from tests.web.pages.world import PagesWorld

__all__ = ["gateway", "log", "nats_url", "settings"]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def world(nats_url: str, database_url: str, s3_settings: S3Settings) -> AsyncIterator[PagesWorld]:
    """A gateway without tokens, and a recorder, for the tests of a module."""
    endpoints = Endpoints(nats_url, database_url, s3_settings)
    publisher = App("publisher", BusSettings(nats_url=nats_url))
    artifacts = Artifacts(s3_settings)
    recorder = make_service("recorder", endpoints.settings("recorder"))
    database = Database(DatabaseSettings(database_url=database_url))
    # live streams stay open for what a loaded machine publishes after a run has ended
    settings = settings_on(endpoints).model_copy(update={"gateway_linger_s": 120.0})
    async with started(artifacts, publisher, recorder), running(settings) as served:
        yield PagesWorld(served.app.url, publisher, EventLog(database.engine), artifacts, served.client)
    await database.stop()


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def run(world: PagesWorld) -> ExampleRun:
    """A recorded run that has ended, which tests of a module only read."""
    return await world.recorded_run()


@pytest_asyncio.fixture(loop_scope="module")
async def page(browser: Browser, world: PagesWorld) -> AsyncIterator[Page]:
    """A page that reports what a browser complains about: nothing of it is expected."""
    context = await browser.new_context(base_url=world.url, viewport={"width": 1280, "height": 700})
    opened = await context.new_page()
    complaints: list[str] = []
    opened.on("pageerror", lambda error: complaints.append(str(error)))
    opened.on(
        "console",
        lambda message: complaints.append(f"{message.text} {message.location}") if message.type == "error" else None,
    )
    yield opened
    await context.close()
    assert complaints == []
