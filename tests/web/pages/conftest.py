"""A gateway with a recorder, on real servers, and pages of it in a browser."""

from collections.abc import AsyncIterator

import pytest
from artifacts.client import Artifacts
from chassis.app import App
from gateway.settings import Settings
from playwright.async_api import Browser, Page
from store.log import EventLog

from tests.gateway.conftest import artifacts, gateway, log, nats_url, publisher, settings
from tests.gateway.gateway_client import running
from tests.support.clusters.cluster import Endpoints, make_service, started
from tests.web.pages.world import PagesWorld

__all__ = ["artifacts", "gateway", "log", "nats_url", "publisher", "settings"]


@pytest.fixture
async def world(settings: Settings, publisher: App, log: EventLog, artifacts: Artifacts) -> AsyncIterator[PagesWorld]:
    """A gateway without tokens, and a recorder."""
    endpoints = Endpoints(settings.nats_url, settings.database_url, settings)
    recorder = make_service("recorder", endpoints.settings("recorder"))
    async with started(recorder), running(settings) as started_gateway:
        yield PagesWorld(started_gateway.app.url, publisher, log, artifacts, started_gateway.client)


@pytest.fixture
async def page(browser: Browser, world: PagesWorld) -> AsyncIterator[Page]:
    """A page that reports what a browser complains about: nothing of it is expected."""
    context = await browser.new_context(base_url=world.url, viewport={"width": 1280, "height": 900})
    opened = await context.new_page()
    complaints: list[str] = []
    opened.on("pageerror", lambda error: complaints.append(str(error)))
    opened.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
    yield opened
    await context.close()
    assert complaints == []
