"""A page that stays open while everything behind it is restarted, one after the other."""

import asyncio
from contextlib import AsyncExitStack
from pathlib import Path

import pytest
from artifacts.client import Artifacts
from chassis.app import App
from chassis.settings import BusSettings
from gateway.app import GatewayApp, make_app
from gateway.settings import Settings
from playwright.async_api import Browser

from tests.gateway.gateway_settings import settings_on
from tests.support.clusters.cluster import Cluster, make_service, start_cluster, started
from tests.support.clusters.example_run import ExampleRun, new_example_run
from tests.web.pages.world import LOOK_S, PATIENCE_MS, types_of_rows, wait_for_rows

pytestmark = pytest.mark.asyncio(loop_scope="module")


class Behind:
    """Gateway, recorder and a publisher on a cluster."""

    def __init__(self, cluster: Cluster, run: ExampleRun) -> None:
        self.cluster = cluster
        self.run = run
        self.published = 0
        self.publisher = App("publisher", BusSettings(nats_url=cluster.endpoints.nats_url))
        self.recorder = make_service("recorder", cluster.endpoints.settings("recorder"))

    async def publish(self, until: int) -> None:
        """Publish the run's events up to this number."""
        for event in self.run.events[self.published : until]:
            await self.publisher.bus.publish(event)
        self.published = until

    def kill(self, server: str) -> int:
        """Kill a server; return its process id."""
        pid = self.cluster.supervisor.pids()[server]
        self.cluster.interrupt(server, "killed")
        return pid

    async def revive(self, server: str, killed_pid: int) -> None:
        """Start a server again, as soon as its death is seen, and wait until it works."""
        supervisor = self.cluster.supervisor
        while supervisor.pids().get(server, killed_pid) == killed_pid:
            supervisor.restart(server)
            await asyncio.sleep(LOOK_S)
        await asyncio.to_thread(supervisor.wait_until_ready)


def gateway_on(settings: Settings) -> GatewayApp:
    app = make_app(settings)
    assert isinstance(app, GatewayApp)
    return app


async def test_open_page_misses_no_event_when_gateway_nats_and_postgres_restart(
    tmp_path: Path, browser: Browser
) -> None:
    async with AsyncExitStack() as stack:
        cluster = await stack.enter_async_context(start_cluster(tmp_path / "servers"))
        artifacts = Artifacts(cluster.endpoints.s3)
        await stack.enter_async_context(started(artifacts))
        behind = Behind(cluster, await new_example_run(artifacts))
        await stack.enter_async_context(started(behind.publisher, behind.recorder))
        settings = settings_on(cluster.endpoints)
        first = gateway_on(settings)
        await first.start()
        context = await browser.new_context(base_url=first.url)
        page = await context.new_page()
        await behind.publish(5)
        await page.goto(behind.run.path)
        await wait_for_rows(page, 5)

        port = int(first.url.rpartition(":")[2])
        await first.stop()
        await behind.publish(10)
        second = gateway_on(settings.model_copy(update={"gateway_port": port}))
        await stack.enter_async_context(started(second))
        await wait_for_rows(page, 10)

        await behind.revive("nats-server", behind.kill("nats-server"))
        await behind.publish(20)
        await wait_for_rows(page, 20)

        killed = behind.kill("postgres")
        await behind.publish(25)
        await wait_for_rows(page, 25)
        await behind.revive("postgres", killed)
        await behind.publish(len(behind.run.events))
        await wait_for_rows(page, len(behind.run.events))

        assert await types_of_rows(page) == [event.type for event in behind.run.events]
        await page.wait_for_selector("#summary .outcome.succeeded", timeout=PATIENCE_MS)
        await context.close()
